"""Marks on maps: a person, what a report names, a guess, the border of a region. And maps drawn with them, as PNG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from spatialldp.drawing.cells import Lines, cell_image
from spatialldp.drawing.colours import Scale
from spatialldp.grid import Grid

Point = tuple[float, float]

#: A mark is drawn at this many times its size and made smaller: edges drawn at their own size are jagged.
_FINER = 2


@dataclass(frozen=True)
class Marks:
    """Points of note."""

    person: Point | None = None
    """The true place."""
    reported: Sequence[Point] = ()
    """The places a report names."""
    guess: Point | None = None
    """An attacker's best guess."""
    dots: Sequence[Point] = ()
    """Many small ones."""
    borders: Sequence[tuple[Point, Point]] = ()
    """Lines, each from one point to another."""


#: Colours of marks; captions name them as orange, blue and pink. Who sees no blue can hardly tell orange from pink:
#: a person is a large disc with a rim, a report a small dot or a ring.
PERSON, GUESS, DOT = (230, 97, 1), (0, 114, 178), (204, 60, 90)


def region_border(region: NDArray[np.bool_], grid: Grid) -> list[tuple[Point, Point]]:
    """The lines between cells inside and outside a region (d, d) of a grid."""
    padded = np.pad(region, 1)
    x, y = grid.x_edges.tolist(), grid.y_edges.tolist()
    upright = np.argwhere(padded[1:, 1:-1] != padded[:-1, 1:-1]).tolist()
    level = np.argwhere(padded[1:-1, 1:] != padded[1:-1, :-1]).tolist()
    return [((x[i], y[j]), (x[i], y[j + 1])) for i, j in upright] + [((x[i], y[j]), (x[i + 1], y[j])) for i, j in level]


def marked_image(
    values: NDArray[np.float64],
    grid: Grid,
    scale: Scale,
    side: int,
    outline: Lines = (),
    frame: Grid | None = None,
    marks: Marks | None = None,
) -> Image.Image:
    """A square picture of `side` pixels: cells, outline, frame, and the marks above them."""
    picture = cell_image(values, grid, scale, _FINER * side, outline, frame)
    if marks is not None:
        _draw(picture, grid, marks, scale.dark)
    return picture.resize((side, side), Image.Resampling.LANCZOS)


def _draw(picture: Image.Image, grid: Grid, marks: Marks, dark: bool) -> None:
    pen, size = ImageDraw.Draw(picture, "RGBA"), picture.width
    west, south, east, north = grid.bounds
    unit = _FINER * max(1.0, size / _FINER / 300)
    halo = (20, 20, 30) if dark else (255, 255, 255)

    def at(point: Point) -> Point:
        return (point[0] - west) / (east - west) * size, (north - point[1]) / (north - south) * size

    def disc(point: Point, radius: float, fill: tuple[int, ...] | None, line: tuple[int, ...] | None) -> None:
        x, y = at(point)
        box = [x - radius * unit, y - radius * unit, x + radius * unit, y + radius * unit]
        pen.ellipse(box, fill=fill, outline=line, width=round(2.5 * unit))

    for dot in marks.dots:
        disc(dot, 1.8, (*DOT, 200), None)
    for start, end in marks.borders:
        pen.line([at(start), at(end)], fill=(*PERSON, 255), width=round(2.5 * unit))
    for reported in marks.reported:
        disc(reported, 8, None, (*DOT, 255))
    for place, colour in ((marks.guess, GUESS), (marks.person, PERSON)):
        if place is not None:
            disc(place, 6, (*colour, 255), (*halo, 255))
