"""OUE, optimised unary encoding: a yes or no for every cell."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spatialldp import _validation as validate
from spatialldp.estimation import EMOptions, Estimate, closed_form, on_simplex
from spatialldp.mechanisms.base import Mechanism
from spatialldp.mechanisms.records import InclusionCounts, NamedCells, ReportMap, TruthfulShare
from spatialldp.oracles import OptimizedUnaryEncoding, SupportCounts


class OUE(Mechanism):
    """A bit for each of m = d² cells: 1 with probability ½ for the true cell, q = 1/(e^ε + 1) for every other.

    ε-LDP: it is `OptimizedUnaryEncoding` with the cells as symbols, ix·d+iy.

    Args:
        epsilon: the privacy budget, above 0 and at most 100.
        d: cells per side of the grid, 1 to 1,024.

    Raises:
        ValueError: a parameter is not a number in its range.

    Example:
        >>> import numpy as np
        >>> from spatialldp import OUE
        >>> mechanism = OUE(epsilon=3.0, d=3)
        >>> mechanism.randomize([0], [0]).shape  # a bit per cell
        (1, 9)
        >>> reports = mechanism.perturb(np.diag([6000, 3000, 1000]), np.random.default_rng(0))
        >>> mechanism.estimate(reports).distribution.round(1).tolist()
        [[0.6, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, 0.0, 0.1]]
    """

    full_name = "Optimised unary encoding"
    notion = "LDP"
    summary = "Answers yes or no for every cell of the map: by a fair coin for the true cell, mostly no for the others."
    reference = OptimizedUnaryEncoding.reference
    map_shows = "share of reports"

    @cached_property
    def oracle(self) -> OptimizedUnaryEncoding:
        """What randomises the number of a cell."""
        return OptimizedUnaryEncoding(self.epsilon, self.d**2)

    @property
    def p(self) -> float:
        """Probability of a 1 for the true cell."""
        return self.oracle.p

    @property
    def q(self) -> float:
        """Probability of a 1 for a cell that is not the true one."""
        return self.oracle.q

    @property
    def n_outputs(self) -> int:
        """All 2^m rows of bits."""
        return self.oracle.n_outputs

    @property
    def device_bits(self) -> tuple[int, int]:
        """How many of 2⁶³ words give a 1: for the true cell, and for any other."""
        return self.oracle.device_bits

    def device_ratio(self, first: int, second: int) -> Fraction:
        """The ratio of the most telling report, a 1 for the first cell and a 0 for the second; other bits cancel."""
        first, second = self._checked_pair(first, second)
        return self.largest_device_ratio() if first != second else Fraction(1)

    def device_losses_from(self, cell: int) -> NDArray[np.float64]:
        """The same loss between any two cells."""
        losses = np.full(self.d**2, math.log(self.largest_device_ratio()))
        losses[validate.cell_number("cell", cell, self.d)] = 0.0
        return losses

    def largest_device_ratio(self) -> Fraction:
        """p/q · (1 − q)/(1 − p), in the whole numbers of `device_bits`."""
        return self.oracle.largest_ratio()

    def randomize(self, ix: ArrayLike, iy: ArrayLike, rng: np.random.Generator | None = None) -> NDArray[np.uint8]:
        """Bits (n, m), one row per report, cell ix·d+iy."""
        ix, iy = self._checked_cells(ix, iy)
        return self.oracle.randomize(ix * self.d + iy, rng)

    def aggregate(self, reports: ArrayLike) -> InclusionCounts:
        """Users whose bit is 1, for each cell, and the number of users."""
        return self._per_cell(self.oracle.aggregate(reports))

    def perturb(self, counts: ArrayLike, rng: np.random.Generator) -> InclusionCounts:
        """Bit counts of a population. Bits are drawn independently, so a cell's count is two binomials."""
        people = self._checked_counts(counts).ravel()
        return self._per_cell(self.oracle.drawn_sums(people, validate.generator(rng)))

    def _per_cell(self, summed: SupportCounts) -> InclusionCounts:
        return InclusionCounts(summed.counts.reshape(self.d, self.d), summed.users)

    def _estimate(self, reports: InclusionCounts, options: EMOptions | None) -> Estimate:
        """(f − q)/(p − q), f the share of users with a 1, projected on the simplex."""
        counts, users = self._checked_inclusion(reports)
        return closed_form(on_simplex(self.oracle.frequencies(counts / users)))

    def named_cells(self, reports: ArrayLike) -> NamedCells:
        """The cells that a report (n, m) says yes to."""
        report, cell = np.nonzero(self.oracle.checked_bits(reports))
        return NamedCells(np.stack(np.divmod(cell, self.d), axis=1), report)

    @property
    def report_meaning(self) -> str:
        """Yes or no for every cell."""
        return "a report says yes or no to every cell"

    def truthful_share(self, counts: ArrayLike) -> TruthfulShare:
        """A fair coin for everybody."""
        return TruthfulShare(self.p, "own cell, among many named")

    def report_map(self, reports: InclusionCounts) -> ReportMap:
        """Share of users with a 1."""
        counts, users = self._checked_inclusion(reports)
        return ReportMap(counts / users, (0, 0), "share of reports that say yes to the cell")

    def likelihoods(self, reports: ArrayLike, cells: ArrayLike | None = None) -> NDArray[np.float64]:
        """∝ e^(ε·bit of the cell)."""
        return self.oracle.likelihoods(reports, self._checked_flat_cells(cells))
