"""Randomising a population, against a Python loop over users."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.timing import best_of, milliseconds, once, print_table, ratio_row
from spatialldp import DAM
from spatialldp.mechanisms import sam

LOOPED_USERS = 20_000


def loop_seconds_per_user(mechanism: DAM) -> float:
    """The obvious program: for each user, draw from their row of the matrix."""
    matrix = mechanism.transition_matrix()
    cells = np.random.default_rng(0).integers(0, mechanism.d**2, LOOPED_USERS)
    rng = np.random.default_rng(1)

    def loop() -> None:
        reports = np.zeros(mechanism.n_outputs, dtype=int)
        for cell in cells:
            reports[rng.choice(mechanism.n_outputs, p=matrix[cell])] += 1

    return once(loop) / LOOPED_USERS


def with_cost(mechanism: DAM, counts: np.ndarray, users_per_draw: float) -> float:
    """Seconds with one of the two ways of drawing forced (0: multinomials, inf: user by user)."""
    usual = sam._USERS_PER_DRAW
    sam._USERS_PER_DRAW = users_per_draw  # type: ignore[assignment]
    try:
        return best_of(lambda: mechanism.perturb(counts, np.random.default_rng(2)), repeats=2)
    finally:
        sam._USERS_PER_DRAW = usual


def main() -> list[list[str]]:
    """Print the table; return its lines for the table of ratios."""
    table, ratios = [], []
    for d, epsilon in [(15, 3.5), (20, 3.5), (20, 0.7), (50, 3.5)]:
        mechanism = DAM(epsilon, d)
        per_user = loop_seconds_per_user(mechanism)
        for people in (10**4, 10**5, 450_000, 10**6, 10**7):
            counts = np.random.default_rng(0).multinomial(people, np.full(d * d, 1 / d**2)).reshape(d, d)
            multinomials, users = with_cost(mechanism, counts, 0), with_cost(mechanism, counts, math.inf)
            chosen = best_of(lambda m=mechanism, c=counts: m.perturb(c, np.random.default_rng(2)), repeats=2)  # type: ignore[misc]
            table.append([f"{d}", f"{epsilon:g}", f"{people:,}", *map(milliseconds, (multinomials, users, chosen))])
            case = f"perturb {people:,} users, d={d} ε={epsilon:g}"
            ratios.append(ratio_row(case, chosen, "loop over users", per_user * people))
    print_table("perturb", ["d", "ε", "users", "multinomials ms", "by user ms", "chosen ms"], table)
    print(f"(the loop over users below is timed on {LOOPED_USERS:,} of them and scaled)")
    return ratios


if __name__ == "__main__":
    main()
