"""Time to the adaptive answer, against plain EM run to the same held-out likelihood: `python -m benchmarks.recovery`.

Plain EM gets the same operators and splits. "oracle s" is its time when told the iteration to stop at: where its
held-out likelihood reaches that of the accelerated fits, or at its own best where it never gets as high. "plain s" is
its time when it has to find out by itself, looking on for max(50, 0.3·t) iterations. Where 3,000 iterations do not
suffice for either, the ratios are lower bounds (>). Seconds are of the processor (it all runs on one core), so that
a busy machine does not distort the ratios. A few minutes for all sizes.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from benchmarks.timing import print_table
from spatialldp import DAM, wasserstein2
from spatialldp.acceleration import accelerated_iterates
from spatialldp.datasets import dataset
from spatialldp.estimation import (
    DEFAULT_MAX_ITERATIONS,
    LAST_STEPS,
    PLAIN_PACE,
    SPLIT_SEED,
    em_iterates,
    log_likelihood,
    training_parts,
)
from spatialldp.mechanisms import SAM

BUDGETS = (0.5, 1.0, 2.1, 3.5, 5.0, 9.0)


@dataclass(frozen=True)
class PlainRecovery:
    """Plain EM stopped by held-out reports; the seconds are those of the splits and the fit to all reports."""

    distribution: NDArray[np.float64]
    held_out_iterations: int
    seconds: float
    oracle_seconds: float
    capped: bool


def splits(reports: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The splits the adaptive rule uses: training parts and held-out parts, (SPLITS, …) each."""
    training = training_parts(reports.astype(float), np.random.default_rng(SPLIT_SEED))
    return training, reports - training


def plain_recovery(mechanism: SAM, reports: NDArray[np.int64], level: float = math.inf) -> PlainRecovery:
    """Plain EM to the iteration at which the held-out likelihood reaches `level`, or its own best."""
    training, held_out = splits(reports)
    best, best_score, oracle = 0, -math.inf, 0.0
    started = time.process_time()
    for t, (_, expected) in enumerate(em_iterates(mechanism.operator, training)):
        score = log_likelihood(held_out, np.log(expected))
        if best_score < min(score, level):
            best, best_score, oracle = t, score, time.process_time() - started
        patience = max(PLAIN_PACE.patience, PLAIN_PACE.patience_share * best)
        if t - best >= patience or t == DEFAULT_MAX_ITERATIONS:
            break
    searched = time.process_time() - started
    started = time.process_time()
    answer = min(round(PLAIN_PACE.stretch * best) + LAST_STEPS, DEFAULT_MAX_ITERATIONS)
    x, _ = next(islice(em_iterates(mechanism.operator, reports.astype(float)), answer, None))
    fitted = time.process_time() - started
    return PlainRecovery(x, best, searched + fitted, oracle + fitted, best == DEFAULT_MAX_ITERATIONS)


def held_out_level(mechanism: SAM, reports: NDArray[np.int64], iterations: int) -> float:
    """The best held-out likelihood among the first accelerated iterates."""
    training, held_out = splits(reports)
    path = islice(accelerated_iterates(mechanism.operator, training), iterations + 1)
    return max(log_likelihood(held_out, log_expected) for _, log_expected in path)


def adaptive_seconds(mechanism: SAM, reports: NDArray[np.int64]) -> float:
    started = time.process_time()
    mechanism.estimate(reports)
    return time.process_time() - started


def row(counts: NDArray[np.int64], epsilon: float) -> list[str]:
    mechanism = DAM(epsilon, len(counts))
    reports = mechanism.perturb(counts, np.random.default_rng(0))
    estimate = mechanism.estimate(reports)
    seconds = statistics.median(adaptive_seconds(mechanism, reports) for _ in range(3))
    plain = plain_recovery(mechanism, reports, held_out_level(mechanism, reports, estimate.iterations))
    at_least = "> " * plain.capped
    return [
        f"{mechanism.d}",
        f"{epsilon:g}",
        f"{mechanism.b}",
        f"{plain.held_out_iterations}",
        f"{estimate.iterations}",
        f"{plain.oracle_seconds:.3f}",
        f"{plain.seconds:.3f}",
        f"{seconds:.3f}",
        f"{at_least}{plain.oracle_seconds / seconds:.1f}×",
        f"{at_least}{plain.seconds / seconds:.1f}×",
        f"{wasserstein2(counts, plain.distribution):.3f}",
        f"{wasserstein2(counts, estimate.distribution):.3f}",
    ]


def main(data: str = "san-francisco", sides: tuple[int, ...] = (15, 50, 100)) -> None:
    chosen = dataset(data)
    points = chosen.load()
    table = []
    for d in sides:
        counts = chosen.grid(d).bin(points.x, points.y).counts
        table += [row(counts, epsilon) for epsilon in BUDGETS]
    header = [
        "d",
        "ε",
        "b",
        "plain t",
        "adaptive t",
        "oracle s",
        "plain s",
        "adaptive s",
        "oracle/adaptive",
        "plain/adaptive",
        "plain W2",
        "adaptive W2",
    ]
    print_table(f"Recovery: DAM, {int(counts.sum()):,} users of the set '{data}'", header, table)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="san-francisco", help="id of a data set")
    parser.add_argument("--d", type=int, nargs="*", default=(15, 50, 100), help="cells per side")
    arguments = parser.parse_args()
    main(arguments.data, tuple(arguments.d))
