"""Planar Laplace: two-dimensional noise around the true place, put back on the grid.

The density ε²/(2π)·e^(−ε·r) around the centre of the true cell is integrated over every cell; a report that falls
outside the grid moves to the nearest cell. That table of probabilities *is* the mechanism: devices draw from it,
never from floats, and EM inverts it.

Why it is ε-Geo-I: at any point the densities around two centres differ by e^(ε·(r′ − r)) ≤ e^(ε·dist), integrals
keep the bound, and moving to the nearest cell does not look at the truth.

Why the device's whole numbers keep it too: they are far + Σ ⌊T·k⌋ over the offsets that end in the reported cell,
with k the kernel of a slightly smaller ε⁻ (`with_slack`). Let X = T·Σ k for the true cell and X′ for another one at
distance D ≥ 1. Without rounding X ≤ e^(ε⁻·D)·X′; the kernel's floats are good to 2⁻³⁶, so X ≤ e^(ε·D)·X′. Rounding
down takes less than 1 from each of at most N = (d+1)² terms, so the weights w ≤ far + X and w′ > far + X′ − N obey
    w ≤ far + e^(ε·D)·(w′ − far + N) ≤ e^(ε·D)·w′   if   far ≥ N/(1 − e^(−ε·D)),
and far = ⌈N·(1 + ε)/ε⌉ is enough, as 1 − e^(−ε) ≥ ε/(1 + ε). Every cell can be reported from everywhere.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from spatialldp import _validation as validate
from spatialldp._exact import exact_budget, logarithm
from spatialldp.mechanisms.cell_reports import CellReportMechanism
from spatialldp.mechanisms.records import ReportMap
from spatialldp.operators import FoldedOperator
from spatialldp.tables import TOTAL_BITS, WeightTable, with_slack

Array = NDArray[np.float64]

#: Gauss points per side of a cell: the nearest singularity is half a cell off, so 24 give full precision.
_POINTS = 24
#: Where e^(−ε·r) has fallen below 1e-19: nothing beyond is left to integrate.
_NEGLIGIBLE = 44.0
#: People whose reports are drawn together in a simulation.
_PEOPLE_AT_ONCE = 1_000_000


class PlanarLaplace(CellReportMechanism):
    """Planar Laplace noise, put back on the grid. ε-Geo-I (proof above).

    Args:
        epsilon: the privacy budget per cell of distance or, with `cell_size_m`, per metre; above 0 and at most 100, and
            so is the budget per cell.
        d: cells per side of the grid, 1 to 512.
        cell_size_m: the side of a cell in metres (`Grid.cell_size_m`); None where ε is per cell.

    Raises:
        ValueError: a parameter is not a number in its range.

    Example:
        >>> import numpy as np
        >>> from spatialldp import PlanarLaplace
        >>> mechanism = PlanarLaplace(epsilon=3.0, d=3)
        >>> reports = mechanism.perturb(np.diag([6000, 3000, 1000]), np.random.default_rng(0))
        >>> mechanism.estimate(reports).distribution.round(1).tolist()
        [[0.6, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, 0.0, 0.1]]
        >>> PlanarLaplace(epsilon=0.004, d=3, cell_size_m=500).epsilon_per_cell
        2.0
    """

    full_name = "Planar Laplace"
    notion = "Geo-I"
    summary = "Moves the true place by a random distance in a random direction, mostly a little, rarely far."
    reference = "Andrés et al., Geo-indistinguishability: Differential Privacy for Location-based Systems (2013)"
    mirror_symmetric = True
    in_lesson = True
    #: A kernel of a million offsets, kept nine times, and a table of as many whole numbers.
    largest_d = 512
    most_people = 10**8

    def __init__(self, epsilon: float, d: int, cell_size_m: float | None = None) -> None:
        super().__init__(epsilon, d)
        self.cell_size_m = None if cell_size_m is None else validate.real_number("cell_size_m", cell_size_m, above=0.0)
        validate.privacy_budget(self.epsilon_per_cell, "epsilon × cell_size_m")

    @property
    def epsilon_per_cell(self) -> float:
        """The loss allowed per cell of distance."""
        return self.epsilon * (self.cell_size_m or 1.0)

    def __repr__(self) -> str:
        metres = "" if self.cell_size_m is None else f", cell_size_m={self.cell_size_m:g}"
        return f"{super().__repr__()[:-1]}{metres})"

    # -- probabilities -------------------------------------------------------------------------

    @property
    def n_outputs(self) -> int:
        """A report is one of the d² cells."""
        return self.d**2

    @cached_property
    def kernel(self) -> Array:
        """Probability of each offset −d…d, (2d+1, 2d+1). The outermost stand for "d cells or more" along an axis."""
        validate.enough_for_doubles(self.epsilon_per_cell)
        quarter = np.zeros((self.d + 1, self.d + 1))
        for dx in range(self.d + 1):
            for dy in range(dx + 1):
                if dx == 0:
                    quarter[0, 0] = self._centre_cell()
                else:
                    quarter[dx, dy] = quarter[dy, dx] = self._integral(dx, dy)
        full = np.concatenate([quarter[:0:-1], quarter], axis=0)
        full = np.concatenate([full[:, :0:-1], full], axis=1)
        return full / full.sum()

    def _centre_cell(self) -> float:
        """The cell around the cusp, in polar coordinates: exact along the radius, smooth along the angle."""
        nodes, weights = np.polynomial.legendre.leggauss(_POINTS)
        angle, weights = (nodes + 1) * math.pi / 8, weights * math.pi / 8
        reach = self.epsilon_per_cell * 0.5 / np.cos(angle)
        # 1 − (1 + r)·e^(−r), without the cancellation at small r.
        return 8 / (2 * math.pi) * float(weights @ scipy.special.gammainc(2.0, reach))

    def _integral(self, dx: int, dy: int) -> float:
        """The density over the cell at this offset; an offset of d stands for all from d on."""
        (x, weight_x), (y, weight_y) = self._nodes[dx], self._nodes[dy]
        density = np.exp(-self.epsilon_per_cell * np.hypot(x[:, None], y[None, :]))
        return self.epsilon_per_cell**2 / (2 * math.pi) * float(weight_x @ density @ weight_y)

    @cached_property
    def _nodes(self) -> list[tuple[Array, Array]]:
        """Quadrature along one axis for each offset 0…d."""
        nodes, weights = np.polynomial.legendre.leggauss(_POINTS)
        # A panel spans at most ten units of the exponent, or the rule would not see how fast it falls.
        panels = max(1, math.ceil(self.epsilon_per_cell / 10))
        inside = ((np.arange(panels)[:, None] + (nodes + 1) / 2) / panels - 0.5).ravel()
        inside_weights = np.tile(weights / 2 / panels, panels)
        cells = [(offset + inside, inside_weights) for offset in range(self.d)]
        # The tail in panels of doubling length: fine where the density bends, wide where it only decays.
        edges = [self.d - 0.5]
        while self.epsilon_per_cell * (edges[-1] - edges[0]) < _NEGLIGIBLE:
            edges.append(edges[-1] + min(2.0 ** (len(edges) - 1), 10.0 / self.epsilon_per_cell))
        start, end = np.array(edges[:-1]), np.array(edges[1:])
        tail = (start[:, None] + (end - start)[:, None] * (nodes + 1) / 2).ravel()
        return [*cells, (tail, ((end - start)[:, None] * weights / 2).ravel())]

    @cached_property
    def operator(self) -> FoldedOperator:
        """Convolution with the kernel, what falls outside folded onto the border."""
        return FoldedOperator(self.kernel)

    def transition_matrix(self) -> Array:
        """P(out | in), (d², d²), cells ix·d+iy."""
        self._refuse_a_huge_matrix()
        return np.ascontiguousarray(self.likelihoods(self.output_cells).T)

    def likelihoods(self, reports: ArrayLike, cells: ArrayLike | None = None) -> Array:
        """P(report | cell) of each report (n, 2)."""
        rows, flat = self._checked_report_cells(reports), self._checked_flat_cells(cells)
        self._refuse_huge_likelihoods(len(rows), flat.size)
        if self.d == 1:
            return np.ones((len(rows), flat.size))
        side = np.where(rows == 0, 1, np.where(rows == self.d - 1, 2, 0))
        dx = rows[:, 0, None] - flat // self.d + self.d
        dy = rows[:, 1, None] - flat % self.d + self.d
        return self._folded[side[:, 0, None], side[:, 1, None], dx, dy]

    @cached_property
    def _folded(self) -> Array:
        """The kernel as seen inside (0), at the low border (1) and at the high border (2) of each axis, (3, 3, …).

        At a border an offset stands for itself and all beyond; summed from the far end, so that tails keep
        their relative precision.
        """
        along_x = [self.kernel, self.kernel.cumsum(axis=0), self.kernel[::-1].cumsum(axis=0)[::-1]]
        return np.array([[k, k.cumsum(axis=1), k[:, ::-1].cumsum(axis=1)[:, ::-1]] for k in along_x])

    # -- the device ----------------------------------------------------------------------------

    def draw_offsets(self, n: int, rng: np.random.Generator) -> Array:
        """n continuous offsets in cells, (n, 2), before they are put on the grid: the textbook noise, for teaching.

        The radius is Gamma(2, 1/ε), not exponential: its mean is 2/ε.
        """
        rng, n = validate.generator(rng), validate.whole_number("n", n, 1)
        validate.fits_in_memory(f"{validate.shown(n)} offsets", 4 * n, 8, "draw fewer at a time")
        validate.enough_for_doubles(self.epsilon_per_cell)
        radius = rng.gamma(2.0, 1.0 / self.epsilon_per_cell, n)
        angle = rng.uniform(0.0, 2.0 * math.pi, n)
        return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)

    @property
    def exact_epsilon_per_cell(self) -> Fraction:
        """The loss allowed per cell of distance, as a fraction."""
        side = Fraction(1) if self.cell_size_m is None else exact_budget(self.cell_size_m)
        return super().exact_epsilon_per_cell * side

    @cached_property
    def table(self) -> WeightTable:
        """The whole numbers a device draws from; their loss is at most ε·distance, exactly (proof above)."""
        epsilon = self.exact_epsilon_per_cell
        far = math.ceil((self.d + 1) ** 2 * (1 + epsilon) / epsilon)
        # A little below what is left, so that a sum of floats a little above 1 still fits.
        whole = math.floor((2**TOTAL_BITS - far * self.d**2) * (1 - Fraction(1, 2**40)))
        if whole < 2 ** (TOTAL_BITS - 1):
            raise ValueError(
                f"epsilon must be larger for a device on {self.d}×{self.d} cells, got {self.epsilon:g}: nothing but "
                "rounding would be left of its reports"
            )
        kernel = PlanarLaplace(with_slack(self.epsilon_per_cell), self.d).kernel
        kinds, which = np.unique(kernel, return_inverse=True)
        weights = [math.floor(whole * Fraction(kind)) for kind in kinds.tolist()]
        offsets = np.argwhere(np.ones_like(kernel)) - self.d
        return WeightTable(
            far, [weights[at] for at in which.ravel().tolist()], self.output_cells, offsets, self.d, True
        )

    @cached_property
    def output_cells(self) -> NDArray[np.int64]:
        """All cells, (d², 2)."""
        return np.argwhere(np.ones((self.d, self.d)))

    @property
    def report_meaning(self) -> str:
        """One cell of the grid."""
        return "a report names one cell; places outside the map move to its edge"

    def randomize(self, ix: ArrayLike, iy: ArrayLike, rng: np.random.Generator | None = None) -> NDArray[np.int64]:
        """Reports (n, 2): one cell of the grid each."""
        return self.table.draw(np.stack(self._checked_cells(ix, iy), axis=1), rng)

    def worst_case_loss(self) -> float:
        """Likelihoods fall with the distance, so two opposite corners differ most."""
        return logarithm(self.device_ratio(0, self.d**2 - 1)) if self.d > 1 else 0.0

    def device_weights(self, ix: int, iy: int) -> NDArray[np.int64]:
        """What a device in the cell draws from, (d²,), cells ix·d+iy."""
        return self.table.weights(ix, iy)

    def aggregate(self, reports: ArrayLike) -> NDArray[np.int64]:
        """Reports per cell, (d, d)."""
        cells = self._checked_report_cells(reports)
        return np.bincount(cells[:, 0] * self.d + cells[:, 1], minlength=self.d**2).reshape(self.d, self.d)

    def perturb(self, counts: ArrayLike, rng: np.random.Generator) -> NDArray[np.int64]:
        """Reports of a population per cell, (d, d)."""
        last = np.cumsum(self._checked_counts(counts))
        validate.generator(rng)
        reports = np.zeros((self.d, self.d), dtype=np.int64)
        # In parts, so that it takes no more memory for a hundred million people than for a million.
        for start in range(0, int(last[-1]), _PEOPLE_AT_ONCE):
            person = np.arange(start, min(start + _PEOPLE_AT_ONCE, int(last[-1])))
            ix, iy = np.divmod(np.searchsorted(last, person, side="right"), self.d)
            reports += self.aggregate(self.randomize(ix, iy, rng))
        return reports

    # -- the analyst -----------------------------------------------------------------------------

    def report_map(self, reports: ArrayLike) -> ReportMap:
        """Reports per cell."""
        return ReportMap(self._checked_reports(reports), (0, 0), "reports per cell")

    def _checked_reports(self, reports: ArrayLike) -> Array:
        return validate.report_counts("reports", reports, (self.d, self.d), f" (cells, as {self!r}.perturb returns)")
