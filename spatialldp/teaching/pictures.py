"""The maps of the lesson, for the page and for paper alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spatialldp.drawing.colours import Scale, data_uri
from spatialldp.drawing.marks import Marks, marked_image
from spatialldp.drawing.outlines import outline_lines
from spatialldp.experiments.comparison import Score
from spatialldp.grid import Grid
from spatialldp.teaching.scene import Scene, is_geo_i
from spatialldp.teaching.wording import per_cell

#: Pixels of a map on paper.
_SIDE = 420


class StepPicture(NamedTuple):
    """One map of a step.

    Attributes:
        name: what it is of, mostly a mechanism.
        caption: what it shows, in small print.
        alternative: the same in words, for those who cannot see the map.
        values: one value per cell [ix, iy]; NaN where there is nothing.
        grid: the cells.
        texts: one text per cell, in the order of the values.
        marks: points above the cells.
        frame: the grid whose outline is drawn on top; None for none.
    """

    name: str
    caption: str
    alternative: str
    values: NDArray[np.float64]
    grid: Grid
    texts: Sequence[str]
    marks: Marks | None
    frame: Grid | None


def drawn(scene: Scene, picture: StepPicture, scale: Scale, side: int = _SIDE) -> str:
    """The picture as the address of a PNG that holds its own data."""
    lines = outline_lines(scene.outline)
    image = marked_image(picture.values, picture.grid, scale, side, lines, picture.frame, picture.marks)
    return data_uri(image)


def heading(scene: Scene, name: str) -> str:
    """Notion and budget of a mechanism."""
    mechanism = scene.mechanisms[name]
    return f"{mechanism.notion}, {_budget(mechanism.epsilon, is_geo_i(name))}"


def budget_of(scene: Scene, entry: Score) -> str:
    """ε of a mechanism, or of one side of its jump, with its unit."""
    return _budget(entry.epsilon, any(entry.name.startswith(name) for name in scene.geo_i))


def _budget(epsilon: float, of_geo_i: bool) -> str:
    """For Geo-I it is another number, which counts per cell of distance."""
    return f"ε′ = {per_cell(epsilon)}" if of_geo_i else f"ε = {epsilon:g}"
