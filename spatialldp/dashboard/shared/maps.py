"""Maps of cells as pydeck charts."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pydeck as pdk
import pydeck.bindings.deck
from numpy.typing import NDArray
from pydeck.bindings.json_tools import default_serialize
from pydeck.bindings.map_styles import get_from_map_identifier

from spatialldp.drawing.colours import Scale, data_uri
from spatialldp.drawing.marks import DOT, GUESS, PERSON, Marks, Point
from spatialldp.grid import Bounds, Grid

# pydeck asks five times per chart, by an import that fails, whether it runs in a notebook. Here it never does.
pydeck.bindings.deck.has_jupyter_extra = lambda: False

#: Pixels of a map before the page's style and `components.maps_in_step` fit it to the window.
MAP_HEIGHT = 330
#: Beyond this many cells the values on hover would cost more than the picture itself.
MOST_HOVER_CELLS = 3_000
#: Pixels of the whole world at zoom 0.
_WORLD = 512


@dataclass(frozen=True)
class Backdrop:
    """What lies behind and above the cells."""

    geographic: bool
    """Whether x and y are longitude and latitude."""
    dark: bool
    """Whether the theme is dark."""
    outline: str | None = None
    """The address of the lines of the city."""
    box: Bounds | None = None
    """The box the visitor drew."""
    tiles: bool = False
    """Whether streets are drawn, fetched from another host."""
    counted: Sequence[Sequence[Point]] = ()
    """Lines around the place in which people are counted."""


@dataclass(frozen=True)
class Arrow:
    """A line from where people were recovered to where they really are."""

    start: Point
    """Where too many were recovered."""
    end: Point
    """Where they are."""
    width: float
    """In pixels."""
    text: str
    """Shown on hovering."""


@dataclass(frozen=True)
class Picture:
    """Cells to draw."""

    values: NDArray[np.float64]
    """One value per cell [ix, iy]; NaN where there is nothing."""
    grid: Grid
    """The cells."""
    texts: NDArray[np.str_] | None = None
    """One text per cell, for hovering."""
    frame: Grid | None = None
    """A grid whose outline is drawn on top."""
    arrows: Sequence[Arrow] = field(default=())
    """Lines above the cells."""
    marks: Marks | None = None
    """Points above everything."""
    area: Bounds | None = None
    """What the map shows at first, the rest on zooming out; None for all cells."""

    @property
    def view(self) -> Bounds:
        """What `components.maps_in_step` fits to the window."""
        return self.grid.bounds if self.area is None else self.area


class CompactDeck(pdk.Deck):
    """A chart that is sent without indentation, a quarter of pydeck's own text."""

    def to_json(self) -> str:
        """What goes to the browser."""
        return json.dumps(self, default=default_serialize, separators=(",", ":"))


def deck(picture: Picture, scale: Scale, backdrop: Backdrop) -> pdk.Deck:
    """The chart: cells, outline, frame, box, arrows."""
    layers = [_cells(picture, scale, backdrop)]
    if backdrop.outline is not None:
        layers.append(_outline(backdrop))
    if picture.frame is not None:
        layers.append(_path("frame", picture.frame.bounds, _ink(backdrop.dark), 1.5))
    if backdrop.box is not None:
        layers.append(_path("box", backdrop.box, [214, 92, 0] if not backdrop.dark else [255, 170, 80], 2))
    if backdrop.counted:
        layers.append(_lines("counted", backdrop.counted, [208, 28, 118] if not backdrop.dark else [255, 130, 200], 2))
    if picture.arrows:
        layers.append(_arrows(picture.arrows, backdrop.dark))
    if picture.marks is not None:
        layers += _marks(picture.marks, backdrop.dark)
    common: dict[str, Any] = {
        "layers": layers,
        "initial_view_state": _view_state(picture.view, backdrop.geographic),
        "tooltip": {"text": "{t}"} if picture.arrows else False,
    }
    if not backdrop.geographic:
        return CompactDeck(
            views=[pdk.View(type="OrthographicView", controller=True, flip_y=False)], map_provider=None, **common
        )
    if backdrop.tiles:
        return CompactDeck(map_provider="carto", map_style=_street_map(backdrop.dark), **common)
    # Nothing but this keeps Streamlit from asking for tiles.
    return CompactDeck(map_provider=None, **common)


def _street_map(dark: bool) -> str:
    return "dark" if dark else "light"


def street_map_address(dark: bool) -> str:
    """Where the street map is described; its host learns who asks."""
    return str(get_from_map_identifier(_street_map(dark), "carto"))


