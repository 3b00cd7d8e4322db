"""How much likelier a set of cells is from one place than from another, from the whole numbers a device draws from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from spatialldp.mechanisms.subsets.first_rank import FirstRank

Array = NDArray[np.float64]
Ranks = NDArray[np.int64]


class SetProbabilities:
    """P(S | cell) of one set by the rank r of its nearest cell, and P(null | cell), as the device has them.

    Given r, the other k−1 cells are uniform among the m−r−1 that rank behind, so P(S | cell) is
    P(first rank = r)/C(m−r−1, k−1). Ranks at one distance differ by rounding alone; `lowest` and `highest` do not
    depend on their order, so what is found for two cells holds for their mirror images, where that order is another.
    Logarithms find the largest ratio, fractions state it.
    """

    def __init__(self, first_rank: FirstRank) -> None:
        self._first_rank = first_rank
        self._size, self._k = first_rank.law.size, first_rank.law.k
        #: For each rank the first one at the same distance.
        self.ties = first_rank.law.ties

    @cached_property
    def _logarithms(self) -> tuple[Array, float]:
        ranks, null = self._first_rank.log_probabilities()
        r = np.arange(1, ranks.size)
        # ln C(m−r−1, k−1), built up from the last rank, where it is C(k−1, k−1) = 1.
        steps = np.log(self._size - r) - np.log(self._size - r - self._k + 1)
        return ranks - np.append(np.cumsum(steps[::-1])[::-1], 0.0), null

    @property
    def log_null(self) -> float:
        """ln P(null | cell)."""
        return self._logarithms[1]

    @cached_property
    def log_lowest(self) -> Array:
        """ln of the least P(S | cell) of the ranks at the same distance, for r = 0 … m−k."""
        groups = np.unique(self.ties)
        return np.minimum.reduceat(self._logarithms[0], groups)[np.searchsorted(groups, self.ties)]

    @cached_property
    def log_highest(self) -> Array:
        """ln of the largest P(S | cell) of the ranks at the same or a larger distance."""
        return np.maximum.accumulate(self._logarithms[0][::-1])[::-1][self.ties]

    @cached_property
    def _exact(self) -> tuple[list[Fraction], Fraction]:
        ranks, null = self._first_rank.probabilities()
        return [p / math.comb(self._size - r - 1, self._k - 1) for r, p in enumerate(ranks)], null

    @property
    def null(self) -> Fraction:
        """P(null | cell)."""
        return self._exact[1]

    @cached_property
    def lowest(self) -> list[Fraction]:
        """`log_lowest` as fractions."""
        least: dict[int, Fraction] = {}
        for tie, p in zip(self.ties.tolist(), self._exact[0], strict=True):
            least[tie] = min(p, least.get(tie, p))
        return [least[tie] for tie in self.ties.tolist()]

    @cached_property
    def highest(self) -> list[Fraction]:
        """`log_highest` as fractions."""
        largest = list(accumulate(reversed(self._exact[0]), max))[::-1]
        return [largest[tie] for tie in self.ties.tolist()]


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
    ranks = nearest[second.ties]
    ratios = _difference(first.log_highest[ranks], second.log_lowest)
    close = np.flatnonzero(ratios >= ratios.max() - 1e-6)
    pairs = {(int(first.ties[ranks[r]]), int(second.ties[r])) for r in close}
    return max(
        quotient(first.null, second.null),
        *(quotient(first.highest[here], second.lowest[there]) for here, there in pairs),
    )


def log_ratios(one: SetProbabilities, others: Sequence[SetProbabilities], around: Ranks, around_one: Ranks) -> Array:
    """ln of `exact_ratio` between one cell and others, the larger of both directions, in doubles: (others,).

    `around` (others, m) are the nearest ranks around the one cell, in the order around each of the others;
    `around_one` those around each of the others, in the order around the one.
    """
    ties, lowest, highest = (
        np.stack([getattr(other, name) for other in others]) for name in ("ties", "log_lowest", "log_highest")
    )
    outward = _difference(one.log_highest[np.take_along_axis(around, ties, axis=1)], lowest)
    inward = _difference(np.take_along_axis(highest, around_one[:, one.ties], axis=1), one.log_lowest)
    null = _difference(one.log_null, np.array([other.log_null for other in others]))
    return np.maximum.reduce([outward.max(axis=1), inward.max(axis=1), np.abs(null)])


def _difference(first: Array | float, second: Array) -> Array:
    """first − second of logarithms; −∞ where neither can be sent, which says nothing."""
    with np.errstate(invalid="ignore"):
        difference = first - second
    return np.where(np.isnan(difference), -np.inf, difference)


def quotient(numerator: Fraction, denominator: Fraction) -> Fraction | float:
    """The quotient; 1 where both are zero (impossible from either says nothing), infinite where only the second is."""
    if denominator:
        return numerator / denominator
    return math.inf if numerator else Fraction(1)
