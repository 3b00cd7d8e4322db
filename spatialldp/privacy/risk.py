"""What one report tells an attacker who knows where people usually are and makes the best of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spatialldp import _validation as validate
from spatialldp.mechanisms import Mechanism
from spatialldp.privacy.distances import distance_maps
from spatialldp.privacy.report_averages import average

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Risk:
    """An attacker's success, on average over people and their reports. Standard errors are 0 where a figure is exact.

    Attributes:
        expected_distance: from the person to the best guess, the cell with the least expected distance, in cells.
        hit_rate: probability that the likeliest cell is the true one.
        credible_cells: mean number of cells that hold 95% of the belief.
        expected_distance_error: standard error of `expected_distance`, in cells.
        hit_rate_error: standard error of `hit_rate`.
        credible_cells_error: standard error of `credible_cells`, in cells.
        prior_distance: `expected_distance` without any report: what the attacker knew before.
        prior_hit_rate: `hit_rate` without any report.

    Example:
        >>> from spatialldp import DAM
        >>> from spatialldp.privacy import risk
        >>> found = risk(DAM(epsilon=2.0, d=4))
        >>> round(found.prior_distance, 2), round(found.expected_distance, 2), found.expected_distance_error
        (1.59, 1.3, 0.0)
    """

    expected_distance: float
    hit_rate: float
    credible_cells: float
    expected_distance_error: float
    hit_rate_error: float
    credible_cells_error: float
    prior_distance: float
    prior_hit_rate: float


@validate.takes(mechanism=Mechanism, exact=(bool, type(None)), rng=(np.random.Generator, type(None)))
def risk(
    mechanism: Mechanism,
    prior: ArrayLike | None = None,
    *,
    level: float = 0.95,
    exact: bool | None = None,
    relative_error: float = 0.01,
    rng: np.random.Generator | None = None,
) -> Risk:
    """The success of an attacker who knows how people are spread and sees one report.

    Args:
        mechanism: the one that sends the report.
        prior: how people are spread, (d, d), as shares or counts; None for evenly.
        level: the share of the belief that `credible_cells` counts cells for, above 0 and at most 1.
        exact: whether to sum over all reports; None does where they are few enough, and simulates elsewhere.
        relative_error: of a simulated figure: its standard error as a share of it.
        rng: draws the simulated reports; None for a fixed seed.

    Returns:
        The attacker's success, with and without the report; see `Risk`.

    Raises:
        ValueError: `prior` has another shape, is all zero, or holds a negative or infinite number or NaN; `level` or
            `relative_error` is not a number in its range; or `exact` is True, but the reports are too many to list.

    Example:
        >>> from spatialldp import DAM
        >>> from spatialldp.privacy import risk
        >>> found = risk(DAM(epsilon=2.0, d=2), prior=[[6, 3], [1, 0]])
        >>> found.prior_hit_rate, round(found.hit_rate, 3)
        (0.6, 0.769)
    """
    prior = checked_prior(mechanism, prior)
    level = validate.real_number("level", level, above=0.0, at_most=1.0)

    def figures(p: Array) -> Array:
        flat = p.reshape(len(p), -1)
        least = distance_maps(p).reshape(len(p), -1).min(axis=1)
        return np.stack([np.maximum(least, 0.0), flat.max(axis=1), credible_sizes(flat, level)], axis=1)

    mean, error = average(mechanism, prior, figures, relative_error=relative_error, exact=exact, rng=rng)
    before = figures(prior[None])[0]
    figures_and_errors = [float(value) for value in (*mean, *error, before[0], before[1])]
    return Risk(*figures_and_errors)


@validate.takes(mechanism=Mechanism)
def posterior(mechanism: Mechanism, report: ArrayLike, prior: ArrayLike | None = None) -> Array:
    """What an attacker believes after one report.

    Args:
        mechanism: the one that sent the report.
        report: one row of `randomize`.
        prior: how people are spread, (d, d), as shares or counts; None for evenly.

    Returns:
        A distribution over cells, (d, d), [ix, iy].

    Raises:
        ValueError: `prior` has another shape, is all zero, or holds a negative or infinite number or NaN; or the report
            is not one that the mechanism sends, or has probability 0 from everywhere that the prior allows.

    Example:
        >>> from spatialldp import DAM
        >>> from spatialldp.privacy import posterior
        >>> posterior(DAM(epsilon=2.0, d=2, b=0), report=[0, 0]).round(2).tolist()
        [[0.71, 0.1], [0.1, 0.1]]
    """
    prior = checked_prior(mechanism, prior)
    try:
        rows = np.atleast_2d(np.asarray(report))
    except ValueError:  # Lists of different lengths.
        rows = np.empty((0, 0))
    if len(rows) != 1:
        raise ValueError(f"report must be one row of randomize, got {len(rows)}")
    joint = prior * mechanism.likelihoods(rows)[0].reshape(prior.shape)
    total = joint.sum()
    if total == 0:
        raise ValueError(f"report {report!r} cannot come from {mechanism!r} anywhere the prior allows")
    return joint / total


@dataclass(frozen=True, eq=False)
class Conclusion:
    """What an attacker makes of one report.

    Attributes:
        belief: a distribution over cells, (d, d), [ix, iy].
        region: bool (d, d), the smallest set of cells that holds 95% of the belief; of several, the one around the
            guess.
        guess: the cell (ix, iy) with the least expected distance from the truth.
        expected_distance: that distance, in cells.

    Example:
        >>> from spatialldp import PlanarLaplace
        >>> from spatialldp.privacy import conclusion
        >>> conclusion(PlanarLaplace(epsilon=2.0, d=3), report=[0, 0]).region.astype(int).tolist()
        [[1, 1, 1], [1, 1, 0], [1, 0, 0]]
    """

    belief: Array
    region: NDArray[np.bool_]
    guess: tuple[int, int]
    expected_distance: float


@validate.takes(mechanism=Mechanism)
def conclusion(
    mechanism: Mechanism, report: ArrayLike, prior: ArrayLike | None = None, *, level: float = 0.95
) -> Conclusion:
    """The belief after one report, its credible region and the best guess.

    Args:
        mechanism: the one that sent the report.
        report: one row of `randomize`.
        prior: how people are spread, (d, d), as shares or counts; None for evenly.
        level: the share of the belief that the region holds, above 0 and at most 1.

    Returns:
        What the attacker makes of the report; see `Conclusion`.

    Raises:
        ValueError: as `posterior`, or `level` is not a number in its range.

    Example:
        >>> from spatialldp import PlanarLaplace
        >>> from spatialldp.privacy import conclusion
        >>> found = conclusion(PlanarLaplace(epsilon=2.0, d=3), report=[0, 0])
        >>> found.guess, round(found.expected_distance, 2)
        ((0, 0), 0.58)
    """
    belief = posterior(mechanism, report, prior)
    distance = distance_maps(belief)
    ix, iy = divmod(int(distance.argmin()), mechanism.d)
    level = validate.real_number("level", level, above=0.0, at_most=1.0)
    # Where cells are equally likely there are many smallest regions; the one around the guess is the easiest to read.
    x, y = np.meshgrid(np.arange(mechanism.d), np.arange(mechanism.d), indexing="ij")
    away = ((x - ix) ** 2 + (y - iy) ** 2).ravel()
    flat = belief.ravel()
    order = np.lexsort((away, -np.round(flat / flat.max(), 12)))
    region = np.zeros(flat.size, dtype=bool)
    region[order[: credible_sizes(flat[None], level)[0]]] = True
    return Conclusion(belief, region.reshape(belief.shape), (ix, iy), max(0.0, float(distance[ix, iy])))


def credible_region(belief: ArrayLike, level: float = 0.95) -> NDArray[np.bool_]:
    """The smallest set of cells that holds a given share of a distribution.

    Args:
        belief: shares or counts per cell, of any shape; scaled to total 1.
        level: the least share to hold, above 0 and at most 1.

    Returns:
        bool, of the shape of `belief`, True for the cells of the set.

    Raises:
        ValueError: `level` is not a number in its range, or `belief` is all zero or holds a negative or infinite number
            or NaN.

    Example:
        >>> from spatialldp.privacy import credible_region
        >>> credible_region([[0.6, 0.3], [0.06, 0.04]]).tolist()
        [[True, True], [True, False]]
    """
    level = validate.real_number("level", level, above=0.0, at_most=1.0)
    p = validate.non_negative_array("belief", belief)
    flat = validate.shares(p).ravel()
    order = np.argsort(-flat, kind="stable")
    region = np.zeros(flat.size, dtype=bool)
    region[order[: credible_sizes(flat[None], level)[0]]] = True
    return region.reshape(p.shape)


def credible_sizes(flat: Array, level: float) -> NDArray[np.int64]:
    """Least number of cells that hold `level` of each row, (n, m) → (n,)."""
    held = np.cumsum(-np.sort(-flat, axis=1), axis=1)
    return np.minimum((held < level - 1e-12).sum(axis=1) + 1, flat.shape[1])


def checked_prior(mechanism: Mechanism, prior: ArrayLike | None) -> Array:
    """The prior as a distribution (d, d); uniform for None."""
    shape = (mechanism.d, mechanism.d)
    if prior is None:
        return np.full(shape, 1.0 / mechanism.d**2)
    p = validate.non_negative_array("prior", prior, shape, " (belief or people per cell, [ix, iy])")
    return validate.shares(p)
