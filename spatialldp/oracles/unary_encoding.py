"""OUE, optimised unary encoding: a yes or no for every symbol. Its noise does not grow with their number."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spatialldp import _validation as validate
from spatialldp._exact import WORD_BITS, exact_budget, exponential_floor, random_words
from spatialldp.oracles.base import SupportCounts, SupportOracle

_CHUNK = 4_000_000


class OptimizedUnaryEncoding(SupportOracle):
    """A bit for each of m symbols: 1 with probability p = ½ for the true one, q = 1/(e^ε + 1) for every other.
    A report is a row of bits, (n, m).

    ε-LDP: two inputs differ in two bits only; the likeliest report for one against the other has the ratio
    ½/q · (1 − q)/½ = e^ε, exactly. A device rounds q up, which only lowers that ratio.

    Variance: q·(1 − q) = e^ε/(e^ε + 1)² and p − q = (e^ε − 1)/(2·(e^ε + 1)) turn the general formula into (V + f)/n
    with V = 4·e^ε/(e^ε − 1)². The bits are independent, so estimates of different symbols are uncorrelated.

    Args:
        epsilon: the privacy budget, above 0 and at most 100.
        m: how many symbols there are, 1 to 1,048,576.

    Raises:
        ValueError: a parameter is not a number in its range.

    Example:
        >>> import numpy as np
        >>> from spatialldp.oracles import OptimizedUnaryEncoding
        >>> oracle = OptimizedUnaryEncoding(epsilon=2.0, m=3)
        >>> summed = oracle.perturb([6000, 3000, 1000], np.random.default_rng(1))
        >>> oracle.estimate(summed).round(1).tolist()
        [0.6, 0.3, 0.1]
    """

    full_name = "Optimised unary encoding"
    reference = "Wang, Blocki, Li and Jha, Locally Differentially Private Protocols for Frequency Estimation (2017)"

    @property
    def p(self) -> float:
        """Probability of a 1 for the true symbol."""
        return 0.5

    @property
    def q(self) -> float:
        """Probability of a 1 for a symbol that is not the true one."""
        return 1.0 / (math.exp(self.epsilon) + 1.0)

    @property
    def gap(self) -> float:
        """p − q, without cancellation."""
        return math.tanh(self.epsilon / 2) / 2

    @property
    def n_outputs(self) -> int:
        """All 2^m rows of bits."""
        return 2**self.m

    @property
    def device_bits(self) -> tuple[int, int]:
        """How many of 2⁶³ words give a 1: for the true symbol, and for any other.

        The second is 2⁶³/(e^ε + 1) rounded up, with a bound of e^ε from below: a larger q makes a report less telling.
        """
        rare = math.ceil(2**WORD_BITS / (exponential_floor(exact_budget(self.epsilon)) + 1))
        return 2 ** (WORD_BITS - 1), rare

    def largest_ratio(self) -> Fraction:
        """p/q · (1 − q)/(1 − p), in the whole numbers of `device_bits`: a 1 for the one symbol, a 0 for the other."""
        whole = 2**WORD_BITS
        own, rare = self.device_bits
        return Fraction(own * (whole - rare), rare * (whole - own)) if self.m > 1 else Fraction(1)

    def randomize(self, values: ArrayLike, rng: np.random.Generator | None = None) -> NDArray[np.uint8]:
        """Bits (n, m), one row per report."""
        values = self._checked_values(values)
        what = f"{values.size:,} reports of {self.m:,} bits"
        validate.fits_in_memory(what, values.size * self.m, 1, "ask for fewer reports at a time, or use perturb")
        bits = np.empty((values.size, self.m), dtype=np.uint8)
        fair, rare = self.device_bits
        rows = max(1, _CHUNK // self.m)
        for start in range(0, values.size, rows):
            chunk = slice(start, start + rows)
            words = random_words(bits[chunk].size, rng).reshape(-1, self.m)
            bits[chunk] = words < rare
            users = np.arange(len(words))
            bits[chunk][users, values[chunk]] = words[users, values[chunk]] < fair
        return bits

    def aggregate(self, reports: ArrayLike) -> SupportCounts:
        """Users whose bit is 1, for each symbol."""
        bits = self.checked_bits(reports)
        return SupportCounts(bits.sum(axis=0, dtype=np.int64), len(bits))

    def checked_bits(self, reports: ArrayLike) -> NDArray[Any]:
        """Reports (n, m) that a device can send: bits of some integer type, 0 or 1.

        Raises:
            ValueError: they are something else.
        """
        bits = self._checked_reports(reports, self.m)
        if bits.size and (bits.min() < 0 or bits.max() > 1):
            raise ValueError(f"reports must hold bits 0 and 1, got values from {bits.min()} to {bits.max()}")
        return bits

    def likelihoods(self, reports: ArrayLike, values: ArrayLike | None = None) -> NDArray[np.float64]:
        """∝ e^(ε·bit of the symbol)."""
        bits, symbols = self.checked_bits(reports), self._values_or_all(values)
        self._refuse_huge_likelihoods(len(bits), symbols.size)
        bits = bits[:, symbols]
        return np.where(bits == 1, 1.0, math.exp(-self.epsilon))
