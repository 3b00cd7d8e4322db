"""How it works: the kernel, the recovery, and the slips in the paper."""

import streamlit as st

from spatialldp.dashboard import controls, how_it_works, recovery_show, slips_show
from spatialldp.dashboard.setup import setup_page
from spatialldp.dashboard.state import PARTS

setup_page("How it works")
place = controls.sidebar_data()
controls.sidebar_budget("LDP")
controls.sidebar_end()
chosen = how_it_works.limited(controls.choices())

st.title("How it works")
controls.show_notices()
how_it_works.part_menu()
if controls.choices().d > how_it_works.FINEST:
    st.caption(f"This page uses at most {how_it_works.FINEST} × {how_it_works.FINEST} cells.")
body = controls.container_for(chosen.part, PARTS)
if chosen.part == "kernel":
    with body:
        how_it_works.kernel_part(chosen)
    st.stop()
place, people = controls.present(place, chosen)
with body:
    if chosen.part == "recovery":
        recovery_show.recovery_part(chosen, people)
    else:
        slips_show.paper_part(chosen, people)
