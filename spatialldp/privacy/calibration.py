"""ε′ at which one mechanism protects as much as another, by a ruler of choice.

Protection jumps where a whole-number parameter does, and a jump may skip the target: then no ε′ is equal, and the
honest answer has two sides, the mechanism just before the jump (better protected) and the one just past it (less).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from spatialldp import _validation as validate
from spatialldp.mechanisms import Mechanism
from spatialldp.privacy.curve import Curve, last_enough
from spatialldp.privacy.local import local_privacy
from spatialldp.privacy.loss import max_privacy_loss
from spatialldp.privacy.protection import LOCAL_PRIVACY, MEASURES, WORST_CASE, Measured, averages

#: The grid the authors read their curves from.
_AUTHORS_GRID = np.round(np.arange(30, 1001) / 100, 2)


@dataclass(frozen=True, eq=False)
class Calibration:
    """A calibrated mechanism and how it was found, by the ruler `by` (of `MEASURES`, with their units).

    `mechanism` has the largest ε′ that protects at least as much as asked: `target` was asked for, `reached` is what
    it has. `jumped` is True when no ε′ gives the target, to half a percent, because a jump skips it: then `mechanism`
    lies just before the jump and protects more, and `beyond` just past it and protects less, with `beyond_reached`;
    otherwise both are None. `branch` "exact" or "authors".
    """

    mechanism: Mechanism
    target: Measured
    reached: Measured
    jumped: bool
    branch: str
    by: str
    beyond: Mechanism | None = None
    beyond_reached: Measured | None = None


def calibrate(
    kind: type[Mechanism],
    to: Mechanism,
    branch: str = "exact",
    *,
    by: str = LOCAL_PRIVACY,
    relative_error: float = 0.005,
) -> Mechanism:
    """A mechanism of this kind that protects as much as `to` by the ruler `by`. `calibration` says how well, and has
    the other side where a jump skips the target.
    """
    return calibration(kind, to, branch, by=by, relative_error=relative_error).mechanism


def calibration(
    kind: type[Mechanism],
    to: Mechanism,
    branch: str = "exact",
    *,
    by: str = LOCAL_PRIVACY,
    relative_error: float = 0.005,
    curve: Curve | None = None,
) -> Calibration:
    """How a mechanism of this kind comes to protect as much as `to`, by "local privacy" (as in the paper), "best guess
    distance", "hit rate" or "worst case".

    "exact": the largest ε′ that protects at least as much as `to`. "authors" (local privacy only): as the paper's
    tables were made, the lower decreasing envelope of the one curve read against the upper one of the other, on a grid
    of ε from 0.30 to 10. Simulated values (large grids) use common random numbers and have this relative error. A
    `curve` of the same kind and grid lends its evaluations and keeps those made here.
    """
    validate.one_of("branch", branch, ("exact", "authors"))
    validate.one_of("by", by, tuple(MEASURES))
    if branch == "authors" and by != LOCAL_PRIVACY:
        raise ValueError(f'by must be "{LOCAL_PRIVACY}" with branch="authors", which knows no other, got "{by}"')
    if to.d == 1:  # one cell: no report says anything, whatever ε
        nothing = Measured(1.0 if by == "hit rate" else 0.0, 0.0)
        return Calibration(kind(to.epsilon, 1), nothing, nothing, False, branch, by)
    if branch == "authors":
        return _authors(kind, to, relative_error)
    if curve is None:
        curve = Curve(kind, to.d, relative_error)
    elif (curve.kind, curve.d) != (kind, to.d):
        raise ValueError(f"curve must be one of {kind.__name__} on {to.d}×{to.d} cells")
    target = Measured(max_privacy_loss(to), 0.0) if by == WORST_CASE else averages(to, curve.relative_error)[by]
    epsilon, past = curve.crossing(target.value, by)
    found = Calibration(kind(epsilon, to.d), target, curve.measured(epsilon, by), past is not None, branch, by)
    if past is not None:
        found = replace(found, beyond=kind(past, to.d), beyond_reached=curve.measured(past, by))
    return found


# -- the authors' reading --------------------------------------------------------------------------


def _authors(kind: type[Mechanism], to: Mechanism, relative_error: float) -> Calibration:
    @cache
    def protection(epsilon: float) -> float:
        return local_privacy(kind(epsilon, to.d), relative_error=relative_error).value

    target = Measured(_lower_envelope(to, relative_error), 0.0)
    found = kind(_on_upper_envelope(kind, to.d, target.value, protection), to.d)
    reached = Measured(*local_privacy(found, relative_error=relative_error))
    return Calibration(found, target, reached, False, "authors", LOCAL_PRIVACY)


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
    stretch = last_enough(len(starts), lambda index: protection(starts[index]) >= target)
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
