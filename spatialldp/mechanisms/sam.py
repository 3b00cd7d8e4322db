"""The SAM family: mechanisms whose probability depends only on the offset between truth and report.

    P(out | in) = q · (1 + (e^ε − 1) · A(out − in)),   0 ≤ A ≤ 1,   on one output domain for all inputs.

Why it is ε-LDP: whatever the two inputs, both probabilities of a report lie between q and q·e^ε, so
their ratio is at most e^ε. A member of the family says only what A is (`_shape`); sampling, the fast
operator and recovery follow from the form.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spatialldp import _validation as validate
from spatialldp.mechanisms.base import DU
from spatialldp.mechanisms.cell_reports import CellReportMechanism
from spatialldp.mechanisms.radius import drops, optimal_radius
from spatialldp.mechanisms.records import Parameter, ReportMap, TruthfulShare
from spatialldp.operators import LARGEST_DENSE, DenseOperator, Operator, fastest_convolution
from spatialldp.tables import WeightTable

#: A multinomial draw, one per pair of cell and offset, takes as long as this many single users (benchmarks/perturb.py).
_USERS_PER_DRAW = 2
_MULTINOMIAL_CHUNK = 4_000_000


def best_radius(epsilon: float, d: int) -> int:
    """The optimal radius in whole cells."""
    return math.floor(d * optimal_radius(epsilon))


class SAM(CellReportMechanism):
    """Base of DAM, DAM-NS and HUEM: a report near the truth is likelier, by its offset alone. ε-LDP (proof above).

    Args:
        epsilon: the privacy budget, above 0 and at most 100.
        d: cells per side of the grid, 1 to 512.
        b: the radius in whole cells, 0 to 2·d (or 100, on small grids), with d + 2·b at most 1,536; None for the
            optimal one.

    Raises:
        ValueError: a parameter is not a number in its range.

    Example:
        A member of the family says only what A is, at offsets x ≥ y ≥ 0:

        >>> import numpy as np
        >>> from spatialldp.mechanisms import SAM
        >>> class Square(SAM):
        ...     def _shape(self, x, y):
        ...         return np.where(x <= self.b - 1, 1.0, 0.0)
        >>> mechanism = Square(epsilon=3.0, d=3, b=2)
        >>> mechanism.kernel.astype(int).tolist()
        [[0, 0, 0, 0, 0], [0, 1, 1, 1, 0], [0, 1, 1, 1, 0], [0, 1, 1, 1, 0], [0, 0, 0, 0, 0]]
        >>> reports = mechanism.perturb(np.diag([6000, 3000, 1000]), np.random.default_rng(0))
        >>> mechanism.estimate(reports).distribution.round(1).tolist()
        [[0.6, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, 0.0, 0.1]]
    """

    notion = "LDP"
    reference = DU
    mirror_symmetric = True
    largest_d = 512
    #: Output cells per side, d + 2·b: recovery takes 1.3 GB there, and four times that at twice as many
    #: (benchmarks/limits.py).
    largest_output: ClassVar[int] = 1_536
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            name="b",
            label="Radius b",
            unit="cells",
            help="Reports up to b cells from the truth are likelier than others.",
            lowest=lambda d: 0,
            # Beyond twice the map nothing changes any more.
            highest=lambda d: 2 * d,
            usual=best_radius,
        ),
    )

    def __init__(self, epsilon: float, d: int, b: int | None = None) -> None:
        super().__init__(epsilon, d)
        self.b = best_radius(self.epsilon, self.d) if b is None else validate.radius(b, self.d)
        if self.d + 2 * self.b > self.largest_output:
            raise ValueError(
                f"d + 2·b must be at most {self.largest_output:,}, got {self.d} + 2·{self.b}: choose a coarser grid or "
                "a smaller radius"
            )

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, b={self.b})"

    @property
    def radius(self) -> int:
        """The radius b, in cells."""
        return self.b

    @property
    def reports_outside(self) -> int:
        """A report may lie as far beyond the grid as the disk reaches."""
        return self.b

    # -- the distribution of a report ------------------------------------------------------------

    @abstractmethod
    def _shape(self, x: NDArray[np.int64], y: NDArray[np.int64]) -> NDArray[np.float64]:
        """A at absolute offsets x ≥ y ≥ 0."""

    @cached_property
    def kernel(self) -> NDArray[np.float64]:
        """A over the offsets −b…b, (2b+1, 2b+1): 1 where a report is e^ε times likelier than elsewhere."""
        offsets = np.abs(np.arange(-self.b, self.b + 1))
        dx, dy = np.meshgrid(offsets, offsets, indexing="ij")
        return self._shape(np.maximum(dx, dy), np.minimum(dx, dy))

    @cached_property
    def output_domain(self) -> NDArray[np.bool_]:
        """Where a report can lie, bool (d+2b, d+2b): the square with its corners rounded; entry 0 is cell −b."""
        cells = np.arange(-self.b, self.d + self.b)
        # The offset from the nearest input cell decides: the reach set shrinks as an offset grows.
        offset = np.abs(cells - np.clip(cells, 0, self.d - 1))
        return _within_reach(offset[:, None], offset[None, :], self.b)

    @cached_property
    def output_cells(self) -> NDArray[np.int64]:
        """Cells a report can lie in, (n_outputs, 2), from −b to d+b−1, sorted by (ix, iy)."""
        return np.argwhere(self.output_domain) - self.b

    @cached_property
    def n_outputs(self) -> int:
        """How many cells a report can lie in."""
        return int(np.count_nonzero(self.output_domain))

    @classmethod
    def breakpoints(cls, d: int, lowest: float, highest: float) -> list[float]:
        """The ε at which the optimal radius drops from one whole number of cells to the next."""
        return drops(optimal_radius, d, lowest, highest)

    @cached_property
    def q(self) -> float:
        """Probability of a report far from the truth; q·e^ε is that of one near it."""
        return 1.0 / (math.expm1(self.epsilon) * float(self.kernel.sum()) + self.n_outputs)

    @property
    def uniform_share(self) -> float:
        """Share of reports that are drawn blindly from the whole output domain: q·n_outputs."""
        return min(1.0, self.q * self.n_outputs)

    def transition_matrix(self) -> NDArray[np.float64]:
        """P(out | in), (d², n_outputs), input cell ix·d+iy. Small d only: `operator` does the same without it."""
        self._refuse_a_huge_matrix()
        return np.ascontiguousarray(self.likelihoods(self.output_cells).T)

    def likelihoods(self, reports: ArrayLike, cells: ArrayLike | None = None) -> NDArray[np.float64]:
        """P(report | cell) of each report (n, 2): (n, cells), all d² cells ix·d+iy unless some are given."""
        reports, cells = self._checked_report_cells(reports), self._checked_flat_cells(cells)
        self._refuse_huge_likelihoods(len(reports), cells.size)
        dx = reports[:, 0, None] - cells // self.d + self.b
        dy = reports[:, 1, None] - cells % self.d + self.b
        near = (dx >= 0) & (dx <= 2 * self.b) & (dy >= 0) & (dy <= 2 * self.b)
        shape = np.where(near, self.kernel[np.where(near, dx, 0), np.where(near, dy, 0)], 0.0)
        return self.q * (1.0 + math.expm1(self.epsilon) * shape)

    @cached_property
    def operator(self) -> Operator:
        """The same map without the matrix, in the form that is fastest at this size."""
        side = self.d + 2 * self.b
        if self.d**2 * side**2 <= LARGEST_DENSE:
            matrix = np.zeros((self.d**2, side**2))
            matrix[:, self.output_domain.ravel()] = self.transition_matrix()
            return DenseOperator(matrix, (self.d, self.d), (side, side))
        return fastest_convolution(self.kernel, self.q, math.expm1(self.epsilon), self.output_domain)

    # -- the device ------------------------------------------------------------------------------

    @cached_property
    def _offsets(self) -> NDArray[np.int64]:
        """Offsets with A > 0, (K, 2), from 0 to 2b."""
        return np.argwhere(self.kernel > 0)

    @cached_property
    def _offset_probabilities(self) -> NDArray[np.float64]:
        weights = self.kernel[self.kernel > 0]
        return weights / weights.sum()

    @cached_property
    def table(self) -> WeightTable:
        """The whole numbers a device draws from; their loss is at most ε, exactly."""
        offsets = np.argwhere(np.ones_like(self.kernel)) - self.b
        return WeightTable.near_and_far(self.epsilon, self.kernel.ravel(), self.output_cells, offsets, self.d)

    def randomize(self, ix: ArrayLike, iy: ArrayLike, rng: np.random.Generator | None = None) -> NDArray[np.int64]:
        """One report for each given cell, (n, 2) output cells. Randomness from the system unless `rng` is given."""
        return self.table.draw(np.stack(self._checked_cells(ix, iy), axis=1), rng)

    def device_weights(self, ix: int, iy: int) -> NDArray[np.int64]:
        """What a device in the cell draws from, (n_outputs,), in the order of `output_cells`."""
        return self.table.weights(ix, iy)

    def largest_device_ratio(self) -> Fraction | float:
        """The largest ratio of a report's probabilities from any two cells."""
        return self.table.largest_ratio()

    def aggregate(self, reports: ArrayLike) -> NDArray[np.int64]:
        """Count reports (n, 2) per output cell: (d+2b, d+2b), zero outside the output domain."""
        side = self.d + 2 * self.b
        index = self._checked_report_cells(reports) + self.b
        return np.bincount(index[:, 0] * side + index[:, 1], minlength=side**2).reshape(side, side)

    def _checked_report_cells(self, reports: ArrayLike) -> NDArray[np.int64]:
        """Reports (n, 2) in the output domain."""
        cells = self._checked_rows(reports, 2)
        known: NDArray[np.bool_] = np.all((cells >= -self.b) & (cells < self.d + self.b), axis=1)
        index = cells[known] + self.b
        known[known] = self.output_domain[index[:, 0], index[:, 1]]
        domain = f"in the output domain (cells {-self.b} to {self.d + self.b - 1}, corners rounded)"
        self._refuse_rows(cells, ~known, domain)
        return cells

    # -- a simulated population ------------------------------------------------------------------

    def perturb(self, counts: ArrayLike, rng: np.random.Generator) -> NDArray[np.int64]:
        """Reports of `counts` (d, d) people, counted per output cell: (d+2b, d+2b), zero outside the domain."""
        counts = self._checked_counts(counts)
        validate.generator(rng)
        reports = np.zeros(self.output_domain.shape, dtype=np.int64)
        blind = rng.binomial(counts, self.uniform_share)
        reports[self.output_domain] = rng.multinomial(blind.sum(), np.full(self.n_outputs, 1.0 / self.n_outputs))
        self._add_near_reports(reports.reshape(-1), (counts - blind).reshape(-1), rng)
        return reports

    def _add_near_reports(
        self, reports: NDArray[np.int64], people: NDArray[np.int64], rng: np.random.Generator
    ) -> None:
        """Add, for the people of each input cell, reports at offsets drawn from A (both arrays flat)."""
        side = self.d + 2 * self.b
        occupied = np.flatnonzero(people)
        # Flat index of the report of each occupied cell at offset (0, 0) from its south-western reach.
        base = occupied // self.d * side + occupied % self.d
        step = self._offsets[:, 0] * side + self._offsets[:, 1]
        people = people[occupied]
        if occupied.size * step.size * _USERS_PER_DRAW < people.sum():
            rows = max(1, _MULTINOMIAL_CHUNK // step.size)
            for start in range(0, occupied.size, rows):
                chunk = slice(start, start + rows)
                drawn = rng.multinomial(people[chunk], self._offset_probabilities)
                np.add.at(reports, base[chunk, None] + step, drawn)
        else:
            # In parts, so that it takes no more memory for a billion people than for a million.
            last = np.cumsum(people)
            for start in range(0, int(last[-1]) if last.size else 0, _MULTINOMIAL_CHUNK):
                size = min(_MULTINOMIAL_CHUNK, int(last[-1]) - start)
                offset = rng.choice(step.size, size=size, p=self._offset_probabilities)
                owner = np.searchsorted(last, np.arange(start, start + size), side="right")
                reports += np.bincount(base[owner] + step[offset], minlength=reports.size)

    # -- the analyst -----------------------------------------------------------------------------

    def truthful_share(self, counts: ArrayLike) -> TruthfulShare:
        """The same everywhere: the probability of offset (0, 0)."""
        own = float(self.kernel[self.b, self.b])
        return TruthfulShare(self.q * (1.0 + math.expm1(self.epsilon) * own), "name their own cell")

    def partial_cells(self) -> list[PartialCell]:
        """Cells that count in part because only a part of them does; none where a share is only a smaller weight."""
        return []

    def report_map(self, reports: ArrayLike) -> ReportMap:
        """Reports per output cell; NaN where none can lie."""
        values = np.where(self.output_domain, self._checked_reports(reports), np.nan)
        return ReportMap(values, (-self.b, -self.b), "reports per cell")

    def _checked_reports(self, reports: ArrayLike) -> NDArray[np.float64]:
        counts = validate.report_counts(
            "reports", reports, self.output_domain.shape, f" (d+2b cells per side, as {self!r}.perturb returns)"
        )
        if counts[~self.output_domain].any():
            raise ValueError(
                f"reports must be zero outside the output domain of {self!r}, got "
                f"{counts[~self.output_domain].sum():g} there: are they from another mechanism?"
            )
        return counts


class PartialCell(NamedTuple):
    """A cell on the border of the disk, and the part of it that counts. Places are in cells from the middle of the
    true cell.

    Attributes:
        x: offset of the cell from the truth to the east, in cells.
        y: offset of the cell from the truth to the north, in cells.
        share: its area that counts, in cells.
        left: western edge of the part that counts.
        low: southern edge of the part that counts.
        width: its width, in cells.
        height: its height, in cells.
    """

    x: int
    y: int
    share: float
    left: float
    low: float
    width: float
    height: float


def disk_share(x: NDArray[np.int64], y: NDArray[np.int64], radius: int) -> NDArray[np.float64]:
    """Share of a cell at offset x ≥ y ≥ 0 that counts as inside a disk of `radius` cells: the shrunken area.

    1 for a centre inside; otherwise the area of `shrunken_cell`. A cell too far out for that counts 0. Clipping
    there is a matter of privacy: the printed formula turns negative (−0.0025 at offset (3, 2), radius 3), which
    breaks ε-LDP.
    """
    inside = x**2 + y**2 <= radius**2
    width, height = shrunken_cell(x, y, radius)
    return np.where(inside, 1.0, np.where(width > 0, width * height, 0.0))


def shrunken_cell(
    x: NDArray[np.int64], y: NDArray[np.int64], radius: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Width and height, in cells, of a cell at offset x ≥ y ≥ 0 as the printed formula shrinks it.

    Its inner corner stays and its middle moves along the line to the centre until it lies on the circle. Nothing is
    clipped here: a width below 0 belongs to a cell too far out, one above 1 to a cell whose middle lies inside.
    """
    distance = np.hypot(x, y)
    shrink = radius / np.where(distance > 0, distance, 1.0) - 1.0
    return 2.0 * (shrink * x + 0.5), 2.0 * (shrink * y + 0.5)


def nearest_distance(x: NDArray[np.int64], y: NDArray[np.int64]) -> NDArray[np.float64]:
    """Distance in cells from the origin to the nearest point of the cell at offset (x, y) ≥ 0."""
    return np.hypot(np.maximum(x - 0.5, 0.0), np.maximum(y - 0.5, 0.0))


def _within_reach(x: NDArray[np.int64], y: NDArray[np.int64], radius: int) -> NDArray[np.bool_]:
    """Whether some point of the cell at offset (x, y) is nearer than the radius (only the origin for radius 0)."""
    return nearest_distance(x, y) < radius if radius else (x == 0) & (y == 0)
