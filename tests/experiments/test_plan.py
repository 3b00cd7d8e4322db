"""The error of a plan as lengths."""

import math

import numpy as np
import pytest
from scipy import stats

from spatialldp import DAM, wasserstein2
from spatialldp.experiments import population, simulate
from spatialldp.experiments.comparison import score
from spatialldp.experiments.plan import MapError, Plan, measure, side_and_unit
from spatialldp.experiments.repeats import participants
from spatialldp.planning.sentences import budget_words
from spatialldp.privacy import risk

COUNTS = np.arange(36).reshape(6, 6)


def test_with_everybody_the_first_repeat_is_the_run_and_all_are_the_comparison():
    people = population("new-haven", 6)
    error = measure(people, Plan(epsilon=2.0, d=6), 3, 4)
    assert error.w2_cells[0] == simulate(people.binned.counts, DAM(2.0, 6), 3).w2_cells
    np.testing.assert_array_equal(error.w2_cells, score(people.binned.counts, "DAM", 2.0, 3, 4).w2_cells)
    assert (error.users, error.unit) == (3293, "m")
    assert error.side == people.grid.cell_size_m


def test_the_parts_and_the_interval_by_hand():
    error = MapError(Plan(), 10, 3.5, np.array([1.0, 2.0, 4.0]), 300.0, "m")
    # A uniform point of a unit square is sqrt(1/12 + 1/12) from its centre, in the root mean square.
    points = (np.arange(1000) + 0.5) / 1000 - 0.5
    assert error.cell == pytest.approx(300 * math.sqrt(2 * np.mean(points**2)), rel=1e-5)
    assert error.transport == pytest.approx(700.0)
    half = stats.t.interval(0.95, 2, scale=stats.sem([300, 600, 1200]))[1]
    assert error.half_width == pytest.approx(half)
    assert error.high == pytest.approx(error.total + half)
    assert error.low == pytest.approx(error.cell)  # the interval reaches below 0, which no error does
    assert error.one_collection == pytest.approx(half * 2)
    assert math.isinf(MapError(Plan(), 10, 3.5, np.array([1.0]), 300.0, "m").half_width)


def test_participants():
    everybody = int(COUNTS.sum())
    rng = np.random.default_rng(0)
    assert participants(COUNTS, None, rng) is COUNTS
    few = participants(COUNTS, 100, rng)
    assert few.sum() == 100
    assert (few <= COUNTS).all()
    many = participants(COUNTS, 3 * everybody + 7, rng)
    assert many.sum() == 3 * everybody + 7
    assert ((many >= 3 * COUNTS) & (many <= 4 * COUNTS)).all()
    np.testing.assert_array_equal(participants(COUNTS, 5 * everybody, rng), 5 * COUNTS)
    # A fair sample: on average the shares are those of everybody.
    mean = np.mean([participants(COUNTS, 60, rng) for _ in range(2000)], axis=0)
    np.testing.assert_allclose(mean, 60 * COUNTS / everybody, atol=0.2)


def test_a_sample_is_compared_with_everybody():
    people = population("new-haven", 5)
    plan = Plan(epsilon=9.0, d=5, users=60)
    error = measure(people, plan, 2, 2)
    for repeat in range(2):
        counts = participants(people.binned.counts, 60, np.random.default_rng([2 + repeat, 2]))
        recovered = DAM(9.0, 5).estimate(DAM(9.0, 5).perturb(counts, np.random.default_rng(2 + repeat)))
        assert error.w2_cells[repeat] == pytest.approx(wasserstein2(people.binned.counts, recovered.distribution))


def test_plain_units_and_radii():
    assert side_and_unit(population("normal", 10).grid) == (pytest.approx(0.945), "map units")
    assert Plan(b=1).make().b == 1
    assert Plan("SEM-Geo-I", 3.5, 5).make().epsilon == pytest.approx(1.52813, abs=1e-4)
    assert Plan("SEM-Geo-I", 3.5, 5, calibrated=False).make().epsilon == 3.5


def test_the_ruler_of_a_plan_and_what_is_said_of_it():
    plan = Plan("SEM-Geo-I", 5.0, 5, by="hit rate")
    assert risk(plan.make()).hit_rate == pytest.approx(risk(DAM(5.0, 5)).hit_rate, rel=1e-5)
    people = population("new-haven", 5)

    def said(plan: Plan) -> str:
        return budget_words(plan, measure(people, plan, 1, 2))

    assert said(plan).endswith("per cell (protects as much as DAM at ε = 5, by hit rate)")
    jumped = Plan("SEM-Geo-I", 2.2, 5)
    assert jumped.jumped
    assert said(jumped) == (
        "ε′ = 1.2 per cell (protects more than DAM at ε = 2.2, by local privacy; it cannot be set to protect exactly "
        "as much)"
    )
    assert said(jumped.with_changes(calibrated=False)) == "ε = 2.2 per cell"
    assert said(jumped.with_changes(mechanism="DAM")) == "ε = 2.2"
