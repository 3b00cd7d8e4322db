"""Lesson: LDP against Geo-I, in five steps around one person."""

import streamlit as st

from spatialldp.dashboard.lesson import steps
from spatialldp.dashboard.lesson.state import FINEST, limited
from spatialldp.dashboard.shared import controls
from spatialldp.dashboard.shared.choices import STEPS
from spatialldp.dashboard.shared.page_setup import setup_page
from spatialldp.dashboard.shared.pages import Page

setup_page(Page.LESSON)
loaded = controls.sidebar_data()
controls.sidebar_budget("both")
controls.sidebar_end()
chosen = limited(controls.choices())

st.title("Two promises: LDP and Geo-I")
st.markdown(
    "One person, one phone, one report. What does it give away under *local differential privacy* (LDP) and under "
    "*geo-indistinguishability* (Geo-I)? Everything here is simulated; nobody is really there."
)
controls.show_notices()
steps.step_menu()
if controls.choices().d > FINEST:
    st.caption(f"The lesson uses at most {FINEST} × {FINEST} cells.")
loaded, population = controls.require_population(loaded, chosen)
with controls.container_for(chosen.step, range(1, STEPS + 1)):
    steps.show_step(chosen, loaded, population)
    steps.turn_pages()
