"""OUE, optimised unary encoding: a yes or no for every cell."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spatialldp import _validation as validate
from spatialldp._exact import WORD_BITS, exact_budget, exponential_floor, random_words
from spatialldp.estimation import EMOptions, Estimate, closed_form, on_simplex
from spatialldp.mechanisms.base import Mechanism
from spatialldp.mechanisms.records import InclusionCounts, NamedCells, ReportMap, TruthfulShare

_CHUNK = 4_000_000


class OUE(Mechanism):
    """A bit for each of m = d² cells: 1 with probability ½ for the true cell, q = 1/(e^ε + 1) for every other.

    ε-LDP: two inputs differ in two bits only; the likeliest report for one against the other has the ratio
    ½/q · (1 − q)/½ = e^ε, exactly.
    """

    full_name = "Optimised unary encoding"
    notion = "LDP"
    summary = (
        "Answers yes or no for every cell of the map; the answer for the true cell is a fair coin, others mostly no."
    )
    reference = "Wang, Blocki, Li and Jha, Locally Differentially Private Protocols for Frequency Estimation (2017)"

    map_shows = "share of reports"

    p = 0.5

    @property
    def q(self) -> float:
        """Probability of a 1 for a cell that is not the true one."""
        return 1.0 / (math.exp(self.epsilon) + 1.0)

    @property
    def n_outputs(self) -> int:
        """All 2^m rows of bits."""
        return 2 ** (self.d**2)

    @property
    def device_bits(self) -> tuple[int, int]:
        """How many of 2⁶³ words give a 1: for the true cell, and for any other.

        The second is 2⁶³/(e^ε + 1) rounded up, with a bound of e^ε from below: a larger q makes a report less telling.
        """
        rare = math.ceil(2**WORD_BITS / (exponential_floor(exact_budget(self.epsilon)) + 1))
        return 2 ** (WORD_BITS - 1), rare

    def device_ratio(self, first: int, second: int) -> Fraction:
        """The ratio of the most telling report, a 1 for the first cell and a 0 for the second; other bits cancel."""
        return self.largest_device_ratio() if first != second else Fraction(1)

    def device_losses_from(self, cell: int) -> NDArray[np.float64]:
        """The same loss between any two cells."""
        losses = np.full(self.d**2, math.log(self.largest_device_ratio()))
        losses[cell] = 0.0
        return losses

    def largest_device_ratio(self) -> Fraction:
        """p/q · (1 − q)/(1 − p), in the whole numbers of `device_bits`."""
        whole = 2**WORD_BITS
        own, rare = self.device_bits
        return Fraction(own * (whole - rare), rare * (whole - own)) if self.d > 1 else Fraction(1)

    def randomize(self, ix: ArrayLike, iy: ArrayLike, rng: np.random.Generator | None = None) -> NDArray[np.uint8]:
        """Bits (n, m), one row a report, cell ix·d+iy."""
        ix, iy = self._checked_cells(ix, iy)
        m = self.d**2
        bits = np.empty((ix.size, m), dtype=np.uint8)
        fair, rare = self.device_bits
        rows = max(1, _CHUNK // m)
        for start in range(0, ix.size, rows):
            chunk = slice(start, start + rows)
            words = random_words(bits[chunk].size, rng).reshape(-1, m)
            bits[chunk] = words < rare
            true = ix[chunk] * self.d + iy[chunk]
            users = np.arange(true.size)
            bits[chunk][users, true] = words[users, true] < fair
        return bits

    def aggregate(self, reports: ArrayLike) -> InclusionCounts:
        """Users whose bit is 1, for each cell, and the number of users."""
        bits = self._checked_rows(reports, self.d**2)
        if bits.size and (bits.min() < 0 or bits.max() > 1):
            raise ValueError(f"reports must hold bits 0 and 1, got values from {bits.min()} to {bits.max()}")
        return InclusionCounts(bits.sum(axis=0).reshape(self.d, self.d), len(bits))

    def perturb(self, counts: ArrayLike, rng: np.random.Generator) -> InclusionCounts:
        """Bit counts of a population. Bits are drawn independently, so a cell's count is two binomials."""
        counts = self._checked_counts(counts)
        validate.generator(rng)
        users = int(counts.sum())
        return InclusionCounts(rng.binomial(counts, self.p) + rng.binomial(users - counts, self.q), users)

    def _estimate(self, reports: InclusionCounts, options: EMOptions | None) -> Estimate:
        """(f − q)/(p − q), f the share of users with a 1, projected on the simplex."""
        counts, users = self._checked_inclusion(reports)
        return closed_form(on_simplex((counts / users - self.q) / (self.p - self.q)))

    def named_cells(self, reports: ArrayLike) -> NamedCells:
        """The cells that a report (n, m) says yes to."""
        report, cell = np.nonzero(self._checked_rows(reports, self.d**2))
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
        bits = np.asarray(reports)[:, self._checked_flat_cells(cells)]
        return np.where(bits == 1, 1.0, math.exp(-self.epsilon))
