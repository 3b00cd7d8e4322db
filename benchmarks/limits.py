"""What the largest settings cost that are not refused: seconds and memory of making and of recovery.

    python -m benchmarks.limits

Each in a process of its own; memory is what it has at its peak beyond what it had with the packages.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Any

import numpy as np

from benchmarks.memory import forget_peak, peak
from benchmarks.timing import print_table

#: Name of the mechanism, d and b.
LARGEST = (("DAM", 512, 512), ("Planar Laplace", 512, None), ("SEM-Geo-I", 100, None), ("MDSW", 1_024, None))
PEOPLE_PER_CELL = 4
#: Every step takes the same memory; on the finest grids all of them would take minutes.
STEPS = 5


def measure(name: str, d: int, b: int | None) -> dict[str, float]:
    """Seconds and megabytes of this mechanism on d×d cells, in this process."""
    from spatialldp.estimation import EMOptions
    from spatialldp.experiments import make_mechanism

    counts = np.full((d, d), PEOPLE_PER_CELL)
    make_mechanism(name, 3.5, 3).perturb(np.full((3, 3), 5), np.random.default_rng(0))
    forget_peak()
    before, started = peak(), time.perf_counter()
    mechanism = make_mechanism(name, 3.5, d, b)
    reports = mechanism.perturb(counts, np.random.default_rng(0))
    made, made_peak = time.perf_counter() - started, peak() - before
    started = time.perf_counter()
    mechanism.estimate(reports, EMOptions(max_iterations=STEPS) if mechanism.uses_em else None)
    return {"made": made, "made_mb": made_peak, "recovered": time.perf_counter() - started, "mb": peak() - before}


def main() -> None:
    if sys.argv[1:2] == ["--measure"]:
        name, d, b = LARGEST[int(sys.argv[2])]
        print(json.dumps(measure(name, d, b)))
        return
    rows: list[list[Any]] = []
    for position, (name, d, b) in enumerate(LARGEST):
        command = [sys.executable, "-m", "benchmarks.limits", "--measure", str(position)]
        found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        rows.append(
            [
                name,
                f"{d:,}",
                "–" if b is None else f"{b:,}",
                f"{found['made']:.1f}",
                f"{found['made_mb'] / 2**10:.1f}",
                f"{found['recovered']:.1f}",
                f"{found['mb'] / 2**10:.1f}",
            ]
        )
    header = ["mechanism", "d", "b", "reports, s", "GB so far", f"recovery ({STEPS} steps of EM), s", "GB at most"]
    print_table("The largest settings", header, rows)


if __name__ == "__main__":
    main()
