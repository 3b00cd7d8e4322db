"""ε′ of the Geo-I mechanisms that protect as much as DAM, ready to use for the usual ε and d.

A search takes seconds on large grids, so the usual values ship in calibrated.json, made by
`python -m spatialldp.experiments.calibrated` (a quarter of an hour); any other pair is searched for when asked.
"""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor
from functools import cache, lru_cache
from pathlib import Path

from spatialldp.mechanisms import DAM, MECHANISMS
from spatialldp.privacy import calibrate

_FILE = Path(__file__).with_name("calibrated.json")
#: Steps of the page's slider on the grids most used, half steps and the paper's values on others.
_FINE = tuple(step / 10 for step in range(5, 91))
_COARSE = tuple(sorted({*(step / 2 for step in range(1, 19)), 0.7, 1.4, 2.1, 2.8}))
USUAL = {d: _FINE if d <= 15 else _COARSE for d in (2, 3, 4, 5, 8, 10, 12, 15, 20, 25, 30)}
GEO_I = tuple(name for name, kind in MECHANISMS.items() if kind.notion == "Geo-I")


def calibrated_epsilon(mechanism: str, epsilon: float, d: int) -> float:
    """ε′, per cell, at which `mechanism` (a Geo-I one of MECHANISMS) has the local privacy of DAM(epsilon, d)."""
    stored = _table().get(mechanism, {}).get(str(d), {}).get(_key(epsilon))
    return stored if stored is not None else _searched(mechanism, epsilon, d)


def is_stored(mechanism: str, epsilon: float, d: int) -> bool:
    """Whether `calibrated_epsilon` answers at once."""
    return _key(epsilon) in _table().get(mechanism, {}).get(str(d), {})


@cache
def _table() -> dict[str, dict[str, dict[str, float]]]:
    table: dict[str, dict[str, dict[str, float]]] = json.loads(_FILE.read_text("utf-8"))
    return table


def _key(epsilon: float) -> str:
    return f"{epsilon:.10g}"


@lru_cache(maxsize=512)
def _searched(mechanism: str, epsilon: float, d: int) -> float:
    return calibrate(MECHANISMS[mechanism], to=DAM(epsilon, d)).epsilon


def _entry(task: tuple[str, int, float]) -> float:
    mechanism, d, epsilon = task
    return _searched(mechanism, epsilon, d)


def main() -> None:
    """Search for every usual pair and write the table."""
    tasks = [(name, d, epsilon) for name in GEO_I for d, budgets in USUAL.items() for epsilon in budgets]
    table: dict[str, dict[str, dict[str, float]]] = {}
    with ProcessPoolExecutor() as pool:
        for done, ((name, d, epsilon), found) in enumerate(zip(tasks, pool.map(_entry, tasks), strict=True), 1):
            # All digits: rounding could step over a jump of the subset size.
            table.setdefault(name, {}).setdefault(str(d), {})[_key(epsilon)] = found
            print(f"{done}/{len(tasks)}  {name} d={d} ε={epsilon:g}: ε′={found:.5f}", flush=True)
    _FILE.write_text(json.dumps(table, indent=0) + "\n", "utf-8")


if __name__ == "__main__":
    main()
