"""The paper's three generated sets, in plain units, reproducible from a seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from spatialldp import _validation as validate
from spatialldp.datasets.points import Points
from spatialldp.grid import Bounds, Grid

#: 800 MB of coordinates.
_MOST_ROWS = 50_000_000


@dataclass(frozen=True)
class SyntheticSet:
    """A recipe for points in plain units.

    Attributes:
        id: what links and the command line call it.
        title: what menus call it.
        description: what it looks like, in one sentence.
        corner: (west, south) of its square domain, plain units.
        side: of that square, plain units.
        rows: how many points the paper draws.
        draw: draw(rows, rng) gives the points.

    Example:
        >>> from spatialldp.datasets import SYNTHETIC
        >>> recipe = SYNTHETIC["szipf"]
        >>> recipe.bounds, recipe.rows
        ((0.0, 0.0, 1.0, 1.0), 100000)
        >>> int(recipe.grid(2).histogram(*recipe.points(seed=0, rows=1000)[:2]).argmax())  # densest in the south-west
        0
    """

    id: str
    title: str
    description: str
    corner: tuple[float, float]
    side: float
    rows: int
    draw: Callable[[int, np.random.Generator], Points]

    @property
    def bounds(self) -> Bounds:
        """West, south, east, north of the square domain."""
        west, south = self.corner
        return (west, south, west + self.side, south + self.side)

    def grid(self, d: int) -> Grid:
        """The set's own domain with d×d cells."""
        return Grid.from_bounds(self.bounds, d, crs=None)

    def points(self, seed: int = 0, rows: int | None = None) -> Points:
        """The points; the same seed and number of rows give the same ones.

        Args:
            seed: of the random generator, at least 0.
            rows: how many points, 1 to 50 million; None for as many as the paper draws.

        Raises:
            ValueError: `seed` or `rows` is not a whole number in its range.
        """
        rows = (
            self.rows if rows is None else validate.limited("rows", rows, 1, _MOST_ROWS, "they would fill the memory")
        )
        return self.draw(rows, np.random.default_rng(validate.seed(seed)))


def _gaussian(rows: int, rng: np.random.Generator, centre: tuple[float, float], correlation: float) -> Points:
    x, independent = rng.standard_normal((2, rows))
    y = correlation * x + np.sqrt(1.0 - correlation**2) * independent
    return Points(x + centre[0], y + centre[1])


def _normal(rows: int, rng: np.random.Generator) -> Points:
    return _gaussian(rows, rng, (0.0, 0.0), 0.5)


def _szipf(rows: int, rng: np.random.Generator) -> Points:
    # The paper gives 1/((1+x)·ln 2) as the CDF; it is the density, whose inverse CDF is 2^u − 1.
    x, y = 2.0 ** rng.random((2, rows)) - 1.0
    return Points(x, y)


#: Centre and correlation of the three parts. The paper prints the centre (0, 0) three times.
_PARTS = (((0.0, 0.0), 0.5), ((1.0, 2.0), 0.0), ((2.0, 0.0), -0.2))


def _mnormal(rows: int, rng: np.random.Generator) -> Points:
    sizes = [rows // 3 + (part < rows % 3) for part in range(3)]
    parts = [_gaussian(n, rng, *recipe) for n, recipe in zip(sizes, _PARTS, strict=True)]
    return Points(np.concatenate([p.x for p in parts]), np.concatenate([p.y for p in parts]))


SYNTHETIC: dict[str, SyntheticSet] = {
    entry.id: entry
    for entry in (
        SyntheticSet(
            "normal",
            "Normal",
            "One bell-shaped crowd, its two coordinates correlated (ρ = 0.5).",
            (-4.44, -4.87),
            9.45,
            300_000,
            _normal,
        ),
        SyntheticSet(
            "szipf",
            "Skewed Zipf",
            "Dense in the south-west and thinning out; the two coordinates are independent.",
            (0.0, 0.0),
            1.0,
            100_000,
            _szipf,
        ),
        SyntheticSet(
            "mnormal",
            "Three crowds",
            "Three overlapping bell-shaped crowds around different centres.",
            (-4.25, -4.32),
            10.76,
            300_000,
            _mnormal,
        ),
    )
}
