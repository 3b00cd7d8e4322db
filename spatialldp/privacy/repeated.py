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
#: Reports that are large sets of cells take long to draw; from this many people on, the standard error says how sure
#: the figure is.
_MOST_PEOPLE = 1_600
#: Nobody waits for more.
_MOST_DRAWN = 10**7


@dataclass(frozen=True)
class RepeatedRisk:
    """The success of two attackers who know the prior and see several reports of one person about one place.

    The best-guess attacker names the cell with the least expected distance or, to be right as often as possible, the
    likeliest cell. The sampling attacker draws a cell from what the reports make plausible, as the paper's local
    privacy assumes. Standard errors are 0 where a figure is exact.

    Attributes:
        reports: how many reports the attackers see.
        budget: the ε spent in all.
        guess_distance: mean distance of the best guess from the person, in cells.
        hit_rate: how often the likeliest cell is the right one, 0 to 1.
        sampling_distance: mean distance of a drawn guess from the person, in cells.
        sampling_hit_rate: how often a drawn guess is right, 0 to 1.
        guess_distance_error: standard error of `guess_distance`, in cells.
        hit_rate_error: standard error of `hit_rate`.
        sampling_distance_error: standard error of `sampling_distance`, in cells.
        sampling_hit_rate_error: standard error of `sampling_hit_rate`.
        prior_distance: `guess_distance` without any report, in cells.
        prior_hit_rate: `hit_rate` without any report.

    Example:
        >>> from spatialldp import DAM
        >>> from spatialldp.privacy import repeated_risk
        >>> found = repeated_risk(DAM(epsilon=2.0, d=4))
        >>> round(found.prior_hit_rate, 2), round(found.sampling_hit_rate, 2), round(found.hit_rate, 2)
        (0.06, 0.12, 0.21)
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


@validate.takes(mechanism=Mechanism, rng=(np.random.Generator, type(None)))
def repeated_risk(
    mechanism: Mechanism,
    reports: int = 1,
    prior: ArrayLike | None = None,
    *,
    relative_error: float = 0.01,
    most_people: int = _MOST_PEOPLE,
    rng: np.random.Generator | None = None,
) -> RepeatedRisk:
    """The risk from several independent reports of one person about one place.

    One report on a small grid is summed up exactly. Otherwise people and their reports are drawn, the likelihoods
    of a person's reports multiplied, and the expected success read from each posterior.

    Args:
        mechanism: the one that sends the reports.
        reports: how many, 1 to 1,000.
        prior: how people are spread, (d, d), as shares or counts; None for evenly.
        relative_error: enough people are drawn once every standard error is below this share of its figure.
        most_people: the most people to draw.
        rng: draws people and reports; None for a fixed seed.

    Returns:
        The success of two attackers; see `RepeatedRisk`.

    Raises:
        ValueError: `reports` is not a whole number from 1 to 1,000, or `prior` has another shape, is all zero, or holds
            a negative or infinite number or NaN.

    Example:
        >>> from spatialldp import DAM
        >>> from spatialldp.privacy import repeated_risk
        >>> once, thrice = (repeated_risk(DAM(epsilon=2.0, d=4), reports) for reports in (1, 3))
        >>> thrice.budget, thrice.hit_rate > once.hit_rate, thrice.guess_distance < once.guess_distance
        (6.0, True, True)
    """
    reports = validate.reports_per_person(reports)
    most_people = validate.limited("most_people", most_people, 1, _MOST_DRAWN, "a smaller relative error takes long")
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
    # Reports make no best guess worse: what chance says beyond that is cut off.
    mean = np.array([min(mean[0], before[0]), max(mean[1], before[1]), *mean[2:]])
    return RepeatedRisk(
        reports, reports * mechanism.epsilon, *(float(value) for value in (*mean, *error, before[0], before[1]))
    )
