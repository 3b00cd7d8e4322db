"""Curves of the plan that is decided for, and both attackers by name."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from spatialldp.dashboard.shared import captions
from spatialldp.dashboard.shared.page_setup import is_dark
from spatialldp.dashboard.tradeoff.state import TradeoffState
from spatialldp.drawing import charts
from spatialldp.formatting import length, percent
from spatialldp.mechanisms import MECHANISMS
from spatialldp.planning import sentences
from spatialldp.planning.question import CROWDS, marked_value


def curves(state: TradeoffState) -> None:
    """Error on the left, risk on the right, over the same axis."""
    points = sorted(state.findings.points, key=lambda point: (point.mechanism, point.error.users, point.value))
    decided = state.decided
    if decided is None:
        return
    if not any(part.is_curve for part in state.parts.values()):
        names = captions.listed([name for name, kind in MECHANISMS.items() if kind.parameter("b")], "or")
        st.info(f"None of these mechanisms has a radius to vary: select {names}, or choose another axis.")
        return
    if not points:
        st.caption("The curves are being measured …")
        return
    marked, dark = marked_value(state.question.over, decided.plan, decided.error.users), is_dark()
    # While only the first of them has points, they would pass for those of its mechanism.
    crowds = state.question.over == CROWDS or None
    left, right = st.columns(2, gap="large")
    with left:
        chart = charts.error_chart(points, marked, dark, target=state.question.target, crowds=crowds)
        st.vega_lite_chart(spec=chart, width="stretch", key="error-chart")
        st.caption(
            "Error with its 95% interval. Dashed lines: a uniform guess that saw no report, the map of as many people "
            "drawn at random, without privacy, and the part from cell size. The broad grey line marks the plan shown "
            "above. The scale is compressed towards the top." + charts.more_protection_note(points)
        )
    with right:
        st.vega_lite_chart(
            spec=charts.distance_chart(points, marked, dark, crowds=crowds), width="stretch", key="distance-chart"
        )
        st.vega_lite_chart(spec=charts.hit_chart(points, marked, dark, crowds=crowds), width="stretch", key="hit-chart")
        seen = "one report" if state.question.reports == 1 else f"{state.question.reports} reports of one person"
        st.caption(
            f"The best-guess attacker after {seen}: how far off on average, and how often right. Dashed: before any "
            "report. More protection is up in the first chart and down in the second."
        )


def attackers(state: TradeoffState) -> None:
    """Both attackers by name."""
    decided = state.decided
    if decided is None:
        return
    error, seen = decided.error, [decided.one]

    def off_by(cells: float, standard_error: float = 0.0) -> str:
        return sentences.guess_off_by(cells, error.side, error.length_unit, standard_error)

    seen += [] if decided.many is decided.one else [decided.many]
    with st.expander("Two kinds of attacker", icon=":material/visibility:", key="attackers"):
        rows = {
            "": [
                "Best-guess attacker: names the right cell",
                "Best-guess attacker: average error",
                "Sampling attacker: names the right cell",
                "Sampling attacker: average error",
            ]
        }
        rows["no report"] = [
            percent(seen[0].prior_hit_rate, digits=1),
            off_by(seen[0].prior_distance),
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
        local = length(decided.local.value * error.side, error.length_unit)
        per_cell = " per cell" if MECHANISMS[error.plan.mechanism].notion == "Geo-I" else ""
        st.caption(
            "Errors are between the centres of cells. Both know where people usually are (the true map). The "
            "best-guess attacker makes the best guess from the reports; the sampling attacker draws a place from what "
            "they make plausible, which flatters protection. The paper’s local privacy (LP) is the average error of a "
            f"sampling attacker who knew nothing beforehand: {local}. Budgets add up: {decided.many.reports} × "
            f"{error.epsilon_used:.3g} = {decided.many.budget:.3g}{per_cell}. ± is 1.96 standard errors where the "
            "figure is simulated."
        )
