"""How it works: the kernel, the recovery, and the slips in the paper."""

import streamlit as st

from spatialldp.dashboard.how_it_works import kernels, paper_slips, parts, recovery
from spatialldp.dashboard.shared import controls
from spatialldp.dashboard.shared.choices import PARTS
from spatialldp.dashboard.shared.page_setup import setup_page
from spatialldp.dashboard.shared.pages import Page

setup_page(Page.HOW_IT_WORKS)
loaded = controls.sidebar_data()
controls.sidebar_budget("LDP")
controls.sidebar_end()
chosen = parts.limited(controls.choices())

st.title("How it works")
controls.show_notices()
parts.part_menu()
if controls.choices().d > parts.FINEST:
    st.caption(f"This page uses at most {parts.FINEST} × {parts.FINEST} cells.")
body = controls.container_for(chosen.part, PARTS)
if chosen.part == "kernel":
    with body:
        kernels.kernel_part(chosen)
    st.stop()
loaded, population = controls.require_population(loaded, chosen)
with body:
    if chosen.part == "recovery":
        recovery.recovery_part(chosen, population)
    else:
        paper_slips.paper_part(chosen, population)
