"""How much likelier a set of cells is from one place than from another, from the whole numbers a device draws from."""

from __future__ import annotations

import math
from collections.abc import Sequence
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


def nearest_ranks(ranks: Ranks) -> Ranks:
    """For each rank r around one cell, the least rank around another among all cells from r on.

    `ranks` (…, m) are those around the other cell, listed in the order around the one. A set whose nearest cell to the
    one has rank r lies in those cells, so its rank around the other is at least that (and is that, where the set
    can hold both cells).
    """
    return np.minimum.accumulate(ranks[..., ::-1], axis=-1)[..., ::-1]


def exact_ratio(first: SetProbabilities, second: SetProbabilities, nearest: Ranks) -> Fraction | float:
    """At least P(report | first)/P(report | second) of any set or the null; infinite where the second cannot send it.
    `nearest` are the `nearest_ranks` around the first cell, in the order around the second.

    Only ranks whose logarithms come within a millionth of the largest are worked out: far more than logarithms err.
    """
    ranks = np.minimum(nearest[: second.logarithm.size], second.logarithm.size - 1)
    ratios = _difference(first.log_highest[ranks], second.logarithm)
    close = np.flatnonzero(ratios >= ratios.max() - 1e-6)
    pairs = [(first.exact_highest[ranks[r]], second.exact[0][r]) for r in close]
    return max(quotient(*pair) for pair in [*pairs, (first.exact[1], second.exact[1])])


def log_ratios(one: SetProbabilities, others: Sequence[SetProbabilities], around: Ranks, around_one: Ranks) -> Array:
    """ln of `exact_ratio` between one cell and others, the larger of both directions, in doubles: (others,).

    `around` (others, m) are the nearest ranks around the one cell, in the order around each of the others;
    `around_one` those around each of the others, in the order around the one.
    """
    size = one.logarithm.size
    probability = np.stack([other.logarithm for other in others])
    highest = np.stack([other.log_highest for other in others])
    outward = _difference(one.log_highest[np.minimum(around[:, :size], size - 1)], probability)
    there = np.take_along_axis(highest, np.minimum(around_one[:, :size], size - 1), axis=1)
    null = _difference(one.log_null, np.array([other.log_null for other in others]))
    return np.maximum.reduce([outward.max(axis=1), _difference(there, one.logarithm).max(axis=1), np.abs(null)])


def _difference(first: Array | float, second: Array) -> Array:
    """first − second of logarithms; −∞ where neither can be sent, which tells nothing."""
    with np.errstate(invalid="ignore"):
        difference = first - second
    return np.where(np.isnan(difference), -np.inf, difference)


def quotient(numerator: Fraction, denominator: Fraction) -> Fraction | float:
    """The quotient; 1 where both are zero (impossible from either says nothing), infinite where only the second is."""
    if denominator:
        return numerator / denominator
    return math.inf if numerator else Fraction(1)
