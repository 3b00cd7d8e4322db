"""Marks on maps: each is where it belongs, in its colour."""

import numpy as np
import pytest

from spatialldp.drawing.colours import Scale
from spatialldp.drawing.marks import DOT, GUESS, PERSON, Marks, marked_image, region_border
from spatialldp.grid import Grid

GRID = Grid.from_bounds((0, 0, 4, 4), d=4, crs=None)
EMPTY = np.zeros((4, 4))


def colour_at(marks: Marks, x: float, y: float) -> tuple[int, ...]:
    """Red, green, blue at a place of the map, y to the north."""
    image = marked_image(EMPTY, GRID, Scale(0.0, 1.0, False), 200, marks=marks).convert("RGB")
    return image.getpixel((round(x * 50), round((4 - y) * 50)))


@pytest.mark.parametrize(
    ("marks", "colour"),
    [
        (Marks(person=(3.0, 1.0)), PERSON),
        (Marks(guess=(3.0, 1.0)), GUESS),
        (Marks(borders=[((2.5, 1.0), (3.5, 1.0))]), PERSON),
    ],
)
def test_a_mark_has_its_colour_at_its_place_and_nowhere_else(marks, colour):
    assert colour_at(marks, 3.0, 1.0) == pytest.approx(colour, abs=16)
    background = colour_at(Marks(), 3.0, 1.0)
    assert colour_at(marks, 1.0, 3.0) == background
    assert colour_at(marks, 1.0, 1.0) == background


def test_a_report_is_a_ring_and_a_person_lies_above_it():
    ring = Marks(reported=[(2.0, 2.0)])
    assert colour_at(ring, 2.0, 2.0) == colour_at(Marks(), 2.0, 2.0)
    # 8 units of 1 pixel each, less half of the line.
    assert colour_at(ring, 2.0 + 7 / 50, 2.0) == pytest.approx(DOT, abs=40)
    both = Marks(reported=[(2.0, 2.0)], person=(2.0, 2.0))
    assert colour_at(both, 2.0, 2.0) == pytest.approx(PERSON, abs=6)


def test_the_border_of_one_cell_has_four_sides():
    region = np.zeros((4, 4), dtype=bool)
    region[1, 2] = True
    sides = {frozenset(line) for line in region_border(region, GRID)}
    corners = [(1.0, 2.0), (2.0, 2.0), (2.0, 3.0), (1.0, 3.0)]
    assert sides == {frozenset((corners[i], corners[(i + 1) % 4])) for i in range(4)}
