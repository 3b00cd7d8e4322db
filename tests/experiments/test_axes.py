"""What changes along a curve: where its points are, and the plan of each."""

import numpy as np
import pytest

from spatialldp.experiments.axes import AXES, axis_values, curve_names, curve_values, on_curve, varied
from spatialldp.experiments.calibrated import is_stored
from spatialldp.experiments.plan import Plan


@pytest.mark.parametrize("over", AXES)
def test_every_axis_includes_the_plan(over):
    plan = Plan(epsilon=2.3, d=7, b=4, users=123)
    values = axis_values(over, plan, 1000)
    assert values == sorted(set(values))
    assert getattr(plan, over) in values


def test_grids_of_the_axis_have_stored_calibrations():
    grids = [int(d) for d in axis_values("d", Plan(d=15), 1000)]
    assert grids[0] == 1
    assert all(is_stored("SEM-Geo-I", 3.5, d) for d in grids[1:])


@pytest.mark.parametrize("over", ["d", "b", "users"])
def test_a_point_of_what_is_counted_is_a_plan_with_a_whole_number(over):
    assert varied(Plan(), over, 4.0) == Plan(**{over: 4})
    with pytest.raises(ValueError, match=f"{over} must be a whole number"):
        varied(Plan(), over, 4.5)


def test_a_radius_varies_only_where_there_is_one_and_within_its_range():
    assert curve_names("b", ["MDSW", "HUEM", "k-RR", "DAM"]) == ["HUEM", "DAM"]
    assert curve_names("users", ["MDSW", "DAM"]) == ["MDSW", "DAM"]
    # A disk of radius 2d covers the map from any of its cells.
    assert curve_names("users", iter(["MDSW", "DAM"])) == ["MDSW", "DAM"]
    assert curve_values("b", Plan(d=4), "DAM", [0.0, 8.0, 9.0]) == [0.0, 8.0]
    assert curve_values("b", Plan(d=4), "DAM", np.array([0, 8, 9])) == [0, 8]
    assert curve_values("d", Plan(d=4), "DAM", [0.0, 8.0, 9.0]) == [0.0, 8.0, 9.0]


def test_a_radius_chosen_by_hand_stays_with_its_mechanism():
    plan = Plan("DAM", b=5, users=70)
    assert on_curve(plan, "DAM") is plan
    assert on_curve(plan, "HUEM") == Plan("HUEM", users=70)
