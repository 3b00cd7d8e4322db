"""How much likelier a set of cells is from one place than from another, from the whole numbers a device draws from."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from spatialldp.mechanisms.first_rank import FirstRank

Array = NDArray[np.float64]
Ranks = NDArray[np.int64]


class SetProbabilities:
    """P(S | cell) of one set by the rank r of its nearest cell, and P(null | cell), as the device has them.

    Given r, the other k−1 cells are uniform among the m−r−1 that rank behind, so P(S | cell) is
    P(first rank = r)/C(m−r−1, k−1). Logarithms find the largest ratio, fractions state it.
    """

    def __init__(self, first_rank: FirstRank) -> None:
        self._first_rank = first_rank
        self._size, self._k = first_rank.law.size, first_rank.law.k

    @cached_property
    def logarithm(self) -> Array:
        """ln P(S | cell) for r = 0 … m−k."""
        ranks, _ = self._first_rank.log_probabilities()
        r = np.arange(ranks.size)
        # ln C(m−r−1, k−1), built up from the last rank, where it is C(k−1, k−1) = 1.
        steps = np.log(np.maximum(self._size - r[1:], 1)) - np.log(np.maximum(self._size - r[1:] - self._k + 1, 1))
        return ranks - np.append(np.cumsum(steps[::-1])[::-1], 0.0)

    @cached_property
    def log_null(self) -> float:
        """ln P(null | cell)."""
        return self._first_rank.log_probabilities()[1]

    @cached_property
    def log_highest(self) -> Array:
        """The largest `logarithm` of any rank from r on."""
        return np.maximum.accumulate(self.logarithm[::-1])[::-1]

    @cached_property
    def exact(self) -> tuple[list[Fraction], Fraction]:
        """(P(S | cell) for r = 0 … m−k, P(null | cell)) as fractions."""
        ranks, null = self._first_rank.probabilities()
        return [p / math.comb(self._size - r - 1, self._k - 1) for r, p in enumerate(ranks)], null

    @cached_property
    def exact_highest(self) -> list[Fraction]:
        """The largest probability of any rank from r on."""
        highest = list(self.exact[0])
        for r in range(len(highest) - 2, -1, -1):
            highest[r] = max(highest[r], highest[r + 1])
        return highest


def nearest_ranks(first: Ranks, second: Ranks) -> Ranks:
    """For each rank r around the second cell, the least rank around the first among all cells from r on.

    `first` and `second` rank all cells around either cell, (m,). A set whose nearest cell to the second has rank r lies
    in those cells, so its rank around the first is at least that (and is that, where the set can hold both cells).
    """
    in_order = first[np.argsort(second)]
    return np.minimum.accumulate(in_order[::-1])[::-1]


def log_ratio(first: SetProbabilities, second: SetProbabilities, nearest: Ranks) -> float:
    """ln of `exact_ratio`, in doubles."""
    with np.errstate(invalid="ignore"):
        null = first.log_null - second.log_null
    return float(np.fmax(_log_ratios(first, second, nearest)[1].max(), null))


def exact_ratio(first: SetProbabilities, second: SetProbabilities, nearest: Ranks) -> Fraction | float:
    """At least P(report | first)/P(report | second) of any set or the null; infinite where the second cannot send it.

    Only ranks whose logarithms come within a millionth of the largest are worked out: far more than logarithms err.
    """
    ranks, ratios = _log_ratios(first, second, nearest)
    close = np.flatnonzero(ratios >= ratios.max() - 1e-6)
    pairs = [(first.exact_highest[ranks[r]], second.exact[0][r]) for r in close]
    return max(quotient(*pair) for pair in [*pairs, (first.exact[1], second.exact[1])])


def _log_ratios(first: SetProbabilities, second: SetProbabilities, nearest: Ranks) -> tuple[Ranks, Array]:
    """(the rank around the first cell, ln of the ratio) of the sets with each rank around the second cell."""
    size = second.logarithm.size
    ranks = np.minimum(nearest[:size], size - 1)
    with np.errstate(invalid="ignore"):
        ratios = first.log_highest[ranks] - second.logarithm
    # What neither can send tells nothing: −∞ − (−∞).
    return ranks, np.where(np.isnan(ratios), -np.inf, ratios)


def quotient(numerator: Fraction, denominator: Fraction) -> Fraction | float:
    """The quotient; 1 where both are zero (impossible from either says nothing), infinite where only the second is."""
    if denominator:
        return numerator / denominator
    return math.inf if numerator else Fraction(1)
