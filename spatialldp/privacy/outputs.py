"""Averages over all reports a mechanism can make: exact where they can be listed, else by simulation."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from spatialldp.mechanisms import Mechanism

Array = NDArray[np.float64]
#: Maps the posteriors of some reports, (n, d, d), to figures of each report, (n, figures).
Figures = Callable[[Array], Array]

#: Numbers held at once while going through reports.
_CHUNK = 2_000_000
#: Beyond this many matrix entries a simulation to half a percent is quicker than the exact sum.
LARGEST_EXACT = 5_000_000
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

    `exact` None sums over all reports where there are few enough; otherwise reports are drawn, with the fixed seed
    unless `rng` is given, until every standard error is within `relative_error` of its mean. With more than one of
    `reports` a person, all of the same place, they are always drawn: the lists of reports are too many.
    """
    listed = reports == 1 and mechanism.has_matrix() and mechanism.d**2 * mechanism.n_outputs <= LARGEST_EXACT
    if exact if exact is not None else listed:
        total = sum((weight @ figures(p) for p, weight in _all_posteriors(mechanism, prior)), start=np.zeros(1))
        return total, np.zeros_like(total)
    rng = np.random.default_rng(0) if rng is None else rng
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


def _all_posteriors(mechanism: Mechanism, prior: Array) -> Iterator[tuple[Array, Array]]:
    """Posteriors (n, d, d) and probabilities (n,) of all reports, in parts."""
    joint = prior.ravel()[:, None] * mechanism.transition_matrix()
    step = max(1, _CHUNK // joint.shape[0])
    for start in range(0, joint.shape[1], step):
        part = joint[:, start : start + step].T
        weight = part.sum(axis=1)
        part, weight = part[weight > 0], weight[weight > 0]
        yield (part / weight[:, None]).reshape(-1, mechanism.d, mechanism.d), weight


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
