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

    Pages, links and the command line offer `b` so far; other parameters are chosen in Python.

    Attributes:
        name: keyword of the constructor, such as "b".
        label: what a slider is called, such as "Radius b".
        unit: "cells", "people" …; empty for a bare number.
        help: what it does, in one sentence.
        lowest: the least value on d×d cells, a function of d.
        highest: the largest value on d×d cells, a function of d.
        usual: the value taken where none is chosen, a function of ε and d; it returns None where there is no usual
            value and one has to be given (a number of people that is planned for, say).

    Example:
        >>> from spatialldp import DAM
        >>> radius = DAM.parameter("b")
        >>> radius.label, radius.unit, radius.lowest(15), radius.highest(15), radius.usual(3.5, 15)
        ('Radius b', 'cells', 0, 30, 3)
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

    Attributes:
        values: (columns, rows), [ix, iy], a count or a share per cell; NaN where there is nothing to show.
        origin: cell index (ix, iy) of the first entry (−b: it starts b cells west and south of the domain).
        caption: what a value is.

    Example:
        >>> import numpy as np
        >>> from spatialldp import DAM
        >>> mechanism = DAM(epsilon=3.0, d=2, b=1)
        >>> shown = mechanism.report_map(mechanism.perturb([[5, 5], [5, 5]], np.random.default_rng(0)))
        >>> shown.values.shape, shown.origin, shown.caption
        ((4, 4), (-1, -1), 'reports per cell')
    """

    values: Array
    origin: tuple[int, int]
    caption: str


class InclusionCounts(NamedTuple):
    """Reports that are sets of cells, summed up.

    Attributes:
        counts: users whose set holds the cell, int64 (d, d), [ix, iy].
        users: how many users there are in all.

    Example:
        >>> from spatialldp import SEMGeoI
        >>> SEMGeoI(epsilon=1.0, d=2, k=2).aggregate([[0, 1], [0, 3], [-1, -1]])  # the last says nothing
        InclusionCounts(counts=array([[2, 1],
               [0, 1]]), users=3)
    """

    counts: NDArray[np.int64]
    users: int


class NamedCells(NamedTuple):
    """The cells that reports name, all in one list.

    Attributes:
        cells: (n, 2), (ix, iy) of each; they may lie outside the grid.
        report: (n,), the number of the report that names each.

    Example:
        >>> from spatialldp import SEMGeoI
        >>> named = SEMGeoI(epsilon=1.0, d=2, k=2).named_cells([[0, 1], [-1, -1], [0, 3]])
        >>> named.cells.tolist(), named.report.tolist()
        ([[0, 0], [0, 1], [0, 0], [1, 1]], [0, 0, 2, 2])
    """

    cells: NDArray[np.int64]
    report: NDArray[np.int64]


class TruthfulShare(NamedTuple):
    """How many reports tell the truth.

    Attributes:
        share: expected share of all reports, 0 to 1.
        meaning: what these reports do, to be read after "…% of the reports".

    Example:
        >>> from spatialldp import DAM
        >>> share, meaning = DAM(epsilon=3.0, d=4).truthful_share([[1] * 4] * 4)
        >>> f"{share:.0%} of the reports {meaning}"
        '14% of the reports name their own cell'
    """

    share: float
    meaning: str


class ListedReports(NamedTuple):
    """Every report there is, or one of each kind that mirror images of the grid turn into each other.

    Attributes:
        reports: one row per report, as `randomize` returns them.
        images: (n,), how many mirror images each stands for, itself included.

    Example:
        >>> from spatialldp import PlanarLaplace
        >>> listed = PlanarLaplace(epsilon=1.0, d=3).listed_reports(mirrored=True)
        >>> listed.reports.tolist(), listed.images.tolist()  # a corner, the middle of a side, the centre
        ([[0, 0], [0, 1], [1, 1]], [4.0, 4.0, 1.0])
    """

    reports: NDArray[np.int64]
    images: Array


class WeightedReports(NamedTuple):
    """Reports too many to list, for averages over them that need no sampler: most are drawn evenly and weighted.

    Attributes:
        listed: (r, d, d), P(report | cell) of the few that are summed up exactly.
        draw: draw(n, rng) yields P(report | cell) × (number of the others), (…, d, d), of n others drawn evenly.

    Example:
        >>> import numpy as np
        >>> from spatialldp import SEMGeoI
        >>> weighted = SEMGeoI(epsilon=0.5, d=4).weighted_reports()
        >>> weighted.listed.shape  # the null report
        (1, 4, 4)
        >>> sum(len(part) for part in weighted.draw(100, np.random.default_rng(0)))
        100
    """

    listed: Array
    draw: Callable[[int, np.random.Generator], Iterator[Array]]
