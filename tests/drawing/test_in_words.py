"""Where the fullest cells of a map are, in words."""

import numpy as np
import pytest

from spatialldp.drawing.in_words import fullest_cells_in_words


def test_three_cells_are_named_the_fullest_first():
    values = np.zeros((6, 6))
    values[5, 0], values[0, 3], values[2, 2], values[4, 4] = 40, 30, 20, 10
    assert fullest_cells_in_words(values) == (
        "fullest cell in the south-east: column 6 from the west, row 1 from the south (40.00%); "
        "then column 1, row 4 (30.00%); then column 3, row 3 (20.00%)"
    )


@pytest.mark.parametrize(
    ("place", "side"),
    [
        ((0, 0), "south-west"),
        ((4, 0), "south"),
        ((8, 0), "south-east"),
        ((0, 4), "west"),
        ((4, 4), "middle"),
        ((8, 4), "east"),
        ((0, 8), "north-west"),
        ((4, 8), "north"),
        ((8, 8), "north-east"),
    ],
)
def test_each_third_of_the_map_has_its_name(place, side):
    values = np.zeros((9, 9))
    values[place] = 1
    assert fullest_cells_in_words(values).startswith(f"fullest cell in the {side}: ")


def test_cells_without_a_value_count_for_nothing():
    values = np.array([[np.nan, 1.0], [3.0, np.nan]])
    assert "(75.00%); then column 1, row 2 (25.00%)" in fullest_cells_in_words(values)


def test_a_map_of_nobody():
    assert fullest_cells_in_words(np.zeros((3, 3))) == "all cells are empty"
