"""Lesson: LDP against Geo-I, in six steps around one person."""

import streamlit as st

from spatialldp.dashboard.lesson import kit_view, quiz_view, steps
from spatialldp.dashboard.lesson.person import choose_person
from spatialldp.dashboard.lesson.state import FINEST, limited
from spatialldp.dashboard.shared import controls
from spatialldp.dashboard.shared.choices import STEPS
from spatialldp.dashboard.shared.page_setup import setup_page
from spatialldp.dashboard.shared.pages import Page
from spatialldp.teaching import texts

setup_page(Page.LESSON)
st.html(steps.STYLE)
loaded = controls.sidebar_data()
controls.sidebar_budget("both")
controls.sidebar_end()
chosen = limited(controls.choices())

head = st.container(horizontal=True, vertical_alignment="center", key="lesson-head")
head.title(texts.TITLE, anchor=False, width="content", help=texts.LEAD)
controls.show_notices()
steps.step_menu()
if controls.choices().d > FINEST:
    st.caption(f"The lesson uses at most {FINEST} × {FINEST} cells.")
loaded, population = controls.require_population(loaded, chosen)
with head:
    person = choose_person(chosen, loaded, population)
with controls.container_for(chosen.step, range(1, STEPS + 1)):
    lesson = steps.show_step(chosen, loaded, population, person)
    if chosen.step == STEPS:
        quiz_view.quiz()
    steps.turn_pages()
    kit_view.step_link()
    kit_view.kit(lesson)
