"""Colours of curves are told apart by every kind of colour vision, and from the page."""

from itertools import combinations

import numpy as np
import pytest

from spatialldp.drawing.colours import crowd_colour, crowd_shape
from tests.contrast import contrast

#: Light without one kind of cone, in linear red, green and blue (Machado, Oliveira and Fernandes 2009, severity 1).
VISION = {
    "all cones": np.eye(3),
    "no long": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no medium": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "no short": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]]
)
WHITE = TO_XYZ.sum(axis=1)


def light(colour: str) -> np.ndarray:
    """A colour in linear red, green and blue."""
    bands = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(bands <= 0.04045, bands / 12.92, ((bands + 0.055) / 1.055) ** 2.4)


def lab(linear: np.ndarray) -> np.ndarray:
    """CIELAB, in which a distance of about 2 can just be seen side by side."""
    share = TO_XYZ @ np.clip(linear, 0, 1) / WHITE
    f = np.where(share > 216 / 24389, np.cbrt(share), (24389 / 27 * share + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize(("dark", "page"), [(False, "#ffffff"), (True, "#0e1117")])
def test_curves_for_numbers_of_people_are_told_apart(dark, page):
    colours = [crowd_colour(number, dark) for number in range(4)]
    for vision in VISION.values():
        seen = [lab(np.array(vision) @ light(colour)) for colour in colours]
        assert min(float(np.linalg.norm(one - other)) for one, other in combinations(seen, 2)) > 20
    # 3 : 1 is what graphics need to be seen.
    assert min(contrast(colour, page) for colour in colours) > 3


def test_colours_repeat_only_with_another_shape():
    looks = [(crowd_colour(number, False), crowd_shape(number)) for number in range(8)]
    assert len(set(looks)) == len(looks)
