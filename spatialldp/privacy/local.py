"""Local privacy: how far off an attacker is who guesses by drawing from what a report makes plausible."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spatialldp import _validation as validate
from spatialldp.mechanisms import Mechanism
from spatialldp.privacy.distances import mean_pair_distance
from spatialldp.privacy.report_averages import average


class LocalPrivacy(NamedTuple):
    """How far off an attacker is who guesses at random from what a report makes plausible.

    Attributes:
        value: local privacy, in cells.
        standard_error: of the value, in cells; 0 where it is exact.

    Example:
        >>> from spatialldp.privacy import LocalPrivacy
        >>> value, standard_error = LocalPrivacy(1.73, 0.0)
        >>> value
        1.73
    """

    value: float
    standard_error: float


@validate.takes(mechanism=Mechanism, exact=(bool, type(None)), rng=(np.random.Generator, type(None)))
def local_privacy(
    mechanism: Mechanism,
    *,
    exact: bool | None = None,
    relative_error: float = 0.005,
    rng: np.random.Generator | None = None,
) -> LocalPrivacy:
    """LP: the mean distance between a uniformly placed person and a guess drawn from the posterior.

    All reports count, a null included.

    Args:
        mechanism: the one that sends the report.
        exact: whether to sum over all reports; None does where they are few enough, and simulates elsewhere.
        relative_error: of a simulated value: its standard error as a share of it.
        rng: draws the simulated reports; None for a fixed seed.

    Returns:
        The mean distance and its standard error, in cells.

    Raises:
        ValueError: `exact` is True, but the reports are too many to list.

    Example:
        >>> from spatialldp import DAM
        >>> from spatialldp.privacy import local_privacy
        >>> value, standard_error = local_privacy(DAM(epsilon=2.0, d=4))
        >>> round(value, 3), standard_error
        (1.73, 0.0)
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
