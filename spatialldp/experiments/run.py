"""One run: perturb, recover, measure."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spatialldp import _validation as validate
from spatialldp.estimation import Estimate
from spatialldp.mechanisms import Mechanism
from spatialldp.wasserstein import wasserstein2


@dataclass(frozen=True)
class Run:
    """What happened to one population. `w2_cells` is the error of the recovered map, in cells."""

    counts: NDArray[np.int64]
    reports: Any
    estimate: Estimate
    w2_cells: float
    seconds: float


def simulate(counts: NDArray[np.int64], mechanism: Mechanism, seed: int) -> Run:
    """Randomise every person of `counts` (d, d), recover the map and compare; one seed, one result."""
    rng = np.random.default_rng(validate.whole_number("seed", seed, 0))
    started = time.perf_counter()
    reports = mechanism.perturb(counts, rng)
    estimate = mechanism.estimate(reports)
    error = wasserstein2(counts, estimate.distribution)
    return Run(counts, reports, estimate, error, time.perf_counter() - started)
