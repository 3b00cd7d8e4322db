"""True and recovered map as columns: the more people, the taller."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pydeck as pdk
import streamlit as st
from numpy.typing import NDArray

from spatialldp.dashboard.explore.state import ExploreState
from spatialldp.dashboard.shared import captions, components
from spatialldp.dashboard.shared.maps import CompactDeck
from spatialldp.dashboard.shared.page_setup import is_dark
from spatialldp.drawing.colours import Scale
from spatialldp.drawing.outlines import outline_within
from spatialldp.drawing.triple import MapTriple, Panel
from spatialldp.grid import METRES_PER_DEGREE

Array = NDArray[np.float64]

#: Beyond this many cells per side columns are thinner than two pixels, and their number slows the page down.
FINEST = 60
#: As tall as the window allows, and no taller than the maps of a narrow page need.
_STYLE = """<style>
  .st-key-map-columns [data-testid="stElementContainer"]:has([data-testid="stDeckGlJsonChart"]) {
    aspect-ratio: auto !important; height: min(75vw, max(20rem, 100vh - 22rem)) !important;
  }
  .st-key-map-columns [data-testid="stFullScreenFrame"] { height: 100%; }
</style>"""
#: The tallest column, the gap between the two maps and the margin around them, in sides of the map.
_TALLEST, _GAP, _MARGIN = 0.4, 0.12, 0.3
#: The square is drawn this many degrees wide, near the equator, where degrees are even: so plain units, which have no
#: place on Earth, can be looked at from the side like a city. No street map lies below.
_DEGREES = 0.1
_PITCH, _BEARING = 48, 0
#: How far north the view is centred, in sides of the map: columns rise upwards on the screen.
_CENTRE = 0.5
#: Pixels of the whole world at zoom 0; the canvas for which the zoom is made.
_WORLD, _CANVAS = 512, (800, 370)
#: How wide both maps are together, in sides of one. Also while there is only the true one: the view then stays.
_WIDTH = 2 + _GAP
_ZOOM = math.log2(_CANVAS[0] * 360 / (_WORLD * (_WIDTH + 2 * _MARGIN) * _DEGREES))
_VIEW = {
    "longitude": _WIDTH / 2 * _DEGREES,
    "latitude": _CENTRE * _DEGREES,
    "zoom": _ZOOM,
    "pitch": _PITCH,
    "bearing": _BEARING,
}


class _Block(NamedTuple):
    """One of the maps, as columns."""

    panel: Panel
    """Its cells."""
    west: float
    """Its western edge, in sides of the map."""


def columns_view(state: ExploreState, triple: MapTriple) -> None:
    """Both maps in one scene, so that they turn together."""
    d, users = state.choices.d, state.population.users
    if d > FINEST:
        st.info(
            f"The 3-D view goes up to d = {FINEST}: on {d} × {d} cells the columns would be too thin to see and too "
            "many to turn smoothly. Choose fewer cells per side, or compare the maps with “Swipe”.",
            icon=":material/view_in_ar:",
        )
        return
    panels = [panel for panel in (triple.true, triple.recovered) if panel is not None]
    blocks = [_Block(panel, number * (1 + _GAP)) for number, panel in enumerate(panels)]
    scale = triple.scale(is_dark())
    top = max(float(panel.values.max()) for panel in panels)
    st.markdown(
        "True (left) and recovered (right). **Drag** to move, **Ctrl + drag** (or two fingers) to turn and tilt, "
        "**scroll** to zoom."
    )
    st.html(_STYLE)
    with st.container(key="map-columns"):
        st.pydeck_chart(
            _deck(blocks, scale, top, users, state.loaded.entry.outline),
            height="stretch",
            key="deck-columns",
            alt=_alternative(panels, users),
        )
    components.fit_view("map-columns", _CANVAS, _VIEW)
    st.html(
        captions.legend(
            scale,
            "of all people in one cell (or more), by colour. Height has no upper limit: the tallest column holds "
            f"{top * users:,.0f} people ({top:.2%}). Empty cells have no column.",
        )
    )


def _alternative(panels: list[Panel], users: int) -> str:
    found = "; ".join(
        f"{panel.title.lower()}: {np.count_nonzero(_inhabited(panel.values, users))} columns, the tallest of "
        f"{panel.values.max() * users:,.0f} people"
        for panel in panels
    )
    return f"Columns on the cells of the map, taller where there are more people. {found}"


def _inhabited(shares: Array, users: int) -> NDArray[np.bool_]:
    """Cells with somebody in them, after rounding to whole people."""
    return shares * users >= 0.5


def _deck(blocks: list[_Block], scale: Scale, top: float, users: int, city: str | None) -> pdk.Deck:
    dark = scale.dark
    ink = [240, 240, 250] if dark else [40, 40, 60]
    layers = [_ground(blocks, dark)]
    if city is not None:
        layers.append(_lines(blocks, city, [*ink, 140]))
    layers += [_columns(block, scale, top, users) for block in blocks]
    layers.append(_titles(blocks, ink))
    return CompactDeck(
        layers=layers,
        initial_view_state=pdk.ViewState(**_VIEW, max_pitch=80),
        # Nothing but this keeps Streamlit from asking for tiles.
        map_provider=None,
        tooltip={"text": "{m}: {n} ({s})"},
    )


def _columns(block: _Block, scale: Scale, top: float, users: int) -> pdk.Layer:
    """A column in the middle of every inhabited cell."""
    shares, d = block.panel.values, block.panel.grid.d
    colours = scale.colours(shares)
    side = _DEGREES * METRES_PER_DEGREE
    data: list[dict[str, Any]] = [
        {
            "p": [round((block.west + (ix + 0.5) / d) * _DEGREES, 6), round((iy + 0.5) / d * _DEGREES, 6)],
            "h": round(float(shares[ix, iy]) / top * _TALLEST * side, 1),
            "c": colours[ix, iy].tolist(),
            "m": block.panel.title,
            "n": _people(float(shares[ix, iy]) * users),
            "s": f"{shares[ix, iy]:.2%}",
        }
        for ix, iy in np.argwhere(_inhabited(shares, users)).tolist()
    ]
    return pdk.Layer(
        "ColumnLayer",
        id=f"columns-{block.panel.title}",
        data=data,
        get_position="p",
        get_elevation="h",
        get_fill_color="c",
        # A square whose corners would touch its neighbours' at 1/√2 of a cell; a little air between them.
        disk_resolution=4,
        angle=45,
        radius=0.92 * side / d / math.sqrt(2),
        extruded=True,
        # Light enough from every side that the colours are those of the legend.
        material={"ambient": 0.7, "diffuse": 0.4, "shininess": 8, "specularColor": [20, 20, 20]},
        pickable=True,
        auto_highlight=True,
    )


def _people(number: float) -> str:
    return "1 person" if round(number) == 1 else f"{number:,.0f} people"


def _ground(blocks: list[_Block], dark: bool) -> pdk.Layer:
    rings = [
        {"path": [[(block.west + x) * _DEGREES, y * _DEGREES] for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]}
        for block in blocks
    ]
    return pdk.Layer(
        "PolygonLayer",
        id="ground",
        data=rings,
        get_polygon="path",
        get_fill_color=[40, 44, 62] if dark else [238, 236, 226],
        get_line_color=[150, 150, 170],
        line_width_min_pixels=1,
    )


def _lines(blocks: list[_Block], city: str, colour: list[int]) -> pdk.Layer:
    data = [
        {"s": [(block.west + x) * _DEGREES, y * _DEGREES], "e": [(block.west + to_x) * _DEGREES, to_y * _DEGREES]}
        for block in blocks
        for line in outline_within(city, block.panel.grid.bounds)
        for (x, y), (to_x, to_y) in pairwise(line)
    ]
    return pdk.Layer(
        "LineLayer",
        id="outline",
        data=data,
        get_source_position="s",
        get_target_position="e",
        get_color=colour,
        get_width=1,
    )


def _titles(blocks: list[_Block], ink: list[int]) -> pdk.Layer:
    return pdk.Layer(
        "TextLayer",
        id="titles",
        data=[{"p": [(block.west + 0.5) * _DEGREES, -0.13 * _DEGREES], "t": block.panel.title} for block in blocks],
        get_position="p",
        get_text="t",
        get_color=ink,
        get_size=18,
        font_family=pdk.types.String("Source Sans, sans-serif"),
        font_weight=600,
    )
