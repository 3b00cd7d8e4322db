"""Plans side by side: the recommended one, the present setting, and those that the visitor has saved by name."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from spatialldp.dashboard.shared import session
from spatialldp.dashboard.shared.controls import choices, choose
from spatialldp.dashboard.tradeoff.decision_view import sides
from spatialldp.dashboard.tradeoff.state import TradeoffState
from spatialldp.formatting import escaped_markdown
from spatialldp.planning import sentences
from spatialldp.planning.question import LONGEST_NAME, MOST_SCENARIOS, Scenario, checked_name, scenario_text


def side_by_side(state: TradeoffState) -> None:
    """All plans in one table, and the controls that save and remove scenarios."""
    st.subheader("Plans side by side", anchor=False)
    columns = [(side.name, side.found) for side in sides(state) if side is not None]
    columns += [(escaped_markdown(name), found) for name, found in state.findings.scenarios]
    if columns:
        rows = sentences.comparison_rows([found for _, found in columns])
        st.table(pd.DataFrame(rows, columns=["", *(name for name, _ in columns)]).set_index(""))
    _controls(state)


def _controls(state: TradeoffState) -> None:
    saved = state.question.scenarios
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if len(saved) < MOST_SCENARIOS:
            session.show(session.SCENARIO_NAME, session.shown(session.SCENARIO_NAME) or _next_name(state))
            st.text_input("Name of the scenario", max_chars=LONGEST_NAME, key=session.SCENARIO_NAME, width=220)
            st.button(
                "Save your setting as a scenario",
                key="save",
                icon=":material/bookmark_add:",
                on_click=_save,
                args=(state,),
            )
        for scenario in saved:
            st.button(
                f"Remove {escaped_markdown(scenario.name)}",
                key=f"remove-{scenario.name}",
                icon=":material/close:",
                on_click=_remove,
                args=(scenario.name,),
            )
    if problem := session.SCENARIO_PROBLEM.take():
        st.warning(problem)
    st.caption(f"Up to {MOST_SCENARIOS} scenarios; the link of this page carries them.")


def _next_name(state: TradeoffState) -> str:
    used = {scenario.name for scenario in state.question.scenarios}
    return next(letter for letter in "ABCDEFGH" if letter not in used)


def _save(state: TradeoffState) -> None:
    saved = choices().scenarios
    try:
        name = checked_name(session.shown(session.SCENARIO_NAME) or "")
    except ValueError as problem:
        session.SCENARIO_PROBLEM.set(escaped_markdown(f"{problem}.".capitalize()))
        return
    if any(text.rpartition("=")[0] == name for text in saved):
        session.SCENARIO_PROBLEM.set(escaped_markdown(f"There is a scenario called {name}: choose another name."))
        return
    session.forget(session.SCENARIO_NAME)
    choose(scenarios=(*saved, scenario_text(Scenario(name, state.question.plan))))


def _remove(name: str) -> None:
    choose(scenarios=tuple(text for text in choices().scenarios if text.rpartition("=")[0] != name))
