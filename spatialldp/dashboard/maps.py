"""Heatmaps of cells as pydeck charts, all of them on one colour scale."""

from __future__ import annotations

import base64
import io
import math

import numpy as np
import pydeck as pdk
from numpy.typing import NDArray
from PIL import Image

from spatialldp.grid import Grid

MAP_HEIGHT = 320
#: Pixels left free around the cells: with it a third of a 1,280-pixel window still shows all of them.
_MARGIN = 30
#: From nothing to most, in steps of even lightness so that it reads the same without colour vision.
_LIGHT_RAMP = ("#f6f3e7", "#d3e3c4", "#9bcbb3", "#5cabab", "#3b829f", "#335a8c", "#2e3070", "#221246")
_DARK_RAMP = ("#1a1d2e", "#26315f", "#2c5285", "#34789b", "#4fa0a3", "#87c5a8", "#cbe3ae", "#fbf6c8")


def ramp(dark: bool) -> NDArray[np.uint8]:
    """256 colours, (256, 3), from "nobody" to "most"."""
    anchors = np.array(
        [[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in (_DARK_RAMP if dark else _LIGHT_RAMP)]
    )
    at = np.linspace(0, 1, len(anchors))
    shades = np.linspace(0, 1, 256)
    return np.stack([np.interp(shades, at, anchors[:, band]) for band in range(3)], axis=1).round().astype(np.uint8)


def css_ramp(dark: bool) -> str:
    """The same colours as a CSS gradient, for legends."""
    return f"linear-gradient(to right, {', '.join(_DARK_RAMP if dark else _LIGHT_RAMP)})"


def heatmap(
    values: NDArray[np.float64],
    grid: Grid,
    largest: float,
    *,
    dark: bool,
    shown: NDArray[np.bool_] | None = None,
    frame: Grid | None = None,
) -> pdk.Deck:
    """The cells of `grid` (plain units) coloured by `values`, in [0, largest].

    `shown` False leaves a cell out; `frame` is a grid whose outline is drawn on top.
    """
    layers = [
        pdk.Layer(
            "BitmapLayer",
            # A bare string would be parsed as an expression.
            image=pdk.types.String(_data_uri(values, largest, dark, shown)),
            bounds=list(grid.bounds),
            texture_parameters={"minFilter": "nearest", "magFilter": "nearest"},
        )
    ]
    if frame is not None:
        west, south, east, north = frame.bounds
        ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
        colour = [255, 255, 255] if dark else [40, 40, 60]
        layers.append(
            pdk.Layer(
                "PathLayer",
                data=[{"path": ring}],
                get_path="path",
                get_color=colour,
                get_width=1.5,
                width_units=pdk.types.String("pixels"),
            )
        )
    west, south, east, north = grid.bounds
    zoom = math.log2((MAP_HEIGHT - _MARGIN) / (north - south))
    return pdk.Deck(
        layers=layers,
        views=[pdk.View(type="OrthographicView", controller=True, flip_y=False)],
        initial_view_state=pdk.ViewState(target=[(west + east) / 2, (south + north) / 2, 0], zoom=zoom),
        map_provider=None,
        tooltip=False,
    )


def _data_uri(values: NDArray[np.float64], largest: float, dark: bool, shown: NDArray[np.bool_] | None) -> str:
    shade = np.clip(np.round(np.nan_to_num(values) / largest * 255), 0, 255).astype(np.uint8)
    pixels = np.empty((*values.shape, 4), dtype=np.uint8)
    pixels[..., :3] = ramp(dark)[shade]
    pixels[..., 3] = 255 if shown is None else np.where(shown, 255, 0)
    # Arrays are [x east, y north]; an image is rows from the north, columns to the east.
    image = Image.fromarray(np.ascontiguousarray(pixels.transpose(1, 0, 2)[::-1]))
    buffer = io.BytesIO()
    image.save(buffer, format="PNG")
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()
