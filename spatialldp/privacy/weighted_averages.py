"""Averages over the reports of SEM-Geo-I, which are far too many to list: weighted uniform subsets.

A set S of k cells is reported with probability P(S) = Σ_x π_x·P(S|x), and P(S|x)·(number of sets) depends on the
distance of x from the nearest cell of S alone. So an average over reports is one over *uniformly* random sets, each
weighted with w(S) = P(S)·(number of sets), plus the null, which is exact. Three things speak for it: the same sets
serve every ε, so a curve over ε is smooth; every sum Σ_x c_x·P(S|x)·(number of sets) has the known mean
Σ_x c_x·(1 − P(null|x)), and a few such sums take most of the variance away (control variates); and no sampler is
involved, so a figure does not depend on how a device draws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from spatialldp.mechanisms import SEMGeoI
from spatialldp.privacy.distances import distance_maps

Array = NDArray[np.float64]

#: Numbers held at once.
_CHUNK = 1_000_000


def subset_average(
    mechanism: SEMGeoI,
    prior: Array,
    figures: Callable[[Array], Array],
    *,
    relative_error: float,
    first_draws: int,
    most_draws: int,
    rng: np.random.Generator,
) -> tuple[Array, Array]:
    """(mean, standard error) of each figure over the reports of people spread as `prior` (d, d)."""
    null = prior * mechanism.null_probabilities
    by_null = figures((null / null.sum())[None])[0] * null.sum() if null.sum() > 0 else 0.0
    weights = _control_weights(prior)
    known = weights.T @ (prior - null).ravel()
    figured: list[Array] = []
    controls: list[Array] = []
    drawn, more = 0, first_draws
    while True:
        for joint in _joint_probabilities(mechanism, prior, more, rng):
            flat = joint.reshape(len(joint), -1)
            weight = flat.sum(axis=1, keepdims=True)
            figured.append(weight * figures(joint / weight[:, :, None]))
            controls.append(flat @ weights)
        drawn += more
        mean, error = _controlled_mean(np.concatenate(figured), np.concatenate(controls), known)
        mean = mean + by_null
        if (error <= relative_error * np.abs(mean)).all() or drawn >= most_draws:
            return mean, error
        more = drawn  # double the number of draws


def _control_weights(prior: Array) -> Array:
    """c_x of the sums with a known mean, (m, 3): 1; the mean distance from everybody, which local privacy follows
    where a report says little; the distance from the best guess without a report, which the best guess then follows.
    """
    d = prior.shape[0]
    mean_distance = distance_maps(prior)
    guess = np.zeros((d, d))
    guess.flat[mean_distance.argmin()] = 1.0
    return np.stack([np.ones(d * d), mean_distance.ravel(), distance_maps(guess).ravel()], axis=1)


def _controlled_mean(values: Array, controls: Array, known: Array) -> tuple[Array, Array]:
    """Mean and standard error of each column of values (n, figures), corrected for what chance did to the controls."""
    off = controls.mean(axis=0)
    centred = values - values.mean(axis=0)
    slope = np.linalg.lstsq(controls - off, centred, rcond=1e-9)[0]
    rest = centred - (controls - off) @ slope
    mean = values.mean(axis=0) - (off - known) @ slope
    n = len(values)
    return mean, np.sqrt((rest**2).sum(axis=0) / max(1, n - 1 - controls.shape[1]) / n)


def _joint_probabilities(mechanism: SEMGeoI, prior: Array, n: int, rng: np.random.Generator) -> Iterator[Array]:
    """π_x·P(S|x)·(number of sets) of uniformly random sets S, (n, d, d), in parts."""
    step = max(1, _CHUNK // mechanism.d**2)
    for start in range(0, n, step):
        sets = uniform_subsets(mechanism.d, mechanism.k, min(step, n - start), rng)
        yield prior * mechanism.subset_likelihood(nearest_distances(sets))


def uniform_subsets(d: int, k: int, n: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """n uniformly random sets of k of the d×d cells, (n, d, d), True for a cell of the set."""
    keys = rng.random((n, d * d))
    if k == d * d:
        return np.ones((n, d, d), dtype=bool)
    # The k smallest keys: where the k-th stands all smaller ones do too.
    return (keys < np.partition(keys, k, axis=1)[:, k, None]).reshape(n, d, d)


def nearest_distances(sets: NDArray[np.bool_]) -> Array:
    """Distance in cells of every cell from the nearest one of the set, (n, d, d); first along y, then along x."""
    n, d, _ = sets.shape
    at = np.arange(d)
    nowhere = 4 * d  # farther than any cell
    before = np.maximum.accumulate(np.where(sets, at, -nowhere), axis=2)
    after = np.minimum.accumulate(np.where(sets, at, at[-1] + nowhere)[:, :, ::-1], axis=2)[:, :, ::-1]
    along = np.minimum(at - before, after - at).astype(np.float64) ** 2
    least = np.full((n, d, d), np.inf)
    for row in range(d):
        np.minimum(least, along[:, row, None, :] + ((at - row) ** 2)[:, None], out=least)
    return np.sqrt(least)
