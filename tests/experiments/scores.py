"""Scores made by hand."""

import numpy as np

from spatialldp.experiments.comparison import Score
from spatialldp.experiments.usefulness import Usefulness
from spatialldp.privacy import Measured, Protection

HIDDEN = Protection(Measured(5.158, 0), Measured(3.589, 0.01), Measured(0.0411, 0), Measured(176.5, 0), 3.5)


def entry(name: str, error: float, beyond: float | None = None, spread: float = 0.0) -> Score:
    other = None if beyond is None else Score(name, 0.7, _useful([beyond] * 2), np.ones((1, 1)), 0.0, HIDDEN)
    errors = _useful([error - spread, error + spread])
    return Score(name, 0.7, errors, np.ones((1, 1)), 0.0, HIDDEN, other, None if other is None else Measured(5.0, 0))


def scored(name: str, w2: list[float], range_error: list[float], hot_spots: list[float]) -> Score:
    """A score with these figures, one per repeat; of five hot spots."""
    useful = Usefulness(np.array(w2), np.array(range_error), np.array(hot_spots), 5)
    return Score(name, 0.7, useful, np.ones((1, 1)), 0.0, HIDDEN)


def _useful(errors: list[float]) -> Usefulness:
    """These errors, and maps that are equally useful otherwise."""
    return Usefulness(np.array(errors), np.full(len(errors), 0.01), np.full(len(errors), 4.0), 5)
