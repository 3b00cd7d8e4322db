"""What every mechanism has: one person's cell in, one randomised report out, a map back from all reports.

`Mechanism` is the whole contract. Menus, pages, the command line, privacy figures and the printable report ask the
mechanism itself, never which class it is, so a new one is one file here and one line in the registry.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spatialldp import _validation as validate
from spatialldp._exact import exact_budget, logarithm
from spatialldp.estimation import EMOptions, Estimate
from spatialldp.mechanisms.records import (
    InclusionCounts,
    ListedReports,
    NamedCells,
    Parameter,
    ReportMap,
    TruthfulShare,
    WeightedReports,
)
from spatialldp.tables import largest_ratio

#: A dense matrix is for tests, teaching and exact figures; with more entries than this (0.4 GB) it is a mistake.
LARGEST_MATRIX = 50_000_000

#: Logarithms of weights that a mechanism keeps for the loss from the next cell (32 MB).
_MOST_KEPT = 4_000_000

DU = "Du et al., Numerical Estimation of Spatial Distributions under Differential Privacy"


class Mechanism(ABC):
    """A randomiser on d×d cells with privacy budget ε. The constructor only stores and validates.

    Args:
        epsilon: the privacy budget, above 0 and at most 100; for Geo-I, per cell of distance.
        d: cells per side of the grid, 1 to `largest_d`.

    Attributes:
        full_name: the name in full, for menus and tables.
        notion: "LDP" (no report is more than e^ε times likelier from one place than from any other) or "Geo-I" (than
            from another at distance D: e^(ε·D), D in cells).
        summary: what it does, in one plain sentence.
        reference: where it was published.
        parameters: the whole numbers that can be chosen, besides ε and d.
        largest_d: the finest grid that is supported.
        most_people: the largest population that `perturb` simulates: 2⁵³, or fewer where it draws one report after the
            other.
        uses_em: whether the map is recovered by expectation–maximisation, so that `estimate` takes its options.
        honours_mask: whether `estimate` can be told which cells are empty.
        takes_long: whether a run on a large grid takes so long that a first, rough recovery is worth showing.
        map_shows: what a value of `report_map` is, "reports" (a count) or "share of reports".
        mirror_symmetric: whether it looks the same in a mirror, so that one corner of the grid stands for all.
        lists_reports: whether `listed_reports` lists all reports.
        interactive: whether devices are asked in several rounds, each question depending on earlier answers.
        in_lesson: whether the lesson compares it.

    Raises:
        ValueError: a parameter is not a number in its range.

    Example:
        Every mechanism is used alike. On its own device each person randomises their cell; here three people do:

        >>> import numpy as np
        >>> from spatialldp import DAM
        >>> mechanism = DAM(epsilon=3.0, d=2, b=1)
        >>> reports = mechanism.randomize(ix=[0, 0, 1], iy=[0, 0, 1], rng=np.random.default_rng(0))
        >>> reports.shape  # a cell (ix, iy) each, up to b cells outside the grid
        (3, 2)
        >>> int(mechanism.aggregate(reports).sum())
        3

        A whole population is simulated in one go, and the analyst recovers its map from the summed reports:

        >>> reports = mechanism.perturb([[6000, 3000], [1000, 0]], np.random.default_rng(0))
        >>> mechanism.estimate(reports).distribution.round(1).tolist()
        [[0.6, 0.3], [0.1, 0.0]]
        >>> mechanism.report_map(reports).caption
        'reports per cell'

        How likely a report is from each cell, ix·d+iy, says what it gives away; the matrix lists all reports:

        >>> mechanism.likelihoods([[0, 0]]).round(3).tolist()
        [[0.161, 0.161, 0.161, 0.034]]
        >>> mechanism.transition_matrix().shape == (4, mechanism.n_outputs)
        True
    """

    full_name: ClassVar[str]
    notion: ClassVar[str]
    summary: ClassVar[str]
    reference: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    largest_d: ClassVar[int] = validate.LARGEST_D
    most_people: ClassVar[int] = validate.MOST_PEOPLE
    uses_em: ClassVar[bool] = False
    honours_mask: ClassVar[bool] = False
    takes_long: ClassVar[bool] = False
    map_shows: ClassVar[Literal["reports", "share of reports"]] = "reports"
    mirror_symmetric: ClassVar[bool] = False
    lists_reports: ClassVar[bool] = False
    interactive: ClassVar[bool] = False
    in_lesson: ClassVar[bool] = False

    def __init__(self, epsilon: float, d: int) -> None:
        self.epsilon = validate.privacy_budget(epsilon)
        self.d = self.checked_d(d)

    # -- settings ------------------------------------------------------------------------------

    @classmethod
    def checked_d(cls, d: Any) -> int:
        """`d` as an int, if the mechanism can work on d×d cells.

        Raises:
            ValueError: it is not a whole number from 1 to `largest_d`.
        """
        return validate.cells_per_side(d, cls.largest_d, f" for {cls.__name__}")

    @classmethod
    def checked_people(cls, users: Any) -> int:
        """`users` as an int, if `perturb` can simulate so many people.

        Raises:
            ValueError: it is not a whole number from 1 to `most_people`.
        """
        if cls.most_people == validate.MOST_PEOPLE:
            return validate.people("users", users)
        why = f"{cls.__name__} draws one report after the other, so let fewer people take part"
        return validate.limited("users", users, 1, cls.most_people, why)

    @classmethod
    def parameter(cls, name: str) -> Parameter | None:
        """The parameter with this name; None where there is no such choice."""
        validate.instance("name", name, str)
        return next((entry for entry in cls.parameters if entry.name == name), None)

    @property
    def settings(self) -> dict[str, int]:
        """The values of the parameters, by name."""
        return {entry.name: getattr(self, entry.name) for entry in self.parameters}

    @property
    def radius(self) -> int | None:
        """How far around the truth, in cells, reports are likelier, chosen or not; None where there is no such disk.
        Unless a mechanism says otherwise, its parameter "b"."""
        return self.settings.get("b")

    @property
    def rounds(self) -> int:
        """In how many rounds devices are asked; 1 unless the mechanism is interactive."""
        return 1

    @classmethod
    def breakpoints(cls, d: int, lowest: float, highest: float) -> list[float]:
        """The ε between the bounds, ascending, at which a whole-number parameter of the mechanism jumps."""
        return []

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
        """One report for each given cell: what a device runs.

        Args:
            ix: column of each person's cell, 0 … d−1, counted from the west: (n,), or one number.
            iy: row of each person's cell, 0 … d−1, counted from the south: (n,), or one number.
            rng: for simulations and tests; None for the entropy of the system, as a device must.

        Returns:
            (n, …), one row per report; what a row holds is up to the mechanism.

        Raises:
            ValueError: `ix` or `iy` is not in the grid, or they differ in length.
        """

    def device_weights(self, ix: int, iy: int) -> NDArray[np.int64]:
        """What a device in the cell really draws from: one whole number per report, in the order of the columns of
        `transition_matrix`. They add up to the same total for every cell.
        """
        raise ValueError(f"{self!r} has {_written(self.n_outputs)} outputs, too many to list; see device_ratio")

    def device_ratio(self, first: int, second: int) -> Fraction | float:
        """The largest ratio of a report's probability from the cell `first` to that from `second` (numbers ix·d+iy),
        over all reports, from the whole numbers the device draws from: exact, or a bound from above. Infinite where a
        report can come from the first cell only.
        """
        weights = (self.device_weights(*divmod(cell, self.d)) for cell in self._checked_pair(first, second))
        return largest_ratio(*weights)

    def largest_device_ratio(self) -> Fraction | float:
        """At least `device_ratio` of any two cells. For LDP, where ε bounds all alike."""
        every = range(self.d**2)
        return max(self.device_ratio(first, second) for first in every for second in every)

    def device_losses_from(self, cell: int) -> NDArray[np.float64]:
        """ln of `device_ratio` between the cell and every cell, the larger of both directions, in doubles: (d²,)."""
        cell = validate.cell_number("cell", cell, self.d)
        if self.d**2 * self.n_outputs <= _MOST_KEPT:
            return np.abs(self._log_device_weights - self._log_device_weights[cell]).max(axis=1)
        own = np.log(self.device_weights(*divmod(cell, self.d)))
        others = (np.log(self.device_weights(*divmod(other, self.d))) for other in range(self.d**2))
        return np.array([np.abs(own - other).max() for other in others])

    @cached_property
    def _log_device_weights(self) -> NDArray[np.float64]:
        """ln of `device_weights` of all cells, (d², n_outputs). Small grids only."""
        return np.log([self.device_weights(*divmod(cell, self.d)) for cell in range(self.d**2)])

    def worst_case_loss(self) -> float:
        """The largest privacy loss between any two cells of the map, from the numbers the device draws from."""
        if self.d == 1:
            return 0.0
        if self.notion == "LDP":
            return logarithm(self.largest_device_ratio())
        return max(float(self.device_losses_from(cell).max()) for cell in self.representative_cells().tolist())

    def representative_cells(self) -> NDArray[np.int64]:
        """Cells (numbers ix·d+iy) that stand for all in a check of every pair: one of each kind that mirror images of
        the grid turn into each other, or all where the mechanism does not look the same in a mirror.
        """
        return mirror_classes(self.d)[0] if self.mirror_symmetric else np.arange(self.d**2)

    @abstractmethod
    def aggregate(self, reports: ArrayLike) -> Any:
        """Reports of `randomize`, summed up into what `perturb` returns and `estimate` takes.

        Args:
            reports: (n, …), one row per report.

        Returns:
            An array of counts, or `InclusionCounts` where reports are sets of cells.

        Raises:
            ValueError: `reports` holds something that this mechanism does not send.
        """

    @abstractmethod
    def perturb(self, counts: ArrayLike, rng: np.random.Generator) -> Any:
        """Reports of a simulated population, summed up. It may draw from the formulas, in doubles, where that is faster
        than one report per person; devices never do (`randomize`).

        Args:
            counts: people per cell, whole numbers (d, d), [ix, iy].
            rng: draws the reports.

        Returns:
            What `aggregate` returns.

        Raises:
            ValueError: `counts` has another shape, is all zero, holds anything but whole numbers ≥ 0, or is more than
                `most_people` in all; or `rng` is not a NumPy generator.
        """

    # -- the analyst -----------------------------------------------------------------------------

    def estimate(self, reports: Any, options: EMOptions | str | None = None, **settings: Any) -> Estimate:
        """The distribution over cells that the summed reports point to.

        Args:
            reports: summed up, as `perturb` and `aggregate` return them.
            options: those of expectation–maximisation: an `EMOptions`, or the name of a stopping rule. A mechanism that
                recovers by a formula takes none.
            **settings: fields of `EMOptions`, on top of `options` or instead of them.

        Returns:
            The distribution (d, d) and how it was found.

        Raises:
            ValueError: `reports` are not those of this mechanism, an option is not allowed, options are given where
                there is no EM, or ε is below 1e-12, where nothing but rounding is left of the reports.
            TypeError: a setting has an unknown name, or the stopping rule is given twice.
        """
        chosen = EMOptions.read(options, settings)
        if chosen is not None and not self.uses_em:
            raise ValueError(f"options must be left out: {self!r} recovers the map by a formula, without EM")
        validate.enough_for_doubles(self.epsilon_per_cell)
        return self._estimate(reports, chosen)

    @abstractmethod
    def _estimate(self, reports: Any, options: EMOptions | None) -> Estimate:
        """What `estimate` does; `options` None where the call gives none, always so unless `uses_em`."""

    @abstractmethod
    def report_map(self, reports: Any) -> ReportMap:
        """The summed reports as a picture. Where a report has no place of its own, what stands for it on the map.

        Args:
            reports: summed up, as `perturb` and `aggregate` return them.

        Raises:
            ValueError: `reports` are not those of this mechanism.
        """

    def comparable(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The values of a `report_map` as shares of their total, so that they fit the colour scale of the true map."""
        total = np.nansum(values)
        return values / total if total > 0 else values

    @abstractmethod
    def named_cells(self, reports: ArrayLike) -> NamedCells:
        """The cells that reports of `randomize` name; none for a report that is empty or has no place on the map."""

    @property
    def reports_outside(self) -> int:
        """How many cells beyond the grid a report may lie."""
        return 0

    @property
    @abstractmethod
    def report_meaning(self) -> str:
        """What one report says, in a few words for a caption."""

    @abstractmethod
    def truthful_share(self, counts: ArrayLike) -> TruthfulShare:
        """Of `counts` (d, d) people, the expected share whose report tells where they are."""

    @abstractmethod
    def likelihoods(self, reports: ArrayLike, cells: ArrayLike | None = None) -> NDArray[np.float64]:
        """How likely each report is from each cell.

        Args:
            reports: (n, …), one row per report, as `randomize` returns them.
            cells: numbers ix·d+iy of the cells asked about; None for all d².

        Returns:
            P(report | cell), up to a factor per report: (n, cells).

        Raises:
            ValueError: a report is not one that this mechanism sends, or a cell is not in the grid.
        """

    def listed_reports(self, mirrored: bool = False) -> ListedReports | None:
        """All reports there are; None where they are too many. With `mirrored`, one of each kind that mirror images
        turn into each other stands for all of them, where the mechanism allows it.
        """
        return None

    def weighted_reports(self) -> WeightedReports | None:
        """A way to average over reports too many to list; None where reports have to be drawn as devices do."""
        return None

    def closed_form_hit_rate(self) -> float | None:
        """How often the likeliest cell after one report is the right one, for people spread evenly, where a formula
        says so; None where reports must be gone through.
        """
        return None

    def transition_matrix(self) -> NDArray[np.float64]:
        """P(out | in) as a dense matrix, for tests, teaching and exact figures.

        Returns:
            (d², n_outputs); row ix·d+iy is the distribution of a report from that cell, and sums to 1.

        Raises:
            ValueError: there are too many outputs to list, or too many cells.
        """
        outputs = _written(self.n_outputs)
        raise ValueError(f"{self!r} has {outputs} outputs, too many for a matrix; use likelihoods(reports)")

    def has_matrix(self) -> bool:
        """Whether `transition_matrix` is there and small enough to be made."""
        defined = type(self).transition_matrix is not Mechanism.transition_matrix
        return defined and self.d**2 * self.n_outputs <= LARGEST_MATRIX

    def _refuse_a_huge_matrix(self) -> None:
        if not self.has_matrix():
            raise ValueError(
                f"{self!r} is too large for a dense matrix ({self.d**2:,} × {_written(self.n_outputs, 6)} entries); "
                "use .likelihoods(reports), or .operator where there is one"
            )

    def _checked_counts(self, counts: ArrayLike) -> NDArray[np.int64]:
        people = validate.whole_counts("counts", counts, (self.d, self.d), " (people per cell, [ix, iy])")
        self.checked_people(int(people.sum()))
        return people

    def _checked_cells(self, ix: ArrayLike, iy: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        ix, iy = validate.cell_indices("ix", ix, self.d), validate.cell_indices("iy", iy, self.d)
        if ix.shape != iy.shape:
            raise ValueError(f"ix and iy must have one length, got {ix.size} and {iy.size}")
        return ix, iy

    def _checked_pair(self, first: int, second: int) -> tuple[int, int]:
        return validate.cell_number("first", first, self.d), validate.cell_number("second", second, self.d)

    def _checked_flat_cells(self, cells: ArrayLike | None) -> NDArray[np.int64]:
        return np.arange(self.d**2) if cells is None else validate.cell_indices("cells", cells, self.d**2)

    def _checked_rows(self, reports: ArrayLike, width: int) -> NDArray[np.int64]:
        return validate.whole_rows(reports, (width,), repr(self)).astype(np.int64)

    def _refuse_rows(self, rows: NDArray[np.int64], wrong: NDArray[np.bool_], allowed: str) -> None:
        """Raise if a row is `wrong`, (n,): it is not `allowed`, such as "cells 0 to 5"."""
        if wrong.any():
            raise ValueError(
                f"reports must be {allowed} for {self!r}, got {validate.shown(tuple(rows[wrong][0].tolist()))}: "
                "are they from another mechanism?"
            )

    def _refuse_huge_likelihoods(self, reports: int, cells: int) -> None:
        what = f"the likelihoods of {reports:,} reports from {cells:,} cells"
        validate.fits_in_memory(what, reports * cells, 8, "ask for fewer reports at a time, or name the cells")

    def _checked_inclusion(self, reports: Any) -> InclusionCounts:
        counts, users = reports if isinstance(reports, tuple) and len(reports) == 2 else (None, None)
        if counts is None:
            raise ValueError(
                f"reports must be a pair (counts, users), as perturb of {self!r} returns, got {type(reports).__name__}"
            )
        users = validate.people("users", users)
        shape, meaning = (self.d, self.d), " (users whose set holds the cell)"
        counts = validate.whole_counts("reports", counts, shape, meaning, of_sets=True)
        if counts.max() > users:
            raise ValueError(
                f"reports must be at most users = {users} in each of {shape} cells, got up to {counts.max()}: are they "
                "from another mechanism?"
            )
        return InclusionCounts(counts, users)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(epsilon={self.epsilon:g}, d={self.d})"


def _written(number: int, digits: int = 3) -> str:
    """A number of reports in a sentence, which may be beyond any double."""
    return f"{number:.{digits}g}" if number < 1e300 else f"2^{number.bit_length() - 1}"


def mirror_classes(d: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Cells that mirror images of the grid turn into each other: (one cell of each class, class of each cell)."""
    cells = np.arange(d**2)
    ix, iy = (np.minimum(c, d - 1 - c) for c in (cells // d, cells % d))
    _, first, inverse = np.unique(np.maximum(ix, iy) * d + np.minimum(ix, iy), return_index=True, return_inverse=True)
    return first, inverse
