"""Pages driven without a browser, and what is read off them."""

import json
from pathlib import Path

from streamlit.testing.v1 import AppTest

APP = str(Path(__file__).parents[2] / "app.py")


def started(page: str = "", **query: str) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=120)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    if page:
        app.switch_page(page).run()
        assert not app.exception
    return app


def with_area(app: AppTest) -> AppTest:
    """As a click on "Area" does: the fields in it are sent only then. It stays unfolded for the next run."""
    app.session_state["area"] = True
    return app


def radius_of(app: AppTest):
    """The radius slider, whose key depends on its end and on what it follows."""
    return next(slider for slider in app.slider if slider.label.startswith("Radius"))


def epsilon_here(app: AppTest):
    """The slider of ε on the page itself, which follows the one in the sidebar."""
    return next(slider for slider in app.slider if slider.key.startswith("eps-here"))


def menu_of(app: AppTest):
    """The data menu, whose key depends on the visitor's own file."""
    return next(menu for menu in app.selectbox if menu.label == "People and place")


def choose_place(app: AppTest, name: str) -> None:
    """Stand somewhere else in the lesson."""
    places = app.selectbox(key="person-place")
    places.select_index(places.options.index(name)).run()
    assert not app.exception


def link_of(app: AppTest) -> str:
    """The query part of the link that the page offers to copy."""
    (component,) = [c.proto for c in app.get("bidi_component") if "address" in c.proto.component_name]
    query: str = json.loads(component.json)["query"]
    return query


def value_of(app: AppTest, label: str) -> str:
    return next(metric.value for metric in app.metric if metric.label == label)


def error_of(app: AppTest) -> float:
    return float(value_of(app, "Error W2").removesuffix(" cells"))


def decks(app: AppTest) -> list[dict]:
    return [json.loads(chart.proto.json) for chart in app.get("deck_gl_json_chart")]


def layer(deck: dict, kind: str) -> list[dict]:
    return [entry for entry in deck["layers"] if entry["@@type"] == kind]


def link_notices(app: AppTest) -> list[str]:
    """What a page says about its link, folded into one notice that says how many there are."""
    folded = [panel for panel in app.expander if "of the link could not be used" in panel.label]
    if not folded:
        return []
    (panel,) = folded
    (listed,) = panel.markdown
    notices = [line.removeprefix("- ") for line in listed.value.splitlines()]
    parts = "1 part" if len(notices) == 1 else f"{len(notices)} parts"
    assert panel.label == f"{parts} of the link could not be used; the rest is shown"
    return notices


def said(app: AppTest) -> str:
    parts = [*app.warning, *app.error, *app.info, *app.markdown, *app.caption]
    return "\n".join([*(str(part.value) for part in parts), *cards(app)])


def cards(app: AppTest) -> list[str]:
    """Title and caption of the maps that stand in a grid."""
    grids = [c.proto for c in app.get("bidi_component") if c.proto.component_name == "spatialldp_map_cards"]
    return [f"{card['title']}: {card['caption']}" for grid in grids for card in json.loads(grid.json)["cards"]]


def component_data(app: AppTest, name: str) -> dict:
    """What the one component of ours with this name is told."""
    (found,) = [c.proto for c in app.get("bidi_component") if c.proto.component_name == f"spatialldp_{name}"]
    data: dict = json.loads(found.json)
    return data
