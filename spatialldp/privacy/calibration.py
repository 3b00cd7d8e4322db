"""ε′ at which one mechanism protects as much as another, measured by local privacy.

Local privacy falls as ε grows, but jumps where a whole-number parameter does (the subset size k of SEM-Geo-I, the
radius b of DAM). Between two jumps it is smooth, so a search goes jump by jump, and then inside one stretch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from spatialldp import _validation as validate
from spatialldp.mechanisms import Mechanism
from spatialldp.privacy.local import LocalPrivacy, local_privacy

#: The ε′ that are searched.
LOWEST, HIGHEST = 1e-3, 50.0
#: The grid the authors read their curves from.
_AUTHORS_GRID = np.round(np.arange(30, 1001) / 100, 2)


class Calibration(NamedTuple):
    """How a calibrated mechanism was found: the local privacy asked for and reached, in cells; `jumped` True when no ε′
    gives exactly the target because local privacy jumps over it (then the mechanism protects a little more).
    """

    target: LocalPrivacy
    reached: LocalPrivacy
    jumped: bool
    branch: str


def calibrate(
    kind: type[Mechanism], to: Mechanism, branch: str = "exact", *, relative_error: float = 0.005
) -> Mechanism:
    """A mechanism of this kind with the local privacy of `to`; its attribute `calibration` says how well.

    "exact": the largest ε′ whose local privacy is at least that of `to`. "authors": as the paper's tables were
    made, the lower decreasing envelope of the one curve read against the upper one of the other, on a grid of ε from
    0.30 to 10. Simulated values (large grids) use common random numbers and have this relative error.
    """
    validate.one_of("branch", branch, ("exact", "authors"))
    d = to.d
    if d == 1:  # one cell: no report says anything, whatever ε
        nothing = LocalPrivacy(0.0, 0.0)
        return _with_note(kind(to.epsilon, 1), Calibration(nothing, nothing, False, branch))

    @cache
    def protection(epsilon: float) -> float:
        return local_privacy(kind(epsilon, d), relative_error=relative_error).value

    if branch == "authors":
        target = LocalPrivacy(_lower_envelope(to, relative_error), 0.0)
        epsilon, jumped = _on_upper_envelope(kind, d, target.value, protection), False
    else:
        target = local_privacy(to, relative_error=relative_error)
        epsilon, jumped = _largest_epsilon(kind, d, target.value, protection)
    found = kind(epsilon, d)
    reached = local_privacy(found, relative_error=relative_error)
    return _with_note(found, Calibration(target, reached, jumped, branch))


def _with_note(mechanism: Mechanism, note: Calibration) -> Mechanism:
    mechanism.calibration = note  # type: ignore[attr-defined]
    return mechanism


def _last_start(starts: Sequence[float], target: float, protection: Callable[[float], float]) -> int | None:
    """Index of the last stretch that still begins with enough protection, looking from the end; None if none does.

    Stretches near the end are looked at one by one, farther ones in growing strides and then by halving: at that
    distance their beginnings are in order.
    """
    top = len(starts) - 1
    stride, low = 1, top
    while low >= 0 and protection(starts[low]) < target:
        if low == 0:
            return None
        high, low = low, max(0, low - stride)
        if top - low > 4:
            stride *= 2
    if low == top:
        return low
    while high - low > 1:
        middle = (low + high) // 2
        if protection(starts[middle]) >= target:
            low = middle
        else:
            high = middle
    return low


def _largest_epsilon(
    kind: type[Mechanism], d: int, target: float, protection: Callable[[float], float]
) -> tuple[float, bool]:
    """(the largest ε with enough protection, whether a jump skips the target)."""
    # A hair to either side of a jump, so that rounding cannot put a point into the wrong stretch.
    jumps = kind.breakpoints(d, LOWEST, HIGHEST)
    starts = [LOWEST, *(jump * (1.0 + 1e-12) for jump in jumps)]
    ends = [*(jump * (1.0 - 1e-12) for jump in jumps), HIGHEST]
    stretch = _last_start(starts, target, protection)
    if stretch is None:
        raise ValueError(
            f"to must have a local privacy that {kind.__name__} reaches with ε ≥ {LOWEST:g} on {d}×{d} cells "
            f"(at most {protection(LOWEST):.4g} cells), got {target:.4g}"
        )
    start, end = starts[stretch], ends[stretch]
    if protection(end) >= target:
        return end, stretch < len(starts) - 1
    if protection(start) == target:
        return start, False
    # A simulated curve is known to half a percent only: no use in more than four digits.
    precision = 1e-10 if local_privacy(kind(start, d)).standard_error == 0 else 1e-4
    root = brentq(lambda epsilon: protection(epsilon) - target, start, end, xtol=precision * start, rtol=precision)
    return float(root), False


def _stretches(kind: type[Mechanism], d: int, grid: np.ndarray) -> list[np.ndarray]:
    """The grid cut where a whole-number parameter jumps."""
    cuts = np.searchsorted(grid, kind.breakpoints(d, float(grid[0]), float(grid[-1])))
    return [part for part in np.split(grid, np.unique(cuts)) if part.size]


def _lower_envelope(to: Mechanism, relative_error: float) -> float:
    """Least local privacy of mechanisms like `to` with an ε of the authors' grid up to its own.

    It falls along each stretch, so only the ends of stretches matter; between grid points it is interpolated.
    """

    @cache
    def protection(epsilon: float) -> float:
        return local_privacy(type(to)(epsilon, to.d), relative_error=relative_error).value

    def at(index: int) -> float:
        return min(protection(float(part[-1])) for part in _stretches(type(to), to.d, _AUTHORS_GRID[: index + 1]))

    position = (to.epsilon - _AUTHORS_GRID[0]) / 0.01
    if not -1e-9 <= position <= _AUTHORS_GRID.size - 1 + 1e-9:
        raise ValueError(f'to must have an ε from 0.30 to 10 with branch="authors", got {to.epsilon:g}')
    before = int(np.clip(np.floor(position + 1e-9), 0, _AUTHORS_GRID.size - 1))
    share = position - before
    return at(before) if share < 1e-9 else (1 - share) * at(before) + share * at(before + 1)


def _on_upper_envelope(kind: type[Mechanism], d: int, target: float, protection: Callable[[float], float]) -> float:
    """Where the upper decreasing envelope of the kind's curve, on the authors' grid, passes the target."""
    parts = _stretches(kind, d, _AUTHORS_GRID)
    starts = [float(part[0]) for part in parts]
    stretch = _last_start(starts, target, protection)
    if stretch is None:
        raise ValueError(
            f"to must have a local privacy below {protection(0.3):.4g} cells (that of ε′ = 0.30), got {target:.4g}"
        )
    part = parts[stretch]
    low, high = 0, part.size  # the last grid point of the stretch with enough protection
    while high - low > 1:
        middle = (low + high) // 2
        if protection(float(part[middle])) >= target:
            low = middle
        else:
            high = middle
    later = [float(part[low + 1])] if low + 1 < part.size else []
    later += starts[stretch + 1 :]
    if not later:
        return float(part[low])
    above, below = protection(float(part[low])), max(protection(epsilon) for epsilon in later)
    return float(part[low]) + 0.01 * (above - target) / (above - below)
