"""Averages over reports too many to list: most are drawn evenly and weighted (`Mechanism.weighted_reports`).

A report S is sent with probability P(S) = Σ_x π_x·P(S|x). So an average over reports is one over *evenly* drawn ones,
each weighted with w(S) = P(S)·(their number), plus the few that are summed up exactly. The same draws serve every ε, so
a curve over ε is smooth; and every sum Σ_x c_x·P(S|x)·(their number) has the known mean Σ_x c_x·(1 − Σ P(listed|x)):
a few such sums take most of the variance away (control variates).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from spatialldp.mechanisms import WeightedReports
from spatialldp.privacy.distances import distance_maps

Array = NDArray[np.float64]


def weighted_average(
    reports: WeightedReports,
    prior: Array,
    figures: Callable[[Array], Array],
    *,
    relative_error: float,
    first_draws: int,
    most_draws: int,
    rng: np.random.Generator,
) -> tuple[Array, Array]:
    """(mean, standard error) of each figure over the reports of people spread as `prior` (d, d)."""
    listed = [joint for joint in prior * reports.listed if joint.sum() > 0]
    exact = sum((figures((joint / joint.sum())[None])[0] * joint.sum() for joint in listed), start=np.zeros(1))
    weights = _control_weights(prior)
    known = weights.T @ (prior - sum(listed, start=np.zeros_like(prior))).ravel()
    figured: list[Array] = []
    controls: list[Array] = []
    drawn, more = 0, first_draws
    while True:
        for likelihood in reports.draw(more, rng):
            joint = prior * likelihood
            flat = joint.reshape(len(joint), -1)
            weight = flat.sum(axis=1, keepdims=True)
            figured.append(weight * figures(joint / weight[:, :, None]))
            controls.append(flat @ weights)
        drawn += more
        mean, error = _controlled_mean(np.concatenate(figured), np.concatenate(controls), known)
        mean = mean + exact
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
