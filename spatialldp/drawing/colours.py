"""One colour scale for all maps, and a second one for differences, in light and dark."""

from __future__ import annotations

import base64
import colorsys
import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from spatialldp.mechanisms import MECHANISMS

Array = NDArray[np.float64]

#: From nothing to most, in steps of even lightness so that it reads the same without colour vision.
_LIGHT = ("#f6f3e7", "#d3e3c4", "#9bcbb3", "#5cabab", "#3b829f", "#335a8c", "#2e3070", "#221246")
_DARK = ("#1a1d2e", "#26315f", "#2c5285", "#34789b", "#4fa0a3", "#87c5a8", "#cbe3ae", "#fbf6c8")
#: From too few (blue) over right to too many (orange): told apart by every kind of colour vision.
_LIGHT_DIFFERENCE = ("#1b4f8a", "#5b8fc4", "#b3cde3", "#f4f2ee", "#f6c795", "#dd8a33", "#9a4f00")
_DARK_DIFFERENCE = ("#7fc0ff", "#3f7fc0", "#23476e", "#20222c", "#6b431a", "#c07a2a", "#ffc074")


def highest(values: Array, quantile: float = 1.0) -> float:
    """The highest value of a map, or the one below which a share `quantile` of them lies; 0 where it shows nothing."""
    known = values[~np.isnan(values)]
    return float(np.quantile(known, quantile)) if known.size else 0.0


@dataclass(frozen=True)
class Scale:
    """Values as colours; values beyond either end take its colour.

    Attributes:
        low: the value of the first colour.
        high: the value of the last colour.
        dark: whether it is drawn on a dark page.
        difference: whether it shows differences, with a neutral middle.
    """

    low: float
    high: float
    dark: bool
    difference: bool = False

    @property
    def anchors(self) -> tuple[str, ...]:
        """The colours from low to high."""
        if self.difference:
            return _DARK_DIFFERENCE if self.dark else _LIGHT_DIFFERENCE
        return _DARK if self.dark else _LIGHT

    @property
    def css(self) -> str:
        """The same as a CSS gradient, for legends."""
        return f"linear-gradient(to right, {', '.join(self.anchors)})"

    def colours(self, values: Array) -> NDArray[np.uint8]:
        """Red, green, blue of each value, (…, 3)."""
        share = np.clip((np.nan_to_num(values) - self.low) / (self.high - self.low), 0.0, 1.0)
        anchors = np.array([[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in self.anchors])
        at = np.linspace(0, 1, len(anchors))
        return np.stack([np.interp(share, at, anchors[:, band]) for band in range(3)], axis=-1).round().astype(np.uint8)

    def image(self, values: Array) -> Image.Image:
        """One pixel per cell; NaN is transparent. Arrays are [x east, y north], images are rows from the north."""
        pixels = np.empty((*values.shape, 4), dtype=np.uint8)
        pixels[..., :3] = self.colours(values)
        pixels[..., 3] = np.where(np.isnan(values), 0, 255)
        return Image.fromarray(np.ascontiguousarray(pixels.transpose(1, 0, 2)[::-1]))


def shared_scale(true: Array, dark: bool) -> Scale:
    """One scale for all maps of a page, made for the true one: a single fullest cell, or a spike of a recovery,
    must not turn everything else pale, so the fullest hundredth shares one colour."""
    return Scale(0.0, float(np.quantile(true, 0.99)) or float(true.max()), dark)


def difference_scale(difference: Array, dark: bool) -> Scale:
    """Symmetric around zero."""
    top = max(float(np.quantile(np.abs(difference), 0.995)), 1e-9)
    return Scale(-top, top, dark, difference=True)


def data_uri(image: Image.Image) -> str:
    """A PNG inside a link."""
    buffer = io.BytesIO()
    image.save(buffer, format="PNG")
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()


#: A colour and a shape for each of the first mechanisms of the registry, told apart by every kind of colour vision.
_LINES_ON_LIGHT = ("#c96a00", "#0b66b0", "#00805c", "#a8437d", "#857a00", "#b8321f", "#6a3fb0", "#6b6b78")
_LINES_ON_DARK = ("#ffa64d", "#6cb8ff", "#5fd3a8", "#ff9ecb", "#e8e06a", "#ff8a7a", "#c9a3ff", "#b9b9c6")
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-left", "triangle-right")
#: A turn of the colour circle after which hues come close to an earlier one as late as possible.
_GOLDEN_TURN = 0.381966


def colour_of(name: str, dark: bool) -> str:
    """The colour of a mechanism of the registry, the same in every chart.

    Beyond the colours chosen by hand, hues follow each other around the colour circle; shapes help to tell those apart.
    """
    number, chosen = _number(name), _LINES_ON_DARK if dark else _LINES_ON_LIGHT
    if number < len(chosen):
        return chosen[number]
    hue = (number - len(chosen)) * _GOLDEN_TURN % 1.0
    rgb = colorsys.hls_to_rgb(hue, 0.72 if dark else 0.36, 0.75)
    return "#" + "".join(f"{round(255 * band):02x}" for band in rgb)


def shape_of(name: str) -> str:
    """The shape of a mechanism's points, as Vega-Lite names it; after the last the first comes again."""
    return _SHAPES[_number(name) % len(_SHAPES)]


#: The same for numbers of people, from few to many. No mechanism has these colours: theirs mean something.
_CROWDS_ON_LIGHT = ("#2f9e8f", "#6a51a3", "#1a1a3a", "#b5651d")
_CROWDS_ON_DARK = ("#4fb3a5", "#b79cff", "#fff3b0", "#ff9d5c")


def crowd_colour(number: int, dark: bool) -> str:
    """The colour of the curve for the `number`-th smallest number of people, from 0; after the last the first again."""
    colours = _CROWDS_ON_DARK if dark else _CROWDS_ON_LIGHT
    return colours[number % len(colours)]


def crowd_shape(number: int) -> str:
    """The shape of its points, as Vega-Lite names it."""
    return _SHAPES[number % len(_SHAPES)]


def _number(name: str) -> int:
    return list(MECHANISMS).index(name)
