"""Calls with odd arguments are many, and what they compute is beside the point: the fine grid need not be fine."""

import pytest

from spatialldp.experiments import map_error


@pytest.fixture(autouse=True)
def a_coarse_fine_grid(monkeypatch):
    monkeypatch.setattr(map_error, "quick_side", lambda: 12)
