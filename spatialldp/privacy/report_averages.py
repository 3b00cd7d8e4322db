"""Averages over all reports a mechanism can make: exact where they can be listed, else by simulation."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from spatialldp import _validation as validate
from spatialldp.mechanisms import Mechanism
from spatialldp.privacy.weighted_averages import weighted_average

Array = NDArray[np.float64]
#: Maps the posteriors of some reports, (n, d, d), to figures of each report, (n, figures).
Figures = Callable[[Array], Array]

#: Numbers held at once while going through reports.
_CHUNK = 2_000_000
#: Beyond this many matrix entries a simulation to half a percent is quicker than the exact sum.
LARGEST_EXACT = 6_000_000
_FIRST_DRAWS, _MOST_DRAWS = 400, 409_600


def average(
    mechanism: Mechanism,
    prior: Array,
    figures: Figures,
    *,
    relative_error: float,
    exact: bool | None = None,
    reports: int = 1,
    most_draws: int = _MOST_DRAWS,
    rng: np.random.Generator | None = None,
) -> tuple[Array, Array]:
    """(mean, standard error) of each figure over the reports of people spread as `prior` (d, d).

    `figures` must not depend on a rotation or reflection of the map. `exact` None sums over all reports where there
    are few enough; otherwise reports are drawn, with the fixed seed unless `rng` is given, until every standard error
    is within `relative_error` of its mean. With more than one of `reports` per person, all of the same place, they are
    always drawn: the lists of reports are too many.
    """
    relative_error = validate.real_number("relative_error", relative_error, above=0.0, at_most=1.0)
    if rng is not None:
        validate.generator(rng)
    if exact if exact is not None else reports == 1 and _entries(mechanism, prior) <= LARGEST_EXACT:
        total = sum((weight @ figures(p) for p, weight in _all_posteriors(mechanism, prior)), start=np.zeros(1))
        return total, np.zeros_like(total)
    rng = np.random.default_rng(0) if rng is None else rng
    weighted = mechanism.weighted_reports()
    # Where people crowd, evenly drawn reports would mostly miss them.
    if reports == 1 and weighted is not None and prior.min() == prior.max():
        return weighted_average(
            weighted,
            prior,
            figures,
            relative_error=relative_error,
            first_draws=_FIRST_DRAWS,
            most_draws=most_draws,
            rng=rng,
        )
    sums = squares = np.zeros(1)
    drawn, more = 0, _FIRST_DRAWS
    while True:
        for p in _drawn_posteriors(mechanism, prior, more, reports, rng):
            values = figures(p)
            sums, squares = sums + values.sum(axis=0), squares + (values**2).sum(axis=0)
        drawn += more
        mean = sums / drawn
        error = np.sqrt(np.maximum(squares / drawn - mean**2, 0.0) / (drawn - 1))
        if (error <= relative_error * np.abs(mean)).all() or drawn >= most_draws:
            return mean, error
        more = drawn  # double the number of draws


def _entries(mechanism: Mechanism, prior: Array) -> float:
    """How many probabilities an exact sum goes through."""
    if mechanism.lists_reports:
        mirrored = mechanism.mirror_symmetric and _is_symmetric(prior)
        return mechanism.d**2 * mechanism.n_outputs / (8 if mirrored else 1)
    return mechanism.d**2 * mechanism.n_outputs if mechanism.has_matrix() else np.inf


def _is_symmetric(prior: Array) -> bool:
    """Whether the prior looks the same from all four sides and in a mirror."""
    return np.array_equal(prior, prior.T) and np.array_equal(prior, prior[::-1])


def _all_posteriors(mechanism: Mechanism, prior: Array) -> Iterator[tuple[Array, Array]]:
    """Posteriors (n, d, d) and probabilities (n,) of all reports, in parts; one of each kind of mirror images."""
    listed = mechanism.listed_reports(_is_symmetric(prior))
    step = max(1, _CHUNK // mechanism.d**2)
    if listed is not None:
        parts = (
            (mechanism.likelihoods(listed.reports[start : start + step]), listed.images[start : start + step])
            for start in range(0, len(listed.reports), step)
        )
    else:
        matrix = mechanism.transition_matrix()
        parts = ((matrix[:, start : start + step].T, np.ones(1)) for start in range(0, matrix.shape[1], step))
    for likelihood, images in parts:
        joint = prior.ravel() * likelihood
        weight = joint.sum(axis=1)
        kept = weight > 0
        posterior = joint[kept] / weight[kept, None]
        yield posterior.reshape(-1, mechanism.d, mechanism.d), (weight * images)[kept]


def _drawn_posteriors(
    mechanism: Mechanism, prior: Array, n: int, reports: int, rng: np.random.Generator
) -> Iterator[Array]:
    """Posteriors (n, d, d) of people spread as the prior who send some reports each, in parts."""
    step = max(1, _CHUNK // mechanism.d**2)
    for start in range(0, n, step):
        size = min(step, n - start)
        cells = rng.choice(mechanism.d**2, size=size, p=prior.ravel())
        joint = np.broadcast_to(prior.ravel(), (size, prior.size))
        for _ in range(reports):
            sent = mechanism.randomize(cells // mechanism.d, cells % mechanism.d, rng)
            joint = joint * mechanism.likelihoods(sent)
            # Each time, so that many small factors do not vanish.
            joint /= joint.sum(axis=1, keepdims=True)
        yield joint.reshape(-1, mechanism.d, mechanism.d)
