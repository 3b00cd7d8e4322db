"""Mechanisms side by side on the same people, each several times."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from spatialldp import _validation as validate
from spatialldp.experiments.calibrated import equal_protection
from spatialldp.experiments.run import make_mechanism
from spatialldp.mechanisms import MECHANISMS, Mechanism
from spatialldp.privacy import Measured, Protection, protection
from spatialldp.privacy.protection import LOCAL_PRIVACY
from spatialldp.wasserstein import wasserstein2_many

DEFAULT_MECHANISMS = ("DAM", "HUEM", "MDSW", "SEM-Geo-I")
DEFAULT_REPEATS = 5


#: Of simulated figures of protection.
_RELATIVE_ERROR = 0.0025


@dataclass(frozen=True)
class Score:
    """One mechanism's errors over repeats. `epsilon` is the one it ran with, per cell for Geo-I; `distribution` is
    what the first repeat recovered; `protection` what one report hides.

    `beyond` is there where no ε′ protects as much as asked, because a jump skips it: the score just above the jump,
    which protects less, while this one lies just below it and protects more. What holds must hold for both. `asked` is
    then what was asked for, by the ruler in use.
    """

    name: str
    epsilon: float
    w2_cells: NDArray[np.float64]
    distribution: NDArray[np.float64]
    seconds: float
    protection: Protection
    beyond: Score | None = None
    asked: Measured | None = None

    @property
    def mean(self) -> float:
        """Mean W2, cells."""
        return float(self.w2_cells.mean())

    @property
    def half_width(self) -> float | None:
        """Half the 95 % interval of the mean (Student's t), cells; None for a single repeat."""
        repeats = self.w2_cells.size
        if repeats < 2:
            return None
        return float(stdtrit(repeats - 1, 0.975) * self.w2_cells.std(ddof=1) / np.sqrt(repeats))

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
    repeats: int = DEFAULT_REPEATS,
    calibrated: bool = True,
    by: str = LOCAL_PRIVACY,
) -> Score:
    """One mechanism with the seeds seed, seed + 1, …; the first is the run that `simulate` gives."""
    repeats = validate.whole_number("repeats", repeats, 1)
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
    recovered = [
        mechanism.estimate(mechanism.perturb(counts, np.random.default_rng(seed + repeat))).distribution
        for repeat in range(repeats)
    ]
    errors = wasserstein2_many(counts, recovered)
    seconds = time.perf_counter() - started
    hidden = protection(mechanism, relative_error=_RELATIVE_ERROR)
    return Score(name, mechanism.epsilon, errors, recovered[0], seconds, hidden)


def compare(
    counts: NDArray[np.int64],
    names: Sequence[str],
    epsilon: float,
    seed: int,
    repeats: int = DEFAULT_REPEATS,
    calibrated: bool = True,
    by: str = LOCAL_PRIVACY,
) -> Iterator[Score]:
    """Scores in the order of `names`, each as soon as it is there."""
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
