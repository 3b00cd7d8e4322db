"""Recovery step by step: what an adaptive estimate looks like on its way, and why it stops where it does."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spatialldp.acceleration import accelerated_iterates
from spatialldp.estimation import SPLIT_SEED, log_likelihood, training_parts
from spatialldp.mechanisms.base import CellReportMechanism

Array = NDArray[np.float64]

#: The path goes on beyond the stop by this share of it, and by so many steps at least: how it would get worse is shown.
_BEYOND, _FEWEST_BEYOND = 0.6, 12


@dataclass(frozen=True, eq=False)
class RecoveryPath:
    """All steps from the uniform start, T + 1 of them.

    `distributions` (T+1, d, d) of the fit to all reports; `log_likelihood` (T+1,) its mean per report, nats;
    `held_out` (T+1,) the mean per report of the reports that each of the five other fits does not see, nats;
    `best` the step at which that is highest; `chosen` the step that `estimate` returns.
    """

    distributions: Array
    log_likelihood: Array
    held_out: Array
    best: int
    chosen: int


def recovery_path(mechanism: CellReportMechanism, reports: ArrayLike) -> RecoveryPath:
    """The path of `mechanism.estimate(reports)`, and some steps beyond its end."""
    chosen = mechanism.estimate(reports).iterations
    steps = chosen + max(_FEWEST_BEYOND, math.ceil(_BEYOND * chosen))
    counts = np.asarray(reports, dtype=np.float64)
    # The same splits as the estimate makes when it is given no generator.
    fits = np.concatenate([training_parts(counts, np.random.default_rng(SPLIT_SEED)), counts[None]])
    held_out = counts - fits[:-1]
    distributions, seen, unseen = [], [], []
    for x, log_expected in islice(accelerated_iterates(mechanism.operator, fits), steps + 1):
        distributions.append(x[-1].copy())
        seen.append(log_likelihood(counts, log_expected[-1]) / counts.sum())
        unseen.append(log_likelihood(held_out, log_expected[:-1]) / max(1.0, held_out.sum()))
    return RecoveryPath(np.array(distributions), np.array(seen), np.array(unseen), int(np.argmax(unseen)), chosen)
