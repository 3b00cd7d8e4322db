"""What every device does: which plans there are, and what they make of it."""

import pytest

from spatialldp import DAM
from spatialldp.experiments import population
from spatialldp.experiments.plan import Plan, is_calibrated, side_and_unit
from spatialldp.privacy import risk


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


def test_only_a_geo_i_mechanism_has_a_budget_of_its_own():
    assert is_calibrated(Plan("SEM-Geo-I"))
    assert is_calibrated(Plan("Planar Laplace", by="hit rate"))
    for plan in (Plan("SEM-Geo-I", calibrated=False), Plan(), Plan("MDSW"), Plan("k-RR")):
        assert not is_calibrated(plan)


def test_equal_plans_are_one_and_unknown_values_are_named():
    # Measurements are kept by plan.
    assert len({Plan(d=5, epsilon=2), Plan(epsilon=2.0, d=5), Plan(d=5, epsilon=2.0, b=1)}) == 2
    with pytest.raises(TypeError, match="a plan has no value 'radius': choose from mechanism, epsilon"):
        Plan().with_changes(radius=3)
