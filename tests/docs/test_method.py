"""docs/method.md: every figure is what the library computes, every link leads somewhere, every slip is listed."""

import importlib.util
import re

import numpy as np
import pytest

from spatialldp.mechanisms import Mechanism
from spatialldp.paper import SLIPS
from tests.docs import markdown

TEXT = markdown.read("method.md")
CHECKS = markdown.section(TEXT, "Check values")
BODY = TEXT[: TEXT.index("## Check values")]
COMPUTED = [
    (figures.split("; "), expression.strip("`"))
    for figures, _, expression in markdown.rows(CHECKS, "| figures | what | expression |")
]
QUOTED = [(figures.split("; "), source) for figures, _, source in markdown.rows(CHECKS, "| figures | what | source |")]


@pytest.fixture(scope="module")
def names():
    (setup,) = re.findall(r"^```python\n(.*?)^```$", CHECKS, flags=re.DOTALL | re.MULTILINE)
    found: dict = {}
    exec(compile(setup, "method.md", "exec"), found)
    return found


def number(text: str) -> float:
    factor = 0.01 if text.endswith("%") else 1.0
    return float(text.removesuffix("%").replace(",", "").replace("−", "-")) * factor


def agrees(figure: str, value) -> bool:
    """Whether a value rounds to the figure as printed, or lies within the tolerance printed with it."""
    printed, _, tolerance = figure.partition(" ± ")
    digits = printed.removesuffix("%").partition(".")[2]
    if isinstance(value, (int, np.integer)) and not tolerance:
        return number(printed) == value
    allowed = number(tolerance) if tolerance else 0.5 * 10.0 ** -len(digits) * number("1%" if "%" in printed else "1")
    return abs(value - number(printed)) <= allowed * (1 + 1e-9)


@pytest.mark.parametrize(
    ("figure", "value", "expected"),
    [
        ("5.16", 5.1555, True),
        ("5.16", 5.1549, False),
        ("−0.0025", -0.00253, True),
        ("−0.0025", 0.0025, False),
        ("4.1%", 0.0411, True),
        ("4.1%", 0.0416, False),
        ("28% ± 2%", 0.299, True),
        ("28% ± 2%", 0.301, False),
        ("50,400", 50_400, True),
        ("50,400", 50_401, False),
        ("176", 176.4, True),
        ("176", 177, False),
        ("3.5", float("nan"), False),
    ],
)
def test_a_figure_agrees_with_what_rounds_to_it_only(figure, value, expected):
    assert agrees(figure, value) is expected


@pytest.mark.parametrize(("figures", "expression"), COMPUTED, ids=[expression for _, expression in COMPUTED])
def test_every_figure_is_the_value_of_its_expression(names, figures, expression):
    value = eval(expression, names)
    values = value if isinstance(value, list) else [value]
    assert len(values) == len(figures)
    for figure, got in zip(figures, values, strict=True):
        assert agrees(figure, got), (figure, got)


def without_tolerance(figures: list[str]) -> list[str]:
    return [figure.partition(" ± ")[0] for figure in figures]


KNOWN = {figure for figures, _ in COMPUTED + QUOTED for figure in without_tolerance(figures)}
WORDS = markdown.plain_words(BODY)


def test_every_result_in_the_text_is_in_a_table():
    # Numbers with a decimal point, a thousands separator or a percent sign are results; settings stand in formulas.
    results = re.findall(r"−?\d[\d,]*\.\d+%?|−?\d{1,3}(?:,\d{3})+|\d+%", WORDS)
    assert len(results) > 80
    assert set(results) <= KNOWN


def test_every_figure_of_the_tables_is_in_the_text():
    missing = [figure for figure in KNOWN if not re.search(rf"(?<![\d.,]){re.escape(figure)}(?!\d|[.,]\d)", WORDS)]
    assert missing == []


@pytest.mark.parametrize(("figures", "source"), QUOTED, ids=["; ".join(figures) for figures, _ in QUOTED])
def test_a_figure_without_an_expression_has_a_source_that_is_there(figures, source):
    command = re.fullmatch(r"`python -m ([\w.]+)`", source)
    if command:
        assert importlib.util.find_spec(command[1]) is not None
    else:
        # Files with the figure in them, with Python's separator of thousands or without a needless zero.
        ((_, target),) = markdown.link_pairs(source)
        text = (markdown.DOCS / target).read_text(encoding="utf-8")
        for figure in figures:
            plain = figure.replace("%", "")
            written = {plain.replace(",", "_"), str(number(figure))}
            assert any(form in text for form in written), figure


def test_links_lead_somewhere():
    assert markdown.broken_links("method.md") == []


def test_the_corrections_are_those_demonstrated_in_the_library():
    listed = re.findall(r"^\d+\. `([\w-]+)`: ", markdown.section(TEXT, "Corrections to the paper"), flags=re.MULTILINE)
    assert listed == list(SLIPS)


def test_names_in_the_text_exist(names):
    spans = [span for span in markdown.code_spans(BODY) if span.isidentifier() and span not in SLIPS]
    assert {"perturb", "exact_check", "transport"} <= set(spans)
    for span in spans:
        assert span in names or hasattr(Mechanism, span) or span == "spatialldp", span


def test_formulas_are_closed_and_survive_markdown():
    without_code = "\n".join(line for line in BODY.splitlines() if not line.startswith("```"))
    for paragraph in without_code.split("\n\n"):
        assert paragraph.count("$") % 2 == 0, paragraph
    found = markdown.formulas(BODY)
    assert len(found) > 100
    for formula in found:
        # Markdown takes a backslash before punctuation for itself, and asterisks for emphasis.
        assert not re.search(r"\\[^a-zA-Z]|\*|\|", formula), formula
        assert formula.count("{") == formula.count("}"), formula
