"""Protection against ε: one kind of mechanism on one grid, read by any ruler, and where it passes a target.

Along ε protection falls, but where a whole-number parameter jumps (the subset size k of SEM-Geo-I, the radius b of
DAM) it jumps too: mostly down, now and then a little up. Between two jumps it is smooth and falls, so a search goes
stretch by stretch and then inside one.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

from spatialldp.mechanisms import Mechanism
from spatialldp.privacy.loss import max_privacy_loss
from spatialldp.privacy.protection import (
    HIT_RATE,
    MEASURES,
    WORST_CASE,
    Measured,
    averages,
)

#: The ε that are searched.
LOWEST, HIGHEST = 1e-3, 50.0
#: A simulated curve is known to a fraction of a percent only: more than five digits of ε would be noise.
_EXACT, _SIMULATED = 1e-10, 1e-5
#: Readings this close, relatively, are equal: sums of a million terms differ by as much.
_EQUAL = 1e-9
#: A target that a jump skips by no more than this share of it is met: nobody could tell the difference.
_MET = 0.005
#: Jumps are small and may go up only where they are dense: this many stretches ahead are looked at one by one.
_LOOK_AHEAD = 6


class Crossing(NamedTuple):
    """Where a curve passes a target.

    Attributes:
        epsilon: the largest ε that protects at least as much as the target.
        beyond: the ε just past the jump where a jump skips the target; None where it is met.
    """

    epsilon: float
    beyond: float | None


class Curve:
    """Protection as a function of ε, for one kind of mechanism on one grid.

    Every evaluation is kept, so that many targets and all rulers share them.

    Args:
        kind: class of the mechanism.
        d: cells per side.
        relative_error: of simulated values (large grids): their standard error as a share of them.
    """

    def __init__(self, kind: type[Mechanism], d: int, relative_error: float = 0.005) -> None:
        self.kind, self.d, self.relative_error = kind, d, relative_error
        self._readings: dict[str, dict[float, Measured]] = {name: {} for name in MEASURES}
        #: ε read so far, ascending, by ruler.
        self._known: dict[str, list[float]] = {name: [] for name in MEASURES}

    @cached_property
    def stretches(self) -> list[tuple[float, float]]:
        """First and last ε of every stretch without a jump, a hair inside, so that rounding puts none elsewhere."""
        jumps = self.kind.breakpoints(self.d, LOWEST, HIGHEST)
        starts = [LOWEST, *(jump * (1.0 + 1e-12) for jump in jumps)]
        ends = [*(jump * (1.0 - 1e-12) for jump in jumps), HIGHEST]
        return list(zip(starts, ends, strict=True))

    def measured(self, epsilon: float, by: str) -> Measured:
        """What the ruler reads at ε."""
        if epsilon not in self._readings[by]:
            for name, reading in self._read(epsilon, by).items():
                if epsilon not in self._readings[name]:
                    self._readings[name][epsilon] = reading
                    insort(self._known[name], epsilon)
        return self._readings[by][epsilon]

    def _read(self, epsilon: float, by: str) -> dict[str, Measured]:
        """What the ruler reads, and others that cost nothing more."""
        mechanism = self.kind(epsilon, self.d)
        if by == WORST_CASE:
            return {by: Measured(max_privacy_loss(mechanism), 0.0)}
        if by == HIT_RATE and (known := mechanism.closed_form_hit_rate()) is not None:
            return {by: Measured(known, 0.0)}
        return averages(mechanism, self.relative_error)

    def protection(self, epsilon: float, by: str) -> float:
        """The same, oriented so that more protects better."""
        return oriented(self.measured(epsilon, by).value, by)

    def crossing(self, value: float, by: str) -> Crossing:
        """The largest ε whose protection is at least that of `value` on the ruler, and the other side of a jump."""
        # Protection may be flat: as long as no report moves the best guess, it is as far off as without one.
        target = oriented(value, by) - _EQUAL * abs(value)
        index = self._last_stretch(target, by)
        if index is None:
            limit, unit = self.measured(LOWEST, by).value, MEASURES[by].unit
            bound = "at most" if MEASURES[by].larger_is_better else "at least"
            raise ValueError(
                f"to must have a {by} that {self.kind.__name__} reaches with ε ≥ {LOWEST:g} on {self.d}×{self.d} cells "
                f"({bound} {limit:.4g}{' ' * bool(unit)}{unit}), got {value:.4g}"
            )
        start, end = self.stretches[index]
        if self.protection(end, by) < target:
            return Crossing(self._inside(start, end, target, by), None)
        reached, last = self.measured(end, by), index + 1 == len(self.stretches)
        # Beyond the last stretch nothing is known; and what is as good as equal at the very end was not skipped.
        met = last or abs(reached.value - value) <= max(_MET * abs(value), 2 * reached.standard_error)
        return Crossing(end, None if met else self.stretches[index + 1][0])

    def _last_stretch(self, target: float, by: str) -> int | None:
        """The last stretch that still begins with enough protection; None if none does."""
        return last_enough(len(self.stretches), lambda index: self.protection(self.stretches[index][0], by) >= target)

    def _inside(self, start: float, end: float, target: float, by: str) -> float:
        """Where the curve passes the target between two ends of one stretch, which lie on either side of it."""
        known = self._known[by]
        low, high = start, end
        for epsilon in known[bisect_left(known, start) : bisect_left(known, end)]:
            if self.protection(epsilon, by) < target:
                high = epsilon
                break
            low = epsilon
        if self.protection(low, by) == target:
            return low
        from scipy.optimize import brentq  # imported here: it costs a fifth of a second, and few programs calibrate

        precision = _EXACT if self.measured(low, by).standard_error == 0 else _SIMULATED
        found = brentq(
            lambda epsilon: self.protection(epsilon, by) - target, low, high, xtol=precision * low, rtol=precision
        )
        return float(found)


def last_enough(stretches: int, enough: Callable[[int], bool]) -> int | None:
    """The last stretch that begins with enough protection, looking from the end; None if none does.

    Near the end, where jumps are wide, one by one; farther in growing strides and then by halving, because beginnings
    are in order there but for small steps up, for which the next few are looked at once more.
    """
    top = stretches - 1
    stride, low, high = 1, top, top + 1
    while not enough(low):
        if low == 0:
            return None
        high, low = low, max(0, low - stride)
        if top - low > _LOOK_AHEAD:
            stride *= 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if enough(middle) else (low, middle)
    ahead = [index for index in range(low + 1, min(low + 1 + _LOOK_AHEAD, top + 1)) if enough(index)]
    return max(ahead, default=low)


def oriented(value: float, by: str) -> float:
    """A reading such that more protects better."""
    return value if MEASURES[by].larger_is_better else -value
