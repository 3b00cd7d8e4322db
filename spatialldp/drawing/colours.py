"""One colour scale for all maps, and a second one for differences, in light and dark."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Array = NDArray[np.float64]

#: From nothing to most, in steps of even lightness so that it reads the same without colour vision.
_LIGHT = ("#f6f3e7", "#d3e3c4", "#9bcbb3", "#5cabab", "#3b829f", "#335a8c", "#2e3070", "#221246")
_DARK = ("#1a1d2e", "#26315f", "#2c5285", "#34789b", "#4fa0a3", "#87c5a8", "#cbe3ae", "#fbf6c8")
#: From too few (blue) over right to too many (orange): told apart by every kind of colour vision.
_LIGHT_DIFFERENCE = ("#1b4f8a", "#5b8fc4", "#b3cde3", "#f4f2ee", "#f6c795", "#dd8a33", "#9a4f00")
_DARK_DIFFERENCE = ("#7fc0ff", "#3f7fc0", "#23476e", "#20222c", "#6b431a", "#c07a2a", "#ffc074")


@dataclass(frozen=True)
class Scale:
    """Values from `low` to `high` onto colours; values beyond take the colour of the end."""

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
        """One pixel a cell; NaN is transparent. Arrays are [x east, y north], images are rows from the north."""
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


def line_colours(dark: bool) -> tuple[str, ...]:
    """One colour a mechanism, in the order of the registry, told apart by every kind of colour vision."""
    if dark:
        return ("#ffa64d", "#6cb8ff", "#5fd3a8", "#ff9ecb", "#e8e06a", "#b9b9c6", "#c9a3ff", "#ff8a7a")
    return ("#c96a00", "#0b66b0", "#00805c", "#a8437d", "#857a00", "#6b6b78", "#6a3fb0", "#b8321f")
