"""One sweep in this process and in worker processes."""

from __future__ import annotations

from benchmarks.timing import once, print_table, ratio_row
from spatialldp import engines
from spatialldp.experiments.plan import Plan
from spatialldp.experiments.sweep import sweep
from spatialldp.population import Population

CURVES = ("DAM", "HUEM", "MDSW", "SEM-Geo-I")
EPSILONS = (0.5, 1.0, 2.0, 3.5, 5.0, 7.0)


def main() -> list[list[str]]:
    """Print the table; return its lines for the table of ratios."""
    population = Population.of("san-francisco", 15)

    def points(workers: engines.Workers) -> None:
        found = sweep(lambda d: population, Plan(d=15), "epsilon", CURVES, values=EPSILONS, workers=workers)
        assert len(list(found)) == len(CURVES) * len(EPSILONS)

    points(None)  # compiled, calibrated ε read
    alone = once(lambda: points(None))
    table = [["this process", f"{alone:.2f}", "–"]]
    ratios = []
    for workers in sorted({2, engines.available_cores()}):
        with engines.Processes(workers) as processes:
            first, again = once(lambda p=processes: points(p)), once(lambda p=processes: points(p))  # type: ignore[misc]
        table.append([f"{workers} workers", f"{again:.2f}", f"{first:.2f}"])
        ratios.append(
            ratio_row(f"sweep of {len(CURVES) * len(EPSILONS)} points, {workers} workers", again, "this process", alone)
        )
    print_table("engines", ["who", "s", "with their start s"], table)
    return ratios


if __name__ == "__main__":
    main()
