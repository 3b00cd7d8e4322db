"""How it works, without a browser: kernels, recovery, slips of the paper."""

import numpy as np
import pytest

from spatialldp import DAM, DAMNS, HUEM
from spatialldp.experiments import population
from spatialldp.paper import SLIPS
from spatialldp.recovery_path import recovery_path
from spatialldp.wasserstein import wasserstein2
from tests.dashboard.driving import said, started, value_of

HOW = "pages/how_it_works.py"


@pytest.mark.parametrize("part", ["recovery", "paper"])
def test_an_empty_box_is_said(part):
    app = started(HOW, box="-122.9,37.2,-122.8,37.3", part=part)
    assert "Nobody is in this box" in said(app)
    assert app.button(key="whole-again")


def test_a_fine_grid_is_coarsened_and_that_is_said():
    assert "at most 20 × 20 cells" in said(started(HOW, d="60", eps="9"))


def test_the_kernels_carry_the_numbers_of_the_library():
    app = started(HOW, d="15", eps="2", b="4")
    for kind in (DAM, DAMNS, HUEM):
        mechanism = kind(2.0, 15, 4)
        assert f"**{mechanism.kernel.sum():.4f}** cells" in said(app)
        assert f"q = **{mechanism.q:.3g}**" in said(app)
    assert f"**{DAM(2.0, 15, 4).n_outputs:,}** cells" in said(app)
    # DAM with b = 4: 49 whole cells, counted by hand on squared paper.
    assert "49 high cells" in said(app)
    app.button(key="best").click().run()
    assert app.slider(key="b-on-15").value == DAM(2.0, 15).b


@pytest.mark.parametrize(
    ("d", "eps", "b"), [("1", "0.5", None), ("20", "0.5", "40"), ("15", "9", "0"), ("6", "3.5", None)]
)
@pytest.mark.parametrize("part", ["kernel", "recovery", "paper"])
def test_the_ends_of_the_sliders_work(part, d, eps, b):
    app = started(HOW, part=part, d=d, eps=eps, data="new-haven", **({} if b is None else {"b": b}))
    assert not app.error


def test_the_recovery_shows_the_librarys_path():
    app = started(HOW, part="recovery", data="new-haven", d="8", seed="2")
    counts = population("new-haven", 8).binned.counts
    mechanism = DAM(3.5, 8)
    path = recovery_path(mechanism, mechanism.perturb(counts, np.random.default_rng(2)))
    assert value_of(app, "Chosen step") == str(path.chosen)
    error = wasserstein2(counts, path.distributions[path.chosen])
    assert value_of(app, "Error at the chosen step") == f"{error:.3f} cells"


def test_every_slip_is_on_the_page():
    app = started(HOW, part="paper", d="5")
    assert len(app.table) == len(SLIPS)
    first = app.table[0].value
    assert first.loc["privacy loss at ε = 3.5, b = 3"].tolist() == ["3.5846", "3.5000"]
    assert "computed now" in said(app)


def test_an_unknown_part_in_the_link_is_ignored():
    app = started(HOW, part="nothing", d="4")
    assert "Ignored part = “nothing” in the link" in said(app)
    assert app.button_group(key="part").value == "kernel"
