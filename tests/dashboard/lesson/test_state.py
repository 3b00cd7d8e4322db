"""Which mechanisms the lesson compares."""

import pytest

from spatialldp import MECHANISMS
from tests.dashboard.driving import decks, said, started


@pytest.mark.parametrize("step", range(1, 7))
def test_the_lesson_works_without_geo_i(step, monkeypatch):
    for name in ("SEM-Geo-I", "Planar Laplace"):
        monkeypatch.setattr(MECHANISMS[name], "in_lesson", False)
    app = started("pages/lesson.py", data="new-haven", d="4", step=str(step), repeats="2")
    assert not app.error
    assert "SEM-Geo-I" not in [row for table in app.table for row in table.value.index]


def test_more_mechanisms_than_fit_into_a_row_go_into_the_next(monkeypatch):
    monkeypatch.setattr(MECHANISMS["OUE"], "in_lesson", True)
    monkeypatch.setattr(MECHANISMS["MDSW"], "in_lesson", True)
    app = started("pages/lesson.py", data="new-haven", d="4")
    assert app.table[0].value.index.tolist() == ["DAM", "MDSW", "OUE", "SEM-Geo-I", "Planar Laplace"]
    assert len(decks(app)) == 5
    assert "DAM, MDSW and OUE promise local differential privacy (LDP)" in said(app)
