"""ε′ at which one mechanism protects as much as another, by a ruler of choice.

Protection jumps where a whole-number parameter does, and a jump may skip the target: then no ε′ is equal, and the
honest answer has two sides, the mechanism just before the jump (better protected) and the one just past it (less).
"""

from __future__ import annotations

import inspect
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
    """A calibrated mechanism and how it was found.

    Attributes:
        mechanism: the one with the largest ε′ that protects at least as much as required.
        target: the protection required, in the unit of the ruler.
        reached: the protection it has, in the same unit.
        jumped: True when no ε′ gives the target, to half a percent, because a jump skips it. Then `mechanism` lies just
            before the jump and protects more.
        branch: "exact" or "authors".
        by: the ruler, one of `MEASURES`.
        beyond: the mechanism just past the jump, which protects less; None without a jump.
        beyond_reached: the protection that `beyond` has; None without a jump.

    Example:
        >>> from spatialldp import DAM, SEMGeoI
        >>> from spatialldp.privacy import calibration
        >>> found = calibration(SEMGeoI, to=DAM(epsilon=3.5, d=3))
        >>> found.jumped, round(found.target.value, 3), round(found.reached.value, 3)
        (False, 0.567, 0.567)
    """

    mechanism: Mechanism
    target: Measured
    reached: Measured
    jumped: bool
    branch: str
    by: str
    beyond: Mechanism | None = None
    beyond_reached: Measured | None = None


@validate.takes(kind=type, to=Mechanism)
def calibrate(
    kind: type[Mechanism],
    to: Mechanism,
    branch: str = "exact",
    *,
    by: str = LOCAL_PRIVACY,
    relative_error: float = 0.005,
) -> Mechanism:
    """A mechanism of one kind that protects as much as another. `calibration` says how well, and has the other side
    where a jump skips the target.

    Args:
        kind: class of the mechanism wanted.
        to: the mechanism to be equalled, on the same grid.
        branch: "exact" or "authors"; see `calibration`.
        by: the ruler, one of `MEASURES`.
        relative_error: of simulated values (large grids).

    Returns:
        The mechanism with the largest ε′ that protects at least as much as `to`.

    Raises:
        ValueError: as `calibration`.

    Example:
        >>> from spatialldp import DAM, SEMGeoI
        >>> from spatialldp.privacy import calibrate
        >>> calibrate(SEMGeoI, to=DAM(epsilon=3.5, d=3))
        SEMGeoI(epsilon=2.54105, d=3, k=1)
    """
    return calibration(kind, to, branch, by=by, relative_error=relative_error).mechanism


@validate.takes(kind=type, to=Mechanism, curve=(Curve, type(None)))
def calibration(
    kind: type[Mechanism],
    to: Mechanism,
    branch: str = "exact",
    *,
    by: str = LOCAL_PRIVACY,
    relative_error: float = 0.005,
    curve: Curve | None = None,
) -> Calibration:
    """A mechanism of one kind that protects as much as another, and how it was found.

    Args:
        kind: class of the mechanism wanted.
        to: the mechanism to be equalled, on the same grid.
        branch: "exact" takes the largest ε′ that protects at least as much as `to`. "authors" (local privacy only)
            follows the way the paper's tables were made: the lower decreasing envelope of the one curve is read
            against the upper one of the other, on a grid of ε from 0.30 to 10.
        by: the ruler: "local privacy" (as in the paper), "best guess distance", "hit rate" or "worst case".
        relative_error: of simulated values (large grids), which use common random numbers.
        curve: of the same kind and grid; it lends its evaluations and keeps those made here.

    Returns:
        The mechanism, the protection required and reached, and the other side of a jump; see `Calibration`.

    Raises:
        ValueError: `branch` or `by` is not one of these, the two do not go together, `curve` belongs to something else,
            or no ε′ in the range searched protects as much as `to`.

    Example:
        >>> from spatialldp import DAM, PlanarLaplace
        >>> from spatialldp.privacy import calibration
        >>> found = calibration(PlanarLaplace, to=DAM(epsilon=2.0, d=3), by="worst case")
        >>> round(found.mechanism.epsilon, 3), round(found.target.value, 3)
        (0.778, 2.0)
    """
    validate.one_of("branch", branch, ("exact", "authors"))
    validate.one_of("by", by, tuple(MEASURES))
    if branch == "authors" and by != LOCAL_PRIVACY:
        raise ValueError(f'by must be "{LOCAL_PRIVACY}" with branch="authors", which knows no other, got "{by}"')
    if not (issubclass(kind, Mechanism) and not inspect.isabstract(kind)):
        raise ValueError(
            f"kind must be the class of a mechanism, such as spatialldp.SEMGeoI, got {validate.shown(kind)}"
        )
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
