"""The logic of the Trade-off page, without a browser."""

import functools
import re

import pytest

from spatialldp.experiments import population
from spatialldp.experiments.plan import Plan
from spatialldp.formatting import added_up, length, percent
from spatialldp.planning import sentences
from spatialldp.planning.decision import Decision, assess, decide, offer
from tests.dashboard.driving import link_notices, link_of, said, started, value_of

PAGE = "pages/tradeoff.py"
QUICK = {"data": "new-haven", "d": "5", "repeats": "2"}
people_on = functools.cache(lambda d: population("new-haven", d))


def text_of(app) -> str:
    return "\n".join([said(app), *(str(part.proto.body) for part in app.get("html"))])


def advice_of(app) -> str:
    (found,) = re.findall(r'<p id="advice"[^>]*>([^<]*)</p>', text_of(app))
    return found


def decided(target: float | None, plan: Plan) -> Decision:
    """What the library recommends, with the page's two repeats."""
    steps = offer(people_on, plan, 1, 2) if target is None else decide(people_on, plan, target, 1, 2)
    *_, found = steps
    return found


def test_offering_a_budget_shows_the_librarys_numbers_of_the_best_grid():
    app = started(PAGE, **QUICK, eps="4", k="2")
    plan = decided(None, Plan(epsilon=4.0)).plan
    assert (plan.epsilon, plan.d) != (4.0, 5)
    expected = assess(people_on, plan, 1, 2, 2)
    error = expected.error
    total, cell, noise = added_up(error.mean, error.cell, "m")
    assert value_of(app, "Error of the map") == total
    assert value_of(app, "Part from cell size") == cell
    assert noise in next(metric.delta for metric in app.metric if metric.label == "Part from cell size")
    assert value_of(app, "Right cell named") == percent(expected.many.hit_rate, digits=1)
    assert value_of(app, "Attacker’s average error") == length(expected.many.guess_distance * error.side, "m")
    assert advice_of(app) == sentences.recommendation(Decision(error), expected)
    assert len(app.get("vega_lite_chart")) == 3
    # The present setting stands beside it.
    own = assess(people_on, Plan(epsilon=4.0, d=5), 1, 2, 2).error
    table = app.table[-1].value
    assert table.loc["Error of the map, mean"].tolist() == [total, added_up(own.mean, own.cell, "m")[0]]
    assert table.loc["Cells"].tolist() == [f"{plan.d} × {plan.d}", "5 × 5"]


def test_an_accepted_error_is_answered_alike_wherever_the_visitor_stands_and_use_changes_the_sliders_only():
    decision = decided(1_000.0, Plan())
    assert decision.met
    answers = set()
    for settings in ({"d": "5", "eps": "4"}, {"d": "9", "eps": "0.7", "b": "3", "seed": "8"}):
        app = started(PAGE, **{**QUICK, **settings}, target="1000")
        answers.add(advice_of(app))
        assert value_of(app, "Error of the map") == length(decision.error.mean, "m")
    app.button(key="use").click().run()
    assert app.slider(key="eps").value == pytest.approx(decision.plan.epsilon)
    assert app.slider(key="d").value == decision.plan.d
    assert "b=" not in link_of(app)
    answers.add(advice_of(app))
    assert answers == {sentences.recommendation(decision, assess(people_on, decision.plan, 1, 2))}
    assert value_of(app, "Error of the map") == length(decision.error.mean, "m")
    assert "Your setting is the recommended plan" in said(app)
    assert "use" not in [button.key for button in app.button]
    assert app.table[-1].value.columns.tolist() == ["Recommended"]


def test_somebody_may_decide_for_their_own_setting():
    app = started(PAGE, **QUICK, plan="present")
    own = assess(people_on, Plan(d=5), 1, 2).error
    assert value_of(app, "Error of the map") == added_up(own.mean, own.cell, "m")[0]
    assert "Your setting: ε = 3.5 on 5 × 5 cells" in said(app).replace("\\", "")
    assert "--for present" in app.code[0].value
    assert advice_of(app).startswith("With ε = 3.5, choose ")


