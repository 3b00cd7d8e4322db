"""Drawings of kernels: each cell in the colour of its share, the part that counts outlined, readable labels."""

import base64
import re
import xml.etree.ElementTree as ElementTree
from collections import Counter

import pytest

from spatialldp import DAM, DAMNS, HUEM
from spatialldp.dashboard.how_it_works import kernel_drawings
from spatialldp.dashboard.how_it_works.kernels import cell_kinds
from tests.contrast import READABLE, contrast

SVG = "{http://www.w3.org/2000/svg}"
#: DAM with b = 3 at offset (3, 1), by hand: √10 from the middle, so 3/√10 − 1 = −0.05132; sides 2·(0.5 − 3·0.05132) =
#: 0.6921 and 2·(0.5 − 0.05132) = 0.8974; area 0.6211. On the scale of eight colours that is 0.348 of the way from the
#: fifth (59, 130, 159) to the sixth (51, 90, 140).
SHARE, SIDES, COLOUR = "0.62", (0.692, 0.897), "#387498"


def drawn(mechanism, dark=False) -> ElementTree.Element:
    html = kernel_drawings.kernel(mechanism, dark, "kernel")
    return ElementTree.fromstring(base64.b64decode(re.search(r"base64,([^\"]*)", html)[1]))


def colour_at(picture: ElementTree.Element, x: float, y: float) -> str:
    """The fill of the uppermost filled rectangle at a place; y grows to the north."""
    found = None
    for rect in picture.iter(f"{SVG}rect"):
        left, top, width, height = (float(rect.get(name)) for name in ("x", "y", "width", "height"))
        if rect.get("fill") != "none" and left <= x <= left + width and top <= -y <= top + height:
            found = rect.get("fill")
    return found


@pytest.mark.parametrize(("x", "y"), [(3, 1), (-3, 1), (1, -3), (-1, -3)])
def test_a_cell_cut_by_the_circle_has_the_colour_of_its_own_share_all_over(x, y):
    picture = drawn(DAM(3.5, 15, 3))
    for dx, dy in ((0, 0), (0.4, 0.4), (-0.4, -0.4), (0.4, -0.4)):
        assert colour_at(picture, x + dx, y + dy) == COLOUR


def test_whole_and_empty_cells_have_the_ends_of_the_scale():
    picture = drawn(DAM(3.5, 15, 3))
    assert colour_at(picture, 0, 0) == colour_at(picture, 2, 2) == colour_at(picture, 3, 0) == "#221246"
    assert colour_at(picture, 3, 3) == colour_at(picture, 4, 0) == "#f6f3e7"


def test_the_part_that_counts_is_outlined_at_its_inner_corner():
    outlines = [rect for rect in drawn(DAM(3.5, 15, 3)).iter(f"{SVG}rect") if rect.get("fill") == "none"]
    assert len(outlines) == 8
    (east,) = [rect for rect in outlines if float(rect.get("x")) > 2 and float(rect.get("y")) < -1]
    assert (float(east.get("x")), float(east.get("width")), float(east.get("height"))) == (2.5, *SIDES)
    # Its southern edge is that of the cell, half a cell above the middle.
    assert float(east.get("y")) + float(east.get("height")) == pytest.approx(-0.5)


def test_the_part_that_does_not_count_is_hatched_around_the_part_that_does():
    picture = drawn(DAM(3.5, 15, 3))
    hatched = [path.get("d") for path in picture.iter(f"{SVG}path") if path.get("fill") == "url(#hatch)"]
    assert len(hatched) == 8
    # The cell at (3, 1), whole, and a hole in it where the part that counts lies; y grows to the south here.
    assert f"M2.5,-1.5h1v1h-1zM2.500,-0.500h{SIDES[0]}v-{SIDES[1]:.3f}h-{SIDES[0]}z" in hatched
    assert picture.find(f".//{SVG}pattern").get("id") == "hatch"


@pytest.mark.parametrize("dark", [False, True])
def test_the_legend_counts_the_cells_of_each_kind(dark):
    # DAM with b = 3, on squared paper: 29 whole cells, 8 cut, and as many others as the paper has.
    assert re.findall(r"</span>([^<]*)<", kernel_drawings.legend(DAM(3.5, 15, 3), dark, (29, 8))) == [
        "29 high",
        "8 mixed (only the outlined part counts)",
        "all others low",
    ]
    assert "repeating-linear-gradient" in kernel_drawings.legend(DAM(3.5, 15, 3), dark, (29, 8))
    rings = kernel_drawings.legend(HUEM(3.5, 15, 3), dark, (5, 32))
    assert "32 in between, ring by ring" in rings
    assert "repeating" not in rings
    assert "0 " not in re.sub(r"<[^>]*>", "", kernel_drawings.legend(DAMNS(3.5, 15, 3), dark, (29, 0)))


