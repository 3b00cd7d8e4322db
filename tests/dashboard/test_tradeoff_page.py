"""The logic of the Trade-off page, without a browser."""

import functools

import pytest

from spatialldp.experiments import population
from spatialldp.experiments.plan import Plan
from spatialldp.formatting import length
from spatialldp.planning import sentences
from spatialldp.planning.decision import assess, decide
from tests.dashboard.driving import said, started, value_of

PAGE = "pages/tradeoff.py"
QUICK = {"data": "new-haven", "d": "5", "repeats": "2", "with": "DAM"}


def text_of(app) -> str:
    return "\n".join([said(app), *(str(part.proto.body) for part in app.get("html"))])


def test_offering_a_budget_shows_the_librarys_numbers():
    app = started(PAGE, **QUICK, eps="4", k="2")
    expected = assess(population("new-haven", 5), Plan(epsilon=4.0, d=5), 1, 2, 2)
    error = expected.error
    assert value_of(app, "Noise") == length(error.transport, "m")
    assert value_of(app, "Cells") == length(error.cell, "m")
    assert value_of(app, "Total") == length(error.total, "m")
    assert value_of(app, "Right guess") == f"{expected.many.hit_rate:.1%}"
    assert value_of(app, "Budget") == "ε = 8"
    assert sentences.error_sentence(error) in text_of(app)
    assert "finest grid that is still useful has" in said(app)
    assert len(app.get("vega_lite_chart")) == 3


def test_an_accepted_error_finds_the_budget_of_the_library():
    app = started(PAGE, **QUICK, target="3000")
    people_at = functools.cache(lambda d: population("new-haven", d))
    *_, decision = decide(people_at, Plan(d=5), 3000.0, 1, 2)
    assert decision.best.met
    assert sentences.decision_sentence(decision) in text_of(app)
    app.button(key="use").click().run()
    assert app.slider(key="eps").value == pytest.approx(decision.best.epsilon)
    assert app.slider(key="d").value == decision.best.error.plan.d


def test_an_error_that_cannot_be_met_is_said():
    app = started(PAGE, **QUICK, target="1")
    assert "No ε up to 9 keeps the error within 1.0 m" in text_of(app)
    assert "the cells alone hide more" in said(app)
    assert "use" not in [button.key for button in app.button]


def test_switching_the_question_and_back():
    app = started(PAGE, **QUICK)
    app.radio(key="ask").set_value("I can accept an error of …").run()
    assert app.number_input(key="target").value == 500
    app.radio(key="ask").set_value("I can offer ε = …").run()
    assert not app.exception
    assert "target" not in [field.key for field in app.number_input]


def test_two_scenarios():
    app = started(PAGE, **QUICK)
    app.button(key="pin").click().run()
    app.slider(key="eps").set_value(6.0).run()
    table = app.table[-1].value
    assert table.loc["Privacy budget"].tolist() == ["ε = 3.5", "ε = 6", "changed"]
    assert table.loc["Error: size of the cells"].iloc[-1] == "+0.0 m"
    app.button(key="unpin").click().run()
    assert "Pin the current settings as scenario A" in said(app)


@pytest.mark.parametrize("over", ["d", "b", "users"])
def test_curves_are_drawn_over_every_axis(over):
    app = started(PAGE, **QUICK, over=over, pop="50")
    assert len(app.get("vega_lite_chart")) == 3
    assert "1,646" in text_of(app) or "1,647" in text_of(app)


def test_no_radius_no_curve_over_it():
    app = started(PAGE, **{**QUICK, "with": "MDSW", "mech": "MDSW", "over": "b"})
    assert "None of these mechanisms has a radius" in said(app)


@pytest.mark.parametrize(
    "query",
    [
        {"d": "1"},
        {"d": "1", "target": "100"},
        {"box": "-72.93,41.305,-72.927,41.308", "eps": "0.5"},
        {"data": "normal", "target": "1"},
        {"mech": "SEM-Geo-I", "geo": "same"},
    ],
    ids=str,
)
def test_extreme_settings_in_a_link_still_give_an_answer(query):
    app = started(PAGE, **{**QUICK, **query})
    assert not app.error
    assert value_of(app, "Total")


def test_an_empty_box_is_said():
    app = started(PAGE, **{**QUICK, "box": "-72.5,41.9,-72.4,42"})
    assert "Nobody is in this box" in said(app)


def test_garbage_in_the_link_is_ignored_with_a_notice():
    app = started(PAGE, **QUICK, target="-5", pop="0", over="x", k="99", a="DAM,1")
    assert len(app.warning) == 5
