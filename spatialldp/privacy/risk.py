"""What one report tells an attacker who knows where people usually are, and does the best thing with it."""

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
    """An attacker's success, on average over people and their reports.

    `expected_distance` from the best guess, cells (the guess is the cell with the least expected distance);
    `hit_rate` probability that the likeliest cell is the true one; `credible_cells` mean number of cells that
    hold 95 % of the belief. The `_error`s are standard errors, 0 where the figure is exact.
    `prior_distance` and `prior_hit_rate` are the same without any report: what the attacker knew before.
    """

    expected_distance: float
    hit_rate: float
    credible_cells: float
    expected_distance_error: float
    hit_rate_error: float
    credible_cells_error: float
    prior_distance: float
    prior_hit_rate: float


def risk(
    mechanism: Mechanism,
    prior: ArrayLike | None = None,
    *,
    level: float = 0.95,
    exact: bool | None = None,
    relative_error: float = 0.01,
    rng: np.random.Generator | None = None,
) -> Risk:
    """The success of an attacker with this prior over cells (None: uniform) who sees one report."""
    prior = checked_prior(mechanism, prior)

    def figures(p: Array) -> Array:
        flat = p.reshape(len(p), -1)
        least = distance_maps(p).reshape(len(p), -1).min(axis=1)
        return np.stack([np.maximum(least, 0.0), flat.max(axis=1), credible_sizes(flat, level)], axis=1)

    mean, error = average(mechanism, prior, figures, relative_error=relative_error, exact=exact, rng=rng)
    before = figures(prior[None])[0]
    figures_and_errors = [float(value) for value in (*mean, *error, before[0], before[1])]
    return Risk(*figures_and_errors)


def posterior(mechanism: Mechanism, report: ArrayLike, prior: ArrayLike | None = None) -> Array:
    """What an attacker believes after one report (a row of `randomize`): a distribution over cells, (d, d)."""
    prior = checked_prior(mechanism, prior)
    joint = prior * mechanism.likelihoods(np.atleast_2d(np.asarray(report)))[0].reshape(prior.shape)
    total = joint.sum()
    if total == 0:
        raise ValueError(f"report {report!r} cannot come from {mechanism!r} anywhere the prior allows")
    return joint / total


@dataclass(frozen=True, eq=False)
class Conclusion:
    """What an attacker makes of one report: `belief` (d, d); `region` (d, d), the smallest set of cells that holds 95 %
    of it, of several the one around the guess; `guess` the cell with the least expected distance from the truth, and
    `expected_distance` that distance, cells.
    """

    belief: Array
    region: NDArray[np.bool_]
    guess: tuple[int, int]
    expected_distance: float


def conclusion(
    mechanism: Mechanism, report: ArrayLike, prior: ArrayLike | None = None, *, level: float = 0.95
) -> Conclusion:
    """The belief after one report (a row of `randomize`), its credible region and the best guess."""
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
    """The smallest set of cells that holds at least `level` of a distribution, as a mask of its shape."""
    level = validate.real_number("level", level, above=0.0, at_most=1.0)
    p = validate.non_negative_array("belief", belief)
    flat = p.ravel() / p.sum()
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
    return p / p.sum()
