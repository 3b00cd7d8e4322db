"""MDSW: each coordinate by itself, with the square wave."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spatialldp import _validation as validate
from spatialldp._exact import uniform_below
from spatialldp.estimation import EMOptions, Estimate
from spatialldp.mechanisms.base import Mechanism
from spatialldp.mechanisms.radius import drops, square_wave_radius
from spatialldp.mechanisms.records import NamedCells, ReportMap, TruthfulShare
from spatialldp.oracles import SquareWave
from spatialldp.tables import WeightTable


class MDSW(Mechanism):
    """Each user reports one coordinate, x or y by a fair coin, by the square wave with the whole ε.

    ε-LDP: the coin does not depend on the place, and given the coin the report is that of `SquareWave`. The joint
    map is the product of the two recovered marginals, so whatever ties x to y is lost.

    Args:
        epsilon: the privacy budget, above 0 and at most 100.
        d: cells per side of the grid, 1 to 1,024.

    Raises:
        ValueError: a parameter is not a number in its range.

    Example:
        >>> import numpy as np
        >>> from spatialldp import MDSW
        >>> mechanism = MDSW(epsilon=3.0, d=3)
        >>> reports = mechanism.perturb(np.diag([60_000, 30_000, 10_000]), np.random.default_rng(0))
        >>> reports.shape  # two axes, d+2b values each
        (2, 3)
        >>> mechanism.estimate(reports, smoothing=False).distribution.round(2).tolist()  # the diagonal is lost
        [[0.36, 0.18, 0.06], [0.18, 0.09, 0.03], [0.06, 0.03, 0.01]]
    """

    full_name = "Multi-dimensional square wave"
    notion = "LDP"
    summary = (
        "Reports only one coordinate, east–west or north–south, randomised: near values are likelier than far ones. "
        "The map is pieced together from both."
    )
    reference = "Li et al., Estimating Numerical Distributions under Local Differential Privacy (2020), per coordinate"

    uses_em = True
    honours_mask = True

    @cached_property
    def oracle(self) -> SquareWave:
        """What randomises one coordinate."""
        return SquareWave(self.epsilon, self.d)

    @property
    def b(self) -> int:
        """Half-width of the square wave, cells."""
        return self.oracle.b

    @property
    def radius(self) -> int:
        """The half-width b, in cells; it follows from ε and d."""
        return self.b

    @property
    def reports_outside(self) -> int:
        """A value may lie as far outside as the wave is wide."""
        return self.b

    @classmethod
    def breakpoints(cls, d: int, lowest: float, highest: float) -> list[float]:
        """The ε at which the half-width drops from one whole number to the next."""
        return drops(square_wave_radius, d, lowest, highest)

    @property
    def q(self) -> float:
        """Probability of a value far from the truth; q·e^ε is that of one near it."""
        return self.oracle.q

    @property
    def n_outputs(self) -> int:
        """d + 2b values on each of the two axes."""
        return 2 * self.oracle.n_outputs

    def marginal_matrix(self) -> NDArray[np.float64]:
        """The square wave in one dimension, P(value | coordinate), one column per coordinate: (d+2b, d)."""
        return self.oracle.matrix.T.copy()

    def transition_matrix(self) -> NDArray[np.float64]:
        """P(axis, value | cell), (d², 2(d+2b)): half the one-dimensional matrix for either axis."""
        self._refuse_a_huge_matrix()
        cells = np.arange(self.d**2)
        return np.hstack([self.oracle.matrix[cells // self.d], self.oracle.matrix[cells % self.d]]) / 2

    def likelihoods(self, reports: ArrayLike, cells: ArrayLike | None = None) -> NDArray[np.float64]:
        """P(axis, value | cell) of each report (n, 2)."""
        rows, cells = self._checked_axis_and_value(reports), self._checked_flat_cells(cells)
        self._refuse_huge_likelihoods(len(rows), cells.size)
        coordinate = np.where(rows[:, :1] == 0, cells // self.d, cells % self.d)
        return self.oracle.matrix[coordinate, rows[:, 1:] + self.b] / 2

    def randomize(self, ix: ArrayLike, iy: ArrayLike, rng: np.random.Generator | None = None) -> NDArray[np.int64]:
        """Reports (n, 2): the axis, 0 for x and 1 for y, and the value, −b … d+b−1."""
        ix, iy = self._checked_cells(ix, iy)
        axis = uniform_below(2, ix.size, rng)
        return np.stack([axis, self.oracle.randomize(np.where(axis == 0, ix, iy), rng)], axis=1)

    @property
    def table(self) -> WeightTable:
        """The whole numbers a device draws one coordinate from; their loss is at most ε, exactly."""
        return self.oracle.table

    def device_weights(self, ix: int, iy: int) -> NDArray[np.int64]:
        """What a device in the cell draws from, (2(d+2b),): the values along x, then those along y."""
        return np.concatenate([self.oracle.device_weights(ix), self.oracle.device_weights(iy)])

    def largest_device_ratio(self) -> Fraction | float:
        """The largest ratio of a report's probabilities from any two cells."""
        return self.oracle.largest_ratio()

    def aggregate(self, reports: ArrayLike) -> NDArray[np.int64]:
        """Reports per axis and value, (2, d+2b)."""
        rows, size = self._checked_axis_and_value(reports), self.oracle.n_outputs
        return np.bincount(rows[:, 0] * size + rows[:, 1] + self.b, minlength=2 * size).reshape(2, size)

    def _checked_axis_and_value(self, reports: ArrayLike) -> NDArray[np.int64]:
        rows = self._checked_rows(reports, 2)
        axis, value = rows.T
        lowest, highest = -self.b, self.d + self.b - 1
        wrong = (axis < 0) | (axis > 1) | (value < lowest) | (value > highest)
        self._refuse_rows(rows, wrong, f"(axis 0 or 1, value {lowest} to {highest})")
        return rows

    def perturb(self, counts: ArrayLike, rng: np.random.Generator) -> NDArray[np.int64]:
        """Reports of a population per axis and value, (2, d+2b)."""
        counts = self._checked_counts(counts)
        validate.generator(rng)
        first = rng.binomial(counts, 0.5)
        people = (first.sum(axis=1), (counts - first).sum(axis=0))
        return np.stack([self.oracle.drawn_sums(side, rng) for side in people])

    def _estimate(self, reports: ArrayLike, options: EMOptions | None) -> Estimate:
        """The product of the two marginals, each by EMS (`smoothing`, the default) or EM.

        `iterations` is the larger of the two, `log_likelihood` their sum. A mask cuts the product: the
        marginals themselves know nothing of it.
        """
        chosen = options or EMOptions()
        mask = chosen.mask
        counts = validate.report_counts(
            "reports", reports, (2, self.oracle.n_outputs), f" (axes × values, as {self!r}.perturb returns)"
        )
        if mask is not None:
            mask = validate.cell_mask("mask", mask, (self.d, self.d))
        flat = Estimate(np.full(self.d, 1 / self.d), 0, True, 0.0, chosen.stopping)
        per_axis = replace(chosen, mask=None)
        # A handful of users may all have thrown the same side of the coin.
        marginals = [self.oracle.estimate_em(side, per_axis) if side.any() else flat for side in counts]
        joint = np.outer(marginals[0].distribution, marginals[1].distribution)
        if mask is not None:
            joint = np.where(mask, joint, 0.0)
        return Estimate(
            joint / joint.sum(),
            max(marginal.iterations for marginal in marginals),
            all(marginal.converged for marginal in marginals),
            sum(marginal.log_likelihood or 0.0 for marginal in marginals),
            chosen.stopping,
        )

    def named_cells(self, reports: ArrayLike) -> NamedCells:
        """All cells of the column or row that a report (n, 2) names."""
        rows = self._checked_axis_and_value(reports)
        validate.fits_in_memory("the cells named", 2 * len(rows) * self.d, 8, "ask for fewer reports at a time")
        along = np.tile(np.arange(self.d), len(rows))
        axis, value = np.repeat(rows, self.d, axis=0).T
        cells = np.where((axis == 0)[:, None], np.stack([value, along], axis=1), np.stack([along, value], axis=1))
        return NamedCells(cells, np.repeat(np.arange(len(rows)), self.d))

    @property
    def report_meaning(self) -> str:
        """One coordinate."""
        outside = f", up to {self.b} cells outside" if self.b else ""
        return f"a report names one column or one row{outside}"

    def truthful_share(self, counts: ArrayLike) -> TruthfulShare:
        """The same everywhere: the probability of a value near the truth."""
        return TruthfulShare(self.q * math.exp(self.epsilon), "name their own row/column")

    def comparable(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Every report is about a whole column or row: as if spread evenly along it."""
        return values / (np.nansum(values) / (2 * self._strip_width)) / self.d

    @property
    def _strip_width(self) -> int:
        """Cells across the strips of `report_map`."""
        return 1 + self.d // 8

    def report_map(self, reports: ArrayLike) -> ReportMap:
        """The two noisy marginals as strips along the southern and the western edge; NaN elsewhere."""
        counts = validate.report_counts("reports", reports, (2, self.oracle.n_outputs))
        width = self._strip_width
        margin = self.b + width
        values = np.full((self.d + 2 * margin,) * 2, np.nan)
        values[width:-width, :width] = counts[0][:, None]
        values[:width, width:-width] = counts[1][None, :]
        return ReportMap(values, (-margin, -margin), "reports per column (below) and per row (left)")
