"""What every mechanism has: one person's cell in, one randomised report out, a map back from all reports."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spatialldp import _validation as validate
from spatialldp._exact import exact_budget
from spatialldp.estimation import DEFAULT_MAX_ITERATIONS, Estimate, expectation_maximization
from spatialldp.operators import Operator
from spatialldp.tables import largest_ratio


class ReportMap(NamedTuple):
    """What the "perturbed" map shows.

    `values` array over cells, NaN where there is nothing to show; `origin` cell index (ix, iy) of its first entry
    (−b: it starts b cells west and south of the domain); `caption` what a value is.
    """

    values: NDArray[np.float64]
    origin: tuple[int, int]
    caption: str


class InclusionCounts(NamedTuple):
    """Reports that are sets of cells, summed up: `counts` (d, d) users whose set holds the cell, of `users` in all."""

    counts: NDArray[np.int64]
    users: int


#: A dense matrix is for tests, teaching and exact figures; with more entries than this (0.4 GB) it is a mistake.
LARGEST_MATRIX = 50_000_000

#: Logarithms of weights that a mechanism keeps for the loss from the next cell (32 MB).
_MOST_KEPT = 4_000_000

DU = "Du et al., Numerical Estimation of Spatial Distributions under Differential Privacy"


class Mechanism(ABC):
    """A randomiser on d×d cells with privacy budget ε. The constructor only stores and validates."""

    #: The name in full, for menus and tables.
    full_name: ClassVar[str]
    #: "LDP" (any two places are alike up to e^ε) or "Geo-I" (up to e^(ε·distance in cells)).
    notion: ClassVar[str]
    #: What it does, in one plain sentence.
    summary: ClassVar[str]
    #: Where it was published.
    reference: ClassVar[str]

    def __init__(self, epsilon: float, d: int) -> None:
        self.epsilon = validate.privacy_budget(epsilon)
        self.d = validate.whole_number("d", d, 1)

    @property
    def epsilon_per_cell(self) -> float:
        """For Geo-I: the loss allowed per cell of distance."""
        return self.epsilon

    @property
    def exact_epsilon_per_cell(self) -> Fraction:
        """ε (for Geo-I per cell of distance) as the fraction that an exact check holds the device to."""
        return exact_budget(self.epsilon)

    @property
    @abstractmethod
    def n_outputs(self) -> int:
        """How many different reports there are."""

    @abstractmethod
    def randomize(self, ix: ArrayLike, iy: ArrayLike, rng: np.random.Generator | None = None) -> NDArray[Any]:
        """One report for each given cell, a row each: what a device runs. System entropy unless `rng` is given."""

    def device_weights(self, ix: int, iy: int) -> NDArray[np.int64]:
        """What a device in the cell really draws from: a whole number for each report, in the order of the columns of
        `transition_matrix`. They add up to the same total for every cell.
        """
        raise ValueError(f"{self!r} has {self.n_outputs:.3g} outputs, too many to list; see device_ratio")

    def device_ratio(self, first: int, second: int) -> Fraction | float:
        """The largest ratio of a report's probability from the cell `first` to that from `second` (numbers ix·d+iy),
        over all reports, from the whole numbers the device draws from: exact, or a bound from above. Infinite where a
        report can come from the first cell only.
        """
        weights = (self.device_weights(*divmod(cell, self.d)) for cell in (first, second))
        return largest_ratio(*weights)

    def largest_device_ratio(self) -> Fraction | float:
        """At least `device_ratio` of any two cells. For LDP, where ε bounds all alike."""
        every = range(self.d**2)
        return max(self.device_ratio(first, second) for first in every for second in every)

    def device_losses_from(self, cell: int) -> NDArray[np.float64]:
        """ln of `device_ratio` between the cell and every cell, the larger of both directions, in doubles: (d²,)."""
        if self.d**2 * self.n_outputs <= _MOST_KEPT:
            return np.abs(self._log_device_weights - self._log_device_weights[cell]).max(axis=1)
        own = np.log(self.device_weights(*divmod(cell, self.d)))
        others = (np.log(self.device_weights(*divmod(other, self.d))) for other in range(self.d**2))
        return np.array([np.abs(own - other).max() for other in others])

    @cached_property
    def _log_device_weights(self) -> NDArray[np.float64]:
        """ln of `device_weights` of all cells, (d², n_outputs). Small grids only."""
        return np.log([self.device_weights(*divmod(cell, self.d)) for cell in range(self.d**2)])

    def representative_cells(self) -> NDArray[np.int64]:
        """Cells (numbers ix·d+iy) that stand for all in a check of every pair: one of each kind that mirror images of
        the grid turn into each other, or all where the mechanism does not look the same in a mirror.
        """
        return np.arange(self.d**2)

    @abstractmethod
    def aggregate(self, reports: ArrayLike) -> Any:
        """Reports of `randomize`, summed up into what `perturb` returns and `estimate` takes."""

    @abstractmethod
    def perturb(self, counts: ArrayLike, rng: np.random.Generator) -> Any:
        """Reports of a simulated population of `counts` (d, d) people, summed up. It may draw from the formulas, in
        doubles, where that is faster than a report for everybody; devices never do (`randomize`).
        """

    @abstractmethod
    def estimate(self, reports: Any) -> Estimate:
        """The distribution over cells that the summed reports point to."""

    @abstractmethod
    def report_map(self, reports: Any) -> ReportMap:
        """The summed reports as a picture."""

    @abstractmethod
    def likelihoods(self, reports: ArrayLike, cells: ArrayLike | None = None) -> NDArray[np.float64]:
        """P(report | cell) of each report of `randomize`, up to a factor per report: (n, cells).

        All d² cells, numbered ix·d+iy, unless some are given.
        """

    @classmethod
    def breakpoints(cls, d: int, lowest: float, highest: float) -> list[float]:
        """The ε between the bounds, ascending, at which a whole-number parameter of the mechanism jumps."""
        return []

    def transition_matrix(self) -> NDArray[np.float64]:
        """P(out | in), (d², n_outputs), input cell ix·d+iy, where there are few enough outputs to list."""
        raise ValueError(f"{self!r} has {self.n_outputs:.3g} outputs, too many for a matrix; use likelihoods(reports)")

    def has_matrix(self) -> bool:
        """Whether `transition_matrix` is there and small enough to be made."""
        defined = type(self).transition_matrix is not Mechanism.transition_matrix
        return defined and self.d**2 * self.n_outputs <= LARGEST_MATRIX

    def _refuse_a_huge_matrix(self) -> None:
        if not self.has_matrix():
            raise ValueError(
                f"{self!r} is too large for a dense matrix ({self.d**2:,} × {self.n_outputs:.6g} entries); "
                "use .likelihoods(reports), or .operator where there is one"
            )

    def _checked_counts(self, counts: ArrayLike) -> NDArray[np.int64]:
        return validate.whole_counts("counts", counts, (self.d, self.d), " (people per cell, [ix, iy])")

    def _checked_cells(self, ix: ArrayLike, iy: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        ix, iy = validate.cell_indices("ix", ix, self.d), validate.cell_indices("iy", iy, self.d)
        if ix.shape != iy.shape:
            raise ValueError(f"ix and iy must have one length, got {ix.size} and {iy.size}")
        return ix, iy

    def _checked_flat_cells(self, cells: ArrayLike | None) -> NDArray[np.int64]:
        return np.arange(self.d**2) if cells is None else validate.cell_indices("cells", cells, self.d**2)

    def _checked_rows(self, reports: ArrayLike, width: int) -> NDArray[np.int64]:
        rows = np.asarray(reports)
        if rows.ndim != 2 or rows.shape[1] != width or not np.issubdtype(rows.dtype, np.integer):
            raise ValueError(
                f"reports must be an integer array of shape (n, {width}), as randomize of {self!r} returns, "
                f"got {rows.dtype} of shape {rows.shape}"
            )
        return rows.astype(np.int64)

    def _checked_inclusion(self, reports: Any) -> InclusionCounts:
        counts, users = reports if isinstance(reports, tuple) and len(reports) == 2 else (None, None)
        if counts is None:
            raise ValueError(
                f"reports must be a pair (counts, users), as perturb of {self!r} returns, got {type(reports).__name__}"
            )
        users = validate.whole_number("users", users, 1)
        counts = np.asarray(counts)
        if counts.any():
            counts = validate.whole_counts("reports", counts, (self.d, self.d), " (users whose set holds the cell)")
        if counts.shape != (self.d, self.d) or counts.max() > users:
            raise ValueError(
                f"reports must be at most users = {users} in each of ({self.d}, {self.d}) cells, "
                f"got up to {counts.max()} in shape {counts.shape}: are they from another mechanism?"
            )
        return InclusionCounts(counts.astype(np.int64), users)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(epsilon={self.epsilon:g}, d={self.d})"


def mirror_classes(d: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Cells that mirror images of the grid turn into each other: (one cell of each class, class of each cell)."""
    cells = np.arange(d**2)
    ix, iy = (np.minimum(c, d - 1 - c) for c in (cells // d, cells % d))
    _, first, inverse = np.unique(np.maximum(ix, iy) * d + np.minimum(ix, iy), return_index=True, return_inverse=True)
    return first, inverse


class CellReportMechanism(Mechanism):
    """A mechanism whose reports are cells, counted per cell and recovered by EM through its `operator`."""

    @property
    @abstractmethod
    def operator(self) -> Operator:
        """The mechanism as a linear map from cells to reports."""

    @abstractmethod
    def _checked_reports(self, reports: ArrayLike) -> NDArray[np.float64]:
        """Report counts of the right shape, or an error that says what is wrong."""

    def estimate(
        self,
        reports: ArrayLike,
        stopping: str = "adaptive",
        *,
        max_iterations: int = DEFAULT_MAX_ITERATIONS,
        tolerance: float | None = None,
        mask: NDArray[np.bool_] | None = None,
        smoothing: bool = False,
        rng: np.random.Generator | None = None,
    ) -> Estimate:
        """Recover the distribution from counts of reports per cell; the options are those of EM."""
        return expectation_maximization(
            self.operator,
            self._checked_reports(reports),
            stopping,
            max_iterations=max_iterations,
            tolerance=tolerance,
            mask=mask,
            smoothing=smoothing,
            rng=rng,
        )
