"""The choices in the sidebar: one state behind all widgets of all pages, the address bar and the little map."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import streamlit as st

from spatialldp.dashboard.shared import components, own_files, session
from spatialldp.dashboard.shared.choices import (
    EPSILON_RANGE,
    LARGEST_D,
    LARGEST_SEED,
    UPLOAD,
    Choices,
    parse,
)
from spatialldp.dashboard.shared.chosen_data import Area, LoadedData, areas_of, loaded_data, own_number, population_of
from spatialldp.dashboard.shared.link_values import rounded_box
from spatialldp.dashboard.shared.page_setup import current_page
from spatialldp.datasets import DATASETS, DataError
from spatialldp.drawing.outlines import outline_lines
from spatialldp.grid import Bounds
from spatialldp.mechanisms import MECHANISMS, Mechanism
from spatialldp.population import Population

_CORNERS = ("West", "South", "East", "North")


def choices() -> Choices:
    """What is chosen now; the first time, what the link says, with a notice for each value it gets wrong."""
    chosen = session.CHOICES.get()
    if chosen is None:
        chosen, notices = parse(st.query_params.to_dict())
        session.CHOICES.set(chosen)
        session.LINK_NOTICES.set(notices)
    return chosen


def choose(**values: Any) -> None:
    """Change some choices; what the link got wrong is then no longer of interest."""
    _decide(choices().changed(**values))


def _decide(chosen: Choices) -> None:
    session.CHOICES.set(chosen)
    session.LINK_NOTICES.take()


def show_notices() -> None:
    """What a link got wrong, until the visitor changes something."""
    for notice in session.LINK_NOTICES.get() or []:
        st.warning(notice, icon=":material/link_off:")


def bound(name: str, key: str, value: Any, moves: bool = False) -> dict[str, Any]:
    """Arguments that tie the widget `key` to the choice `name`: it shows `value` and changes the choice. `moves` for
    sliders and numbers that go up and down."""
    session.show(key, value, moves)
    widgets = session.WIDGETS.get_or_make(dict)
    widgets[name] = key

    def changed() -> None:
        # The browser may still send what a widget showed that another one has replaced, such as the menu of data before
        # an own file was in it. That is no choice of the visitor's.
        if widgets[name] == key:
            choose(**{name: session.shown(key)})

    return {"key": key, "on_change": changed}


def sidebar_data() -> LoadedData | None:
    """Data and area; None, with the reason on the page, when there is nothing to show."""
    with st.sidebar:
        chosen = choices()
        titles = _titles()
        if chosen.data not in titles:
            choose(data=next(iter(titles)))
            chosen = choices()
        st.selectbox(
            "People and place",
            list(titles),
            format_func=titles.__getitem__,
            **bound("data", _data_key(tuple(titles.values())), chosen.data),
        )
        try:
            loaded = loaded_data(chosen)
        except DataError as problem:
            own_files.offer_download(chosen.data, problem)
            own_files.upload_control(choose)
            return None
        _area(loaded, chosen)
        own_files.upload_control(choose)
        return loaded


def _data_key(texts: tuple[str, ...]) -> str:
    """The key of the data menu: with other texts, after an upload or a download, it is another menu. The browser knows
    an option by its text alone; in the same menu it would keep the old text and send it back with the next click,
    when it is no longer an option."""
    menus = session.DATA_MENUS.get_or_make(list)
    if texts not in menus:
        menus.append(texts)
    number = menus.index(texts)
    return f"data-{number}" if number else "data"


def _titles() -> dict[str, str]:
    """What can be chosen, and the text of each in the menu."""
    titles = {data: entry.label for data, entry in DATASETS.items()}
    if own_number():
        titles[UPLOAD] = loaded_data(Choices(data=UPLOAD)).entry.title + " (your file)"
    return titles


def _area(loaded: LoadedData, chosen: Choices) -> None:
    areas = areas_of(loaded.entry)
    present = next((area for area in areas if area.box == chosen.box), None)
    shown = "all of it" if chosen.box is None else "a box of your own" if present is None else present.name
    st.caption(f"{loaded.entry.description}  \nArea: {shown}")
    # A title that changed would fold it up again.
    panel = st.expander("Choose an area", icon=":material/crop_free:", key="area", on_change="rerun")
    if not panel.open:  # Not sent before it is looked at: it would slow down every slider.
        return
    with panel:
        st.caption("Drag a rectangle on the map, or type its corners. The area is the square around it.")
        _, south, _, north = loaded.view
        stretch = 1 / math.cos(math.radians((south + north) / 2)) if loaded.entry.is_geographic else 1.0
        components.box_chooser(
            loaded.view,
            chosen.box,
            loaded.sample(),
            outline_lines(loaded.entry.outline),
            stretch,
            loaded.entry.is_geographic,
            _dragged,
            session.AREA_MAP,
        )
        if len(areas) > 1:
            session.show(session.AREA_PRESET, present)
            st.pills(
                "Ready-made areas",
                areas,
                format_func=lambda area: area.name,
                key=session.AREA_PRESET,
                on_change=_preset,
            )
        _corner_fields(chosen.box or loaded.entry.default_view, loaded)
        if chosen.box is not None:
            st.button("Back to the whole map", on_click=choose, kwargs={"box": None}, width="stretch", key="whole")


def _dragged() -> None:
    box = session.shown(session.AREA_MAP).get("box")
    if box is not None:
        choose(box=rounded_box(tuple(box)))


def _preset() -> None:
    area: Area | None = session.shown(session.AREA_PRESET)
    choose(box=None if area is None else area.box)


def _corner_fields(box: Bounds, loaded: LoadedData) -> None:
    left, right = st.columns(2)
    corner_fields(box, loaded, (left, left, right, right), session.corner_key, _typed)
    if problem := session.BOX_PROBLEM.take():
        st.warning(problem)


def _typed() -> None:
    box = typed_box(session.corner_key)
    if box is not None:
        choose(box=box)
    else:
        session.BOX_PROBLEM.set("West must be less than east, south less than north: the box stays as it was.")


def corner_fields(
    box: Bounds, loaded: LoadedData, columns: Sequence[Any], key_of: Callable[[str], str], on_change: Callable[[], None]
) -> None:
    """Number fields for the corners of a box: west, south, east and north, each in its column."""
    unit = "°" if loaded.entry.is_geographic else ""
    for corner, value, column in zip(_CORNERS, box, columns, strict=True):
        key = key_of(corner)
        session.show(key, float(value), moves=True)
        limit = (180.0 if corner in ("West", "East") else 90.0) if loaded.entry.is_geographic else None
        column.number_input(
            f"{corner} {unit}".strip(),
            -limit if limit else None,
            limit,
            step=0.005 if unit else 0.1,
            format="%.5f",
            key=key,
            on_change=on_change,
        )


def typed_box(key_of: Callable[[str], str]) -> Bounds | None:
    """The box in `corner_fields`; None where it is none."""
    west, south, east, north = (session.shown(key_of(corner)) for corner in _CORNERS)
    return rounded_box((west, south, east, north)) if west < east and south < north else None


def container_for(shown: Any, of: Iterable[Any]) -> Any:
    """A container for one of several contents, each in a place of its own, the others emptied at once. In a shared
    place the former content would stay on the page, greyed out below the new one, while that is being computed."""
    places = {content: st.container() if content == shown else st.empty() for content in of}
    return places[shown]


def require_population(loaded: LoadedData | None, chosen: Choices) -> tuple[LoadedData, Population]:
    """The data set and its people per cell; where there is nothing to show, the page says so and ends here."""
    if loaded is None:
        st.info("Choose another data set on the left, or fetch this one there.", icon=":material/map:")
        st.stop()
    try:
        return loaded, population_of(chosen)
    except DataError as problem:
        st.warning(own_files.sentence(problem), icon=":material/crop_free:")
        st.button("Back to the whole map", on_click=choose, kwargs={"box": None}, key="whole-again")
        st.stop()


def street_map_switch(loaded: LoadedData) -> bool:
    """Tiles from another host: only on demand, and never by a link, because the host learns what is looked at."""
    if not loaded.entry.is_geographic:
        return False
    return st.toggle(
        "Street map (loads from CARTO)",
        key="tiles",
        persist_state="session",
        help="Draws streets behind the cells. They come from cartocdn.com, which thereby learns what you look at.",
    )


def sidebar_mechanism() -> None:
    """The one mechanism of the page."""
    name = choices().mechanism
    st.sidebar.selectbox(
        "Mechanism (what each device does)",
        list(MECHANISMS),
        format_func=lambda name: f"{name}: {MECHANISMS[name].full_name}",
        **bound("mechanism", "mech", name),
    )
    st.sidebar.caption(MECHANISMS[name].summary)


def mechanism_pills(label: str, choice: str, key: str, without: str = "") -> None:
    """Which mechanisms, `without` one, stand side by side: the `choice` that says so, and the key of the pills."""
    names = [name for name in MECHANISMS if name != without]

    def ticked() -> None:
        choose(**{choice: tuple(name for name in names if name in session.shown(key))})

    session.show(key, [name for name in getattr(choices(), choice) if name in names])
    st.pills(label, names, selection_mode="multi", key=key, on_change=ticked)


def promise() -> str:
    """What the ε of the one mechanism of the page promises, as `meaning_of_epsilon` knows it."""
    chosen = choices()
    return "as DAM" if chosen.runs_as_dam else MECHANISMS[chosen.mechanism].notion


def sidebar_budget(promise: str) -> None:
    """ε and d."""
    chosen = choices()
    low, high = EPSILON_RANGE
    st.sidebar.slider(
        "Privacy budget ε (left: more private)",
        low,
        high,
        step=0.1,
        format="%.2f",
        help="The smaller ε, the less a single report says about the person who sent it.",
        **bound("epsilon", "eps", chosen.epsilon, moves=True),
    )
    st.sidebar.caption(meaning_of_epsilon(chosen.epsilon, promise))
    st.sidebar.slider(
        "Cells per side d (right: finer)",
        1,
        LARGEST_D,
        help="The map is cut into d × d square cells; a device reports cells, never coordinates.",
        **bound("d", "d", chosen.d, moves=True),
    )


def radius_slider(place: Any, kind: type[Mechanism], chosen: Choices) -> int | None:
    """The slider of the radius of a mechanism that has one, at its optimum until it is moved; the optimum."""
    parameter = kind.parameter("b")
    assert parameter is not None
    best, low, high = parameter.usual(chosen.epsilon, chosen.d), parameter.lowest(chosen.d), parameter.highest(chosen.d)
    value = best if chosen.b is None else chosen.b
    place.slider(
        f"{parameter.label}, {parameter.unit}",
        low,
        high,
        help=parameter.help,
        **bound("b", session.radius_key(chosen.d), low if value is None else min(max(value, low), high), moves=True),
    )
    return best


def sidebar_radius() -> None:
    """The radius b, where the mechanism has one."""
    chosen = choices()
    kind = MECHANISMS[chosen.mechanism]
    if kind.parameter("b") is None:
        return
    best = radius_slider(st.sidebar, kind, chosen)
    if chosen.b is None:
        st.sidebar.caption(f"b = {best} is the optimum here; it follows ε and d until you move it.")
    else:
        st.sidebar.button(
            f"Back to the optimum, b = {best}", on_click=choose, kwargs={"b": None}, key="best", width="stretch"
        )


def sidebar_mask(loaded: LoadedData | None) -> None:
    """Whether the recovery knows where nobody can live, where the data set and the mechanism allow it."""
    chosen = choices()
    if loaded is None or loaded.entry.outline is None:
        return
    able = MECHANISMS[chosen.mechanism].honours_mask
    st.sidebar.toggle(
        "The analyst knows where nobody can live",
        disabled=not able,
        help="The recovery then leaves cells that lie wholly outside the outline of the city, such as water, empty. "
        "That costs no privacy: it is public. "
        + ("" if able else f"{chosen.mechanism} recovers its map by a formula that cannot use it."),
        **bound("mask", "mask", chosen.mask),
    )


def sidebar_end() -> None:
    """The random draw, the link and the reset."""
    chosen = choices()
    with st.sidebar:
        seed, again = st.columns(2, vertical_alignment="bottom")
        seed.number_input(
            "Random seed",
            0,
            LARGEST_SEED,
            help="The same seed gives the same reports again.",
            **bound("seed", "seed", chosen.seed, moves=True),
        )
        again.button(
            "Draw again",
            key="again",
            icon=":material/casino:",
            width="stretch",
            on_click=choose,
            kwargs={"seed": (chosen.seed + 1) % LARGEST_SEED},
            help="The same people, new random reports.",
        )
        components.address(chosen.link(current_page()))
        if chosen.data == UPLOAD:
            st.caption("Your file stays in this session: the link carries the settings, not the data.")
        st.button("Reset to defaults", key="reset", on_click=_reset, width="stretch")


def _reset() -> None:
    """Back to the defaults. The visitor's own file is not a setting: it stays."""
    _decide(Choices(data=UPLOAD) if choices().data == UPLOAD else Choices())


def meaning_of_epsilon(epsilon: float, promise: str) -> str:
    """ε in a sentence. `promise`: "LDP", "Geo-I", "both" where mechanisms of both kinds are shown, or "as DAM" where
    one of Geo-I runs at another ε′."""
    factor = math.exp(epsilon)
    shown = f"{factor:.2f}" if factor < 10 else f"{factor:,.0f}"
    anywhere = f"a report is at most e^ε = {shown} times likelier from one place than from any other."
    return {
        "LDP": anywhere.capitalize(),
        "both": f"For LDP mechanisms: {anywhere}",
        "as DAM": f"With DAM {anywhere} This one runs at an ε′ that protects as much in another way.",
        "Geo-I": f"A report is at most e^ε = {shown} times likelier from one cell than from the next; farther apart, "
        "more.",
    }[promise]
