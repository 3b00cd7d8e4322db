"""What several reports of one person, all about the same place, give away. Budgets add up: k reports cost k·ε."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from spatialldp import _validation as validate
from spatialldp.mechanisms import Mechanism
from spatialldp.privacy.distances import distance_maps
from spatialldp.privacy.report_averages import Array, average
from spatialldp.privacy.risk import checked_prior

#: Up to this many matrix entries the exact sum over reports takes a moment; beyond it simulation is as good.
_LARGEST_EXACT = 400_000
#: Reports that are large sets of cells take long to draw; beyond this many people the standard error says the rest.
_MOST_PEOPLE = 1_600


@dataclass(frozen=True)
class RepeatedRisk:
    """The success of two attackers who know the prior and see `reports` reports of one person about one place.

    Distances in cells. The best-guess attacker names the cell with the least expected distance
    (`guess_distance`) or, to be right as often as possible, the likeliest cell (`hit_rate`). The sampling attacker
    draws a cell from what the reports make plausible, as the paper's local privacy assumes (`sampling_distance`,
    `sampling_hit_rate`). The `_error`s are standard errors, 0 where a figure is exact; `prior_…` is what the
    best-guess attacker reaches without any report. `budget` is the ε spent in all.
    """

    reports: int
    budget: float
    guess_distance: float
    hit_rate: float
    sampling_distance: float
    sampling_hit_rate: float
    guess_distance_error: float
    hit_rate_error: float
    sampling_distance_error: float
    sampling_hit_rate_error: float
    prior_distance: float
    prior_hit_rate: float


def repeated_risk(
    mechanism: Mechanism,
    reports: int = 1,
    prior: ArrayLike | None = None,
    *,
    relative_error: float = 0.01,
    most_people: int = _MOST_PEOPLE,
    rng: np.random.Generator | None = None,
) -> RepeatedRisk:
    """The risk from `reports` independent reports of one place, for people spread as the prior (None: uniform).

    One report on a small grid is summed up exactly. Otherwise people and their reports are drawn, the likelihoods
    of a person's reports multiplied, and the expected success read from each posterior, until the standard errors
    are within `relative_error` or `most_people` have been drawn.
    """
    reports = validate.whole_number("reports", reports, 1)
    believed = checked_prior(mechanism, prior)

    def figures(p: Array) -> Array:
        flat = p.reshape(len(p), -1)
        distances = np.maximum(distance_maps(p), 0.0).reshape(len(p), -1)
        return np.stack(
            [distances.min(axis=1), flat.max(axis=1), (flat * distances).sum(axis=1), (flat**2).sum(axis=1)], axis=1
        )

    small = reports == 1 and mechanism.has_matrix() and mechanism.d**2 * mechanism.n_outputs <= _LARGEST_EXACT
    mean, error = average(
        mechanism,
        believed,
        figures,
        relative_error=relative_error,
        exact=small,
        reports=reports,
        most_draws=most_people,
        rng=rng,
    )
    before = figures(believed[None])[0]
    return RepeatedRisk(
        reports, reports * mechanism.epsilon, *(float(value) for value in (*mean, *error, before[0], before[1]))
    )
