"""Where people can be counted: names and the rectangle to begin with."""

import pytest

from spatialldp.dashboard.explore.counted import middle_quarter, named
from spatialldp.grid import Grid


@pytest.mark.parametrize(
    ("district", "words"),
    [
        ("94110", "postcode 94110"),
        ("94130 (hull of its addresses)", "postcode 94130 (hull of its addresses)"),
        ("Staten Island", "Staten Island"),
    ],
)
def test_a_district_is_called_by_its_name_and_a_number_by_what_it_is(district, words):
    assert named(district) == words


def test_the_middle_quarter_has_half_of_each_side():
    assert middle_quarter(Grid.from_bounds((0, 10, 8, 18), 3, crs=None)) == (2.0, 12.0, 6.0, 16.0)
