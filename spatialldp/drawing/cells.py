"""Maps as pictures, drawn without a browser."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from spatialldp.drawing.colours import Scale
from spatialldp.grid import Grid

Lines = Sequence[Sequence[Sequence[float]]]
_MARGIN = 24


def cell_image(
    values: NDArray[np.float64], grid: Grid, scale: Scale, side: int, outline: Lines = (), frame: Grid | None = None
) -> Image.Image:
    """A square picture of `side` pixels: cells, the outline of the city, a frame."""
    picture = Image.new("RGB", (side, side), "#0e1117" if scale.dark else "#ffffff")
    cells = scale.image(values).resize((side, side), Image.Resampling.NEAREST)
    picture.paste(cells, (0, 0), cells)
    pen = ImageDraw.Draw(picture, "RGBA")
    west, south, east, north = grid.bounds
    ink = (240, 240, 250, 110) if scale.dark else (40, 40, 60, 110)

    def at(x: float, y: float) -> tuple[float, float]:
        return (x - west) / (east - west) * side, (north - y) / (north - south) * side

    for line in outline:
        pen.line([at(x, y) for x, y in line], fill=ink, width=1)
    if frame is not None:
        left, below, right, above = frame.bounds
        pen.rectangle([at(left, above), at(right, below)], outline=(*ink[:3], 255), width=2)
    return picture


def sheet(panels: Sequence[tuple[str, str, Image.Image]], scale: Scale, title: str, footer: str) -> bytes:
    """Pictures side by side, each with a heading and a line below, over one legend, as PNG."""
    side = panels[0][2].width
    width = len(panels) * (side + _MARGIN) + _MARGIN
    height = side + 220
    background, ink = ("#0e1117", "#e8e8ee") if scale.dark else ("#ffffff", "#22222e")
    picture = Image.new("RGB", (width, height), background)
    pen = ImageDraw.Draw(picture)
    large, normal, small = (ImageFont.load_default(size) for size in (26, 20, 15))
    pen.text((_MARGIN, 18), title, ink, large)
    for index, (heading, caption, image) in enumerate(panels):
        left = _MARGIN + index * (side + _MARGIN)
        pen.text((left, 66), heading, ink, normal)
        picture.paste(image, (left, 96))
        pen.text((left, 100 + side), caption, ink, small)
    bar = Image.fromarray(scale.colours(np.linspace(scale.low, scale.high, 300)[None, :].repeat(14, axis=0)))
    top = height - 72
    picture.paste(bar, (_MARGIN, top))
    pen.text((_MARGIN + 312, top - 2), f"0% to {scale.high:.2%} of all people in one cell (or more)", ink, small)
    pen.text((_MARGIN, height - 40), footer, ink, small)
    buffer = io.BytesIO()
    picture.save(buffer, format="PNG")
    return buffer.getvalue()
