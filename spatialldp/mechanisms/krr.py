"""k-RR, randomised response over all cells: the simplest mechanism there is."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spatialldp import _validation as validate
from spatialldp.estimation import EMOptions, Estimate, closed_form, on_simplex
from spatialldp.mechanisms.cell_reports import CellReportMechanism
from spatialldp.mechanisms.records import ReportMap
from spatialldp.operators import LARGEST_DENSE, DenseOperator, Operator, ShiftOperator
from spatialldp.oracles import RandomizedResponse


class KRR(CellReportMechanism):
    """The true cell with probability p = e^ε/(e^ε + m − 1), m = d², else any other, all alike.

    ε-LDP: it is `RandomizedResponse` with the cells as symbols, ix·d+iy.

    Args:
        epsilon: the privacy budget, above 0 and at most 100.
        d: cells per side of the grid, 1 to 1,024.

    Raises:
        ValueError: a parameter is not a number in its range.

    Example:
        >>> import numpy as np
        >>> from spatialldp import KRR
        >>> mechanism = KRR(epsilon=3.0, d=3)
        >>> reports = mechanism.perturb(np.diag([6000, 3000, 1000]), np.random.default_rng(0))
        >>> estimate = mechanism.estimate(reports)  # a formula; EM where its options are given
        >>> estimate.distribution.round(1).tolist(), estimate.stopping
        ([[0.6, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, 0.0, 0.1]], 'closed form')
    """

    full_name = "K-ary randomised response"
    notion = "LDP"
    summary = "Reports the true cell or, if the dice say so, any other cell of the map, near and far alike."
    reference = RandomizedResponse.reference
    mirror_symmetric = True
    #: A formula is the usual way back; EM is there for those who want it.
    takes_long = False

    @cached_property
    def oracle(self) -> RandomizedResponse:
        """What randomises the number of a cell."""
        return RandomizedResponse(self.epsilon, self.d**2)

    @property
    def p(self) -> float:
        """Probability of the truth."""
        return self.oracle.p

    @property
    def q(self) -> float:
        """Probability of any other cell."""
        return self.oracle.q

    @property
    def n_outputs(self) -> int:
        """The d² cells."""
        return self.d**2

    @cached_property
    def output_cells(self) -> NDArray[np.int64]:
        """The cells of the map, (d², 2), sorted by (ix, iy)."""
        return np.argwhere(np.ones((self.d, self.d), dtype=bool))

    def transition_matrix(self) -> NDArray[np.float64]:
        """P(out | in), (d², d²), input cell ix·d+iy. Small d only: `operator` does the same without it."""
        self._refuse_a_huge_matrix()
        return self.oracle.likelihoods(np.arange(self.d**2))

    def likelihoods(self, reports: ArrayLike, cells: ArrayLike | None = None) -> NDArray[np.float64]:
        """P(report | cell) of each report (n, 2): (n, cells), all d² cells ix·d+iy unless some are given."""
        return self.oracle.likelihoods(self._symbols(reports), self._checked_flat_cells(cells))

    @cached_property
    def operator(self) -> Operator:
        """The same map without the matrix, in the form that is fastest at this size."""
        shape = (self.d, self.d)
        if self.d**4 <= LARGEST_DENSE:
            return DenseOperator(self.transition_matrix(), shape, shape)
        return ShiftOperator(np.ones((1, 1)), self.q, math.expm1(self.epsilon), np.ones(shape, dtype=bool))

    # -- the device ------------------------------------------------------------------------------

    def randomize(self, ix: ArrayLike, iy: ArrayLike, rng: np.random.Generator | None = None) -> NDArray[np.int64]:
        """One report for each given cell, (n, 2) cells. Randomness from the system unless `rng` is given."""
        ix, iy = self._checked_cells(ix, iy)
        return np.stack(np.divmod(self.oracle.randomize(ix * self.d + iy, rng), self.d), axis=1)

    def device_weights(self, ix: int, iy: int) -> NDArray[np.int64]:
        """What a device in the cell draws from, (d²,), in the order of `output_cells`."""
        ix, iy = (validate.whole_number(name, at, 0, self.d - 1) for name, at in (("ix", ix), ("iy", iy)))
        return self.oracle.device_weights(ix * self.d + iy)

    def largest_device_ratio(self) -> Fraction:
        """The ratio of the truth's probability to that of another cell."""
        return self.oracle.largest_ratio()

    def device_losses_from(self, cell: int) -> NDArray[np.float64]:
        """The same loss between any two cells."""
        losses = np.full(self.d**2, math.log(self.largest_device_ratio()))
        losses[validate.cell_number("cell", cell, self.d)] = 0.0
        return losses

    def aggregate(self, reports: ArrayLike) -> NDArray[np.int64]:
        """Count reports (n, 2) per cell: (d, d)."""
        return self.oracle.aggregate(self._symbols(reports)).counts.reshape(self.d, self.d)

    # -- a simulated population ------------------------------------------------------------------

    def perturb(self, counts: ArrayLike, rng: np.random.Generator) -> NDArray[np.int64]:
        """Reports of `counts` (d, d) people, counted per cell: (d, d)."""
        summed = self.oracle.drawn_sums(self._checked_counts(counts).ravel(), validate.generator(rng))
        return summed.counts.reshape(self.d, self.d)

    # -- the analyst -----------------------------------------------------------------------------

    def _estimate(self, reports: ArrayLike, options: EMOptions | None) -> Estimate:
        """(f − q)/(p − q) projected on the simplex; EM where options of it are given."""
        if options is not None:
            return super()._estimate(reports, options)
        counts = self._checked_reports(reports)
        frequencies = self.oracle.frequencies(counts.ravel() / counts.sum())
        return closed_form(on_simplex(frequencies).reshape(self.d, self.d))

    def report_map(self, reports: ArrayLike) -> ReportMap:
        """Reports per cell."""
        return ReportMap(self._checked_reports(reports), (0, 0), "reports per cell")

    def _symbols(self, reports: ArrayLike) -> NDArray[np.int64]:
        cells = self._checked_report_cells(reports)
        return cells[:, 0] * self.d + cells[:, 1]

    def _checked_reports(self, reports: ArrayLike) -> NDArray[np.float64]:
        meaning = f" (reports per cell, as {self!r}.perturb returns)"
        return validate.report_counts("reports", reports, (self.d, self.d), meaning)
