"""Lesson: LDP against Geo-I, in five steps around one person."""

import streamlit as st

from spatialldp.dashboard import controls, lesson
from spatialldp.dashboard.lesson_scene import FINEST, limited
from spatialldp.dashboard.setup import setup_page
from spatialldp.dashboard.state import STEPS

setup_page("Lesson")
place = controls.sidebar_data()
controls.sidebar_budget("both")
controls.sidebar_end()
chosen = limited(controls.choices())

st.title("Two promises: LDP and Geo-I")
st.markdown(
    "One person, one phone, one report. What does it give away under *local differential privacy* (LDP) and under "
    "*geo-indistinguishability* (Geo-I)? Everything here is simulated; nobody is really there."
)
controls.show_notices()
lesson.step_menu()
if controls.choices().d > FINEST:
    st.caption(f"The lesson uses at most {FINEST} × {FINEST} cells.")
place, people = controls.present(place, chosen)
with controls.container_for(chosen.step, range(1, STEPS + 1)):
    lesson.show(chosen, place, people)
    lesson.turn_pages()
