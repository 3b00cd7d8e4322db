"""The curves of the lesson: words that can be read, and that nothing crosses."""

import html
import json
import re

import numpy as np
import pytest
import vl_convert

from spatialldp import DAM
from spatialldp.teaching import Findings, Scene
from spatialldp.teaching.again import Again, curve
from spatialldp.teaching.charts import FRESH, STORED, again_chart, loss_chart
from tests.contrast import READABLE, contrast

#: What the charts stand on: paper and the two themes of the page.
GROUNDS = {False: "#ffffff", True: "#171614"}


@pytest.fixture(scope="module")
def found():
    return Findings(Scene.of("new-haven", d=5), 1)


def axes_and_legends(chart):
    encodings = [layer["encoding"] for layer in chart["layer"]]
    parts = [part for encoding in encodings for part in encoding.values() if isinstance(part, dict)]
    return [part["axis"] for part in parts if "axis" in part], [part["legend"] for part in parts if part.get("legend")]


@pytest.mark.parametrize("dark", [False, True])
def test_words_stand_out_from_the_ground(found, dark):
    charts = [loss_chart(found.scene, found.losses, dark), again_chart(found.again, dark)]
    for chart in charts:
        axes, legends = axes_and_legends(chart)
        assert axes
        inks = [axis[part] for axis in axes for part in ("labelColor", "titleColor")]
        inks += [legend["labelColor"] for legend in legends]
        inks += [layer["mark"]["color"] for layer in chart["layer"] if layer["mark"]["type"] == "text"]
        assert all(contrast(ink, GROUNDS[dark]) >= READABLE for ink in inks)
    assert axes_and_legends(charts[0])[1]


def drawn(chart, width: int):
    """The line of fresh draws as points, and the texts with the boxes they fill, in pixels of the picture."""
    svg = vl_convert.vegalite_to_svg(json.dumps({**chart, "width": width}))
    # Lines in the order of their names: the fresh draws first.
    paths = re.findall(r'aria-roledescription="line mark"[^>]* d="([^"]+)"|<path[^>]* d="([^"]+)"[^>]*line mark', svg)
    lines = [[tuple(map(float, pair.split(","))) for pair in re.findall(r"[-\d.]+,[-\d.]+", a or b)] for a, b in paths]
    texts = []
    pattern = r'text-anchor="(\w+)" transform="translate\(([-\d.]+),([-\d.]+)\)" [^>]*font-size="13px"[^>]*>([^<]+)<'
    for anchor, x, y, text in re.findall(pattern, html.unescape(svg)):
        assert anchor == "end"
        # No letter is wider than 0.62 of its size on average, or higher than 0.8 above its line.
        box = float(x) - 13 * 0.62 * len(text), float(y) - 13 * 0.8, float(x), float(y) + 13 * 0.2
        texts.append((text, box))
    return lines, texts


def crosses(box, line) -> bool:
    left, top, right, bottom = box
    x, y = np.array(line).T
    inside = np.linspace(left, right, 50)
    # A line does not go on beyond its ends.
    height = np.interp(inside, x, y, left=-99, right=-99)
    return bool(((height > top) & (height < bottom)).any())


@pytest.mark.parametrize(
    ("epsilon", "d", "width", "height"),
    [
        (3.5, 15, 420, 240),
        (3.5, 15, 820, 420),
        (1.0, 15, 420, 240),
        (0.5, 30, 420, 240),
        (5.0, 5, 420, 240),
        (9.0, 30, 420, 240),
    ],
)
def test_no_label_lies_on_a_line_or_on_another_label(epsilon, d, width, height):
    curve_found = curve(DAM(epsilon, d), None, seed=1)
    lines, texts = drawn(again_chart(curve_found, height=height), width)
    assert [len(line) for line in lines] == [30, 30]
    assert len(texts) == 4  # after 5 and 10 reports, and the names of both curves
    for name in (FRESH, STORED):
        assert sum(text.startswith(name) for text, _ in texts) == 1
    boxes = [box for _, box in texts]
    for number, box in enumerate(boxes):
        assert not any(crosses(box, line) for line in lines)
        assert box[3] < height
        for other in boxes[:number]:
            apart = box[2] <= other[0] or other[2] <= box[0] or box[3] <= other[1] or other[3] <= box[1]
            assert apart


def test_the_name_of_the_stored_draw_is_below_its_line():
    for stored in (0.04, 0.6, 0.9):
        found = Again(3.5, np.linspace(stored, 1.0, 30), 0.01)
        lines, texts = drawn(again_chart(found), 500)
        (box,) = (box for text, box in texts if text.startswith(STORED))
        assert box[1] > max(y for _, y in lines[1])


def test_a_chart_as_tall_as_there_is_room_has_no_height_of_its_own(found):
    assert "height" not in again_chart(found.again, height=None)
    assert "height" not in loss_chart(found.scene, found.losses, height=None)
    assert again_chart(found.again, height=150)["height"] == 150
