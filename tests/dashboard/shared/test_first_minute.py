"""Stories, modes and the menu of data, on pages that are driven without a browser."""

import pytest

from spatialldp.dashboard.shared.pages import FILES, Page
from spatialldp.dashboard.shared.stories import STORIES
from spatialldp.datasets import DATASETS
from tests.dashboard.driving import component_data, epsilon_here, link_of, menu_of, said, started

QUICK = {"data": "new-haven", "d": "5"}


def test_the_start_page_offers_stories_and_a_tour_and_opens_neither():
    offered = component_data(started(**QUICK), "first_minute")
    assert [story["title"] for story in offered["stories"]] == [story.title for story in STORIES.values()]
    assert len(offered["stops"]) == 6
    assert offered["told"] is None
    assert not offered["taken"]


def test_a_story_stands_above_its_view_and_leads_to_the_next():
    app = started(story="town")
    assert [title.value for title in app.title] == ["A small town struggles"]
    assert "3,293 people here" in said(app)
    told = component_data(app, "first_minute")["told"]
    assert (told["number"], told["next"]["name"]) == (2, "promise")
    assert link_of(app) == "v=2&story=town"
    # On another page nothing is told.
    app.switch_page(FILES[Page.HOW_IT_WORKS]).run()
    assert [title.value for title in app.title] == ["How it works"]
    assert link_of(app) == "v=2&data=new-haven"


def test_a_changed_view_takes_the_sentences_back():
    app = started(story="town")
    app.slider(key="eps").set_value(3.0).run()
    assert "3,293 people here" not in said(app)
    app.button(key="retell").click().run()
    assert app.slider(key="eps").value == 3.5
    assert "3,293 people here" in said(app)


@pytest.mark.parametrize("page", [Page.EXPLORE, Page.HOW_IT_WORKS])
def test_the_presenter_mode_has_the_controls_that_matter_above_the_page(page):
    app = started("" if page is Page.EXPLORE else FILES[page], **QUICK, present="1")
    assert not app.sidebar.children
    assert {slider.key for slider in app.main.slider} >= {"eps", "d"}
    assert menu_of(app).value == "new-haven"
    assert link_of(app) == "v=2&data=new-haven&d=5&present=1"
    app.button(key="leave").click().run()
    assert app.sidebar.children
    assert link_of(app) == "v=2&data=new-haven&d=5"


@pytest.mark.parametrize(("page", "keys"), [(Page.EXPLORE, "← →"), (Page.HOW_IT_WORKS, "← →"), (Page.LESSON, "↓ ↑")])
def test_the_button_of_the_presenter_mode_names_the_keys_of_its_page(page, keys):
    app = started("" if page is Page.EXPLORE else FILES[page], **QUICK)
    assert app.button(key="present").help == f"For a projector: larger type, no sidebar, and the keys {keys} move ε"


def test_the_presenter_mode_has_short_names_for_mechanisms():
    app = started(**QUICK, mech="HUEM")
    assert "HUEM: Hybrid uniform-exponential mechanism" in app.selectbox(key="mech").options
    app.button(key="present").click().run()
    (menu,) = [menu for menu in app.selectbox if menu.label == "Mechanism"]
    assert menu.options[:3] == ["DAM", "HUEM", "MDSW"]
    assert menu.value == "HUEM"
    menu.set_value("k-RR").run()
    assert "mech=k-RR&d=5&present=1" in link_of(app)
    app.button(key="leave").click().run()
    assert app.selectbox(key="mech").value == "k-RR"


@pytest.mark.parametrize(
    ("mode", "way"),
    [
        ({}, "Choose another data set under “People and place”, or download this one there."),
        ({"present": "1"}, "under “People and place”, or leave the presenter mode to download this one."),
        ({"bare": "1"}, "Open the whole page to download this data set, or to choose another one."),
    ],
)
def test_a_set_that_is_not_here_is_looked_for_where_the_menu_is(mode, way):
    app = started(data="chicago-crimes-2022", d="5", **mode)
    assert way in "".join(info.value for info in app.main.info)
    assert [menu.label for menu in app.selectbox if menu.label == "People and place"] == (
        [] if "bare" in mode else ["People and place"]
    )


def test_a_bare_page_has_its_sliders_and_nothing_to_choose_data_with():
    app = started(**QUICK, bare="1")
    assert not app.sidebar.children
    assert {slider.key for slider in app.slider} == {"eps", "d"}
    assert not [menu for menu in app.selectbox if menu.label == "People and place"]


def test_epsilon_stands_twice_and_both_follow():
    app = started(**QUICK)
    here = epsilon_here(app)
    here.set_value(2.0).run()
    assert app.slider(key="eps").value == 2.0
    # The one that the visitor moves stays where the finger is; the other is another one each time it is told.
    assert epsilon_here(app).key == here.key
    app.slider(key="eps").set_value(4.0).run()
    assert epsilon_here(app).value == 4.0
    assert epsilon_here(app).key != here.key
    assert "eps=4" in link_of(app)


def test_the_menu_begins_with_what_is_at_hand():
    app = started(**QUICK)
    options = menu_of(app).options
    to_fetch = {entry.title for entry in DATASETS.values() if entry.availability == "needs download"}
    assert to_fetch
    assert options[0] == "San Francisco addresses"
    assert not to_fetch & set(options)
    assert options[-1] == "More cities, to download …"
    menu_of(app).select_index(len(options) - 1).run()
    behind = next(menu for menu in app.selectbox if menu.label == "To download")
    assert set(behind.options) == to_fetch
    behind.select_index(1).run()
    assert not app.exception
    assert "data=chicago" in link_of(app)
