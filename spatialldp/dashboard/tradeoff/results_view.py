"""What the Trade-off page answers: a sentence, figures, curves, attackers and two scenarios."""

from __future__ import annotations

import html

import pandas as pd
import streamlit as st

from spatialldp.dashboard.shared import captions
from spatialldp.dashboard.shared.controls import choose
from spatialldp.dashboard.shared.figures import figure
from spatialldp.dashboard.shared.page_setup import is_dark
from spatialldp.dashboard.tradeoff.state import TradeoffState
from spatialldp.drawing import charts
from spatialldp.formatting import escaped_markdown, length, length_range, percent
from spatialldp.mechanisms import MECHANISMS
from spatialldp.planning import sentences
from spatialldp.planning.decision import Decision
from spatialldp.planning.question import pinned_text
from spatialldp.planning.searches import GridAnswer

_BOTH_HELP = (
    "People are at most this far from what the map says, on average (root mean square): the error of the recovered "
    "map plus the distance of a person from the centre of their own cell."
)


def recommendation(state: TradeoffState) -> None:
    """The sentence to read aloud, and how sure it is."""
    assessment, answer = state.assessment, state.answer
    with st.container(border=True, key="recommendation"):
        st.markdown("**In a sentence**")
        if assessment is None:
            st.markdown("Computing …")
            return
        decision = answer if isinstance(answer, Decision) else None
        if state.question.target is not None and decision is None:
            wanted = length(state.question.target, assessment.error.unit)
            st.markdown(f"Looking for the smallest ε that keeps the error within {wanted} …")
            return
        sentence = html.escape(sentences.recommendation(assessment, decision))
        st.html(f'<p id="advice" style="font-size:1.2rem;line-height:1.5;margin:0">{sentence}</p>')
        if decision is not None:
            if decision.best.met:
                _choose_button(decision)
                st.caption(escaped_markdown(sentences.uncertainty_sentence(decision)))
            people = sentences.users_sentence(decision.users, state.question.plan, assessment.error.unit)
            st.caption(escaped_markdown(people))
        elif isinstance(answer, GridAnswer):
            st.caption(escaped_markdown(sentences.offer_sentence(answer)))
        else:
            st.caption("Looking for the finest grid that is still useful …")


def _choose_button(decision: Decision) -> None:
    plan = decision.best.error.plan
    st.button(
        f"Use ε = {plan.epsilon:g} and {plan.d} × {plan.d} cells",
        key="use",
        icon=":material/check:",
        on_click=choose,
        kwargs={"epsilon": plan.epsilon, "d": plan.d, "b": plan.b},
        help="Sets the sliders on the left to this answer.",
    )


def figures(state: TradeoffState) -> None:
    """Both sides of the trade for the settings on the left."""
    assessment = state.assessment
    if assessment is None:
        return
    error, risk = assessment.error, assessment.many
    unit, side = error.unit, error.side
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("How good the map is", anchor=False)
        columns = st.columns(3)
        figure(
            columns[0],
            "Noise",
            length(error.transport, unit),
            f"± {length(error.half_width, unit)}",
            "Error from the randomisation (W2): how far people would have to be moved to turn the recovered map "
            "into the true one. ± is half the 95 % interval of its mean over the repeats.",
        )
        figure(
            columns[1],
            "Cells",
            length(error.cell, unit),
            f"{length(side, unit)} wide",
            "Root mean square distance of a person from the centre of their cell, side/√6; a map of cells cannot "
            "show it.",
        )
        figure(
            columns[2],
            "Total",
            length(error.total, unit),
            length_range(error.low, error.high, unit),
            _BOTH_HELP,
        )
    with right:
        reports = "one report" if risk.reports == 1 else f"{risk.reports} reports"
        st.subheader("What one person risks", anchor=False)
        columns = st.columns(3)
        figure(
            columns[0],
            "Right guess",
            f"{risk.hit_rate:.1%}",
            f"{risk.prior_hit_rate:.1%} before",
            f"How often the best-guess attacker, who knows where people usually are, names the right cell after "
            f"{reports}, and before any report.",
        )
        figure(
            columns[1],
            "Wrong by",
            length(risk.guess_distance * side, unit),
            f"{length(risk.prior_distance * side, unit)} before",
            f"Mean distance between the person and the best guess after {reports}, and before any report.",
        )
        per_cell = " per cell" if MECHANISMS[error.plan.mechanism].notion == "Geo-I" else ""
        figure(
            columns[2],
            "Budget",
            f"ε = {risk.budget:.3g}",
            f"{risk.reports} × {error.epsilon_used:.3g}{per_cell}",
            "Budgets add up: each report of the same person about the same place costs ε again.",
        )


