"""The whole run, perturb + estimate + W2, against the obvious program: a loop over users and a dense matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.perturb import loop_seconds_per_user
from benchmarks.recovery import plain_recovery
from benchmarks.timing import best_of, milliseconds, print_table, ratio_row
from spatialldp import DAM, wasserstein2
from spatialldp.datasets import SYNTHETIC
from spatialldp.estimation import PLAIN_PACE, SPLITS
from spatialldp.wasserstein import warm_up

PEOPLE = 100_000
#: Beyond this the obvious program takes minutes or its matrix does not fit.
LARGEST_OBVIOUS_D = 20


def obvious_seconds(mechanism: DAM, reports: NDArray[np.int64], w2_seconds: float) -> float:
    """A loop over users, then plain EM by the dense matrix, stopped by held-out reports too, then W2."""
    matrix = mechanism.transition_matrix()
    x = np.full(mechanism.d**2, 1 / mechanism.d**2)
    y = np.ones(mechanism.n_outputs)

    def iteration() -> None:
        x * (matrix @ (y / (x @ matrix)))

    best = plain_recovery(mechanism, reports).held_out_iterations
    searched = best + max(PLAIN_PACE.patience, PLAIN_PACE.patience_share * best)
    steps = SPLITS * searched + PLAIN_PACE.stretch * best
    return loop_seconds_per_user(mechanism) * PEOPLE + best_of(iteration) * steps + w2_seconds


def main() -> list[list[str]]:
    """Print the table; return its lines for the table of ratios."""
    table, ratios = [], []
    recipe = SYNTHETIC["normal"]
    points = recipe.points(0, PEOPLE)
    warm_up()  # load the solver before the clock starts
    for d in (5, 15, 20, 50, 100):
        counts = recipe.grid(d).bin(*points).counts
        mechanism = DAM(3.5, d)
        reports = mechanism.perturb(counts, np.random.default_rng(0))
        estimate = mechanism.estimate(reports)
        perturb = best_of(lambda m=mechanism, c=counts: m.perturb(c, np.random.default_rng(0)), repeats=3)  # type: ignore[misc]
        recover = best_of(lambda m=mechanism, r=reports: m.estimate(r), repeats=3)  # type: ignore[misc]
        error = best_of(lambda c=counts, e=estimate: wasserstein2(c, e.distribution), repeats=3)  # type: ignore[misc]
        total = perturb + recover + error
        obvious = obvious_seconds(mechanism, reports, error) if d <= LARGEST_OBVIOUS_D else None
        table.append(
            [f"{d}", f"{mechanism.b}", f"{estimate.iterations}", *map(milliseconds, (perturb, recover, error, total))]
        )
        ratios.append(ratio_row(f"perturb + estimate + W2, d={d}", total, "loop and dense matrix", obvious))
    header = ["d", "b", "iterations", "perturb ms", "estimate ms", "W2 ms", "total ms"]
    print_table(f"End to end: DAM, ε = 3.5, {PEOPLE:,} users of the set 'normal'", header, table)
    return ratios


if __name__ == "__main__":
    main()