def test_the_numbers_of_cells_are_those_of_the_drawing():
    picture = drawn(DAM(3.5, 15, 3))
    seen = Counter(colour_at(picture, x, y) for x in range(-4, 5) for y in range(-4, 5))
    assert seen == {"#221246": 29, COLOUR: 8, "#f6f3e7": 44}
    assert cell_kinds(DAM(3.5, 15, 3)) == (29, 8)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("b", [1, 2, 3, 4])
def test_labels_say_the_share_and_stand_out_from_their_cell(b, dark):
    mechanism = DAM(3.5, 15, b)
    picture = drawn(mechanism, dark)
    labels = list(picture.iter(f"{SVG}text"))
    shares = mechanism.kernel[(mechanism.kernel > 0) & (mechanism.kernel < 1)]
    assert sorted(label.text for label in labels) == sorted(f"{share:.2f}" for share in shares)
    for label in labels:
        cell = colour_at(picture, float(label.get("x")), -float(label.get("y")))
        assert contrast(label.get("fill"), cell) >= READABLE


def test_a_label_stands_in_the_middle_of_the_part_that_counts():
    # By hand, from the sides above: 2.5 + 0.692/2 and 0.5 + 0.897/2.
    found = {(float(label.get("x")), round(middle(label), 2)) for label in drawn(DAM(3.5, 15, 3)).iter(f"{SVG}text")}
    assert {place for place in found if place[0] > 2} == {(2.846, 0.95), (2.846, -0.95)}


def test_a_label_too_large_for_the_part_that_counts_stands_beyond_it():
    # DAM with b = 1, by hand: √2 from the middle, so sides of 2·(0.5 − (1 − 1/√2)) = 0.414; the rest above is 0.586
    # tall, and its middle at 1 + 0.414/2.
    found = {(float(label.get("x")), round(middle(label), 2)) for label in drawn(DAM(3.5, 15, 1)).iter(f"{SVG}text")}
    assert found == {(x, y) for x in (-1, 1) for y in (-1.21, 1.21)}


def middle(label: ElementTree.Element) -> float:
    """How far north the middle of a label is: digits stand on the baseline and are 0.72 of their size tall."""
    return -float(label.get("y")) + 0.36 * float(label.get("font-size"))


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("b", [1, 2, 3, 4])
def test_no_line_runs_through_a_label(b, dark):
    pieces = list(drawn(DAM(3.5, 15, b), dark))
    outlines = [box(piece) for piece in pieces if piece.tag == f"{SVG}rect" and piece.get("fill") == "none"]
    lines = [number for number, piece in enumerate(pieces) if piece.get("fill") in ("none", "url(#hatch)")]
    for number, label in enumerate(pieces):
        if label.tag != f"{SVG}text":
            continue
        # Hatching and circle lie below its plate, which holds all of it.
        plate = pieces[number - 1]
        assert number - 1 > max(lines)
        west, east, south, north = box(plate)
        half = float(label.get("textLength")) / 2
        assert label.get("lengthAdjust") == "spacingAndGlyphs"
        assert west <= float(label.get("x")) - half
        assert float(label.get("x")) + half <= east
        tall = 0.36 * float(label.get("font-size"))
        assert south <= middle(label) - tall
        assert middle(label) + tall <= north
        # The plate itself hides no outline and does not leave its cell.
        for left, right, low, high in outlines:
            inside = left <= west and east <= right and low <= south and north <= high
            assert inside or right <= west or east <= left or high <= south or north <= low
        assert round((west + east) / 2) - 0.5 <= west
        assert east <= round((west + east) / 2) + 0.5
        assert round((south + north) / 2) - 0.5 <= south
        assert north <= round((south + north) / 2) + 0.5


def box(rect: ElementTree.Element) -> tuple[float, float, float, float]:
    """Western, eastern, southern and northern edge, in cells from the middle."""
    x, y, width, height = (float(rect.get(name)) for name in ("x", "y", "width", "height"))
    return x, x + width, -y - height, -y


def test_labels_of_the_default_are_those_of_the_paper_corrected():
    assert {label.text for label in drawn(DAM(3.5, 15, 3)).iter(f"{SVG}text")} == {SHARE}


@pytest.mark.parametrize("kind", [DAMNS, HUEM])
def test_where_no_cell_is_cut_nothing_is_outlined(kind):
    picture = drawn(kind(3.5, 15, 3))
    assert not [rect for rect in picture.iter(f"{SVG}rect") if rect.get("fill") == "none"]
    assert not list(picture.iter(f"{SVG}text"))
    assert not list(picture.iter(f"{SVG}pattern"))
