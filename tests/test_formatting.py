"""Lengths, shares and factors as text, and Markdown that shows as it was written."""

import math
import re
import shlex

import pytest

from spatialldp.formatting import (
    added_up,
    command_word,
    counted,
    escaped_markdown,
    length,
    metres,
    metres_or_kilometres,
    percent,
    times,
)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (1234.4, "m", "1,234 m"),
        (10.0, "m", "10 m"),
        (9.96, "m", "10.0 m"),
        (4.25, "m", "4.2 m"),
        (0.0, "m", "0.0 m"),
        (1234.4, "map units", "1,234 map units"),
        (999.7, "map units", "1,000 map units"),
        (4e9, "map units", "4e+09 map units"),
        (0.94512, "map units", "0.945 map units"),
        (math.inf, "m", "inf m"),
    ],
)
def test_a_length_has_a_unit_and_digits_that_make_sense(value, unit, text):
    assert length(value, unit) == text


def test_the_error_of_a_length_is_1_96_standard_errors():
    assert length(500, "m", 10) == "500 m ± 20 m"
    assert length(500, "m", 1) == "500 m ± 2.0 m"
    assert length(0.5, "map units", 0.01) == "0.5 map units ± 0.0196 map units"
    assert length(500, "m", 0) == "500 m"


@pytest.mark.parametrize(
    ("total", "part", "unit", "texts"),
    [
        # Rounded on its own the rest would be 72 m, and 153 + 72 is not 224.
        (224.4, 152.6, "m", ("224 m", "153 m", "71 m")),
        (1234.5, 0.2, "m", ("1,234 m", "0 m", "1,234 m")),
        (10.04, 9.96, "m", ("10 m", "10 m", "0 m")),
        (9.94, 3.35, "m", ("9.9 m", "3.4 m", "6.5 m")),
        (0.2061, 0.0873, "map units", ("0.206 map units", "0.087 map units", "0.119 map units")),
        (18.26, 3.04, "per 1,000", ("18.3 per 1,000", "3.0 per 1,000", "15.3 per 1,000")),
        (12345.6, 1.0, "map units", ("12,346 map units", "1 map units", "12,345 map units")),
        # A recovered map may by chance fit better than the true one.
        (150.0, 152.0, "m", ("150 m", "152 m", "−2 m")),
        (0.0, 0.0, "map units", ("0 map units", "0 map units", "0 map units")),
        (0.0, 0.0, "m", ("0.0 m", "0.0 m", "0.0 m")),
    ],
)
def test_a_total_and_its_parts_add_up_as_printed(total, part, unit, texts):
    assert added_up(total, part, unit) == texts


def test_metres_and_kilometres():
    assert metres(13_800) == "13,800 m"
    assert metres_or_kilometres(999) == "999 m"
    assert metres_or_kilometres(1000) == "1.0 km"
    assert metres_or_kilometres(13_849, digits=2) == "13.85 km"
    assert metres_or_kilometres(4.2) == "4 m"


def test_a_share_has_more_digits_below_one_percent():
    assert percent(0.1234) == "12.3%"
    assert percent(0.01) == "1.0%"
    assert percent(0.00994) == "0.99%"
    assert percent(0.00994, digits=1) == "1.0%"


def test_the_error_of_a_share_is_said_where_its_digits_show_it():
    assert percent(0.12, 0.01) == "12.0% ± 2.0%"
    assert percent(0.12, 0.0002) == "12.0%"
    assert percent(0.12, 0.0002, digits=2) == "12.00% ± 0.04%"


@pytest.mark.parametrize(
    ("factor", "text"),
    [(1.0, "1"), (1.649, "1.6"), (9.03, "9"), (33.1, "33"), (877.0, "880"), (540_365.0, "540,000"), (2e41, "10^41")],
)
def test_times_writes_a_factor_with_two_significant_digits(factor, text):
    assert times(math.log(factor)) == text


def test_a_word_of_a_command_line_is_quoted_where_it_must_be():
    assert command_word("DAM") == "DAM"
    assert shlex.split(f"x {command_word('Planar Laplace')} {command_word('DAM,3.5,15,,')}")[1:] == [
        "Planar Laplace",
        "DAM,3.5,15,,",
    ]


def test_counted_uses_the_plural_except_for_one():
    assert [counted(number, "point") for number in (0, 1, 2, 1000)] == [
        "0 points",
        "1 point",
        "2 points",
        "1,000 points",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "**bold** _thin_ `code` ~~gone~~",
        "[a link](https://example.org) <b>tag</b>",
        ":material/check: :red[text]",
        "$x^2$ # heading",
        "\\*not bold\\*",
        "&lt;script&gt;",
    ],
)
def test_escaped_markdown_shows_as_it_was_written(text):
    escaped = escaped_markdown(text)
    # As Markdown reads it: a backslash takes the meaning from the sign that follows, and is not shown itself.
    meant = re.sub(r"\\[!-/:-@[-`{-~]", "", escaped)
    assert not set(meant) & set("*_`~[]<>:$#\\&")
    assert re.sub(r"\\([!-/:-@[-`{-~])", r"\1", escaped) == text


def test_signs_that_streamlit_adds_to_markdown_are_escaped():
    for sign in "$:~":
        assert escaped_markdown(f"a {sign}b{sign}") == f"a \\{sign}b\\{sign}"
    assert escaped_markdown("plain text, 100% (of it)") == "plain text, 100% (of it)"
