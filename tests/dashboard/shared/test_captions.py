"""Figures as words."""

import pytest

from spatialldp import DAM, KRR
from spatialldp.dashboard.shared import captions


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
