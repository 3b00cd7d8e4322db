"""`import spatialldp` is quick: what takes long to load is loaded where it is used.

`import scipy` is cheap and its submodules load on first use (`scipy.optimize.brentq(…)`), whereas
`from scipy.optimize import brentq` at the top of a module makes every user wait for it.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

HEAVY = (
    "streamlit",
    "pandas",
    "pyarrow",
    "duckdb",
    "ot",
    "numba",
    "joblib",
    "PIL",
    "altair",
    "matplotlib",
    "scipy.fft",
    "scipy.integrate",
    "scipy.linalg",
    "scipy.ndimage",
    "scipy.optimize",
    "scipy.sparse",
    "scipy.special",
    "scipy.stats",
)


def modules_after(statement: str) -> set[str]:
    code = f"{statement}\nimport json, sys\nprint(json.dumps(list(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


@pytest.mark.parametrize(
    "statement", ["import spatialldp", "from spatialldp import *", "from spatialldp import DAM, Grid, wasserstein2"]
)
def test_importing_the_library_loads_nothing_heavy(statement):
    loaded = modules_after(statement)
    assert "spatialldp.mechanisms.dam" in loaded
    assert loaded.isdisjoint(HEAVY), sorted(loaded.intersection(HEAVY))


def test_every_public_name_is_there_and_listed():
    import spatialldp

    for name in spatialldp.__all__:
        assert getattr(spatialldp, name) is not None
        assert name in dir(spatialldp)
