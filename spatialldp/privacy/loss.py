"""The exact privacy loss: the largest log-ratio of a report's probabilities from two places.

Everything here is read from the whole numbers that a device draws from, not from the formulas they were made of: a
sampler that rounds, overflows or leaves a report out shows here. `exact_check` compares whole numbers and fractions
only; the others state the same losses as doubles.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from spatialldp import _validation as validate
from spatialldp._exact import exponential_floor, logarithm, root_floor
from spatialldp.mechanisms import Mechanism

Array = NDArray[np.float64]
Cell = tuple[int, int]


@validate.takes(mechanism=Mechanism)
def max_privacy_loss(mechanism: Mechanism) -> float:
    """The largest privacy loss between any two cells of the map.

    For LDP it is at most ε. For Geo-I it grows with the distance between two places, so the two that differ most count:
    `privacy_loss_by_distance` has the rest.

    Args:
        mechanism: the one whose devices are looked at.

    Returns:
        The loss in nats: no report is more than e^loss times likelier from one cell than from another.

    Raises:
        ValueError: ε is so small that nothing but rounding would be left of a device's reports (Geo-I).

    Example:
        >>> from spatialldp import DAM, PlanarLaplace
        >>> from spatialldp.privacy import max_privacy_loss
        >>> round(max_privacy_loss(DAM(epsilon=2.0, d=4)), 6)
        2.0
        >>> round(max_privacy_loss(PlanarLaplace(epsilon=2.0, d=4)), 2)  # corner to corner
        7.77
    """
    return mechanism.worst_case_loss()


@validate.takes(mechanism=Mechanism)
def privacy_loss_by_distance(mechanism: Mechanism) -> Array:
    """The worst loss at each distance between two cells, to be compared with ε for LDP and ε·distance for Geo-I.

    Args:
        mechanism: the one whose devices are looked at.

    Returns:
        (n, 2), rows (distance in cells, loss in nats), ascending by distance.

    Raises:
        ValueError: ε is so small that nothing but rounding would be left of a device's reports (Geo-I).

    Example:
        >>> from spatialldp import PlanarLaplace
        >>> from spatialldp.privacy import privacy_loss_by_distance
        >>> privacy_loss_by_distance(PlanarLaplace(epsilon=1.0, d=3)).round(2).tolist()
        [[1.0, 0.98], [1.41, 1.36], [2.0, 1.76], [2.24, 1.96], [2.83, 2.55]]
    """
    cells = np.arange(mechanism.d**2)
    worst: dict[int, float] = {}
    for cell in mechanism.representative_cells().tolist():
        squared = _squared_distances(mechanism.d, cell, cells)
        losses = mechanism.device_losses_from(cell)
        for distance in np.unique(squared[squared > 0]).tolist():
            worst[distance] = max(worst.get(distance, 0.0), float(losses[squared == distance].max()))
    return np.array([[math.sqrt(distance), worst[distance]] for distance in sorted(worst)]).reshape(-1, 2)


@validate.takes(mechanism=Mechanism)
def privacy_loss_from(mechanism: Mechanism, ix: int, iy: int) -> Array:
    """The loss between one cell and every cell: the largest |log-ratio| of a report's two probabilities.

    It costs far less than all pairs.

    Args:
        mechanism: the one whose devices are looked at.
        ix: column of the cell, 0 … d−1.
        iy: row of the cell, 0 … d−1.

    Returns:
        (d, d), [ix, iy], in nats; 0 at the cell itself.

    Raises:
        ValueError: the cell is not in the grid, or ε is so small that nothing but rounding would be left of a device's
            reports (Geo-I).

    Example:
        >>> from spatialldp import PlanarLaplace
        >>> from spatialldp.privacy import privacy_loss_from
        >>> privacy_loss_from(PlanarLaplace(epsilon=1.0, d=3), ix=0, iy=0).round(2).tolist()
        [[0.0, 0.86, 1.48], [0.86, 1.36, 1.96], [1.48, 1.96, 2.55]]
    """
    ix, iy = (validate.whole_number(name, value, 0, mechanism.d - 1) for name, value in (("ix", ix), ("iy", iy)))
    losses = mechanism.device_losses_from(ix * mechanism.d + iy).reshape(mechanism.d, mechanism.d)
    if mechanism.notion != "LDP":
        return losses
    # A difference of logarithms may err in its last digit; the largest ratio of all is known better.
    return np.minimum(losses, logarithm(mechanism.largest_device_ratio()))


@dataclass(frozen=True)
class ExactCheck:
    """Whether the device keeps its promise, by whole numbers alone.

    Attributes:
        holds: True if no ratio exceeds a lower bound of e^ε (of e^(ε·distance) for Geo-I).
        loss: of the pair that comes closest to its limit or exceeds it most, in nats, as a double to look at.
        allowed: the limit of that pair, in nats.
        cells: that pair, (ix, iy) each; None for LDP, where one bound covers every pair.
        pairs: how many ordered pairs were compared (all at once for LDP).

    Example:
        >>> from spatialldp import DAM
        >>> from spatialldp.privacy import exact_check
        >>> check = exact_check(DAM(epsilon=1.0, d=4))
        >>> check.holds, check.allowed, check.cells, check.pairs
        (True, 1.0, None, 240)
    """

    holds: bool
    loss: float
    allowed: float
    cells: tuple[Cell, Cell] | None
    pairs: int


@validate.takes(mechanism=Mechanism)
def exact_check(mechanism: Mechanism, cells: Iterable[Cell] | None = None) -> ExactCheck:
    """Compare the ratio of probabilities that the device's whole numbers give with what it promises.

    Args:
        mechanism: the one whose devices are looked at.
        cells: for Geo-I, the cells (ix, iy) that are paired with every cell, in both directions; None for one cell of
            each kind that mirror images of the grid turn into each other, which covers all pairs. LDP needs none.

    Returns:
        Whether the promise holds, and the pair that comes closest to its limit; see `ExactCheck`.

    Raises:
        ValueError: a cell is not in the grid, or ε is so small that nothing but rounding would be left of a device's
            reports (Geo-I).

    Example:
        >>> from spatialldp import PlanarLaplace
        >>> from spatialldp.privacy import exact_check
        >>> check = exact_check(PlanarLaplace(epsilon=1.0, d=3))
        >>> check.holds, round(check.loss, 3), check.allowed, check.pairs
        (True, 0.983, 1.0, 48)
    """
    d, epsilon = mechanism.d, mechanism.exact_epsilon_per_cell
    if cells is not None:
        places = validate.instance("cells", cells, [tuple])
        cells = [tuple(validate.whole_number("cells", at, 0, d - 1) for at in place) for place in places]  # type: ignore[misc]
    if mechanism.notion == "LDP":
        ratio = mechanism.largest_device_ratio()
        return ExactCheck(
            ratio <= exponential_floor(epsilon), logarithm(ratio), mechanism.epsilon, None, d**2 * (d**2 - 1)
        )
    chosen = mechanism.representative_cells().tolist() if cells is None else [ix * d + iy for ix, iy in cells]
    holds, closest, pairs = True, (-math.inf, 0.0, 0.0, (0, 0)), 0
    for cell in chosen:
        for other in range(d**2):
            if other == cell:
                continue
            squared = int(_squared_distances(d, cell, np.array(other)))
            limit = exponential_floor(epsilon * root_floor(squared))
            allowed = float(epsilon) * math.sqrt(squared)
            for first, second in ((cell, other), (other, cell)):
                ratio = mechanism.device_ratio(first, second)
                holds &= bool(ratio <= limit)
                loss = math.log(ratio.numerator) - math.log(ratio.denominator) if isinstance(ratio, Fraction) else ratio
                closest = max(closest, (loss - allowed, loss, allowed, (first, second)))
                pairs += 1
    _, loss, allowed, (first, second) = closest
    return ExactCheck(holds, loss, allowed, (divmod(first, d), divmod(second, d)) if pairs else None, pairs)


def _squared_distances(d: int, cell: int, others: NDArray[np.int64]) -> NDArray[np.int64]:
    return (others // d - cell // d) ** 2 + (others % d - cell % d) ** 2
