"""How it works, without a browser: kernels, recovery, slips of the paper."""

import numpy as np
import pytest

from spatialldp import DAM, DAMNS, HUEM
from spatialldp.dashboard.how_it_works.recovery import why_chosen
from spatialldp.experiments import population
from spatialldp.paper import SLIPS
from spatialldp.recovery_path import RecoveryPath, recovery_path
from spatialldp.wasserstein import wasserstein2
from tests.dashboard.driving import radius_of, said, started, value_of

HOW = "pages/how_it_works.py"


def legend_of(app, name: str) -> str:
    """What stands below the drawing of a mechanism."""
    pieces = [html.proto.body for html in app.get("html")]
    drawing = next(place for place, body in enumerate(pieces) if f'alt="{name[:-1]} with radius' in body)
    return pieces[drawing + 1]


@pytest.mark.parametrize("part", ["recovery", "paper"])
def test_an_empty_box_is_said(part):
    app = started(HOW, box="-122.9,37.2,-122.8,37.3", part=part)
    assert "Nobody is in this area" in said(app)
    assert app.button(key="whole-again")


def test_a_fine_grid_is_coarsened_and_that_is_said():
    assert "at most 20 × 20 cells" in said(started(HOW, d="60", eps="9"))


def test_the_kernels_carry_the_numbers_of_the_library():
    app = started(HOW, d="15", eps="2", b="4")
    for kind in (DAM, DAMNS, HUEM):
        mechanism = kind(2.0, 15, 4)
        assert f"**{mechanism.kernel.sum():.4f}** high ones" in said(app)
        assert f"q = **{mechanism.q:.3g}**" in said(app)
    assert f"**{DAM(2.0, 15, 4).n_outputs:,}** cells" in said(app)
    # DAM with b = 4: 49 whole cells, counted by hand on squared paper.
    assert "49 high<" in legend_of(app, "DAM:")
    # Low cells go on beyond the drawing: no number of them would be that of the cells that are seen.
    assert "all others low<" in legend_of(app, "DAM:")
    assert "49 high and 20 mixed cells, all others low" in "".join(html.proto.body for html in app.get("html"))
    app.button(key="best").click().run()
    assert radius_of(app).value == DAM(2.0, 15).b


@pytest.mark.parametrize(
    ("d", "eps", "b"), [("1", "0.5", None), ("20", "0.5", "40"), ("15", "9", "0"), ("6", "3.5", None)]
)
@pytest.mark.parametrize("part", ["kernel", "recovery", "paper"])
def test_the_ends_of_the_sliders_work(part, d, eps, b):
    app = started(HOW, part=part, d=d, eps=eps, data="new-haven", **({} if b is None else {"b": b}))
    assert not app.error


@pytest.mark.parametrize("mode", [{}, {"present": "1"}, {"bare": "1"}])
def test_the_recovery_names_its_seed_rather_than_where_it_is_chosen(mode):
    app = started(HOW, part="recovery", data="new-haven", d="5", seed="7", **mode)
    assert "with DAM and random seed 7." in said(app)
    assert "on the left" not in said(app)


def test_the_recovery_shows_the_librarys_path():
    app = started(HOW, part="recovery", data="new-haven", d="8", seed="2")
    counts = population("new-haven", 8).binned.counts
    mechanism = DAM(3.5, 8)
    path = recovery_path(mechanism, mechanism.perturb(counts, np.random.default_rng(2)))
    assert value_of(app, "Chosen step") == str(path.chosen)
    error = wasserstein2(counts, path.distributions[path.chosen])
    assert value_of(app, "Error at the chosen step") == f"{error:.3f} cells"
    assert f"Why step {path.chosen} and not {path.best}?" in said(app)


@pytest.mark.parametrize(("best", "chosen", "further"), [(28, 33, 31), (4, 6, 4), (0, 2, 0)])
def test_the_chosen_step_is_explained(best, chosen, further):
    # By hand: √1.25 = 1.118 times as far, 31.3 and 4.5 rounded, and two steps more.
    found = why_chosen(RecoveryPath(np.ones((1, 1, 1)), np.zeros(1), np.zeros(1), best, chosen))
    assert f"{best} × √(5/4) ≈ {further} steps" in found


def test_a_search_that_was_cut_short_is_not_explained_by_a_formula_that_does_not_hold():
    assert why_chosen(RecoveryPath(np.ones((1, 1, 1)), np.zeros(1), np.zeros(1), 28, 30)) == ""


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
