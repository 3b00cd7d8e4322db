"""Reports every day: what an attacker makes of 1, 5, 10 and 30 of them."""

import itertools

import numpy as np
import pytest

from spatialldp import DAM
from spatialldp.privacy import repeated_risk
from spatialldp.teaching import Scene
from spatialldp.teaching.again import MOST, Again, again_rows, beliefs, curve


def test_two_reports_on_four_cells_as_summed_by_hand():
    mechanism = DAM(epsilon=2.0, d=2)
    matrix = mechanism.transition_matrix()
    prior = np.array([[6, 3], [1, 0]])
    believed = prior.ravel() / 10
    # All pairs of reports: the attacker is right with the probability of the likeliest cell.
    once = sum((believed * matrix[:, o]).max() for o in range(matrix.shape[1]))
    pairs = itertools.product(range(matrix.shape[1]), repeat=2)
    twice = sum((believed * matrix[:, o] * matrix[:, p]).max() for o, p in pairs)
    found = curve(mechanism, prior, seed=3)
    assert found.after(1) == pytest.approx(once, abs=0.02)
    assert found.after(2) == pytest.approx(twice, abs=0.02)
    assert found.before == pytest.approx(0.6)
    assert found.stored == found.after(1)
    assert (found.budget(1), found.budget(30)) == (2.0, 60.0)


def test_san_francisco_gives_her_away_within_a_month():
    # Computed by the library's other way to these figures, which draws its people by itself.
    mechanism = DAM(3.5, 15)
    found = curve(mechanism, None, seed=1)
    for reports in (1, 10, 30):
        other = repeated_risk(mechanism, reports, most_people=4000, rng=np.random.default_rng(9))
        assert found.after(reports) == pytest.approx(other.hit_rate, abs=0.03)
    assert found.after(1) < 0.06
    assert found.after(30) > 0.9


def test_fresh_reports_add_up_and_a_stored_one_does_not():
    found = curve(DAM(3.5, 6), None, seed=1)
    assert len(found.fresh) == MOST
    assert (np.diff(found.fresh) > -0.01).all()
    rows = again_rows(found)
    assert [row["ε in all, fresh draws"] for row in rows] == ["3.5", "17.5", "35", "105"]
    assert len({row["… one stored draw"] for row in rows}) == 1


def test_the_belief_is_the_product_of_all_reports():
    scene = Scene.of("new-haven", d=5, knows_city=True)
    matrix = scene.mechanisms["DAM"].transition_matrix()
    numbers = {tuple(cell): number for number, cell in enumerate(scene.mechanisms["DAM"].output_cells.tolist())}
    sent = [numbers[tuple(report)] for report in scene.reports["DAM"][:10].tolist()]
    joint = scene.population.counts.ravel() * np.prod(matrix[:, sent], axis=1)
    np.testing.assert_allclose(beliefs(scene)[10].ravel(), joint / joint.sum(), rtol=1e-6)
    assert set(beliefs(scene)) == {1, 5, 10, 30}


def test_a_shorter_curve_knows_what_it_has():
    found = Again(2.0, np.array([0.25]), 0.1)
    assert found.after(1) == found.stored == 0.25
