"""SEM-Geo-I, the subset exponential mechanism: a report is a set of k cells, or nothing.

    P(S | x) = e^(−ε·dist(x, nearest cell of S)) / Ω,   and "null" with what is left of 1.

There are C(m, k) sets of m = d² cells, far more than any number type holds. Nothing here counts them: divided by
C(m, k), every sum over sets is an expectation over *uniformly* random ones. Rank the cells by their distance from
x (ties in any fixed order); the nearest cell of a uniform k-set has rank r with probability

    g(r) = C(m−r−1, k−1) / C(m, k) = s(r)·k/(m−r),   s(r) = Π_{i<r} (1 − k/(m−i)),

and the other k−1 cells are then uniform among the m−r−1 of higher rank. So mass(x) = Σ_r e^(−ε·δ_x(r))·g(r),
sampling draws r and then the rest, and the probability that the set holds a given cell is a running sum over ranks.

Why it is ε-Geo-I: dist(x, S) changes by at most dist(x, x′), so P(S|x)/P(S|x′) ≤ e^(ε·dist(x, x′)); and Ω is the
smallest number for which the same holds for the null: (Ω − mass(x)) ≤ e^(ε·dist)·(Ω − mass(x′)) for every pair.

Why the device's whole numbers keep it too: a device draws at a slightly smaller ε⁻ (`with_slack`) and with one number
Ω⁺ for all cells, larger than Ω by a share η = 2⁻³⁰·max(1, 1/ε), half of which covers the rounding of Ω itself.
The probability of a rank is right to a relative 2⁻³⁶ (`first_rank`: a weight is at least 2⁶²·2⁻¹⁰·k/m ≥ 2³⁶ before it
is rounded down, and its factors are products of at most 2m doubles, each right to the last digit), and given the rank
the other k−1 cells are uniform without any rounding; so P(S|x)/P(S|x′) ≤ e^(ε⁻·D)·(1 + 2⁻³⁵) ≤ e^(ε·D) at any distance
D ≥ 1. The null has ν = 1 − mass(x)/Ω⁺ up to δ < 2⁻⁴⁰, the error of a mass. With E = e^(ε·D) and Ω⁺ ≥ (1 + η/2)·Ω,
    E·ν′ − ν = ((E − 1)·Ω⁺ − (E·mass′ − mass))/Ω⁺ ≥ (E − 1)·(Ω⁺ − Ω)/Ω⁺ ≥ (E − 1)·η/3,
and that exceeds the errors (1 + E)·δ as soon as η/3 ≥ δ·coth(ε/2), which δ·(1 + 2/ε) bounds. Every set, and the null,
can be reported from everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spatialldp import _validation as validate
from spatialldp.estimation import EMOptions, Estimate, closed_form
from spatialldp.mechanisms.base import Mechanism, mirror_classes
from spatialldp.mechanisms.records import (
    InclusionCounts,
    NamedCells,
    Parameter,
    ReportMap,
    TruthfulShare,
    WeightedReports,
)
from spatialldp.mechanisms.subsets.first_rank import FirstRank, RankLaw
from spatialldp.mechanisms.subsets.inclusion_solver import InclusionSolver
from spatialldp.mechanisms.subsets.random_sets import nearest_distances, uniform_subsets
from spatialldp.mechanisms.subsets.set_ranks import set_ranks
from spatialldp.mechanisms.subsets.set_ratios import SetProbabilities, exact_ratio, log_ratios, nearest_ranks
from spatialldp.tables import with_slack

Array = NDArray[np.float64]
Cells = NDArray[np.int64]

#: Words drawn at once when choosing subsets: bounds the memory at some tens of MB.
_CHUNK = 2_000_000
#: Numbers held at once when sets are drawn evenly.
_EVEN_CHUNK = 1_000_000


def mean_distance(d: int) -> float:
    """Mean distance in cells over all ordered pairs of different cells of a d×d grid."""
    offset = np.arange(-(d - 1), d)
    pairs = np.multiply.outer(d - np.abs(offset), d - np.abs(offset))
    return float((pairs * np.hypot.outer(offset, offset)).sum() / max(1, d**2 * (d**2 - 1)))


def usual_set_size(epsilon: float, d: int) -> int:
    """How many cells a report names, as the paper chooses it."""
    exponent = epsilon * mean_distance(d)
    return 1 if d == 1 or exponent > 700 else math.ceil(d**2 / (math.exp(exponent) + 1.0))


class SEMGeoI(Mechanism):
    """Subset exponential mechanism: a report names k cells, or nothing. ε-Geo-I (proof above).

    Args:
        epsilon: the privacy budget per cell of distance, above 0 and at most 100.
        d: cells per side of the grid, 1 to 100.
        k: how many cells a report names, 1 to d²; None for the size that the paper takes.

    Raises:
        ValueError: a parameter is not a number in its range.

    Example:
        >>> import numpy as np
        >>> from spatialldp import SEMGeoI
        >>> mechanism = SEMGeoI(epsilon=1.0, d=3)
        >>> mechanism.k
        2
        >>> reports = mechanism.perturb(np.diag([6000, 3000, 1000]), np.random.default_rng(0))
        >>> reports.counts.shape, reports.users
        ((3, 3), 10000)
        >>> mechanism.estimate(reports).distribution.round(1).tolist()
        [[0.6, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, 0.0, 0.1]]
    """

    full_name = "Subset exponential mechanism"
    notion = "Geo-I"
    summary = "Reports a handful of cells, most likely with one of them near the truth, and sometimes nothing."
    reference = "Wang et al., subset exponential mechanism for geo-indistinguishability, as compared with by Du et al."

    mirror_symmetric = True
    map_shows = "share of reports"
    in_lesson = True
    #: Recovery solves for all cells at once: a matrix of d⁴/4 doubles and its factors, 1.3 GB in all
    #: (benchmarks/limits.py).
    largest_d = 100
    most_people = 10**8
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            name="k",
            label="Cells named k",
            unit="cells",
            help="How many cells a report names.",
            lowest=lambda d: 1,
            highest=lambda d: d**2,
            usual=usual_set_size,
        ),
    )

    def __init__(self, epsilon: float, d: int, k: int | None = None) -> None:
        super().__init__(epsilon, d)
        if k is None:
            self.k = usual_set_size(self.epsilon, self.d)
        else:
            self.k = validate.whole_number("k", k, 1, self.d**2)

    @classmethod
    def breakpoints(cls, d: int, lowest: float, highest: float) -> list[float]:
        """The ε at which the subset size drops by one: k ≤ K from ε = ln(m/K − 1)/mean distance on."""
        d = cls.checked_d(d)
        m = d**2
        if m < 2:
            return []
        sizes = range(cls(highest, d).k, cls(lowest, d).k)
        return sorted(math.log(m / size - 1.0) / mean_distance(d) for size in sizes)

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, k={self.k})"

    # -- probabilities -------------------------------------------------------------------------

    @property
    def n_outputs(self) -> int:
        """All k-subsets and the null."""
        return math.comb(self.d**2, self.k) + 1

    @cached_property
    def _first_rank(self) -> Array:
        """g(r): probability that the nearest cell of a uniform k-subset has rank r, (m,)."""
        left = self.d**2 - np.arange(self.d**2, dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            steps = np.log1p(-np.minimum(self.k / left, 1.0))
            survival = np.exp(np.concatenate([[0.0], np.cumsum(steps)[:-1]]))
        return np.nan_to_num(survival) * np.minimum(self.k / left, 1.0)

    @cached_property
    def _classes(self) -> tuple[Cells, Cells]:
        """Cells that are mirror images of each other have equal masses: (one of each class, class of each cell)."""
        return mirror_classes(self.d)

    def distances_from(self, cells: Cells) -> Array:
        """Distance in cells from each of the given cells to all cells, (n, m)."""
        return np.sqrt(self._squared_distances_from(cells).astype(np.float64))

    def _squared_distances_from(self, cells: Cells) -> Cells:
        every = np.arange(self.d**2)
        dx = cells[:, None] // self.d - every // self.d
        return dx**2 + (cells[:, None] % self.d - every % self.d) ** 2

    @cached_property
    def masses(self) -> Array:
        """Total of e^(−ε·dist) over all k-subsets, divided by their number, for each cell: (d, d)."""
        validate.enough_for_doubles(self.epsilon)
        first, inverse = self._classes
        rows = max(1, _CHUNK // self.d**2)
        masses = [
            np.exp(-self.epsilon * np.sort(self.distances_from(first[start : start + rows]), axis=1)) @ self._first_rank
            for start in range(0, first.size, rows)
        ]
        return np.concatenate(masses)[inverse].reshape(self.d, self.d)

    @cached_property
    def omega(self) -> float:
        """Ω divided by the number of k-subsets: max over pairs of (e^(ε·dist)·mass_i − mass_j)/(e^(ε·dist) − 1)."""
        if self.d == 1:
            return 1.0
        first, _ = self._classes
        masses = self.masses.ravel()
        rows = max(1, _CHUNK // self.d**2)
        largest = 0.0
        for start in range(0, first.size, rows):
            cells = first[start : start + rows]
            decay = -self.epsilon * self.distances_from(cells)
            with np.errstate(divide="ignore", invalid="ignore"):
                candidates = (masses[cells, None] - np.exp(decay) * masses) / -np.expm1(decay)
            candidates[np.arange(cells.size), cells] = 0.0
            largest = max(largest, float(candidates.max()))
        # At least the largest mass: rounding must not turn a probability of the null negative.
        return max(largest, float(masses.max()))

    @cached_property
    def null_probabilities(self) -> Array:
        """Probability that nothing is reported, (d, d)."""
        return np.maximum(0.0, 1.0 - self.masses / self.omega)

    def subset_likelihood(self, distance: Array) -> Array:
        """P(S | x) × number of k-subsets, given the distance of x from the nearest cell of S."""
        return np.exp(-self.epsilon * distance) / self.omega

    def transition_matrix(self) -> Array:
        """P(out | in), (d², subsets + 1): every subset in lexicographic order, the null last. Tiny grids only."""
        self._refuse_a_huge_matrix()
        m = self.d**2
        subsets = np.array(list(combinations(range(m), self.k)), dtype=np.int64)
        nearest = self.distances_from(np.arange(m))[:, subsets].min(axis=2)
        return np.hstack([self.subset_likelihood(nearest) / len(subsets), self.null_probabilities.reshape(-1, 1)])

    def likelihoods(self, reports: ArrayLike, cells: ArrayLike | None = None) -> Array:
        """∝ P(report | cell) of each report (n, k); a null row is all −1."""
        rows, flat = self._checked_sets(reports), self._checked_flat_cells(cells)
        self._refuse_huge_likelihoods(len(rows), flat.size)
        result = np.empty((len(rows), flat.size))
        step = max(1, _CHUNK // max(flat.size * self.k, 1))
        for start in range(0, len(rows), step):
            chunk = rows[start : start + step]
            dx = chunk[:, None, :] // self.d - (flat // self.d)[None, :, None]
            dy = chunk[:, None, :] % self.d - (flat % self.d)[None, :, None]
            result[start : start + step] = self.subset_likelihood(np.sqrt((dx**2 + dy**2).min(axis=2)))
        result[rows[:, 0] < 0] = self.null_probabilities.ravel()[flat]
        return result

    def weighted_reports(self) -> WeightedReports:
        """The null, and sets drawn evenly: P(S | x)·(number of sets) depends on the distance of x from the nearest
        cell of S alone. The same sets serve every ε, so a curve over ε is smooth, and no sampler is involved.
        """
        return WeightedReports(self.null_probabilities[None], self._even_sets)

    def _even_sets(self, n: int, rng: np.random.Generator) -> Iterator[Array]:
        step = max(1, _EVEN_CHUNK // self.d**2)
        for start in range(0, n, step):
            sets = uniform_subsets(self.d, self.k, min(step, n - start), rng)
            yield self.subset_likelihood(nearest_distances(sets))

    def closed_form_hit_rate(self) -> float:
        """The likeliest cell after a set is any cell of it, at distance 0, so every set adds the same; the null adds
        that of its likeliest cell.
        """
        likeliest = float(self.subset_likelihood(np.zeros(1))[0])
        return (likeliest + float(self.null_probabilities.max())) / self.d**2

    # -- the device ----------------------------------------------------------------------------

    @cached_property
    def _device(self) -> SEMGeoI:
        """The mechanism at the ε⁻ its devices draw at."""
        return SEMGeoI(with_slack(self.epsilon), self.d, self.k)

    def first_rank(self, cell: int) -> FirstRank:
        """What a device in the cell draws the rank of its nearest reported cell from, in whole numbers."""
        # Cells that are mirror images draw from the same numbers.
        cell = validate.cell_number("cell", cell, self.d)
        first, inverse = self._classes
        number, kept = int(inverse[cell]), self._first_ranks
        found = kept.get(number)
        if found is None:
            # Each may hold a number for every cell: start over before they are too many.
            if len(kept) >= max(8, _CHUNK // self.d**2):
                kept.clear()
            found = kept[number] = self._make_first_rank(int(first[number]))
        return found

    @cached_property
    def _first_ranks(self) -> dict[int, FirstRank]:
        return {}

    def _make_first_rank(self, cell: int) -> FirstRank:
        device = self._device
        law = RankLaw(np.sort(self.distances_from(np.array([cell]))[0]), device.epsilon, self.k)
        if self.d == 1:
            return FirstRank(law, 1.0)
        extra = 2.0**-30 * max(1.0, 1.0 / self.epsilon)
        return FirstRank(law, law.mass / (device.omega * (1.0 + extra)))

    @cached_property
    def _kept_probabilities(self) -> dict[int, SetProbabilities]:
        return {}

    def _set_probabilities(self, cell: int) -> SetProbabilities:
        """Kept per class of mirror images."""
        number, kept = int(self._classes[1][cell]), self._kept_probabilities
        if number not in kept:
            kept[number] = SetProbabilities(self.first_rank(cell))
        return kept[number]

    def _ranks_around(self, cells: Cells) -> tuple[Cells, Cells]:
        """(all cells in the order of their ranks around each of the given ones, rank of every cell), both (n, m)."""
        order = np.argsort(self._squared_distances_from(cells), axis=1, kind="stable")
        ranks = np.empty_like(order)
        np.put_along_axis(ranks, order, np.arange(self.d**2)[None], axis=1)
        return order, ranks

    def device_ratio(self, first: int, second: int) -> Fraction | float:
        """A bound of the largest ratio of a report's probabilities from two cells, reached where k > 1."""
        first, second = self._checked_pair(first, second)
        order, ranks = self._ranks_around(np.array([first, second]))
        nearest = nearest_ranks(ranks[0][order[1]])
        return exact_ratio(self._set_probabilities(first), self._set_probabilities(second), nearest)

    def device_losses_from(self, cell: int) -> Array:
        """ln of `device_ratio` between the cell and every cell, the larger of both directions: (d²,)."""
        cell = validate.cell_number("cell", cell, self.d)
        m, here = self.d**2, self._set_probabilities(cell)
        (own_order,), (own_ranks,) = self._ranks_around(np.array([cell]))
        losses = np.empty(m)
        for others in np.array_split(np.arange(m), 1 + m * m // _CHUNK):
            order, ranks = self._ranks_around(others)
            there = [self._set_probabilities(other) for other in others.tolist()]
            losses[others] = log_ratios(
                here, there, nearest_ranks(own_ranks[order]), nearest_ranks(ranks[:, own_order])
            )
        losses[cell] = 0.0
        return losses

    def worst_case_loss(self) -> float:
        """The largest loss between any two cells, found from the two that are worst, so that it costs little anywhere.

        The log-ratio ε·(dist(j, S) − dist(i, S)) is largest for i in S and S as far from j as k cells can be, which a
        corner j allows most, because cell by cell no other place is as far from the rest; that is ε times the k-th
        largest distance from a corner. For the same reason a corner is the cell with the likeliest null, so the
        largest ratio of nulls is one between it and the cell with the least. (Devices keep a hair below the formula;
        nulls are read from the numbers of the devices, because 1 − mass/Ω cancels to nothing where they are rare.)
        """
        if self.d == 1:
            return 0.0
        distances = np.sort(self.distances_from(np.array([0]))[0])
        corner, least = (self.first_rank(cell).log_probabilities()[1] for cell in (0, int(self.masses.argmax())))
        return max(self.epsilon * float(distances[-self.k]), corner - least)

    def _cells_by_rank(self, cell: int) -> Cells:
        return np.argsort(self._squared_distances_from(np.array([cell]))[0], kind="stable")

    def randomize(self, ix: ArrayLike, iy: ArrayLike, rng: np.random.Generator | None = None) -> NDArray[np.int64]:
        """Subsets (n, k) of cell numbers ix·d+iy, sorted; a null is a row of −1."""
        ix, iy = self._checked_cells(ix, iy)
        truth = ix * self.d + iy
        what = f"{truth.size:,} reports of {self.k:,} cells"
        validate.fits_in_memory(what, truth.size * self.k, 8, "ask for fewer reports at a time, or use perturb")
        reports = np.full((truth.size, self.k), -1, dtype=np.int64)
        for cell in np.unique(truth):
            users = np.flatnonzero(truth == cell)
            first = self.first_rank(int(cell)).draw(users.size, rng)
            told = first < self.d**2
            reports[users[told]] = np.sort(
                self._cells_by_rank(int(cell))[set_ranks(first[told], self.k, self.d**2, rng)], axis=1
            )
        return reports

    def aggregate(self, reports: ArrayLike) -> InclusionCounts:
        """Users whose subset holds the cell, for each cell, and the number of users, nulls included."""
        rows = self._checked_sets(reports)
        counts = np.bincount(rows[rows >= 0], minlength=self.d**2)
        return InclusionCounts(counts.reshape(self.d, self.d), len(rows))

    def _checked_sets(self, reports: ArrayLike) -> NDArray[np.int64]:
        """Reports (n, k): k different cells each, or −1 throughout."""
        rows = self._checked_rows(reports, self.k)
        null = (rows == -1).all(axis=1)
        wrong = ((rows < 0) | (rows >= self.d**2)).any(axis=1) & ~null
        # Devices send them sorted; in any other order they have to be, to see one twice.
        unsorted = np.flatnonzero((np.diff(rows, axis=1) <= 0).any(axis=1) & ~null)
        wrong[unsorted] |= (np.diff(np.sort(rows[unsorted], axis=1), axis=1) == 0).any(axis=1)
        allowed = f"{self.k} different cell numbers 0 to {self.d**2 - 1}, or −1 throughout a null,"
        self._refuse_rows(rows, wrong, allowed)
        return rows

    def perturb(self, counts: ArrayLike, rng: np.random.Generator) -> InclusionCounts:
        """Inclusion counts of a population, user by user but all users of a cell at once, in bounded memory."""
        counts = self._checked_counts(counts)
        validate.generator(rng)
        total = np.zeros(self.d**2, dtype=np.int64)
        for cell in np.flatnonzero(counts):
            first = self.first_rank(int(cell)).draw(int(counts.flat[cell]), rng)
            first = first[first < self.d**2]
            by_rank = np.zeros(self.d**2, dtype=np.int64)
            for part in np.array_split(first, 1 + first.size * self.k // _CHUNK):
                by_rank += np.bincount(set_ranks(part, self.k, self.d**2, rng).ravel(), minlength=self.d**2)
            total[self._cells_by_rank(int(cell))] += by_rank
        return InclusionCounts(total.reshape(self.d, self.d), int(counts.sum()))

    # -- the analyst -----------------------------------------------------------------------------

    def inclusion_rows(self, cells: Cells) -> Array:
        """H: P(j ∈ S | x = i) for the given cells i and all cells j, (n, m)."""
        squared = self._squared_distances_from(cells)
        order = np.argsort(squared, axis=1, kind="stable")
        distance = np.sqrt(np.take_along_axis(squared, order, axis=1).astype(np.float64))
        as_first = np.exp(-self.epsilon * distance) * self._first_rank / self.omega
        # With the nearest at rank r, each of the m−r−1 cells beyond is among the other k−1 with this chance.
        beyond = np.maximum(self.d**2 - np.arange(self.d**2) - 1, 1)
        later = np.cumsum(as_first * ((self.k - 1) / beyond), axis=1)
        by_rank = as_first + np.hstack([np.zeros((cells.size, 1)), later[:, :-1]])
        rows = np.empty_like(by_rank)
        np.put_along_axis(rows, order, by_rank, axis=1)
        return rows

    @cached_property
    def _solver(self) -> InclusionSolver:
        return InclusionSolver(self.d, self.inclusion_rows)

    def _estimate(self, reports: InclusionCounts, options: EMOptions | None) -> Estimate:
        """x = f·H⁻¹, negatives to 0, rescaled; f is the share of all users, nulls included, whose set holds a cell."""
        counts, users = self._checked_inclusion(reports)
        total = validate.exact_total(counts)
        if total % self.k or total > self.k * users:
            raise ValueError(
                f"reports must hold {self.k} cells per user (or none) for {self!r}, got {total} for {users} users"
            )
        if self.k == self.d**2:
            # A set of all cells says nothing, and H has no inverse.
            return closed_form(np.full(counts.shape, 1.0 / counts.size))
        solved = np.maximum(self._solver.solve(counts / users), 0.0)
        total = solved.sum()
        # Nulls alone say nothing.
        return closed_form(solved / total if total > 0 else np.full(solved.shape, 1.0 / solved.size))

    def named_cells(self, reports: ArrayLike) -> NamedCells:
        """The k cells of each set (n, k); none for a null."""
        rows = self._checked_sets(reports)
        report, position = np.nonzero(rows >= 0)
        return NamedCells(np.stack(np.divmod(rows[report, position], self.d), axis=1), report)

    @property
    def report_meaning(self) -> str:
        """A set, or nothing."""
        return f"a report names {'one cell' if self.k == 1 else f'{self.k} cells at once'}, or nothing"

    def truthful_share(self, counts: ArrayLike) -> TruthfulShare:
        """The same everywhere: a set that holds the true cell has it as its nearest one, which is rank 0."""
        meaning = "name their own cell" if self.k == 1 else f"own cell, among {self.k} named"
        return TruthfulShare(self.k / self.d**2 / self.omega, meaning)

    def report_map(self, reports: InclusionCounts) -> ReportMap:
        """Share of users whose subset holds the cell."""
        counts, users = self._checked_inclusion(reports)
        return ReportMap(counts / users, (0, 0), "share of reports that name the cell")
