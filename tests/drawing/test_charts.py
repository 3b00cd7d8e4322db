"""Curves: what they show is what was measured, in its unit, and can be told apart and read."""

import json
import math
import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import vl_convert

from spatialldp.drawing.charts import distance_chart, error_chart, hit_chart, series_name
from spatialldp.experiments.map_error import COUNTS, PLACES, MapBaselines, MapError
from spatialldp.experiments.plan import Plan
from spatialldp.experiments.sweep import Point
from spatialldp.privacy import RepeatedRisk
from tests.contrast import READABLE, contrast

#: Of the mean of three, t of two degrees of freedom from a printed table: 4.3027 · 10 / √3.
HALF_WIDTH = 24.84
RISK = RepeatedRisk(1, 2.0, 1.5, 0.25, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0, 0.125)


def point(
    value: float = 2.0,
    mean: float = 250.0,
    mechanism: str = "DAM",
    users: int = 900,
    over: str = "epsilon",
    unit: str = "m",
    purpose: str = PLACES,
    ends: tuple[float, float] = (3_000.0, 155.0),
) -> Point:
    error = MapError(
        Plan(mechanism), users, 3.5, np.array([mean - 10, mean, mean + 10]), 150.0, 400.0, unit, purpose=purpose
    )
    return Point(over, value, error, MapBaselines(*ends), RISK)


def layers(chart: dict, kind: str) -> list[dict]:
    return [layer for layer in chart["layer"] if layer["mark"]["type"] == kind]


def lines_of(chart: dict) -> dict[str, list[float]]:
    """The heights of every dashed or straight line, by its name."""
    found: dict[str, list[float]] = {}
    for layer in chart["layer"]:
        for row in layer["data"]["values"] if layer["mark"]["type"] in ("line", "rule") else []:
            if "end" in row:
                found.setdefault(row["end"], []).append(row["y"])
    return found


def axis(chart: dict, name: str) -> dict:
    return layers(chart, "point")[0]["encoding"][name]


def labels(chart: dict) -> dict[str, tuple[float, float]]:
    """Where Vega puts the names of lines, right and down, in pixels."""
    picture = vl_convert.vegalite_to_svg(json.dumps({**chart, "width": 500}))
    texts = re.findall(r'<text[^>]*translate\(([\d.]+),([-\d.]+)\)[^>]*font-size="12px"[^>]*>([^<]*)</text>', picture)
    return {words: (float(right), float(down)) for right, down, words in texts}


def test_points_stand_at_the_mean_error_with_its_interval():
    chart = error_chart([point(1.0, 400.0), point(2.0, 250.0)], 2.0, False)
    (interval,) = [layer for layer in layers(chart, "rule") if "y2" in layer["encoding"]]
    rows = interval["data"]["values"]
    assert [(row["x"], row["y"]) for row in rows] == [(1.0, 400.0), (2.0, 250.0)]
    assert rows[1]["low"] == pytest.approx(250 - HALF_WIDTH, abs=0.01)
    assert rows[1]["high"] == pytest.approx(250 + HALF_WIDTH, abs=0.01)
    assert (interval["encoding"]["y"]["field"], interval["encoding"]["y2"]["field"]) == ("low", "high")
    (marked,) = [layer for layer in layers(chart, "rule") if "y" not in layer["encoding"]]
    assert marked["data"]["values"] == [{"x": 2.0}]


def test_a_single_collection_has_no_interval():
    one = point()
    one = replace(one, error=replace(one.error, values=np.array([250.0])))
    assert math.isinf(one.error.half_width)
    chart = error_chart([one], 2.0, False)
    rows = [row for layer in layers(chart, "rule") for row in layer["data"]["values"] if "low" in row]
    assert [(row["low"], row["high"]) for row in rows] == [(250.0, 250.0)]
    assert json.dumps(chart, allow_nan=False)


def test_dashed_lines_are_the_ends_as_they_are_and_the_part_from_cell_size():
    chart = error_chart([point(1.0), point(2.0, ends=(3_000.0, 160.0))], 2.0, False)
    assert lines_of(chart) == {
        "uniform guess": [3_000.0, 3_000.0],
        "no privacy": [155.0, 160.0],
        "from cell size": [150.0, 150.0],
    }


