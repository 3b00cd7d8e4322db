"""How long `import spatialldp` takes: `python -m benchmarks.import_time [OTHER-CHECKOUT]`.

Each import is a new process; two checkouts take turns, so that a busy moment of the computer hits both.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from statistics import median

from benchmarks.timing import RATIO_HEADER, print_table, ratio_row

REPEATS = 10
HERE = Path(__file__).resolve().parents[1]

_CODE = "import time; started = time.perf_counter(); {}; print(time.perf_counter() - started)"


def seconds(checkout: Path, statement: str) -> float:
    """Seconds that the statement takes in a new process started in a checkout."""
    command = [sys.executable, "-c", _CODE.format(statement)]
    return float(subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=True).stdout)


def main(other: Path | None = None) -> list[list[str]]:
    """Print the medians of some cold imports, ours against numpy alone and against another checkout."""
    cases = {"import spatialldp": (HERE, "import spatialldp"), "numpy alone": (HERE, "import numpy")}
    if other is not None:
        cases[str(other)] = (other, "import spatialldp")
    for case in cases.values():
        seconds(*case)  # The first one also compiles and fills the disk cache.
    taken: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(REPEATS):
        for name, case in cases.items():
            taken[name].append(seconds(*case))
    ours, *others = (median(found) for found in taken.values())
    names = list(cases)[1:]
    rows = [ratio_row("import spatialldp", ours, name, theirs) for name, theirs in zip(names, others, strict=True)]
    print_table(f"Import time, medians of {REPEATS}", RATIO_HEADER, rows)
    return rows


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None)
