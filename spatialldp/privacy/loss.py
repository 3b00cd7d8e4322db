"""The exact privacy loss: the largest log-ratio of a report's probabilities from two places."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from spatialldp import _validation as validate
from spatialldp.mechanisms import OUE, SAM, Mechanism, PlanarLaplace, SEMGeoI

Array = NDArray[np.float64]

#: Numbers held at once while going through reports.
_CHUNK = 2_000_000


def max_privacy_loss(mechanism: Mechanism) -> float | Array:
    """For LDP the loss itself, a float that must not exceed ε. For Geo-I the worst loss at each distance between two
    cells, an array of rows (distance in cells, loss), to be compared with ε·distance.
    """
    if mechanism.notion == "LDP":
        return _ldp_loss(mechanism)
    pairs = _subset_losses(mechanism) if isinstance(mechanism, SEMGeoI) else _matrix_losses(mechanism)
    cells = np.arange(mechanism.d**2)
    squared = (cells[:, None] // mechanism.d - cells // mechanism.d) ** 2
    squared += (cells[:, None] % mechanism.d - cells % mechanism.d) ** 2
    distances, index = np.unique(squared, return_inverse=True)
    worst = np.zeros(distances.size)
    np.maximum.at(worst, index.ravel(), pairs.ravel())
    return np.stack([np.sqrt(distances), worst], axis=1)[distances > 0]


def privacy_loss_from(mechanism: Mechanism, ix: int, iy: int) -> Array:
    """The loss between one cell and every cell, (d, d): the largest |log-ratio| of a report's two probabilities.

    For reports that are cells or sets of cells (all mechanisms but MDSW and OUE); costs far less than all pairs.
    """
    ix, iy = (validate.whole_number(name, value, 0, mechanism.d - 1) for name, value in (("ix", ix), ("iy", iy)))
    cell = ix * mechanism.d + iy
    if isinstance(mechanism, SEMGeoI):
        losses = _subset_losses_from(mechanism, cell)
    elif isinstance(mechanism, (SAM, PlanarLaplace)):
        losses = _cell_report_losses_from(mechanism, cell)
    else:
        raise ValueError(f"mechanism must report cells or sets of cells, got {mechanism!r}; see max_privacy_loss")
    return losses.reshape(mechanism.d, mechanism.d)


def _cell_report_losses_from(mechanism: SAM | PlanarLaplace, cell: int) -> Array:
    every = np.arange(mechanism.d)
    reports = (
        mechanism.output_cells
        if isinstance(mechanism, SAM)
        else np.stack(np.meshgrid(every, every, indexing="ij"), axis=-1).reshape(-1, 2)
    )
    worst = np.zeros(mechanism.d**2)
    step = max(1, _CHUNK // mechanism.d**2)
    for start in range(0, len(reports), step):
        with np.errstate(divide="ignore", invalid="ignore"):
            logarithm = np.log(mechanism.likelihoods(reports[start : start + step]))
            ratios = np.abs(logarithm - logarithm[:, cell, None])
        worst = np.maximum(worst, np.nan_to_num(ratios, nan=0.0, posinf=math.inf).max(axis=0))
    return worst


def _subset_losses_from(mechanism: SEMGeoI, cell: int) -> Array:
    """As `_subset_losses`, for one row and one column of it."""
    m, least = mechanism.d**2, mechanism.k - 1
    distance = mechanism.distances_from(np.arange(m))
    # The set stays clear of the other cells and close to this one …
    far_first = np.argsort(-distance, axis=1, kind="stable")
    nearest = np.minimum.accumulate(distance[cell][far_first], axis=1)
    gain = (np.take_along_axis(distance, far_first, axis=1) - nearest)[:, least:].max(axis=1)
    # … or the other way round.
    nearest = np.minimum.accumulate(distance[:, far_first[cell]], axis=1)
    reverse = (distance[cell, far_first[cell]] - nearest)[:, least:].max(axis=1)
    losses = mechanism.epsilon * np.maximum(gain, reverse)
    null = mechanism.null_probabilities.ravel()
    with np.errstate(divide="ignore", invalid="ignore"):
        by_null = np.nan_to_num(np.abs(np.log(null) - np.log(null[cell])), nan=0.0, posinf=math.inf)
    return np.maximum(losses, by_null)


def _ldp_loss(mechanism: Mechanism) -> float:
    if isinstance(mechanism, OUE):
        # Two cells differ in two bits; the most telling report has a 1 for one of them and a 0 for the other.
        ratio = (mechanism.p / mechanism.q) * ((1 - mechanism.q) / (1 - mechanism.p))
        return math.log(ratio) if mechanism.d > 1 else 0.0
    matrix = mechanism.transition_matrix()
    return float(np.log(matrix.max(axis=0) / matrix.min(axis=0)).max())


def _matrix_losses(mechanism: Mechanism) -> Array:
    """Largest log-ratio over all reports for each ordered pair of cells, (m, m)."""
    matrix = mechanism.transition_matrix()
    with np.errstate(divide="ignore", invalid="ignore"):
        logarithm = np.log(matrix)
        # A report that is impossible (below the smallest double) from both cells tells nothing.
        return np.stack([np.nan_to_num(row - logarithm, nan=0.0).max(axis=1) for row in logarithm])


def _subset_losses(mechanism: SEMGeoI) -> Array:
    """The same for subsets, without listing them.

    The log-ratio of a set S for cells i and j is ε·(dist(j, S) − dist(i, S)). To make it large, keep S outside a
    circle around j, as wide as leaves k cells to choose from, and let it hold the cell there that is nearest to i.
    """
    m = mechanism.d**2
    distance = mechanism.distances_from(np.arange(m))
    losses = np.empty((m, m))
    for j in range(m):
        far_first = np.argsort(-distance[j], kind="stable")
        nearest_to_i = np.minimum.accumulate(distance[:, far_first], axis=1)
        gain = distance[j, far_first] - nearest_to_i
        losses[:, j] = mechanism.epsilon * gain[:, mechanism.k - 1 :].max(axis=1)
    null = mechanism.null_probabilities.ravel()
    if null.min() > 0:
        losses = np.maximum(losses, np.log(null)[:, None] - np.log(null)[None, :])
    elif null.max() > 0:
        losses[np.ix_(null > 0, null == 0)] = math.inf
    return losses
