"""Drawing on Explore's maps: what dragging does, and what becomes of a rectangle."""

from __future__ import annotations

from functools import partial

import streamlit as st

from spatialldp.dashboard.explore.counted import Counted, counted
from spatialldp.dashboard.explore.state import MAP_NAMES, ExploreState
from spatialldp.dashboard.shared import components, session
from spatialldp.dashboard.shared.controls import choices, choose
from spatialldp.dashboard.shared.link_values import coordinates_text, read_box

#: Keys of the containers of the maps.
_MAPS = tuple(f"map-{name}" for name in MAP_NAMES)
AREA, COUNT, MOVES = "area", "count", "moves"
_WORDS = {
    MOVES: ":material/pan_tool: Move",
    AREA: ":material/crop_free: Draw an area",
    COUNT: ":material/select: Count people",
}


def dragging_switch() -> None:
    """What dragging on a map does."""
    session.show(session.DRAGGING, session.DRAWING.get() or MOVES)
    st.segmented_control(
        "Dragging on a map",
        list(_WORDS),
        format_func=_WORDS.__getitem__,
        label_visibility="collapsed",
        required=True,
        key=session.DRAGGING,
        on_change=_switched,
        width="content",
    )


def _switched() -> None:
    purpose = session.shown(session.DRAGGING)
    session.DRAWING.set(None if purpose == MOVES else purpose)


def drawing(state: ExploreState) -> None:
    """Lets the visitor draw on the maps, where that is switched on."""
    purpose = session.DRAWING.get()
    components.draw_on_maps(
        _MAPS,
        purpose,
        state.loaded.entry.is_geographic,
        [state.choices.box, state.choices.counted],
        _answer(counted(state)) if purpose == COUNT else None,
        partial(_drawn, state.choices.data),
        session.DRAWN_ON_MAPS,
    )


def _answer(found: Counted | None) -> str | None:
    """The people in what was drawn, beside it: the figures may be below the edge of the screen."""
    if found is None or found.recovered is None:
        return None
    if found.inside == 0:
        return "This lies outside the map."
    return f"{found.true:,} people; the recovered map says {found.recovered:,}. More below the maps."


def _drawn(data: str) -> None:
    """Use what was drawn on a map of this data set. The browser may send anything, and on a slow server also what was
    drawn before another data set was chosen."""
    drawn = session.shown(session.DRAWN_ON_MAPS).get("drawn")
    if not isinstance(drawn, dict) or choices().data != data:
        return
    try:
        box = read_box(coordinates_text(tuple(float(value) for value in drawn["box"])))
    except (KeyError, TypeError, ValueError, OverflowError):  # no box, or one beyond all maps
        return
    if drawn.get("purpose") == COUNT:
        choose(counted=box)
    else:
        # Whoever has drawn an area wants to look around in it; another is a click away.
        session.DRAWING.set(None)
        choose(box=box)
