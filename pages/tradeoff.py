"""Trade-off: how much accuracy for how much privacy, for somebody who has to decide."""

import streamlit as st

from spatialldp.dashboard.shared import controls
from spatialldp.dashboard.shared.page_setup import setup_page
from spatialldp.dashboard.shared.pages import Page
from spatialldp.dashboard.tradeoff import downloads, questions, results_view, state

setup_page(Page.TRADE_OFF)
loaded = controls.sidebar_data()
controls.sidebar_mechanism()
controls.sidebar_budget(questions.promise(controls.choices()))
controls.sidebar_radius()
controls.sidebar_end()

st.title("How much accuracy for how much privacy?")
st.markdown(
    "Both sides of the decision on one screen: how far off the map will be, and what a report gives away about the "
    "person who sent it. Everything here is simulated, which is why the error can be known."
)
controls.show_notices()
loaded, population = controls.require_population(loaded, controls.choices())

questions.question_controls(population)
answer = st.container()
questions.curve_controls()
shown = state.begin(controls.choices(), loaded, population)
with answer:
    results_view.recommendation(shown)
    results_view.figures(shown)
state.progress(shown)
results_view.curves(shown)
results_view.attackers(shown)
results_view.scenarios(shown)
downloads.take_away(shown)
st.caption(population.note)
state.wait(shown)
