"""The choices in the sidebar: one state behind all widgets of all pages, the address bar and the little map."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from spatialldp.dashboard.shared import arrow_keys, components, own_files, session
from spatialldp.dashboard.shared.choices import (
    EPSILON_RANGE,
    EPSILON_STEP,
    LARGEST_D,
    LARGEST_SEED,
    UPLOAD,
    Choices,
)
from spatialldp.dashboard.shared.choosing import bound as bound
from spatialldp.dashboard.shared.choosing import choices as choices
from spatialldp.dashboard.shared.choosing import choose as choose
from spatialldp.dashboard.shared.choosing import decide
from spatialldp.dashboard.shared.chosen_data import Area, LoadedData, areas_of, loaded_data, own_number, population_of
from spatialldp.dashboard.shared.data_menu import data_menu
from spatialldp.dashboard.shared.link_values import rounded_box
from spatialldp.dashboard.shared.page_setup import menu
from spatialldp.datasets import DataError
from spatialldp.drawing.outlines import outline_lines
from spatialldp.grid import Bounds
from spatialldp.mechanisms import MECHANISMS, Mechanism
from spatialldp.population import Population

_CORNERS = ("West", "South", "East", "North")


def show_notices() -> None:
    """What a link got wrong, folded into one notice, until the visitor changes something. Even a single one is folded:
    open, it would push the maps down."""
    notices = session.LINK_NOTICES.get()
    if not notices:
        return
    with st.expander(
        f"{len(notices)} part{'' if len(notices) == 1 else 's'} of the link could not be used; the rest is shown",
        icon=":material/link_off:",
        key="notices",
    ):
        st.markdown("\n".join(f"- {notice}" for notice in notices))


def _place() -> Any:
    """Where controls stand: in the sidebar, or in the row above a page that has none."""
    return session.ESSENTIALS.get() or st.sidebar


def sidebar_data() -> LoadedData | None:
    """Data and area; None, with the reason on the page, when there is nothing to show."""
    chosen = choices()
    if chosen.data == UPLOAD and not own_number():
        choose(data=Choices().data)
        chosen = choices()
    if chosen.bare:
        return _loaded(chosen)
    with _place():
        data_menu(chosen)
        if chosen.present:
            return _loaded(chosen)
        try:
            loaded = loaded_data(chosen)
        except DataError as problem:
            own_files.offer_download(chosen.data, problem)
            own_files.upload_control(choose)
            return None
        _area(loaded, chosen)
        own_files.upload_control(choose)
        return loaded


def _loaded(chosen: Choices) -> LoadedData | None:
    try:
        return loaded_data(chosen)
    except DataError:
        return None


def _area(loaded: LoadedData, chosen: Choices) -> None:
    areas = areas_of(loaded.entry)
    present = next((area for area in areas if area.box == chosen.box), None)
    shown = "all of it" if chosen.box is None else "your own" if present is None else present.name
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
        session.BOX_PROBLEM.set("West must be less than east, and south less than north. The area was not changed.")


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
        st.info(_way_to_data(chosen), icon=":material/map:")
        st.stop()
    try:
        return loaded, population_of(chosen)
    except DataError as problem:
        st.warning(own_files.sentence(problem), icon=":material/crop_free:")
        st.button("Back to the whole map", on_click=choose, kwargs={"box": None}, key="whole-again")
        st.stop()


def _way_to_data(chosen: Choices) -> str:
    """What to do where a data set is not here; only the whole page can download it."""
    if chosen.bare:
        return "Open the whole page to download this data set, or to choose another one."
    if chosen.present:
        return "Choose another data set under “People and place”, or leave the presenter mode to download this one."
    return "Choose another data set under “People and place”, or download this one there."


def street_map_switch(loaded: LoadedData) -> bool:
    """Tiles from another host: only on demand, and never by a link, because the host learns what is looked at."""
    if not loaded.entry.is_geographic:
        return False
    return st.toggle(
        "Street map (loads from CARTO)",
        key="tiles",
        persist_state="session",
        help="Streets behind the cells. They come from cartocdn.com, which then learns what you are looking at.",
    )


def sidebar_mechanism() -> None:
    """The one mechanism of the page."""
    chosen, name = choices(), choices().mechanism
    if chosen.bare:
        return
    _place().selectbox(
        "Mechanism" if chosen.present else "Mechanism (what each device does)",
        list(MECHANISMS),
        # In the row above a page there is no room for more.
        format_func=lambda name: name if chosen.present else f"{name}: {MECHANISMS[name].full_name}",
        # Another menu where the texts of the options are others: see `data_menu`.
        **bound("mechanism", "mech-short" if chosen.present else "mech", name),
    )
    if not chosen.present:
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
    """ε and d; on a telephone, where the sidebar is out of sight, ε stands on the page as well."""
    chosen, place = choices(), _place()
    if chosen.present:
        _epsilon_slider(place, f"Privacy budget ε, keys {' '.join(arrow_keys.signs())}", "eps")
        arrow_keys.move_epsilon()
    else:
        _epsilon_slider(place, "Privacy budget ε (left: more private)", "eps")
    if not (chosen.present or chosen.bare):
        st.sidebar.caption(meaning_of_epsilon(chosen.epsilon, promise))
        with st.container(key="epsilon-here"):
            here = session.key_of_follower("eps-here", chosen.epsilon)
            _epsilon_slider(st, "Privacy budget ε (left: more private)", here, "here")
    place.slider(
        "Cells per side d" if chosen.present else "Cells per side d (right: finer)",
        1,
        LARGEST_D,
        help="The map is cut into d × d square cells; a device reports cells, never coordinates.",
        **bound("d", "d", chosen.d, moves=True),
    )


def _epsilon_slider(column: Any, label: str, key: str, place: str = "") -> None:
    low, high = EPSILON_RANGE
    column.slider(
        label,
        low,
        high,
        step=EPSILON_STEP,
        format="%.2f",
        help="The smaller ε, the less a single report says about the person who sent it.",
        **bound("epsilon", key, choices().epsilon, moves=True, place=place),
    )


def radius_slider(place: Any, kind: type[Mechanism], chosen: Choices) -> int | None:
    """The slider of the radius of a mechanism that has one, at its optimum until it is moved; the optimum."""
    parameter = kind.parameter("b")
    assert parameter is not None
    best, low, high = parameter.usual(chosen.epsilon, chosen.d), parameter.lowest(chosen.d), parameter.highest(chosen.d)
    value = best if chosen.b is None else chosen.b
    value = low if value is None else min(max(value, low), high)
    # To Streamlit a slider with another end is another slider; and while it is at the optimum it follows ε.
    key = session.key_of_follower(f"b-on-{chosen.d}", value)
    place.slider(
        f"{parameter.label}, {parameter.unit}",
        low,
        high,
        help=parameter.help,
        **bound("b", key, value, moves=True),
    )
    return best


def sidebar_radius() -> None:
    """The radius b, where the mechanism has one."""
    chosen = choices()
    kind = MECHANISMS[chosen.mechanism]
    if kind.parameter("b") is None or chosen.present or chosen.bare:
        return
    best = radius_slider(st.sidebar, kind, chosen)
    if chosen.b is None:
        st.sidebar.caption(f"b = {best} is the optimum; it follows ε and d until you move the slider.")
    else:
        st.sidebar.button(
            f"Back to the optimum, b = {best}", on_click=choose, kwargs={"b": None}, key="best", width="stretch"
        )


def sidebar_mask(loaded: LoadedData | None) -> None:
    """Whether the recovery knows where nobody can live, where the data set and the mechanism allow it."""
    chosen = choices()
    if loaded is None or loaded.entry.outline is None or chosen.present or chosen.bare:
        return
    able = MECHANISMS[chosen.mechanism].honours_mask
    st.sidebar.toggle(
        "The analyst knows where nobody can live",
        disabled=not able,
        help="Cells wholly outside the outline of the city, such as water, then stay empty. That costs no privacy, "
        "because the outline is public. "
        + ("" if able else f"{chosen.mechanism} recovers its map by a formula that cannot use this."),
        **bound("mask", "mask", chosen.mask),
    )


def sidebar_end() -> None:
    """The random draw, the link and the reset; without a sidebar, the way out."""
    chosen = choices()
    if chosen.present or chosen.bare:
        _way_out(chosen)
        return
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
        components.address(chosen.link(session.current_page()), _links(chosen))
        if chosen.data == UPLOAD:
            st.caption("Your file stays in this session: the link carries the settings, not the data.")
        st.button("Reset to defaults", key="reset", on_click=_reset, width="stretch")


def _links(chosen: Choices) -> dict[str, str]:
    """What a visitor may hand on. A projector or a page around this one is part of a link only where that is meant."""
    page = session.current_page()
    return {
        "view": replace(chosen, present=False, bare=False).link(page),
        "present": replace(chosen, present=True, bare=False).link(page),
        "bare": replace(chosen, present=False, bare=True).link(page),
    }


def _way_out(chosen: Choices) -> None:
    """From the presenter mode back to the page, and from the bare form to the whole of it."""
    page = session.current_page()
    with _place():
        if chosen.present:
            with st.popover("Pages", icon=":material/menu:"):
                menu()
            st.button(
                "Leave (Esc)",
                key="leave",
                icon=":material/close_fullscreen:",
                on_click=choose,
                kwargs={"present": False},
                help="Back to the page with its sidebar",
            )
        else:
            st.link_button("Open the whole page", f"?{_links(chosen)['view']}", icon=":material/open_in_new:")
    with st.container(key=f"{session.UNSEEN}address"):
        components.address(chosen.link(page), None)


def _reset() -> None:
    """Back to the defaults. The visitor's own file is not a setting: it stays."""
    decide(Choices(data=UPLOAD) if choices().data == UPLOAD else Choices())


def meaning_of_epsilon(epsilon: float, promise: str) -> str:
    """ε in a sentence. `promise`: "LDP", "Geo-I", "both" where mechanisms of both kinds are shown, or "as DAM" where
    one of Geo-I runs at another ε′."""
    factor = math.exp(epsilon)
    shown = f"{factor:.2f}" if factor < 10 else f"{factor:,.0f}"
    anywhere = f"a report is at most e^ε = {shown} times likelier from one place than from any other."
    return {
        "LDP": anywhere.capitalize(),
        "both": f"For LDP mechanisms: {anywhere}",
        "as DAM": f"With DAM {anywhere} This mechanism runs at the ε′ that gives the same local privacy.",
        "Geo-I": f"A report is at most e^ε = {shown} times likelier from one cell than from the next; farther apart, "
        "more.",
    }[promise]
