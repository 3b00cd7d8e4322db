"""How a device of SEM-Geo-I draws the rank of the nearest cell of its set, in whole numbers.

Some ranks are too rare for one 63-bit number: with large sets or a large ε the chance that none of the nearest cells
is in the set falls below any fixed unit, and a rank of weight 0 would make a set impossible from one cell that is
possible from another. So the draw has levels. A level holds ranks as long as at least 2⁻¹⁰ of its numbers is left
for later ones; that rest is the event "go on", and the next level divides it up with all 62 bits again. A rank
may stand in two levels: where one rank takes nearly everything, the rest of it is in the next.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from spatialldp._exact import uniform_below

Array = NDArray[np.float64]

#: Weights of a level add up to about this, so that no sum of them can pass 2⁶³.
_SCALE = 2**62
#: Share of a level that goes on to the next.
_ONWARD = 2.0**-10


class RankLaw:
    """P(first rank = r) ∝ g(r)·e^(−ε·distance(r)) for sets of k of m cells, distances (m,) ascending; exact to a few
    roundings *relative* to each probability, however small, because each is only ever compared with its neighbours.
    """

    def __init__(self, distance: Array, epsilon: float, k: int) -> None:
        if distance.size > k << 16:
            raise ValueError(
                f"sets of {k} of {distance.size:,} cells are too rare for weights of 62 bits; use fewer cells"
            )
        self.size, self.k = distance.size, k
        # After rank m − k there are not enough cells left for a set.
        self._distance = distance[: self.size - k + 1]
        self._epsilon = epsilon
        left = self.size - np.arange(self._distance.size)
        # Chance that a rank is in the set, given that none before it is, and that it is not: both to the last digit.
        self._hazard, self._missed = k / left, (left - k) / left

    def __len__(self) -> int:
        return self._distance.size

    def beyond(self, start: int) -> tuple[Array, Array]:
        """(share of each rank from `start` on among those, share of it and all later ones)."""
        survival = np.append(1.0, np.cumprod(self._missed[start:-1]))
        decay = np.exp(-self._epsilon * (self._distance[start:] - self._distance[start]))
        term = survival * self._hazard[start:] * decay
        tail = np.cumsum(term[::-1])[::-1]
        return term / tail[0], tail / tail[0]

    @property
    def mass(self) -> float:
        """Σ_r g(r)·e^(−ε·distance(r)): the mean of e^(−ε·distance) over all k-sets."""
        survival = np.append(1.0, np.cumprod(self._missed[:-1]))
        return float((survival * self._hazard * np.exp(-self._epsilon * self._distance)).sum())

    @property
    def ties(self) -> NDArray[np.int64]:
        """For each rank the first one at the same distance."""
        return np.searchsorted(self._distance, self._distance, side="left")


class Level:
    """Ranks from `start` on, the null if there is one, and "go on" if ranks are left: events in this order.

    `first` is the share of rank `start`, the rest of which stood in the level before; `later` that of all after it.
    `told` is the share that is not the null.
    """

    def __init__(self, law: RankLaw, start: int, first: float, later: float, told: float = 1.0) -> None:
        share, tail = law.beyond(start + 1)
        share, tail = np.append(first, later * share), np.append(1.0, later * tail)
        after = np.append(tail[1:], 0.0)
        last = int(np.argmax(after < _ONWARD))
        self.law, self.start, self.final = law, start, last == share.size - 1
        if not self.final:
            share[last] = tail[last] - _ONWARD
        self._next = (start + last, 1.0 - after[last] / _ONWARD, after[last] / _ONWARD)
        parts = [told * share[: last + 1]]
        self.has_null = told < 1.0
        if self.has_null:
            parts.append(np.array([1.0 - told]))
        if not self.final:
            parts.append(np.array([told * _ONWARD]))
        # Each part is at most 1, all together hardly more: the sum stays far below 2⁶³. It once did not, so look.
        self.thresholds = np.cumsum(np.floor(np.concatenate(parts) * _SCALE).astype(np.int64))
        self.total = int(self.thresholds[-1])
        if not (self.thresholds[0] >= 0 and (np.diff(self.thresholds) >= 0).all() and self.total > _SCALE // 2):
            raise ArithmeticError(f"thresholds must ascend to about 2^62, got {self.total} at the end")

    @cached_property
    def onward(self) -> Level:
        """The next level."""
        return Level(self.law, *self._next)

    @property
    def ranks(self) -> int:
        """How many ranks it holds."""
        return self.thresholds.size - self.has_null - (not self.final)

    def draw(self, n: int, rng: np.random.Generator | None) -> NDArray[np.int64]:
        """n events."""
        return np.searchsorted(self.thresholds, uniform_below(self.total, n, rng), side="right")

    def weights(self) -> NDArray[np.uint64]:
        """How many of the `total` numbers stand for each event: found by asking `draw`'s own search at every border,
        between which it cannot change, so that it is true of thresholds in any order.
        """
        starts = np.unique(np.append(np.clip(self.thresholds, 0, None), 0))
        starts = starts[starts.astype(np.uint64) < self.total]
        events = np.searchsorted(self.thresholds, starts, side="right")
        ends = np.append(starts[1:].astype(np.uint64), np.uint64(self.total))
        weights = np.zeros(self.thresholds.size + 1, dtype=np.uint64)
        np.add.at(weights, events, ends - starts.astype(np.uint64))
        return weights


class FirstRank:
    """The draw for one cell: the rank of the nearest cell of the set, or `law.size` for the null. `told` is the
    probability of a set.
    """

    def __init__(self, law: RankLaw, told: float) -> None:
        self.law = law
        # Rank −1 stands for nothing: the first level begins after it with everything still to come.
        self.top = Level(law, -1, 0.0, 1.0, told)

    def draw(self, n: int, rng: np.random.Generator | None) -> NDArray[np.int64]:
        """n ranks."""
        ranks = np.empty(n, dtype=np.int64)
        pending, level = np.arange(n), self.top
        while True:
            event = level.draw(pending.size, rng)
            ranks[pending] = np.where(event < level.ranks, level.start + event, self.law.size)
            pending = pending[event == level.ranks + level.has_null]
            if not pending.size:
                return ranks
            level = level.onward

    def probabilities(self) -> tuple[list[Fraction], Fraction]:
        """(P(first rank = r) for the ranks that there can be, P(null)), exactly as `draw` has them."""
        ranks = [Fraction(0)] * len(self.law)
        null, reached, level = Fraction(0), Fraction(1), self.top
        while True:
            weights = level.weights().tolist()
            for rank, weight in enumerate(weights[: level.ranks], start=level.start):
                if rank >= 0:
                    ranks[rank] += reached * Fraction(weight, level.total)
            if level.has_null:
                null += reached * Fraction(weights[level.ranks], level.total)
            if level.final:
                return ranks, null
            reached *= Fraction(weights[level.ranks + level.has_null], level.total)
            level = level.onward

    def log_probabilities(self) -> tuple[Array, float]:
        """Logarithms of `probabilities`, in doubles; −∞ for what is never drawn."""
        ranks = np.full(len(self.law), -np.inf)
        null, reached, level = -np.inf, 0.0, self.top
        with np.errstate(divide="ignore"):
            while True:
                share = reached + np.log(level.weights()) - np.log(float(level.total))
                # Rank −1 of the first level is nobody's.
                skip = max(0, -level.start)
                at = slice(level.start + skip, level.start + level.ranks)
                ranks[at] = np.logaddexp(ranks[at], share[skip : level.ranks])
                if level.has_null:
                    null = float(share[level.ranks])
                if level.final:
                    return ranks, null
                reached, level = float(share[level.ranks + level.has_null]), level.onward
