"""The small records in which a mechanism answers questions about itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Parameter:
    """A whole-number setting of a mechanism that somebody may choose, as a menu or a command line needs to know it.

    name: keyword of the constructor, such as "b".
    label: what a slider is called, such as "Radius b".
    unit: "cells", "people" …; empty for a bare number.
    help: what it does, in one sentence.
    lowest, highest: the range on d×d cells, each a function of d.
    usual: the value taken where none is chosen, a function of ε and d; it returns None where there is no usual value
        and one has to be given (a number of people that is planned for, say).
    """

    name: str
    label: str
    unit: str
    help: str
    lowest: Callable[[int], int]
    highest: Callable[[int], int]
    usual: Callable[[float, int], int | None]


class ReportMap(NamedTuple):
    """What the "perturbed" map shows.

    values: array over cells, NaN where there is nothing to show.
    origin: cell index (ix, iy) of its first entry (−b: it starts b cells west and south of the domain).
    caption: what a value is.
    """

    values: Array
    origin: tuple[int, int]
    caption: str


class InclusionCounts(NamedTuple):
    """Reports that are sets of cells, summed up.

    counts: (d, d), users whose set holds the cell.
    users: how many there are in all.
    """

    counts: NDArray[np.int64]
    users: int


class NamedCells(NamedTuple):
    """The cells that reports name, all in one list.

    cells: (n, 2), [ix, iy]; they may lie outside the grid.
    report: (n,), the number of the report that names each.
    """

    cells: NDArray[np.int64]
    report: NDArray[np.int64]


class TruthfulShare(NamedTuple):
    """How many reports tell the truth.

    share: expected share of all reports.
    meaning: what these reports do, to be read after "…% of the reports".
    """

    share: float
    meaning: str


class ListedReports(NamedTuple):
    """Every report there is, or one of each kind that mirror images of the grid turn into each other.

    reports: a row each, as `randomize` returns them.
    images: (n,), how many mirror images each stands for, itself included.
    """

    reports: NDArray[np.int64]
    images: Array


class WeightedReports(NamedTuple):
    """Reports too many to list, for averages over them that need no sampler: most are drawn evenly and weighted.

    listed: (r, d, d), P(report | cell) of the few that are summed up exactly.
    draw: draw(n, rng) yields P(report | cell) × (number of the others), (…, d, d), of n others drawn evenly.
    """

    listed: Array
    draw: Callable[[int, np.random.Generator], Iterator[Array]]
