"""Mechanisms side by side on the same people, each several times."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from spatialldp import _validation as validate
from spatialldp.experiments.calibrated import calibrated_epsilon
from spatialldp.experiments.run import make_mechanism
from spatialldp.mechanisms import MECHANISMS, Mechanism
from spatialldp.wasserstein import wasserstein2_many

DEFAULT_MECHANISMS = ("DAM", "HUEM", "MDSW", "SEM-Geo-I")
DEFAULT_REPEATS = 5


@dataclass(frozen=True)
class Score:
    """One mechanism's errors over repeats. `epsilon` is the one it ran with, per cell for Geo-I;
    `distribution` is what the first repeat recovered."""

    name: str
    epsilon: float
    w2_cells: NDArray[np.float64]
    distribution: NDArray[np.float64]
    seconds: float

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


def equal_footing(name: str, epsilon: float, d: int, calibrated: bool) -> Mechanism:
    """The mechanism at this ε; a Geo-I one, if `calibrated`, at the ε′ that protects as much as DAM does at ε."""
    if calibrated and MECHANISMS[name].notion == "Geo-I":
        return make_mechanism(name, calibrated_epsilon(name, epsilon, d), d)
    return make_mechanism(name, epsilon, d)


def score(
    counts: NDArray[np.int64], name: str, epsilon: float, seed: int, repeats: int = DEFAULT_REPEATS,
    calibrated: bool = True,
) -> Score:  # fmt: skip
    """One mechanism with the seeds seed, seed + 1, …; the first is the run that `simulate` gives."""
    repeats = validate.whole_number("repeats", repeats, 1)
    started = time.perf_counter()
    mechanism = equal_footing(name, epsilon, counts.shape[0], calibrated)
    recovered = [
        mechanism.estimate(mechanism.perturb(counts, np.random.default_rng(seed + repeat))).distribution
        for repeat in range(repeats)
    ]
    errors = wasserstein2_many(counts, recovered)
    return Score(name, mechanism.epsilon, errors, recovered[0], time.perf_counter() - started)


def compare(
    counts: NDArray[np.int64], names: Sequence[str], epsilon: float, seed: int, repeats: int = DEFAULT_REPEATS,
    calibrated: bool = True,
) -> Iterator[Score]:  # fmt: skip
    """Scores in the order of `names`, each as soon as it is there."""
    for name in names:
        yield score(counts, name, epsilon, seed, repeats, calibrated)


def best(scores: Sequence[Score]) -> str | None:
    """The name with the least mean error."""
    return min(scores, key=lambda entry: entry.mean).name if scores else None
