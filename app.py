"""Explore: one population, one mechanism, three maps."""

import streamlit as st

from spatialldp.dashboard import explore
from spatialldp.dashboard.setup import setup_page
from spatialldp.datasets import SYNTHETIC
from spatialldp.mechanisms import MECHANISMS

setup_page("Explore")
st.title("How much of a map survives local privacy?")
st.markdown(
    "Every person's place is randomised **on their own device** before it is sent. Nobody ever collects the true map; "
    "it is shown here only because this is a simulation."
)

with st.sidebar:
    st.header("Choices")
    data = st.selectbox(
        "Population (simulated)", list(SYNTHETIC), format_func=lambda name: SYNTHETIC[name].title, key="data"
    )
    st.caption(SYNTHETIC[data].description)
    name = st.selectbox(
        "Mechanism", list(MECHANISMS), format_func=lambda name: f"{name}: {MECHANISMS[name].full_name}", key="mech"
    )
    st.caption(MECHANISMS[name].summary)
    epsilon = st.slider(
        "Privacy budget ε  (left: more private)", 0.5, 9.0, 3.5, 0.1, key="eps",
        help="The smaller ε, the less a single report says about the person who sent it.",
    )  # fmt: skip
    st.caption(explore.meaning_of_epsilon(epsilon, MECHANISMS[name].notion))
    d = st.slider("Cells per side d", 2, explore.LARGEST_D, 15, key="d", help="The map is cut into d × d square cells.")
    b = None
    if explore.has_radius(name):
        best = explore.best_radius(name, epsilon, d)
        if st.toggle("Best radius for ε and d", value=True, key="best", help="The radius that reveals most at this ε."):
            b = best
            st.caption(f"Radius b = {b} {'cell' if b == 1 else 'cells'}: reports this near the truth are likelier.")
        else:
            b = st.slider("Radius b (cells)", 0, 2 * d, min(best, 2 * d), key="b")
            st.caption(f"The best radius here is {best}.")
    st.button("Draw again", key="again", icon=":material/casino:", help="The same people, new random reports.")

if st.session_state.again:
    st.session_state.seed = st.session_state.get("seed", 1) + 1
mechanism = explore.make(name, epsilon, d, b)
result = explore.run(data, name, epsilon, d, b, st.session_state.get("seed", 1))
explore.three_maps(data, mechanism, result)

error, people, rounds, seconds = st.columns(4)
error.metric(
    "Error W2", f"{result.w2_cells:.3f} cells", border=True,
    help="2-Wasserstein distance between the true and the recovered map: how far, in the root mean square, "
    "people would have to be moved to turn one into the other. 0 is perfect.",
)  # fmt: skip
crowd = explore.population(data, d)
people.metric(
    "People", f"{crowd.inside:,}", border=True,
    help=f"Each sends one report. {crowd.left_out:,} more live outside the map and send none.",
)  # fmt: skip
rounds.metric(
    "Recovery", f"{result.estimate.iterations} steps" if result.estimate.iterations else "in one step", border=True,
    help="Steps of expectation–maximisation; reports held out on purpose tell when to stop. Some mechanisms need none.",
)  # fmt: skip
seconds.metric("Computed in", f"{result.seconds:.2f} s", border=True)
