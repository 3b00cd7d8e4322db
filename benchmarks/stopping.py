"""Quality of the stopping rules: W2 relative to the best iterate of plain EM on the same reports.

The steps of "adaptive" are accelerated, so its t is not comparable with the others, and its W2 may be the lower one.
"""

from __future__ import annotations

import argparse
from itertools import islice, product

import numpy as np

from benchmarks.timing import print_table
from spatialldp import DAM, wasserstein2
from spatialldp.datasets import SYNTHETIC
from spatialldp.estimation import DEFAULT_MAX_ITERATIONS, em_iterates

RULES = ("adaptive", "converged", "paper")
#: Iterations at which W2 is looked at when searching for the best: all at first, then in steps of 8%.
LOOKED_AT = sorted(
    {int(1.08**k) for k in range(105) if int(1.08**k) < DEFAULT_MAX_ITERATIONS} | {0, DEFAULT_MAX_ITERATIONS}
)


def case(name: str, d: int, epsilon: float, people: int, seed: int) -> tuple[float, int, list[tuple[int, float]]]:
    """(best W2, its iteration, [(iterations, W2 / best) of each rule])."""
    recipe = SYNTHETIC[name]
    counts = recipe.grid(d).bin(*recipe.points(seed, people)).counts
    mechanism = DAM(epsilon, d)
    reports = mechanism.perturb(counts, np.random.default_rng(seed))
    iterates = islice(em_iterates(mechanism.operator, reports.astype(float)), DEFAULT_MAX_ITERATIONS + 1)
    wanted = set(LOOKED_AT)
    best, best_iteration = np.inf, 0
    for t, (x, _) in enumerate(iterates):
        if t in wanted:
            error = wasserstein2(counts, x)
            if error < best:
                best, best_iteration = error, t
            if t > 20 * best_iteration + 200:
                break
    results = []
    for rule in RULES:
        estimate = mechanism.estimate(reports, rule)
        results.append((estimate.iterations, wasserstein2(counts, estimate.distribution) / best))
    return best, best_iteration, results


def main(seeds: int = 1) -> None:
    table, ratios = [], []
    for d, name, epsilon, people, seed in product(
        (5, 15, 30), SYNTHETIC, (0.7, 2.1, 5.0, 9.0), (10_000, 100_000), range(1, seeds + 1)
    ):
        best, iteration, results = case(name, d, epsilon, people, seed)
        ratios.append([ratio for _, ratio in results])
        table.append(
            [
                name,
                f"{d}",
                f"{epsilon:g}",
                f"{people:,}",
                f"{best:.3f}",
                f"{iteration}",
                *(f"{ratio:.2f} (t={t})" for t, ratio in results),
            ]
        )
    means = np.exp(np.log(ratios).mean(axis=0))
    worst = np.max(ratios, axis=0)
    table.append(["geometric mean", "", "", "", "", "", *(f"{mean:.3f}" for mean in means)])
    table.append(["worst", "", "", "", "", "", *(f"{value:.2f}" for value in worst)])
    header = ["set", "d", "ε", "users", "best W2", "at t", *RULES]
    print_table("Stopping rules: W2 relative to the best iterate of plain EM on the same reports (DAM)", header, table)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1, help="runs of each case")
    main(parser.parse_args().seeds)