def curves(state: TradeoffState) -> None:
    """Error on the left, risk on the right, over the same axis."""
    points = sorted(state.points, key=lambda point: (point.mechanism, point.value))
    if not state.curves:
        names = captions.listed([name for name, kind in MECHANISMS.items() if kind.parameter("b")], "or")
        st.info(f"None of these mechanisms has a radius to vary: tick {names}, or choose another axis.")
        return
    if not points or state.assessment is None:
        return
    marked, dark = state.question.marked_value(state.assessment.error.users), is_dark()
    left, right = st.columns(2, gap="large")
    with left:
        st.vega_lite_chart(spec=charts.error_chart(points, marked, dark), width="stretch", key="error-chart")
        st.caption(
            "Error of the recovered map with its 95 % interval. Dashed lines: a uniform guess that saw no report, the "
            "map of as many people drawn anew without privacy (chance alone; at a large ε a mechanism can do better, "
            "because it counts the very people of the true map), and what the cells hide. The broad grey line marks "
            "the settings on the left. The scale is compressed towards the top." + charts.more_protection_note(points)
        )
    with right:
        st.vega_lite_chart(spec=charts.distance_chart(points, marked, dark), width="stretch", key="distance-chart")
        st.vega_lite_chart(spec=charts.hit_chart(points, marked, dark), width="stretch", key="hit-chart")
        seen = "one report" if state.question.reports == 1 else f"{state.question.reports} reports of one person"
        st.caption(
            f"The best-guess attacker after {seen}: how far off on average, and how often right. Dashed: before any "
            "report. More protection is up in the first chart and down in the second."
        )


def attackers(state: TradeoffState) -> None:
    """Both attackers by name."""
    assessment = state.assessment
    if assessment is None:
        return
    error, seen = assessment.error, [assessment.one]

    def off_by(cells: float, standard_error: float) -> str:
        return length(cells * error.side, error.unit, standard_error * error.side)

    seen += [] if assessment.many is assessment.one else [assessment.many]
    with st.expander("Two attackers, by name", icon=":material/visibility:", key="attackers"):
        rows = {
            "": [
                "Best-guess attacker: names the right cell",
                "Best-guess attacker: off by",
                "Sampling attacker: names the right cell",
                "Sampling attacker: off by",
            ]
        }
        rows["no report"] = [
            f"{seen[0].prior_hit_rate:.1%}",
            length(seen[0].prior_distance * error.side, error.unit),
            "–",
            "–",
        ]
        for risk in seen:
            rows["one report" if risk.reports == 1 else f"{risk.reports} reports"] = [
                percent(risk.hit_rate, risk.hit_rate_error, digits=1),
                off_by(risk.guess_distance, risk.guess_distance_error),
                percent(risk.sampling_hit_rate, risk.sampling_hit_rate_error, digits=1),
                off_by(risk.sampling_distance, risk.sampling_distance_error),
            ]
        st.table(pd.DataFrame(rows).set_index(""))
        local = length(assessment.local.value * error.side, error.unit)
        st.caption(
            "Both know where people usually are (the true map). The best-guess attacker does the best thing with the "
            "reports; the sampling attacker draws a place from what they make plausible, which flatters protection. "
            f"The paper’s local privacy (LP) is a sampling attacker who knew nothing beforehand: {local}. "
            "± is 1.96 standard errors where the figure is simulated."
        )


def scenarios(state: TradeoffState) -> None:
    """Two plans side by side: A is pinned, B is what the controls say."""
    st.subheader("Two scenarios side by side", anchor=False)
    if state.question.pinned is None:
        st.caption("Pin the current settings as scenario A, then change something: the difference shows here.")
        st.button(
            "Pin as scenario A",
            key="pin",
            icon=":material/push_pin:",
            on_click=choose,
            kwargs={"pinned": pinned_text(state.question.plan)},
        )
        return
    if state.pinned is not None and state.assessment is not None:
        head = ("", "A (pinned)", "B (now)", "B compared with A")
        rows = sentences.scenario_rows(state.pinned, state.assessment)
        st.table(pd.DataFrame(rows, columns=head).set_index(""))
    with st.container(horizontal=True):
        st.button(
            "Pin the current settings instead",
            key="pin",
            icon=":material/push_pin:",
            on_click=choose,
            kwargs={"pinned": pinned_text(state.question.plan)},
        )
        st.button("Remove scenario A", key="unpin", on_click=choose, kwargs={"pinned": None})
