"""The error of a plan as lengths."""

import math

import numpy as np
import pytest
from scipy import stats

from spatialldp import DAM
from spatialldp.experiments import population, simulate
from spatialldp.experiments.comparison import score
from spatialldp.experiments.plan import MapError, Plan, measure, side_and_unit
from spatialldp.privacy import risk


def test_with_everybody_the_first_repeat_is_the_run_and_all_are_the_comparison():
    people = population("new-haven", 6)
    error = measure(people, Plan(epsilon=2.0, d=6), 3, 4)
    assert error.w2_cells[0] == simulate(people.binned.counts, DAM(2.0, 6), 3).w2_cells
    np.testing.assert_array_equal(error.w2_cells, score(people.binned.counts, "DAM", 2.0, 3, 4).w2_cells)
    assert (error.users, error.unit) == (3293, "m")
    assert error.side == people.grid.cell_size_m


def test_the_parts_and_the_interval_by_hand():
    error = MapError(Plan(), 10, 3.5, np.array([1.0, 2.0, 4.0]), 300.0, "m")
    # A uniform point of a unit square is sqrt(1/12 + 1/12) from its centre (root mean square).
    points = (np.arange(1000) + 0.5) / 1000 - 0.5
    assert error.cell == pytest.approx(300 * math.sqrt(2 * np.mean(points**2)), rel=1e-5)
    assert error.transport == pytest.approx(700.0)
    half = stats.t.interval(0.95, 2, scale=stats.sem([300, 600, 1200]))[1]
    assert error.half_width == pytest.approx(half)
    assert error.high == pytest.approx(error.total + half)
    assert error.low == pytest.approx(error.cell)  # the interval reaches below 0, which no error does
    assert error.one_collection == pytest.approx(half * 2)
    assert math.isinf(MapError(Plan(), 10, 3.5, np.array([1.0]), 300.0, "m").half_width)


def test_a_plan_has_map_units_its_radius_and_its_calibrated_epsilon():
    assert side_and_unit(population("normal", 10).grid) == (pytest.approx(0.945), "map units")
    assert Plan(b=1).make().b == 1
    assert Plan("SEM-Geo-I", 3.5, 5).make().epsilon == pytest.approx(1.52813, abs=1e-4)
    assert Plan("SEM-Geo-I", 3.5, 5, calibrated=False).make().epsilon == 3.5


def test_a_geo_i_plan_protects_as_much_as_dam_by_its_ruler():
    plan = Plan("SEM-Geo-I", 5.0, 5, by="hit rate")
    assert risk(plan.make()).hit_rate == pytest.approx(risk(DAM(5.0, 5)).hit_rate, rel=1e-5)
    assert not plan.jumped
    assert Plan("SEM-Geo-I", 2.2, 5).jumped


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"mechanism": "nothing"}, "mechanism must be one of"),
        ({"epsilon": -1.0}, "epsilon must be"),
        ({"epsilon": "2"}, "epsilon must be"),
        ({"d": None}, "d must be"),
        ({"b": -1}, "b must be"),
        ({"users": 0}, "users must be"),
        ({"calibrated": 1}, "calibrated must be True or False"),
        ({"by": "eye"}, "by must be one of"),
    ],
)
def test_a_plan_that_no_device_can_follow_cannot_be_made(changes, message):
    with pytest.raises(ValueError, match=message):
        Plan(**changes)
    with pytest.raises(ValueError, match=message):
        Plan().with_changes(**changes)


def test_a_plan_that_is_too_much_for_its_mechanism_is_refused_without_a_search():
    assert Plan("SEM-Geo-I", epsilon=3.456, d=90).check_fits() == Plan("SEM-Geo-I", epsilon=3.456, d=90)
    for plan in (Plan("SEM-Geo-I", d=101), Plan(d=512, epsilon=0.5), Plan("SEM-Geo-I", d=5, users=10**9)):
        with pytest.raises(ValueError, match="must be at most"):
            plan.check_fits()


def test_a_radius_is_ignored_where_there_is_none_to_choose():
    assert Plan("MDSW", 2.0, 5, b=2).make().epsilon == 2.0
    assert Plan("HUEM", 2.0, 5, b=2).make().radius == 2
