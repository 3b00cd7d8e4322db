"""Trade-off: how much accuracy for how much privacy, for somebody who has to decide."""

import streamlit as st

from spatialldp.dashboard.shared import controls
from spatialldp.dashboard.shared.page_setup import setup_page
from spatialldp.dashboard.tradeoff import answers, pictures

setup_page("Trade-off")
loaded = controls.sidebar_data()
controls.sidebar_mechanism()
controls.sidebar_budget(answers.promise(controls.choices()))
controls.sidebar_radius()
controls.sidebar_end()

st.title("How much accuracy for how much privacy?")
st.markdown(
    "Both sides of the decision on one screen: how far the map will be off, and what a report gives away about the "
    "person who sent it. Everything here is simulated, which is why the error can be known."
)
controls.show_notices()
loaded, population = controls.present(loaded, controls.choices())

answers.ask(population)
answer = st.container()
answers.curve_controls()
shown = answers.desk(controls.choices(), loaded, population)
with answer:
    pictures.recommendation(shown)
    pictures.figures(shown)
answers.progress(shown)
pictures.curves(shown)
pictures.attackers(shown)
pictures.scenarios(shown)
pictures.take_away(shown)
st.caption(population.note)
answers.wait(shown)
