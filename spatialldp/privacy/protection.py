"""How well one report hides where a person is, by every ruler at once: no single one tells the whole story.

All figures are for an attacker who knows nothing beforehand (a uniform prior) and sees one report.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spatialldp import _validation as validate
from spatialldp.mechanisms import Mechanism
from spatialldp.privacy.distances import distance_maps
from spatialldp.privacy.loss import max_privacy_loss
from spatialldp.privacy.report_averages import Array, average
from spatialldp.privacy.risk import credible_sizes


class Measure(NamedTuple):
    """A ruler by which protection is read.

    Attributes:
        meaning: what it measures, in words.
        unit: "cells", or empty for a bare number.
        larger_is_better: whether a larger value protects better.

    Example:
        >>> from spatialldp.privacy import MEASURES
        >>> MEASURES["hit rate"].meaning
        'how often the likeliest cell after a report is the right one'
        >>> [name for name, measure in MEASURES.items() if measure.larger_is_better]
        ['local privacy', 'best guess distance']
    """

    meaning: str
    unit: str
    larger_is_better: bool


#: Rulers by which mechanisms can be made equal; the first is the paper's.
MEASURES = {
    "local privacy": Measure(
        "mean distance between a person and a guess drawn from what a report makes plausible", "cells", True
    ),
    "best guess distance": Measure("mean distance between a person and the best guess from a report", "cells", True),
    "hit rate": Measure("how often the likeliest cell after a report is the right one", "", False),
    "worst case": Measure("largest privacy loss between any two cells of the map", "", False),
}
LOCAL_PRIVACY, BEST_GUESS, HIT_RATE, WORST_CASE = MEASURES


class Measured(NamedTuple):
    """A value and how sure it is.

    Attributes:
        value: in the unit of what is measured.
        standard_error: of the value, in the same unit; 0 where it is exact.

    Example:
        >>> from spatialldp import DAM
        >>> from spatialldp.privacy import protection
        >>> hit_rate = protection(DAM(epsilon=2.0, d=4)).hit_rate
        >>> round(hit_rate.value, 3), hit_rate.standard_error
        (0.212, 0.0)
    """

    value: float
    standard_error: float


@dataclass(frozen=True)
class Protection:
    """What one report leaves hidden, on average over people spread evenly.

    Attributes:
        local_privacy: mean distance between a person and a guess drawn from what a report makes plausible, in cells.
        guess_distance: mean distance between a person and the best guess from a report, in cells.
        hit_rate: how often the likeliest cell after a report is the right one, 0 to 1.
        credible_cells: mean number of cells that hold 95% of the belief after a report.
        worst_case: largest privacy loss between any two cells, in nats: a report is at most e^worst_case times likelier
            from one place than from another.

    Example:
        >>> from spatialldp import DAM
        >>> from spatialldp.privacy import protection
        >>> found = protection(DAM(epsilon=2.0, d=4))
        >>> found.by("best guess distance") == found.guess_distance
        True
    """

    local_privacy: Measured
    guess_distance: Measured
    hit_rate: Measured
    credible_cells: Measured
    worst_case: float

    def by(self, measure: str) -> Measured:
        """The value that a ruler reads.

        Args:
            measure: its name, one of `MEASURES`.

        Raises:
            ValueError: there is no such ruler.
        """
        return {
            LOCAL_PRIVACY: self.local_privacy,
            BEST_GUESS: self.guess_distance,
            HIT_RATE: self.hit_rate,
            WORST_CASE: Measured(self.worst_case, 0.0),
        }[validate.one_of("measure", measure, tuple(MEASURES))]


@validate.takes(mechanism=Mechanism, rng=(np.random.Generator, type(None)))
def protection(
    mechanism: Mechanism, *, relative_error: float = 0.005, rng: np.random.Generator | None = None
) -> Protection:
    """All figures of a mechanism: exact where the reports can be listed, else simulated.

    Args:
        mechanism: the one that sends the report.
        relative_error: of a simulated figure: its standard error as a share of it.
        rng: draws the simulated reports; None for a fixed seed.

    Returns:
        Every ruler's reading; see `Protection`.

    Raises:
        ValueError: ε is so small that nothing but rounding would be left of a device's reports (Geo-I).

    Example:
        >>> from spatialldp import DAM
        >>> from spatialldp.privacy import protection
        >>> found = protection(DAM(epsilon=2.0, d=4))
        >>> round(found.local_privacy.value, 2), round(found.guess_distance.value, 2), round(found.worst_case, 2)
        (1.73, 1.3, 2.0)
    """
    local, guess, hit, credible = _figures(mechanism, True, relative_error, rng)
    return Protection(local, guess, hit, credible, max_privacy_loss(mechanism))


def averages(mechanism: Mechanism, relative_error: float) -> dict[str, Measured]:
    """The three rulers that are averages over reports, by name, in one go."""
    return dict(zip(MEASURES, _figures(mechanism, False, relative_error, None), strict=False))


def _figures(
    mechanism: Mechanism, with_region: bool, relative_error: float, rng: np.random.Generator | None
) -> list[Measured]:
    def figures(p: Array) -> Array:
        flat = p.reshape(len(p), -1)
        distance = np.maximum(distance_maps(p).reshape(len(p), -1), 0.0)
        columns = [(flat * distance).sum(axis=1), distance.min(axis=1), flat.max(axis=1)]
        return np.stack([*columns, credible_sizes(flat, 0.95)] if with_region else columns, axis=1)

    prior = np.full((mechanism.d, mechanism.d), 1.0 / mechanism.d**2)
    mean, error = average(mechanism, prior, figures, relative_error=relative_error, rng=rng)
    # Without variance rounding leaves an error of 1e-17 or so, which is none.
    return [
        Measured(max(0.0, float(value)), 0.0 if spread <= 1e-12 * value else float(spread))
        for value, spread in zip(mean, error, strict=True)
    ]


def worst_case_loss(mechanism: Mechanism) -> float:
    """`max_privacy_loss`, under the name that programs written for earlier versions call.

    Args:
        mechanism: the one whose devices are looked at.

    Returns:
        The largest loss between any two cells, in nats.

    Raises:
        ValueError: as `max_privacy_loss`.

    Example:
        >>> from spatialldp import DAM
        >>> from spatialldp.privacy import worst_case_loss
        >>> round(worst_case_loss(DAM(epsilon=2.0, d=4)), 6)
        2.0
    """
    return max_privacy_loss(mechanism)
