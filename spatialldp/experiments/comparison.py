"""Mechanisms side by side on the same people, each several times."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from spatialldp.experiments import defaults
from spatialldp.experiments.calibrated import equal_protection
from spatialldp.experiments.repeats import half_width_of_mean, repeated
from spatialldp.experiments.run import make_mechanism
from spatialldp.mechanisms import MECHANISMS, Mechanism
from spatialldp.privacy import Measured, Protection, protection
from spatialldp.privacy.protection import LOCAL_PRIVACY

#: Of simulated figures of protection.
_RELATIVE_ERROR = 0.0025


@dataclass(frozen=True)
class Score:
    """One mechanism's errors over repeats, and what one of its reports hides.

    Where no ε′ protects as much as required, because a jump skips it, there are two scores: this one lies just below
    the jump and protects more, `beyond` just above it and protects less. A claim must hold for both.

    >>> counts = np.arange(25).reshape(5, 5) * 40
    >>> jumped = score(counts, "SEM-Geo-I", 2.2, seed=4, repeats=2)  # no ε′ has the local privacy of DAM at 2.2
    >>> [side.protection.local_privacy.value for side in jumped.sides], jumped.asked.value
    ([2.20, 1.88], 2.16)
    """

    name: str
    """Name of the mechanism, a key of MECHANISMS."""
    epsilon: float
    """The ε it ran with; per cell for Geo-I."""
    w2_cells: NDArray[np.float64]
    """Error of each repeat, (repeats,), cells."""
    distribution: NDArray[np.float64]
    """What the first repeat recovered, (d, d), sums to 1."""
    seconds: float
    """How long the repeats took."""
    protection: Protection
    """What one report hides, by every ruler."""
    beyond: Score | None = None
    """The score just above the jump; None where there is none."""
    asked: Measured | None = None
    """The protection required, by the ruler in use; None where there is no jump."""

    @property
    def mean(self) -> float:
        """Mean W2, cells."""
        return float(self.w2_cells.mean())

    @property
    def half_width(self) -> float | None:
        """Half the 95 % interval of the mean (Student's t), cells; None for a single repeat."""
        return half_width_of_mean(self.w2_cells) if self.w2_cells.size > 1 else None

    @property
    def sides(self) -> tuple[Score, ...]:
        """This score, and the one beyond the jump where there is one."""
        return (self,) if self.beyond is None else (self, self.beyond)


def equal_footing(name: str, epsilon: float, d: int, calibrated: bool, by: str = LOCAL_PRIVACY) -> Mechanism:
    """The mechanism at this ε; a Geo-I one, if `calibrated`, at the ε′ that protects as much as DAM does at ε, by the
    ruler `by`, or where a jump skips that, at the largest that protects more."""
    return both_sides(name, epsilon, d, calibrated, by)[0]


def both_sides(name: str, epsilon: float, d: int, calibrated: bool, by: str = LOCAL_PRIVACY) -> list[Mechanism]:
    """The same, followed by the mechanism just above the jump where there is one."""
    if not calibrated or MECHANISMS[name].notion != "Geo-I":
        return [make_mechanism(name, epsilon, d)]
    found = equal_protection(name, epsilon, d, by)
    return [make_mechanism(name, side, d) for side in found if side is not None]


def score(
    counts: NDArray[np.int64],
    name: str,
    epsilon: float,
    seed: int,
    repeats: int = defaults.REPEATS,
    calibrated: bool = True,
    by: str = LOCAL_PRIVACY,
) -> Score:
    """One mechanism with the seeds seed, seed + 1, …; the first is the run that `simulate` gives.

    Args:
        counts: people per cell, (d, d).
        name: of the mechanism, a key of MECHANISMS.
        epsilon: privacy budget; what it means for a Geo-I mechanism depends on `calibrated`.
        seed: of the first repeat.
        repeats: how often it runs.
        calibrated: a Geo-I mechanism runs at the ε′ that protects as much as DAM does at ε; False: at ε per cell.
        by: the ruler of that, one of `privacy.MEASURES`.

    Raises:
        ValueError: the mechanism is unknown, or ε or the number of repeats is not a number in its range.

    >>> found = score(np.arange(25).reshape(5, 5) * 40, "DAM", 3.5, seed=4, repeats=3)
    >>> found.mean, found.half_width  # cells
    (0.25, 0.04)
    """
    here, *past = (
        score_of(counts, name, mechanism, seed, repeats)
        for mechanism in both_sides(name, epsilon, counts.shape[0], calibrated, by)
    )
    if not past:
        return here
    asked = protection(make_mechanism("DAM", epsilon, counts.shape[0]), relative_error=_RELATIVE_ERROR).by(by)
    return replace(here, beyond=past[0], asked=asked)


def score_of(counts: NDArray[np.int64], name: str, mechanism: Mechanism, seed: int, repeats: int) -> Score:
    """The score of a mechanism as it is."""
    started = time.perf_counter()
    found = repeated(counts, mechanism, seed, repeats)
    seconds = time.perf_counter() - started
    hidden = protection(mechanism, relative_error=_RELATIVE_ERROR)
    return Score(name, mechanism.epsilon, found.w2_cells, found.first, seconds, hidden)


def compare(
    counts: NDArray[np.int64],
    names: Sequence[str],
    epsilon: float,
    seed: int,
    repeats: int = defaults.REPEATS,
    calibrated: bool = True,
    by: str = LOCAL_PRIVACY,
) -> Iterator[Score]:
    """Scores in the order of `names`, each as soon as it is there; the arguments are those of `score`.

    >>> counts = np.arange(25).reshape(5, 5) * 40
    >>> scores = list(compare(counts, ["DAM", "MDSW"], 3.5, seed=4, repeats=3))
    >>> best(scores)
    'DAM'
    """
    for name in names:
        yield score(counts, name, epsilon, seed, repeats, calibrated, by)


def best(scores: Sequence[Score]) -> str | None:
    """The name with the least mean error, on either side of every jump; None where the side decides."""
    names = contenders(scores)
    return names[0] if len(names) == 1 else None


def contenders(scores: Sequence[Score]) -> list[str]:
    """The names that may have the least mean error, depending on the sides of jumps; the likeliest first."""
    if not scores:
        return []
    bar = min(max(side.mean for side in entry.sides) for entry in scores)
    sure = min(scores, key=lambda entry: max(side.mean for side in entry.sides))
    others = [entry.name for entry in scores if entry is not sure and min(side.mean for side in entry.sides) < bar]
    return [sure.name, *others]


def alike(scores: Sequence[Score]) -> list[str]:
    """The winner of `best` and those with the very same errors, such as HUEM where its rings make it DAM."""
    winner = next((entry for entry in scores if entry.name == best(scores)), None)
    if winner is None:
        return []
    return [entry.name for entry in scores if np.array_equal(entry.w2_cells, winner.w2_cells) and not entry.beyond] or [
        winner.name
    ]
