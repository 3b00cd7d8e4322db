"""The error of a map once more, in plain NumPy and POT, for tests that hold the library against it.

Nothing here calls the library but the mechanism itself, whose draws and recovery are tested elsewhere.
"""

from __future__ import annotations

import numpy as np
import ot

from spatialldp.mechanisms import Mechanism
from spatialldp.population import Population

#: Far beyond what any of these problems needs; POT warns where it stops early, and warnings are errors.
_STEPS = 10**7


def counted(people: Population, cells: int) -> np.ndarray:
    """People on cells × cells over the whole square, [ix, iy]."""
    west, south, east, north = people.grid.bounds
    x, y, *weights = people.points
    edges = [(west, east), (south, north)]
    return np.histogram2d(x, y, bins=cells, range=edges, weights=weights[0] if weights else None)[0]


def side_of(people: Population) -> float:
    """Of the whole square, in metres or plain units."""
    _, south, _, north = people.grid.bounds
    return (north - south) * (1.0 if people.grid.crs is None else 2 * np.pi * 6_371_008.8 / 360)


def spread_evenly(shares: np.ndarray, times: int) -> np.ndarray:
    """A map on cells that are smaller by a whole factor."""
    return np.kron(shares, np.ones((times, times))) / times**2


def pot_w2(one: np.ndarray, other: np.ndarray, side: float) -> float:
    """W2 between two histograms of a square, in the unit of its side."""
    centres = (np.arange(len(one)) + 0.5) * side / len(one)
    places = np.stack(np.meshgrid(centres, centres, indexing="ij"), axis=-1).reshape(-1, 2)
    a, b = (np.ravel(values) / np.sum(values) for values in (one, other))
    cost = ((places[a > 0][:, None, :] - places[b > 0][None, :, :]) ** 2).sum(axis=-1)
    return float(np.sqrt(ot.emd2(a[a > 0], b[b > 0], cost, numItermax=_STEPS)))


def pot_error(people: Population, shares: np.ndarray, cells: int) -> float:
    """W2 between the people, counted on cells × cells, and a map spread evenly over its own."""
    return pot_w2(counted(people, cells), spread_evenly(shares, cells // len(shares)), side_of(people))


def recovered_map(counts: np.ndarray, mechanism: Mechanism, rng: np.random.Generator) -> np.ndarray:
    """What one collection recovers."""
    return mechanism.estimate(mechanism.perturb(counts, rng)).distribution


def without_cells(coarse: float, fine: float, times: int) -> float:
    """The error that would remain if people were counted where they are, from two grids, one `times` finer.

    What counting adds to the square of the error is nearly proportional to the square of the cells' side.
    """
    return float(np.sqrt(fine**2 - (coarse**2 - fine**2) / (times**2 - 1)))
