"""Scores made by hand."""

import numpy as np

from spatialldp.experiments.comparison import Score
from spatialldp.privacy import Measured, Protection

HIDDEN = Protection(Measured(5.158, 0), Measured(3.589, 0.01), Measured(0.0411, 0), Measured(176.5, 0), 3.5)


def entry(name: str, error: float, beyond: float | None = None, spread: float = 0.0) -> Score:
    errors = np.array([error - spread, error + spread])
    other = None if beyond is None else Score(name, 0.7, np.array([beyond] * 2), np.ones((1, 1)), 0.0, HIDDEN)
    return Score(name, 0.7, errors, np.ones((1, 1)), 0.0, HIDDEN, other, None if other is None else Measured(5.0, 0))
