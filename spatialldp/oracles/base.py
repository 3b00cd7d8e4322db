"""What every frequency oracle has: one person's symbol in, one randomised report out, all frequencies back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spatialldp import _validation as validate


class SupportCounts(NamedTuple):
    """Reports summed up.

    Attributes:
        counts: reports that speak for each symbol, int64 (m,).
        users: how many reports there are in all, one per user.

    Example:
        >>> from spatialldp.oracles import OptimizedUnaryEncoding
        >>> OptimizedUnaryEncoding(epsilon=2.0, m=3).aggregate([[1, 0, 0], [1, 1, 0]])
        SupportCounts(counts=array([2, 1, 0]), users=2)
    """

    counts: NDArray[np.int64]
    users: int


class FrequencyOracle(ABC):
    """A randomiser on the symbols 0 … m − 1 with privacy budget ε. The constructor only stores and validates.

    Args:
        epsilon: the privacy budget, above 0 and at most 100.
        m: how many symbols there are, 1 to 1,048,576.

    Attributes:
        full_name: the name in full, for tables.
        reference: where it was published.
        largest_m: the largest m that is supported.

    Raises:
        ValueError: a parameter is not a number in its range.

    Example:
        >>> import numpy as np
        >>> from spatialldp.oracles import RandomizedResponse
        >>> oracle = RandomizedResponse(epsilon=3.0, m=3)
        >>> reports = oracle.randomize([0, 0, 2], np.random.default_rng(0))  # three people, each on their own device
        >>> oracle.aggregate(reports).users
        3
        >>> summed = oracle.perturb([6000, 3000, 1000], np.random.default_rng(0))  # a whole population
        >>> oracle.estimate(summed).round(1).tolist()
        [0.6, 0.3, 0.1]
        >>> float(np.sqrt(oracle.variance(10_000, 0.1)).round(4))  # standard error of the last
        0.0025
    """

    full_name: ClassVar[str]
    reference: ClassVar[str]
    largest_m: ClassVar[int] = validate.LARGEST_M

    def __init__(self, epsilon: float, m: int) -> None:
        self.epsilon = validate.privacy_budget(epsilon)
        self.m = validate.limited("m", m, 1, self.largest_m, "choose fewer symbols")

    @property
    @abstractmethod
    def n_outputs(self) -> int:
        """How many different reports there are."""

    @abstractmethod
    def randomize(self, values: ArrayLike, rng: np.random.Generator | None = None) -> NDArray[Any]:
        """One report for each given symbol: what a device runs, in whole numbers alone.

        Args:
            values: the symbol of each person, (n,), or one number.
            rng: for simulations and tests; None for the entropy of the system, as a device must.

        Returns:
            (n, …), one row per report; what a row holds is up to the oracle.

        Raises:
            ValueError: a value is not a symbol.
        """

    @abstractmethod
    def aggregate(self, reports: ArrayLike) -> Any:
        """Reports of `randomize`, summed up into what `perturb` returns and `estimate` takes.

        Args:
            reports: (n, …), one row per report.

        Raises:
            ValueError: `reports` holds something that this oracle does not send.
        """

    def perturb(self, counts: ArrayLike, rng: np.random.Generator) -> Any:
        """Reports of a simulated population, summed up. It draws from the formulas, in doubles; devices never do
        (`randomize`).

        Args:
            counts: people per symbol, whole numbers (m,).
            rng: draws the reports.

        Raises:
            ValueError: `counts` has another shape, is all zero, holds anything but whole numbers ≥ 0, or is more than
                2⁵³ people in all; or `rng` is not a NumPy generator.
        """
        return self.drawn_sums(self._checked_counts(counts), validate.generator(rng))

    @abstractmethod
    def drawn_sums(self, counts: NDArray[np.int64], rng: np.random.Generator) -> Any:
        """`perturb` of counts that have been checked already, as those of a mechanism made of the oracle have."""

    @abstractmethod
    def estimate(self, summed: Any) -> NDArray[np.float64]:
        """Frequencies without bias: their mean over all reports is the truth. Noise may make some negative; turning
        them into a distribution is left to the caller (`estimation.on_simplex`).

        Args:
            summed: what `perturb` and `aggregate` return.

        Returns:
            The share of all people who hold each symbol, (m,).

        Raises:
            ValueError: `summed` is not from this oracle, or ε is below 1e-12, where nothing but rounding is left of it.
        """

    @abstractmethod
    def likelihoods(self, reports: ArrayLike, values: ArrayLike | None = None) -> NDArray[np.float64]:
        """How likely each report is from each symbol.

        Args:
            reports: (n, …), one row per report, as `randomize` returns them.
            values: the symbols asked about; None for all m.

        Returns:
            P(report | symbol), up to a factor per report: (n, values).

        Raises:
            ValueError: a report is not one that this oracle sends, or a value is not a symbol.
        """

    @abstractmethod
    def largest_ratio(self) -> Fraction | float:
        """The largest ratio of a report's probabilities from any two symbols, from the whole numbers that `randomize`
        draws from: exact, and at most e^ε."""

    @abstractmethod
    def variance(self, n: int, frequency: Any = 0.0) -> NDArray[np.float64]:
        """Variance of an estimated frequency.

        The people are given and only their reports are random. If they are themselves a random sample of a larger
        population, that adds f·(1 − f)/n.

        Args:
            n: how many people report, at least 1.
            frequency: the share of them that holds the symbol; an array of shares gives an array of variances.

        Raises:
            ValueError: `n` is not a whole number from 1 to 2⁵³, or ε is below 1e-12.
        """

    def _values_or_all(self, values: ArrayLike | None) -> NDArray[np.int64]:
        return np.arange(self.m) if values is None else self._checked_values(values)

    def _checked_values(self, values: ArrayLike) -> NDArray[np.int64]:
        return validate.cell_indices("values", values, self.m, "symbols")

    def _checked_counts(self, counts: ArrayLike) -> NDArray[np.int64]:
        return validate.whole_counts("counts", counts, (self.m,), " (people per symbol)")

    def _checked_reports(self, reports: ArrayLike, *width: int) -> NDArray[Any]:
        """Reports as an array (n, *width) of some integer type."""
        return validate.whole_rows(reports, width, repr(self))

    def _refuse_huge_likelihoods(self, reports: int, values: int) -> None:
        what = f"the likelihoods of {reports:,} reports from {values:,} symbols"
        validate.fits_in_memory(what, reports * values, 8, "ask for fewer reports at a time, or name the symbols")

    def _checked_range(self, reports: NDArray[Any], lowest: int, highest: int) -> NDArray[np.int64]:
        if reports.size and (reports.min() < lowest or reports.max() > highest):
            wrong = int(reports.min() if reports.min() < lowest else reports.max())
            raise ValueError(
                f"reports must be whole numbers from {lowest} to {highest} for {self!r}, got {wrong}: "
                "are they from another oracle?"
            )
        return reports.astype(np.int64)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(epsilon={self.epsilon:g}, m={self.m})"


class SupportOracle(FrequencyOracle):
    """An oracle whose report speaks for ("supports") some symbols: for the true one with probability `p`, for any
    other one with probability `q`, whichever it is. These two numbers determine estimate and variance.

    Of n people let a share f hold a symbol. Each supports it or not, independently of the others, so the number S of
    reports that do is Binomial(n·f, p) + Binomial(n·(1 − f), q). Its mean is n·(q + f·(p − q)): hence the estimate
    (S/n − q)/(p − q), without bias. Its variance is n·(f·p·(1 − p) + (1 − f)·q·(1 − q)): divide by (n·(p − q))².

    Args:
        epsilon: the privacy budget, above 0 and at most 100.
        m: how many symbols there are, 1 to 1,048,576.

    Raises:
        ValueError: a parameter is not a number in its range.

    Example:
        >>> from spatialldp.oracles import OptimizedUnaryEncoding
        >>> oracle = OptimizedUnaryEncoding(epsilon=2.0, m=3)
        >>> oracle.p, round(oracle.q, 3)
        (0.5, 0.119)
        >>> summed = oracle.aggregate([[1, 0, 0]] * 6 + [[0, 1, 0]] * 4)
        >>> oracle.estimate(summed).round(2).tolist()  # (0.6 − q)/(p − q) …
        [1.26, 0.74, -0.31]
    """

    @property
    @abstractmethod
    def p(self) -> float:
        """Probability that a report supports the true symbol."""

    @property
    @abstractmethod
    def q(self) -> float:
        """Probability that it supports a given other one."""

    @property
    def gap(self) -> float:
        """p − q: how much a report says."""
        return self.p - self.q

    def drawn_sums(self, counts: NDArray[np.int64], rng: np.random.Generator) -> SupportCounts:
        """Support of every symbol in a population: two binomials each."""
        users, rng = int(counts.sum()), validate.generator(rng)
        return SupportCounts(rng.binomial(counts, self.p) + rng.binomial(users - counts, self.q), users)

    def estimate(self, summed: SupportCounts) -> NDArray[np.float64]:
        """(share of reports that support the symbol − q)/(p − q)."""
        counts, users = summed if isinstance(summed, tuple) and len(summed) == 2 else (None, None)
        if counts is None:
            raise ValueError(
                f"summed must be a pair (counts, users), as perturb of {self!r} returns, got {validate.shown(summed)}"
            )
        users = validate.people("users", users)
        validate.enough_for_doubles(self.epsilon)
        meaning = " (reports that support each symbol)"
        supporting = validate.non_negative_array("counts", counts, (self.m,), meaning, may_be_zero=True)
        if supporting.max() > users:
            raise ValueError(
                f"counts must be at most users = {users} for each symbol, got up to {supporting.max():g}: are they "
                "from another oracle?"
            )
        return self.frequencies(supporting / users)

    def frequencies(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """The estimate from the `shares` of reports that support each symbol, expected ones as well."""
        validate.enough_for_doubles(self.epsilon)
        return (shares - self.q) / self.gap

    def variance(self, n: int, frequency: ArrayLike = 0.0) -> NDArray[np.float64]:
        """(f·p·(1 − p) + (1 − f)·q·(1 − q)) / (n·(p − q)²), f the frequency. See the class for why."""
        n = validate.people("n", n)
        f = validate.share_array("frequency", frequency)
        validate.enough_for_doubles(self.epsilon)
        return (f * self.p * (1 - self.p) + (1 - f) * self.q * (1 - self.q)) / (n * self.gap**2)
