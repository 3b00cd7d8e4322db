"""Figures as words."""

import numpy as np
import pytest

from spatialldp import DAM, KRR
from spatialldp.dashboard.shared import captions
from spatialldp.datasets import Points
from spatialldp.drawing.colours import difference_scale
from spatialldp.estimation import Estimate
from spatialldp.population import Population


@pytest.mark.parametrize(
    ("names", "text"), [([], ""), (["A"], "A"), (["A", "B"], "A and B"), (["A", "B", "C"], "A, B and C")]
)
def test_names_are_listed_as_people_do(names, text):
    assert captions.listed(names) == text


def test_names_are_listed_as_a_choice():
    assert captions.listed(["A", "B", "C"], "or") == "A, B or C"


def test_reports_outside_the_true_area_are_explained_where_there_can_be_some():
    assert "up to 3 cells outside" in captions.reports_caption(DAM(3.5, 15, 3), "reports per cell")
    assert "outside" not in captions.reports_caption(KRR(3.5, 15), "reports per cell")


@pytest.mark.parametrize(
    ("cells", "side", "text"), [(2.0, None, "2.00 cells"), (2.0, 300.0, "600 m"), (2.0, 900.0, "1.80 km")]
)
def test_a_distance_has_the_unit_of_its_map(cells, side, text):
    assert captions.length(cells, side) == text


@pytest.mark.parametrize(
    ("stray", "text"),
    [(0, "the whole data set"), (1, "1 more outside the area"), (1200, "1,200 more outside the area")],
)
def test_who_is_outside_is_said_in_the_right_number(stray, text):
    x = np.concatenate([np.full(10, 0.5), np.full(stray, 5.0)])
    people = Population.of_points(Points(x, np.full(x.size, 0.5)), 2, (0, 0, 1, 1), crs=None)
    assert captions.left_out(people) == text


@pytest.mark.parametrize(("taken", "text"), [(0, "one formula"), (1, "1 step"), (1234, "1,234 steps")])
def test_steps_are_said_in_the_right_number(taken, text):
    assert captions.steps(Estimate(np.ones((1, 1)), taken, True, None, "adaptive")) == text


def test_the_scale_of_differences_has_real_signs_at_its_ends():
    shown = captions.legend(difference_scale(np.array([-0.02, 0.02]), dark=False), "of all people")
    assert "<span>−2.00%</span>" in shown
    assert "<span>+2.00%</span><span>of all people</span>" in shown
    assert "Colour scale from −2.00% to 2.00%" in shown
