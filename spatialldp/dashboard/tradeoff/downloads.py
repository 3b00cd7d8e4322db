"""The printable report, the numbers and the command of the Trade-off page."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from spatialldp.dashboard.tradeoff.state import TradeoffState
from spatialldp.experiments.sweep import to_csv
from spatialldp.planning.decision import Decision
from spatialldp.planning.searches import GridAnswer
from spatialldp.planning.study import Study, first_run, report_command
from spatialldp.report.html import report_html


def take_away(state: TradeoffState) -> None:
    """The report, the numbers, the command."""
    st.subheader("Take it away", anchor=False)
    ready = state.complete
    asked = state.question
    name = f"{asked.data}-{asked.plan.mechanism.replace(' ', '-')}-eps{asked.plan.epsilon:g}-d{asked.plan.d}"
    with st.container(horizontal=True):
        st.download_button(
            "Report (HTML, prints on A4)",
            lambda: report_html(study_of(state)).encode(),
            f"report-{name}.html",
            "text/html",
            on_click="ignore",
            key="get-report",
            type="primary",
            disabled=not ready,
            icon=":material/description:",
        )
        st.download_button(
            "Curves, CSV",
            lambda: to_csv(state.points),
            f"curves-{name}.csv",
            "text/csv",
            on_click="ignore",
            key="get-csv",
            disabled=not state.points,
        )
    if not ready:
        st.caption("The report can be had when everything above is computed.")
    if state.loaded.entry.own:
        st.caption("Your own file is not in the report; only its counts per cell are, as pictures.")
        return
    st.markdown("The same report on the command line:")
    st.code(report_command(asked), language="bash", wrap_lines=True)


def study_of(state: TradeoffState) -> Study:
    """What is on the page, for the report."""
    asked, answer = state.question, state.answer
    assert state.assessment is not None
    found = Study(
        asked,
        state.loaded.entry,
        state.population,
        first_run(state.population, asked.plan, asked.seed),
        state.assessment,
        state.points,
    )
    return replace(
        found,
        decision=answer if isinstance(answer, Decision) else None,
        grid=answer if isinstance(answer, GridAnswer) else None,
        pinned=state.pinned,
    )
