"""OLH, optimised local hashing: as accurate as OUE, with two numbers to send instead of a bit for every symbol."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spatialldp._exact import uniform_below
from spatialldp.oracles.base import SupportCounts, SupportOracle
from spatialldp.oracles.randomized_response import RandomizedResponse

#: Numbers hashed at once: as many as stay in the cache.
_CHUNK = 50_000


class OptimizedLocalHashing(SupportOracle):
    """A device picks a random hash function H from the m symbols to g values and reports it together with H(symbol),
    randomised by k-RR over the g values. A report is (seed, value), (n, 2); it supports the symbols that H sends there.

    ε-LDP: the seed is drawn whatever the symbol, and given the seed a value has probability p or (1 − p)/(g − 1), p =
    e^ε/(e^ε + g − 1), whose ratio is e^ε. A device draws the value from the whole numbers of `RandomizedResponse`.

    **The hash functions** are public: H(x) = ((a·x² + b·x + c) mod P) mod g with the prime P = 2,097,143, one for each
    triple a, b, c < P, and the seed (a·P + b)·P + c. For a random seed the values of any three symbols are
    independent, as three points determine a parabola. So any two symbols collide with the same probability
    1/g + t·(g − t)/(g·P²), t = P mod g (`collision_probability`: a little above 1/g, because g does not divide P).

    **Support**: of the true symbol with probability p; of another one if it collides with the true one and that value
    was kept, or does not and that very value was drawn: q = κ·p + (1 − κ)·(1 − p)/(g − 1), κ the collision probability.
    Each person has a hash function of their own, so the general formula of the variance holds exactly. With
    g = e^ε + 1 it is least for rare symbols, and then that of OUE, 4·e^ε/(n·(e^ε − 1)²), but for rounding g.
    Estimates of different symbols are as good as uncorrelated (below g²/P², because any three symbols are hashed
    independently), which is why `perturb` may draw them one by one.

    Args:
        epsilon: the privacy budget, above 0 and at most 100.
        m: how many symbols there are, 1 to 2,097,143.

    Raises:
        ValueError: a parameter is not a number in its range.

    Example:
        >>> import numpy as np
        >>> from spatialldp.oracles import OptimizedLocalHashing
        >>> oracle = OptimizedLocalHashing(epsilon=2.0, m=3)
        >>> oracle.g, oracle.randomize([0, 1, 2]).shape
        (8, (3, 2))
        >>> summed = oracle.perturb([6000, 3000, 1000], np.random.default_rng(1))
        >>> oracle.estimate(summed).round(1).tolist()
        [0.6, 0.3, 0.1]
    """

    full_name = "Optimised local hashing"
    reference = "Wang, Blocki, Li and Jha, Locally Differentially Private Protocols for Frequency Estimation (2017)"

    #: The largest prime below 2²¹: three numbers below it make a seed below 2⁶³.
    prime: ClassVar[int] = 2_097_143
    #: More values would only make tables large: above ε = 11 there is hardly any noise left to save.
    largest_g: ClassVar[int] = 2**16
    largest_m: ClassVar[int] = prime

    @cached_property
    def g(self) -> int:
        """How many values a symbol is hashed to: e^ε + 1, rounded, at least 2 and at most `largest_g`."""
        return max(2, round(min(math.exp(self.epsilon) + 1.0, self.largest_g)))

    @cached_property
    def response(self) -> RandomizedResponse:
        """What randomises the hashed value."""
        return RandomizedResponse(self.epsilon, self.g)

    @property
    def p(self) -> float:
        """Probability that a report supports the true symbol: that its value is kept."""
        return self.response.p

    @property
    def q(self) -> float:
        """Probability that it supports a given other symbol."""
        return self.p - self.gap

    @property
    def gap(self) -> float:
        """p − q = (1 − κ)·(p − (1 − p)/(g − 1))."""
        return float(1 - self.collision_probability) * self.response.gap

    @property
    def collision_probability(self) -> Fraction:
        """κ: how likely two symbols have one value, over all seeds; the same for any two."""
        prime, rest = self.prime, self.prime % self.g
        return Fraction(prime**2 + rest * (self.g - rest), self.g * prime**2)

    @property
    def n_outputs(self) -> int:
        """P³ seeds times g values."""
        return self.prime**3 * self.g

    def largest_ratio(self) -> Fraction:
        """That of k-RR over the g values: some hash function tells any two symbols apart."""
        return self.response.largest_ratio() if self.m > 1 else Fraction(1)

    def hashed(self, seeds: NDArray[np.int64], symbols: NDArray[np.int64]) -> NDArray[np.int64]:
        """H(symbol) of every seed and symbol, which are broadcast against each other."""
        x = symbols.astype(np.int64)
        # Below P³ < 2⁶³: no overflow.
        mixed = (seeds // self.prime**2) * (x * x) + (seeds // self.prime % self.prime) * x
        mixed += seeds % self.prime
        # NumPy divides by a constant much faster than it takes remainders.
        mixed -= mixed // self.prime * self.prime
        mixed -= mixed // self.g * self.g
        return mixed

    def randomize(self, values: ArrayLike, rng: np.random.Generator | None = None) -> NDArray[np.int64]:
        """Rows (seed, value), (n, 2)."""
        symbols = self._checked_values(values)
        seeds = uniform_below(self.prime**3, symbols.size, rng)
        return np.stack([seeds, self.response.randomize(self.hashed(seeds, symbols), rng)], axis=1)

    def aggregate(self, reports: ArrayLike) -> SupportCounts:
        """For each symbol the reports whose hash function sends it to their value: n·m hashes."""
        rows = self._checked_rows(reports)
        counts = np.zeros(self.m, dtype=np.int64)
        for supported in self._supported(rows, np.arange(self.m)):
            counts += np.count_nonzero(supported, axis=0)
        return SupportCounts(counts, len(rows))

    def likelihoods(self, reports: ArrayLike, values: ArrayLike | None = None) -> NDArray[np.float64]:
        """∝ e^ε for the symbols that the report supports, 1 for the others."""
        rows, symbols = self._checked_rows(reports), self._values_or_all(values)
        self._refuse_huge_likelihoods(len(rows), symbols.size)
        found = np.full((len(rows), symbols.size), math.exp(-self.epsilon))
        start = 0
        for supported in self._supported(rows, symbols):
            found[start : start + len(supported)][supported] = 1.0
            start += len(supported)
        return found

    def _supported(self, rows: NDArray[np.int64], symbols: NDArray[np.int64]) -> Iterator[NDArray[np.bool_]]:
        """Whether each report supports each symbol, (some reports, symbols), a part of the reports at a time."""
        step = max(1, _CHUNK // max(symbols.size, 1))
        for start in range(0, len(rows), step):
            seeds, values = rows[start : start + step].T
            yield self.hashed(seeds[:, None], symbols) == values[:, None]

    def _checked_rows(self, reports: ArrayLike) -> NDArray[np.int64]:
        rows = self._checked_reports(reports, 2)
        self._checked_range(rows[:, 0], 0, self.prime**3 - 1)
        self._checked_range(rows[:, 1], 0, self.g - 1)
        return rows.astype(np.int64)
