"""Trade-off: how much accuracy for how much privacy, for somebody who has to decide."""

import streamlit as st

from spatialldp.dashboard.shared import controls
from spatialldp.dashboard.shared.first_minute import heading
from spatialldp.dashboard.shared.page_setup import setup_page
from spatialldp.dashboard.shared.pages import Page
from spatialldp.dashboard.tradeoff import curves_view, decision_view, downloads, questions, scenarios_view, state

setup_page(Page.TRADE_OFF)
loaded = controls.sidebar_data()
controls.sidebar_mechanism()
controls.sidebar_budget(questions.promise(controls.choices()))
controls.sidebar_radius()
controls.sidebar_end()

heading("How much accuracy for how much privacy?")
controls.show_notices()
loaded, population = controls.require_population(loaded, controls.choices())

questions.question_controls(population)
decision = st.container(border=True, key="decision")
questions.curve_controls()
shown = state.begin(controls.choices(), loaded, population)
with decision:
    decision_view.advice(shown)
    bar = state.progress(shown)
    decision_view.figures(shown)
    decision_view.maps(shown)
curves_view.curves(shown)
curves_view.attackers(shown)
scenarios_view.side_by_side(shown)
downloads.take_away(shown)
st.caption(
    f"{population.note} Everything here is simulated, which is why the error can be known. The random seed draws "
    "the maps; errors are measured with draws of their own, the same for everybody."
)
state.wait(shown, bar)