def test_the_accepted_error_is_a_line_with_its_name():
    chart = error_chart([point()], 2.0, False, target=500.0)
    assert lines_of(chart)["accepted: 500 m"] == [500.0]
    assert chart["description"].endswith("; accepted: 500 m")
    counted = error_chart([point(purpose=COUNTS)], 2.0, False, target=20.0)
    assert lines_of(counted)["accepted: 20"] == [20.0]
    (line,) = [layer for layer in layers(chart, "rule") if layer["data"]["values"][0].get("end")]
    assert "strokeDash" not in line["encoding"]


@pytest.mark.parametrize("target", [99_999.0, 1e308])
def test_an_accepted_error_far_above_all_others_is_not_drawn(target):
    chart = error_chart([point()], 2.0, False, target=target)
    assert set(lines_of(chart)) == {"uniform guess", "no privacy", "from cell size"}
    assert 3_000 < axis(chart, "y")["scale"]["domain"][1] < 3_600
    assert "accepted" in chart["description"]


@pytest.mark.parametrize(
    ("unit", "purpose", "title"),
    [
        ("m", PLACES, "error of the map, metres"),
        ("map units", PLACES, "error of the map, map units"),
        ("m", COUNTS, "error of counts, people per 1,000"),
    ],
)
def test_the_axis_says_what_the_error_is_of_and_its_unit(unit, purpose, title):
    points = [point(unit=unit, purpose=purpose)]
    assert axis(error_chart(points, 2.0, False), "y")["title"] == title
    # An attacker is off by a length, whatever the map is for: 1.5 and, without a report, 3 cells of 400.
    length = {"m": "metres"}.get(unit, unit)
    chart = distance_chart(points, 2.0, False)
    assert axis(chart, "y")["title"] == f"attacker off by, {length}"
    assert layers(chart, "point")[0]["data"]["values"][0]["y"] == 600.0
    assert lines_of(chart) == {"no report": [1_200.0]}


def test_hits_are_shares():
    chart = hit_chart([point()], 2.0, False)
    assert layers(chart, "point")[0]["data"]["values"][0]["y"] == 0.25
    assert lines_of(chart) == {"no report": [0.125]}
    assert axis(chart, "y")["axis"]["format"] == ".0%"


# -- what tells curves apart ----------------------------------------------------------------------

CROWDS = [point(value, users=users) for users in (2_615_520, 26_155, 261_552) for value in (1.0, 2.0)]


@pytest.mark.parametrize("dark", [False, True])
def test_curves_for_several_numbers_of_people_are_named_after_these(dark):
    for chart in (error_chart(CROWDS, 2.0, dark), distance_chart(CROWDS, 2.0, dark), hit_chart(CROWDS, 2.0, dark)):
        colour, shape = (axis(chart, name)["scale"] for name in ("color", "shape"))
        names = ["26,155 people", "261,552 people", "2,615,520 people"]
        assert colour["domain"] == shape["domain"] == names
        assert len(set(colour["range"])) == len(set(shape["range"])) == 3
        assert {row["series"] for row in layers(chart, "point")[0]["data"]["values"]} == set(names)
    assert series_name(CROWDS[0], CROWDS) == "2,615,520 people"


def test_each_number_of_people_has_its_own_chance():
    points = [
        point(value, users=users, ends=(3_000.0, chance))
        for users, chance in ((100, 400.0), (1_000, 200.0))
        for value in (1.0, 2.0)
    ]
    chart = error_chart(points, 2.0, False)
    (chances,) = [layer for layer in layers(chart, "line") if layer["data"]["values"][0].get("end") == "no privacy"]
    assert [(row["series"], row["y"]) for row in chances["data"]["values"]] == [
        *[("100 people", 400.0)] * 2,
        *[("1,000 people", 200.0)] * 2,
    ]
    assert chances["encoding"]["color"]["field"] == "series"
    # One line each of what does not depend on them.
    assert lines_of(chart)["uniform guess"] == [3_000.0, 3_000.0]


def test_otherwise_curves_are_those_of_mechanisms():
    for points in (
        [point(mechanism="MDSW"), point(mechanism="DAM", users=100)],
        [point(100.0, users=100, over="users"), point(900.0, users=900, over="users")],
        [point(1.0), point(2.0)],
    ):
        chart = error_chart(points, 2.0, False)
        names = axis(chart, "color")["scale"]["domain"]
        assert names == sorted({entry.mechanism for entry in points})
        assert series_name(points[0], points) == points[0].mechanism


def test_a_page_that_has_but_the_first_curve_can_say_that_others_will_follow():
    first = CROWDS[:2]
    assert axis(error_chart(first, 2.0, False), "color")["scale"]["domain"] == ["DAM"]
    for draw in (error_chart, distance_chart, hit_chart):
        assert axis(draw(first, 2.0, False, crowds=True), "color")["scale"]["domain"] == ["2,615,520 people"]


