"""What devices draw: time per report, against the random bits alone that a report needs."""

from __future__ import annotations

import numpy as np

from benchmarks.timing import best_of, print_table, ratio_row
from spatialldp import DAM, HUEM, KRR, MDSW, OUE, PlanarLaplace, SEMGeoI
from spatialldp._exact import random_words
from spatialldp.mechanisms import Mechanism

CASES: list[tuple[Mechanism, int]] = [
    (DAM(3.5, 15), 10**6),
    (DAM(0.7, 15), 10**6),
    (DAM(3.5, 50), 10**6),
    (HUEM(2.1, 15), 10**6),
    (KRR(3.5, 15), 10**6),
    (MDSW(3.5, 15), 10**6),
    (OUE(3.5, 8), 50_000),
    (PlanarLaplace(1.0, 15), 10**6),
    (SEMGeoI(3.5, 15), 10**6),
    (SEMGeoI(0.69, 15), 10**6),
    (SEMGeoI(0.1, 15), 50_000),
    (SEMGeoI(3.5, 50), 10**6),
]


def main() -> list[list[str]]:
    """Print the table; return its lines for the table of ratios."""
    table, ratios = [], []
    for mechanism, n in CASES:
        cells = np.random.default_rng(0).integers(0, mechanism.d, (2, n))
        rng = np.random.default_rng(1)
        seeded = best_of(lambda m=mechanism, c=cells, r=rng: m.randomize(c[0], c[1], r), repeats=3)  # type: ignore[misc]
        system = best_of(lambda m=mechanism, c=cells: m.randomize(c[0], c[1]), repeats=3)  # type: ignore[misc]
        words = best_of(lambda n=n: random_words(n, None), repeats=3)  # type: ignore[misc]
        table.append([repr(mechanism), f"{n:,}", f"{seeded / n * 1e9:,.0f}", f"{system / n * 1e9:,.0f}"])
        ratios.append(ratio_row(f"randomize {n:,} reports, {mechanism!r}", system, "one system word each", words))
    print_table("randomize", ["mechanism", "reports", "seeded ns", "system ns"], table)
    return ratios


if __name__ == "__main__":
    main()
