"""The printable report, the numbers and the command of the Trade-off page."""

from __future__ import annotations

import streamlit as st

from spatialldp.dashboard.tradeoff.state import TradeoffState
from spatialldp.experiments.sweep import to_csv
from spatialldp.planning.question import report_command
from spatialldp.planning.study import Study, assemble
from spatialldp.report.html import printable_report


def take_away(state: TradeoffState) -> None:
    """The printable report, the numbers, the command."""
    st.subheader("Downloads", anchor=False)
    ready, asked, decided = state.complete, state.question, state.decided
    plan = asked.plan if decided is None else decided.plan
    name = f"{asked.data}-{plan.mechanism.replace(' ', '-')}-eps{plan.epsilon:g}-d{plan.d}"
    with st.container(horizontal=True):
        st.download_button(
            "Printable report (HTML, A4)",
            lambda: printable_report(study_of(state)).encode(),
            f"printable-report-{name}.html",
            "text/html",
            on_click="ignore",
            key="get-report",
            type="primary",
            disabled=not ready,
            icon=":material/description:",
        )
        st.download_button(
            "Curves, CSV",
            lambda: to_csv(state.findings.points),
            f"curves-{name}.csv",
            "text/csv",
            on_click="ignore",
            key="get-csv",
            disabled=not state.findings.points,
        )
    if not ready:
        st.caption("The printable report is ready when everything above is computed.")
    if state.loaded.entry.own:
        st.caption("Your own file is not in the printable report; only its counts per cell are, as pictures.")
        return
    st.markdown("The same printable report on the command line:")
    st.code(report_command(asked), language="bash", wrap_lines=True)


def study_of(state: TradeoffState) -> Study:
    """What is on the page, for the printable report."""
    return assemble(state.question, state.loaded.entry, state.measurements, state.findings.results)
