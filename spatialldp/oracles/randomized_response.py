"""k-RR, k-ary randomised response: the true symbol or any other. The best for few symbols, m < 3·e^ε + 2."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spatialldp import _validation as validate
from spatialldp.oracles.base import SupportCounts, SupportOracle
from spatialldp.tables import WeightTable


class RandomizedResponse(SupportOracle):
    """The true symbol with probability p = e^ε/(e^ε + m − 1), else any other, all alike. A report is a symbol, (n,).

    ε-LDP: the probabilities of a report are p or q = 1/(e^ε + m − 1), whose ratio is e^ε. A device draws from whole
    numbers made so that theirs is at most e^ε (`WeightTable.near_and_far`).

    Args:
        epsilon: the privacy budget, above 0 and at most 100.
        m: how many symbols there are, 1 to 1,048,576.

    Raises:
        ValueError: a parameter is not a number in its range.

    Example:
        >>> import numpy as np
        >>> from spatialldp.oracles import RandomizedResponse
        >>> oracle = RandomizedResponse(epsilon=2.0, m=3)
        >>> summed = oracle.perturb([6000, 3000, 1000], np.random.default_rng(1))
        >>> oracle.estimate(summed).round(1).tolist()
        [0.6, 0.3, 0.1]
    """

    full_name = "k-ary randomised response"
    reference = "Kairouz, Bonawitz and Ramage, Discrete Distribution Estimation under Local Privacy (2016)"

    @property
    def p(self) -> float:
        """Probability of the truth."""
        return self.q * math.exp(self.epsilon)

    @property
    def q(self) -> float:
        """Probability of any other symbol."""
        return 1.0 / (math.expm1(self.epsilon) + self.m)

    @property
    def gap(self) -> float:
        """p − q, without cancellation."""
        return self.q * math.expm1(self.epsilon)

    @property
    def uniform_share(self) -> float:
        """Share of reports that are drawn blindly from all symbols, the true one included: q·m."""
        return min(1.0, self.q * self.m)

    @property
    def n_outputs(self) -> int:
        """The m symbols."""
        return self.m

    @cached_property
    def table(self) -> WeightTable:
        """The whole numbers a device draws from."""
        symbols, truth = np.arange(self.m)[:, None], np.zeros((1, 1), dtype=np.int64)
        return WeightTable.near_and_far(self.epsilon, np.ones(1), symbols, truth, self.m)

    def largest_ratio(self) -> Fraction:
        """The weight of the truth over that of any other symbol."""
        near = self.table.far + sum(self.table.extras)
        return Fraction(near, self.table.far) if self.m > 1 else Fraction(1)

    def device_weights(self, value: int) -> NDArray[np.int64]:
        """How many of the numbers a device with this symbol draws from stand for each report, (m,)."""
        return self.table.weights(value)

    def randomize(self, values: ArrayLike, rng: np.random.Generator | None = None) -> NDArray[np.int64]:
        """A symbol for each, (n,)."""
        return self.table.draw(self._checked_values(values)[:, None], rng)[:, 0]

    def aggregate(self, reports: ArrayLike) -> SupportCounts:
        """Reports of each symbol."""
        symbols = self._checked_symbols(reports)
        return SupportCounts(np.bincount(symbols, minlength=self.m), symbols.size)

    def _checked_symbols(self, reports: ArrayLike) -> NDArray[np.int64]:
        return self._checked_range(self._checked_reports(reports), 0, self.m - 1)

    def drawn_sums(self, counts: NDArray[np.int64], rng: np.random.Generator) -> SupportCounts:
        """Reports of each symbol: some people's drawn blindly from all symbols, the others' the truth."""
        rng = validate.generator(rng)
        blind = rng.binomial(counts, self.uniform_share)
        anything = rng.multinomial(blind.sum(), np.full(self.m, 1.0 / self.m))
        return SupportCounts(anything + counts - blind, int(counts.sum()))

    def likelihoods(self, reports: ArrayLike, values: ArrayLike | None = None) -> NDArray[np.float64]:
        """P(report | symbol) itself: p or q."""
        sent, symbols = self._checked_symbols(reports), self._values_or_all(values)
        self._refuse_huge_likelihoods(sent.size, symbols.size)
        same = sent[:, None] == symbols
        return self.q * (1.0 + math.expm1(self.epsilon) * same)
