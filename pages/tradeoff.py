"""Trade-off: how much accuracy for how much privacy, for somebody who has to decide."""

import streamlit as st

from spatialldp.dashboard import controls, tradeoff, tradeoff_view
from spatialldp.dashboard.setup import setup_page

setup_page("Trade-off")
place = controls.sidebar_data()
controls.sidebar_mechanism()
controls.sidebar_budget(tradeoff.promise(controls.choices()))
controls.sidebar_radius()
controls.sidebar_end()

st.title("How much accuracy for how much privacy?")
st.markdown(
    "Both sides of the decision on one screen: how far the map will be off, and what a report gives away about the "
    "person who sent it. Everything here is simulated, which is why the error can be known."
)
controls.show_notices()
place, people = controls.present(place, controls.choices())

tradeoff.ask(people)
answer = st.container()
tradeoff.curve_controls()
shown = tradeoff.desk(controls.choices(), place, people)
with answer:
    tradeoff_view.recommendation(shown)
    tradeoff_view.figures(shown)
tradeoff.progress(shown)
tradeoff_view.curves(shown)
tradeoff_view.attackers(shown)
tradeoff_view.scenarios(shown)
tradeoff_view.take_away(shown)
st.caption(people.note)
tradeoff.wait(shown)
