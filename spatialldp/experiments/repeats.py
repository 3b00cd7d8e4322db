"""The same measurement with several seeds, and what the spread of its results says about the next one.

Intervals are Student's t at 95 %.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from spatialldp import _validation as validate
from spatialldp.mechanisms import Mechanism
from spatialldp.wasserstein import wasserstein2_many

Array = NDArray[np.float64]

#: Upper end of a two-sided 95 % interval.
_QUANTILE = 0.975


class Repeats(NamedTuple):
    """One collection, simulated with several seeds."""

    w2_cells: Array
    """Error of each recovered map against the map of everybody, (repeats,), cells."""
    first: Array
    """What the first seed recovered, (d, d), sums to 1."""


def repeated(
    counts: NDArray[np.int64], mechanism: Mechanism, seed: int, repeats: int, users: int | None = None
) -> Repeats:
    """Randomise the people of `counts` (d, d) and recover their map with the seeds seed, seed + 1, …

    `users` how many of them take part, None for everybody; the first seed then gives the run of `simulate`. Each
    recovered map is compared with the map of *all* people, so a sample pays for being one.
    """
    recovered = []
    for number in range(seed, seed + validate.whole_number("repeats", repeats, 1)):
        taking_part = participants(counts, users, np.random.default_rng([number, 2]))
        reports = mechanism.perturb(taking_part, np.random.default_rng(number))
        recovered.append(mechanism.estimate(reports).distribution)
    return Repeats(wasserstein2_many(counts, recovered), recovered[0])


def participants(counts: NDArray[np.int64], users: int | None, rng: np.random.Generator) -> NDArray[np.int64]:
    """`users` people of this map (d, d): fewer than there are is a random sample; more is everybody several times and a
    sample for the rest; None is everybody."""
    everybody = int(counts.sum())
    if users is None or users == everybody:
        return counts
    times, rest = divmod(validate.whole_number("users", users, 1), everybody)
    sample = rng.multivariate_hypergeometric(counts.ravel(), rest, method="marginals").reshape(counts.shape)
    return times * counts + sample


def half_width_of_mean(values: Array) -> float:
    """Half the 95 % interval of the mean of `values` (n,); infinite for a single one, which says nothing."""
    return _half_width(values, 1 / values.size)


def half_width_of_next(values: Array) -> float:
    """Half the range around the mean of `values` (n,) in which one further value lies with 95 %; infinite likewise."""
    return _half_width(values, 1 + 1 / values.size)


def _half_width(values: Array, variance: float) -> float:
    """`variance` of the deviation in question, in variances of one value."""
    if values.size < 2:
        return math.inf
    return float(stdtrit(values.size - 1, _QUANTILE) * (values.std(ddof=1) * math.sqrt(variance)))