def test_a_legend_shows_colours_and_shapes_or_neither():
    for chart, shown in ((error_chart([point()], 2.0, False), True), (hit_chart([point()], 2.0, False), False)):
        legends = [axis(chart, name)["legend"] for name in ("color", "shape")]
        assert (legends[0] is not None) == shown
        # Vega merges them where field and legend are the same.
        assert legends[0] == legends[1]
        assert axis(chart, "color")["field"] == axis(chart, "shape")["field"]
    assert axis(error_chart([point()], 2.0, False, legend=False), "color")["legend"] is None


# -- what can be read -----------------------------------------------------------------------------


@pytest.mark.parametrize("height", [130, 230, 470])
@pytest.mark.parametrize("target", [None, 152.0, 500.0])
def test_names_of_lines_do_not_stand_on_each_other_nor_on_the_curves(height, target):
    chart = error_chart([point(1.0), point(2.0, 158.0)], 2.0, False, height, target)
    found = labels(chart)
    assert len(found) == (3 if target is None else 4)
    downs = sorted(down for _, down in found.values())
    assert all(below - above >= 12 for above, below in pairwise(downs))
    # Right of everything else, in the order of the lines, and on the chart.
    assert all(right >= 505 for right, _ in found.values())
    assert sorted(found, key=lambda name: -found[name][1])[0] == "from cell size"
    assert sorted(found, key=lambda name: found[name][1])[0] == "uniform guess"
    assert downs[0] > 0
    assert downs[-1] < height + 6


def test_a_name_that_has_room_stands_at_its_line():
    height = 470
    chart = error_chart([point()], 2.0, False, height, 500.0)
    top = axis(chart, "y")["scale"]["domain"][1]
    found = labels(chart)
    for name, y in (("uniform guess", 3_000), ("accepted: 500 m", 500), ("from cell size", 150)):
        # The baseline of a text is a few pixels below its middle.
        assert found[name][1] - height * (1 - math.sqrt(y / top)) == pytest.approx(4, abs=2)


@pytest.mark.parametrize("over", ["epsilon", "d", "b", "users"])
def test_vega_has_nothing_to_warn_of(over, capfd):
    for points in ([], [point(over=over)], CROWDS):
        for draw in (error_chart, distance_chart, hit_chart):
            chart = draw(points, 2.0, False)
            vl_convert.vegalite_to_svg(json.dumps({**chart, "width": 400}), show_warnings=True)
            # An empty layer has an infinite extent; only a browser says so.
            assert all(layer["data"]["values"] for layer in chart["layer"])
    assert "WARN" not in "".join(capfd.readouterr())


@pytest.mark.parametrize("highest", [0.013, 2.58, 63.7, 3_000.0, 45_000.0])
def test_numbers_at_the_axis_are_round_and_apart(highest):
    chart = error_chart([point(mean=highest / 10, ends=(highest, highest / 20))], 2.0, False)
    ticks = axis(chart, "y")["axis"]["values"]
    top = axis(chart, "y")["scale"]["domain"][1]
    assert ticks[0] == 0
    assert len(ticks) >= 5
    assert all(f"{tick:e}"[0] in "125" for tick in ticks[1:])
    heights = [math.sqrt(tick / top) for tick in ticks]
    assert heights[-1] <= 1
    assert min(above - below for below, above in pairwise(heights)) > 0.04


@pytest.mark.parametrize(("dark", "page"), [(False, "#ffffff"), (True, "#171614")])
def test_every_word_stands_out_from_the_page_whatever_grey_the_page_has_for_charts(dark, page):
    # As Streamlit's light theme has it: 3.7 : 1 on white.
    grey = {"labelColor": "#808495", "titleColor": "#808495"}
    for draw in (error_chart, distance_chart, hit_chart):
        chart = draw([point(1.0), point(2.0, mechanism="HUEM")], 2.0, dark, legend=True)
        picture = vl_convert.vegalite_to_svg(
            json.dumps({**chart, "width": 500, "config": {"axis": grey, "legend": grey}})
        )
        inks = re.findall(r'<text[^>]*fill="([^"]*)"[^>]*>([^<]*)</text>', picture)
        assert {"DAM", "HUEM", axis(chart, "y")["title"]} <= {words for _, words in inks}
        assert min(contrast(ink, page) for ink, _ in inks) >= READABLE
