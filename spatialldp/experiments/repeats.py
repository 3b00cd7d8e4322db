"""The same measurement with several seeds, and what the spread of its results says about the next one.

Intervals are Student's t at 95%.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from spatialldp import _validation as validate
from spatialldp.experiments.run import checked_mask
from spatialldp.experiments.usefulness import Usefulness, usefulness
from spatialldp.mechanisms import Mechanism

Array = NDArray[np.float64]

#: Upper end of a two-sided 95% interval.
_QUANTILE = 0.975
#: Beyond this, squares leave a double.
_LARGEST = 1e150


class Repeats(NamedTuple):
    """One collection, simulated with several seeds.

    Attributes:
        usefulness: of each recovered map, against the map of everybody: W2 and what else it is good for.
        first: what the first seed recovered, (d, d), sums to 1.

    Example:
        >>> from spatialldp import DAM
        >>> from spatialldp.experiments.repeats import repeated
        >>> from spatialldp.population import Population
        >>> found = repeated(Population.of("new-haven", d=6).counts, DAM(epsilon=3.5, d=6), seed=1, repeats=3)
        >>> found.w2_cells.shape, found.first.shape
        ((3,), (6, 6))
    """

    usefulness: Usefulness
    first: Array

    @property
    def w2_cells(self) -> Array:
        """Error of each recovered map against the map of everybody, (repeats,), in cells."""
        return self.usefulness.w2_cells


@validate.takes(mechanism=Mechanism)
def repeated(
    counts: NDArray[np.int64],
    mechanism: Mechanism,
    seed: int,
    repeats: int,
    users: int | None = None,
    mask: NDArray[np.bool_] | None = None,
) -> Repeats:
    """Randomise people and recover their map with the seeds seed, seed + 1, …

    Each recovered map is compared with the map of *all* people, so a sample pays for being one. With everybody the
    first seed gives the run of `simulate`.

    Args:
        counts: people per cell, (d, d).
        mechanism: what their devices run; it must have the same d.
        seed: the first one; a whole number ≥ 0.
        repeats: how many seeds, 1 to 10,000.
        users: how many people take part; None for everybody.
        mask: bool (d, d), False for cells that the analyst believes to be empty; None where every cell is possible.

    Returns:
        The error of each repeat, and what the first recovered.

    Raises:
        ValueError: the counts do not fit the mechanism, a number is out of range, or the mechanism cannot use the mask.

    Example:
        >>> from spatialldp import DAM
        >>> from spatialldp.experiments.repeats import repeated
        >>> from spatialldp.population import Population
        >>> counts, mechanism = Population.of("new-haven", d=6).counts, DAM(epsilon=3.5, d=6)
        >>> round(float(repeated(counts, mechanism, seed=1, repeats=5).w2_cells.mean()), 2)
        0.38
        >>> round(float(repeated(counts, mechanism, seed=1, repeats=5, users=200).w2_cells.mean()), 2)
        0.66
    """
    mask = checked_mask(mechanism, mask)
    seed = validate.seed(seed)
    seeds = range(seed, seed + validate.repeats(repeats))
    maps = [recovered(counts, mechanism, number, users, mask) for number in seeds]
    return Repeats(usefulness(counts, maps), maps[0])


@validate.takes(mechanism=Mechanism)
def recovered(
    counts: NDArray[np.int64],
    mechanism: Mechanism,
    seed: int,
    users: int | None = None,
    mask: NDArray[np.bool_] | None = None,
) -> Array:
    """The map that one simulated collection recovers.

    Args:
        counts: people per cell, (d, d).
        mechanism: what their devices run; it must have the same d.
        seed: of all draws, a whole number ≥ 0.
        users: how many people take part; None for everybody.
        mask: bool (d, d), False for cells that the analyst believes to be empty; None where every cell is possible.

    Returns:
        The share of all people in each cell, (d, d).

    Raises:
        ValueError: as `repeated`.

    Example:
        >>> from spatialldp import DAM
        >>> from spatialldp.experiments.repeats import recovered
        >>> from spatialldp.population import Population
        >>> counts = Population.of("new-haven", d=6).counts
        >>> round(float(recovered(counts, DAM(epsilon=3.5, d=6), seed=1).sum()), 6)
        1.0
    """
    settings: dict[str, Any] = {} if mask is None else {"mask": mask}
    seed = validate.seed(seed)
    taking_part = participants(counts, users, np.random.default_rng([seed, 2]))
    reports = mechanism.perturb(taking_part, np.random.default_rng(seed))
    found: Array = mechanism.estimate(reports, **settings).distribution
    return found


@validate.takes(rng=np.random.Generator)
def participants(counts: NDArray[np.int64], users: int | None, rng: np.random.Generator) -> NDArray[np.int64]:
    """So many people of a map: a random sample, or everybody several times and a sample for the rest.

    Args:
        counts: everybody, per cell, (d, d).
        users: how many take part; None for everybody.
        rng: draws the sample.

    Returns:
        Those who take part, per cell, (d, d).

    Raises:
        ValueError: `users` is not a whole number from 1 to 2⁵³, or `counts` is all zero or holds anything but whole
            numbers ≥ 0.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments.repeats import participants
        >>> everybody, rng = np.array([[6, 2], [0, 2]]), np.random.default_rng(1)
        >>> participants(everybody, 5, rng).tolist()
        [[3, 1], [0, 1]]
        >>> participants(everybody, 20, rng).tolist()
        [[12, 4], [0, 4]]
    """
    counts = validate.square_counts("counts", counts)
    everybody = int(counts.sum())
    if users is None or (type(users) is int and users == everybody):
        return counts
    times, rest = divmod(validate.people("users", users), everybody)
    sample = rng.multivariate_hypergeometric(counts.ravel(), rest, method="marginals").reshape(counts.shape)
    return times * counts + sample


def half_width_of_mean(values: Array, least_spread: float = 0.0) -> float:
    """Half the 95% interval of a mean (Student's t).

    Args:
        values: the measurements, (n,).
        least_spread: a standard deviation that they have at least, whatever they say: 0 to 1e150, in their unit.

    Returns:
        Half the width, in the unit of the values; infinite for a single one, which says nothing.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments.repeats import half_width_of_mean
        >>> round(half_width_of_mean(np.array([1.0, 2.0, 3.0])), 3)
        2.484
    """
    values = validate.real_array("values", values)
    if not validate.is_zero(least_spread):
        least_spread = validate.real_number("least_spread", least_spread, above=0.0, at_most=_LARGEST)
    return _half_width(values, 1 / values.size, least_spread)


def half_width_of_next(values: Array) -> float:
    """Half the range around a mean in which one further measurement lies with 95% (Student's t).

    Args:
        values: the measurements, (n,).

    Returns:
        Half the width, in the unit of the values; infinite for a single one, which says nothing.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments.repeats import half_width_of_next
        >>> round(half_width_of_next(np.array([1.0, 2.0, 3.0])), 3)
        4.968
    """
    values = validate.real_array("values", values)
    return _half_width(values, 1 + 1 / values.size)


def _half_width(values: Array, variance: float, least_spread: float = 0.0) -> float:
    """`variance` of the deviation in question, in variances of one value."""
    if values.size < 2:
        return math.inf
    # Squares of what is larger are beyond a double.
    unit = 1.0 if np.abs(values).max() < _LARGEST else 1e200
    spread = max((values / unit).std(ddof=1), least_spread / unit)
    return float(stdtrit(values.size - 1, _QUANTILE) * (spread * math.sqrt(variance))) * unit