def _view_state(bounds: Bounds, geographic: bool) -> pdk.ViewState:
    """About the view of the whole grid: how large the map is, only the browser knows."""
    west, south, east, north = bounds
    if not geographic:
        zoom = math.log2(MAP_HEIGHT / (north - south))
        return pdk.ViewState(target=[(west + east) / 2, (south + north) / 2, 0], zoom=zoom)
    # Degrees of longitude are even on this map; those of latitude are stretched by 1/cos.
    wide, high = east - west, (north - south) / math.cos(math.radians((south + north) / 2))
    return pdk.ViewState(
        longitude=(west + east) / 2,
        latitude=(south + north) / 2,
        zoom=math.log2(MAP_HEIGHT * 360 / (_WORLD * max(wide, high))),
        pitch=0,
        bearing=0,
        max_pitch=0,
    )


def _ink(dark: bool) -> list[int]:
    return [240, 240, 250] if dark else [40, 40, 60]


def _cells(picture: Picture, scale: Scale, backdrop: Backdrop) -> pdk.Layer:
    return pdk.Layer(
        "BitmapLayer",
        id="cells",
        # A bare string would be parsed as an expression.
        image=pdk.types.String(data_uri(scale.image(picture.values))),
        bounds=list(picture.grid.bounds),
        texture_parameters={"minFilter": "nearest", "magFilter": "nearest"},
        opacity=0.75 if backdrop.tiles else 1.0,
    )


def _outline(backdrop: Backdrop) -> pdk.Layer:
    # Not a GeoJsonLayer: without a graphics card its joints and fills take longer to draw than all the rest.
    return pdk.Layer(
        "LineLayer",
        id="outline",
        data=pdk.types.String(backdrop.outline),
        get_source_position="s",
        get_target_position="e",
        # Light lines outshine dark cells sooner than dark lines do light ones.
        get_color=[*_ink(backdrop.dark), 70 if backdrop.dark else 110],
        get_width=1,
    )


def _path(name: str, bounds: Bounds, colour: list[int], width: float) -> pdk.Layer:
    return _lines(name, [ring(bounds)], colour, width)


def ring(bounds: Bounds) -> list[Point]:
    """A line around a box."""
    west, south, east, north = bounds
    return [(west, south), (east, south), (east, north), (west, north), (west, south)]


def _lines(name: str, lines: Sequence[Sequence[Point]], colour: list[int], width: float) -> pdk.Layer:
    return pdk.Layer(
        "PathLayer",
        id=name,
        data=[{"path": line} for line in lines],
        get_path="path",
        get_color=colour,
        get_width=width,
        width_units=pdk.types.String("pixels"),
    )


def labels(picture: Picture) -> dict[str, Any] | None:
    """What `components.values_on_hover` needs to know of it; None where there are no texts, or too many."""
    if picture.texts is None or picture.texts.size > MOST_HOVER_CELLS:
        return None
    texts = np.where(np.isnan(picture.values), "", picture.texts)
    return {"bounds": list(picture.grid.bounds), "side": picture.grid.d, "texts": texts.ravel().tolist()}


def _arrows(arrows: Sequence[Arrow], dark: bool) -> pdk.Layer:
    colour = [255, 150, 60] if dark else [214, 72, 0]
    return pdk.Layer(
        "ArcLayer",
        id="flows",
        data=[{"s": arrow.start, "e": arrow.end, "w": arrow.width, "t": arrow.text} for arrow in arrows],
        get_source_position="s",
        get_target_position="e",
        get_source_color=[*colour, 60],
        get_target_color=[*colour, 255],
        get_width="w",
        get_height=0,
        pickable=True,
    )


def _marks(marks: Marks, dark: bool) -> list[pdk.Layer]:
    halo = [20, 20, 30] if dark else [255, 255, 255]
    layers = []
    if marks.dots:
        layers.append(_discs("dots", marks.dots, 2.2, [*DOT, 200], None))
    if marks.borders:
        layers.append(
            pdk.Layer(
                "PathLayer",
                id="borders",
                data=[{"path": list(line)} for line in marks.borders],
                get_path="path",
                get_color=[*PERSON, 255],
                get_width=2.5,
                width_units=pdk.types.String("pixels"),
                cap_rounded=True,
            )
        )
    if marks.reported:
        layers.append(_discs("reported", marks.reported, 8, [0, 0, 0, 0], list(DOT)))
    if marks.guess is not None:
        layers.append(_discs("guess", [marks.guess], 6, [*GUESS, 255], halo))
    if marks.person is not None:
        layers.append(_discs("person", [marks.person], 6, [*PERSON, 255], halo))
    return layers


def _discs(name: str, points: Sequence[Point], radius: float, fill: list[int], line: list[int] | None) -> pdk.Layer:
    return pdk.Layer(
        "ScatterplotLayer",
        id=name,
        data=[{"p": list(point)} for point in points],
        get_position="p",
        get_radius=radius,
        radius_units=pdk.types.String("pixels"),
        get_fill_color=fill,
        filled=fill[3] > 0,
        stroked=line is not None,
        get_line_color=line or [0, 0, 0],
        line_width_units=pdk.types.String("pixels"),
        get_line_width=2.5,
    )