def test_an_error_that_cannot_be_met_is_said():
    app = started(PAGE, **QUICK, target="1")
    assert "No ε up to 9 keeps the error within 1.0 m" in advice_of(app)
    assert "the cells alone cost more" in said(app)


def test_switching_the_question_and_back():
    app = started(PAGE, **QUICK)
    app.radio(key="ask").set_value("I can accept an error of …").run()
    assert app.number_input(key="target").value == 500
    app.radio(key="purpose").set_value("counts").run()
    assert not app.exception
    assert app.number_input(key="target-counts").value == 20
    assert value_of(app, "Error of counts").endswith(" per 1,000")
    app.radio(key="ask").set_value("I can offer ε = …").run()
    assert not app.exception
    assert not [field.key for field in app.number_input if field.key.startswith("target")]


def test_scenarios_are_saved_by_name_and_removed():
    app = started(PAGE, **QUICK)
    app.text_input(key="scenario-name").set_value("careful").run()
    app.button(key="save").click().run()
    app.slider(key="eps").set_value(6.0).run()
    app.button(key="save").click().run()
    assert "s=careful%3DDAM,3.5,5,,%3BA%3DDAM,6,5,," in link_of(app)
    table = app.table[-1].value
    assert table.columns.tolist() == ["Recommended", "Your setting", "careful", "A"]
    assert table.loc["Privacy budget"].tolist() == ["ε = 6", "ε = 6", "ε = 3.5", "ε = 6"]
    # One and the same plan has one and the same error, whatever it is called.
    assert table.loc["Error of the map, mean"].iloc[1] == table.loc["Error of the map, mean"].iloc[3]
    app.button(key="remove-careful").click().run()
    assert app.table[-1].value.columns.tolist() == ["Recommended", "Your setting", "A"]


@pytest.mark.parametrize(
    ("name", "problem"), [("a<b", "must be 1 to 24 letters"), ("A", "There is a scenario called A")]
)
def test_a_name_that_will_not_do_is_said(name, problem):
    app = started(PAGE, **QUICK, s="A=DAM,2,4,,")
    app.text_input(key="scenario-name").set_value(name).run()
    app.button(key="save").click().run()
    assert problem in said(app).replace("\\", "")
    assert link_of(app).count("%3D") == 1


@pytest.mark.parametrize("over", ["d", "b", "users", "crowds"])
def test_curves_are_drawn_over_every_axis(over):
    app = started(PAGE, **QUICK, over=over, pop="50", draw="MDSW")
    assert len(app.get("vega_lite_chart")) == 3
    assert app.table[-1].value.loc["People"].tolist() == ["1,646", "1,646"]


def test_no_radius_no_curve_over_it():
    app = started(PAGE, **{**QUICK, "mech": "MDSW", "over": "b"})
    assert "None of these mechanisms has a radius" in said(app)


@pytest.mark.parametrize(
    "query",
    [
        {"d": "1"},
        {"d": "1", "target": "100"},
        {"d": "70", "plan": "present"},
        {"box": "-72.93,41.305,-72.927,41.308", "eps": "0.5"},
        {"data": "normal", "target": "1"},
        {"data": "normal", "purpose": "counts", "target": "50"},
        {"mech": "SEM-Geo-I", "geo": "same"},
        {"mech": "SEM-Geo-I", "target": "3000"},
    ],
    ids=str,
)
def test_extreme_settings_in_a_link_still_give_an_answer(query):
    app = started(PAGE, **{**QUICK, **query})
    assert not app.error
    assert advice_of(app)


def test_an_empty_box_is_said():
    app = started(PAGE, **{**QUICK, "box": "-72.5,41.9,-72.4,42"})
    assert "Nobody is in this area" in said(app)


def test_garbage_in_the_link_is_ignored_with_a_notice():
    app = started(PAGE, **QUICK, target="-5", pop="0", over="x", k="99", s="DAM,1")
    assert len(link_notices(app)) == 5
