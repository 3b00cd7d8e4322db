"""Local privacy: how far off an attacker is who guesses by drawing from what a report makes plausible."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spatialldp.mechanisms import Mechanism
from spatialldp.privacy.distances import mean_pair_distance
from spatialldp.privacy.report_averages import average


class LocalPrivacy(NamedTuple):
    """Local privacy in cells; `standard_error` is 0 where it is exact."""

    value: float
    standard_error: float


def local_privacy(
    mechanism: Mechanism,
    *,
    exact: bool | None = None,
    relative_error: float = 0.005,
    rng: np.random.Generator | None = None,
) -> LocalPrivacy:
    """LP: the mean distance in cells between a uniformly placed person and a guess drawn from the posterior.

    Exact where the reports can be listed (`exact=None`), by simulation to `relative_error` otherwise. All reports
    count, a null included.
    """
    prior = np.full((mechanism.d, mechanism.d), 1.0 / mechanism.d**2)
    value, error = average(
        mechanism,
        prior,
        lambda p: mean_pair_distance(p)[:, None],
        relative_error=relative_error,
        exact=exact,
        rng=rng,
    )
    return LocalPrivacy(max(0.0, float(value[0])), float(error[0]))
