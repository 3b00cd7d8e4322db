"""The optimal radii of the disk and of the square wave, without cancellation at any ε."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from spatialldp import _validation as validate
from spatialldp.oracles.square_wave import moment_ratio, square_wave_radius

__all__ = ["drops", "mutual_information_bound", "optimal_radius", "square_wave_radius"]


#: Of a disk, in sides of the map; a million times the map is all there is.
_LARGEST_RADIUS = 1e6


def optimal_radius(epsilon: float) -> float:
    """Radius of the disk, as a share of the domain's side, that maximises the bound on mutual information.

    2ρ + √(4ρ² + ρ) with ρ = m₂/(π·e^ε·m₁), m₁ and m₂ as in `moment_ratio`: the paper's formula, its numerator and
    denominator divided by π·e^ε·m₁.

    Args:
        epsilon: the privacy budget, above 0 and at most 100.

    Returns:
        The radius as a share of the domain's side; times d and rounded down it is the radius b of `DAM` in cells.

    Raises:
        ValueError: `epsilon` is not a number in its range.

    Example:
        >>> from spatialldp.mechanisms import optimal_radius
        >>> round(optimal_radius(3.5), 3)
        0.233
    """
    rho = moment_ratio(epsilon) / math.pi
    return 2 * rho + math.sqrt(4 * rho**2 + rho)


def mutual_information_bound(epsilon: float, radius: ArrayLike) -> NDArray[np.float64]:
    """Bound on what a report of the continuous disk mechanism tells about the true place.

    Args:
        epsilon: the privacy budget, above 0 and at most 100.
        radius: one or several radii, as shares of the domain's side. `optimal_radius` is where the bound is largest.

    Returns:
        The bound for each radius, in nats, of the shape of `radius`.

    Raises:
        ValueError: `epsilon` is not a number in its range.

    Example:
        >>> from spatialldp.mechanisms import mutual_information_bound, optimal_radius
        >>> best = optimal_radius(3.5)
        >>> mutual_information_bound(3.5, [0.5 * best, best, 2 * best]).round(3).tolist()
        [1.072, 1.326, 1.135]
    """
    epsilon = validate.privacy_budget(epsilon)
    b = validate.real_array("radius", radius)
    if b.min() < 0 or b.max() > _LARGEST_RADIUS:
        raise ValueError(f"radius must be from 0 to {_LARGEST_RADIUS:g}, got {b.min():g} to {b.max():g}")
    disk, around = np.pi * b**2, 4.0 * b + 1.0
    # Divided by e^ε above and below, so that nothing overflows; (disk + around)/(…) ≥ 1 keeps the logarithm exact.
    scaled = disk + around * math.exp(-epsilon)
    return np.log((disk + around) / scaled) - epsilon + epsilon * disk / scaled


def drops(radius: Callable[[float], float], d: int, lowest: float, highest: float) -> list[float]:
    """The ε between the bounds, ascending, at which floor(d·radius(ε)) falls from one whole number to the next."""
    d = validate.cells_per_side(d)
    lowest, highest = (validate.privacy_budget(end, name) for end, name in ((lowest, "lowest"), (highest, "highest")))
    wholes = range(math.floor(d * radius(highest)) + 1, math.floor(d * radius(lowest)) + 1)
    brentq = scipy.optimize.brentq
    return sorted(float(brentq(lambda epsilon, b=b: d * radius(epsilon) - b, lowest, highest)) for b in wholes)
