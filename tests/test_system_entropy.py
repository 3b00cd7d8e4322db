"""Everything that a device draws comes from the operating system: with the same bytes it sends the same reports."""

import random

import numpy as np
import pytest

from spatialldp import MECHANISMS, _exact
from spatialldp.oracles import OptimizedLocalHashing, OptimizedUnaryEncoding, RandomizedResponse, SquareWave

PEOPLE = 200
CELLS = np.divmod(np.arange(PEOPLE) % 25, 5)
DEVICES = {
    **{name: lambda kind=kind: kind(1.0, 5).randomize(*CELLS) for name, kind in MECHANISMS.items()},
    # Large sets are drawn in another way.
    "SEM-Geo-I with large sets": lambda: MECHANISMS["SEM-Geo-I"](1.0, 5, 18).randomize(*CELLS),
    **{
        kind.__name__: lambda kind=kind: kind(1.0, 25).randomize(CELLS[0] * 5 + CELLS[1])
        for kind in (OptimizedLocalHashing, OptimizedUnaryEncoding, RandomizedResponse, SquareWave)
    },
}


@pytest.mark.parametrize("name", DEVICES)
def test_the_same_bytes_of_the_system_give_the_same_reports_and_others_do_not(name, monkeypatch):
    def reports(seed: int) -> list:
        monkeypatch.setattr(_exact.os, "urandom", random.Random(seed).randbytes)
        return DEVICES[name]().tolist()

    assert reports(1) == reports(1)
    assert reports(1) != reports(2)
