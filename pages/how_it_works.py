"""How it works: the kernel, the recovery, and the slips in the paper."""

import streamlit as st

from spatialldp.dashboard.how_it_works import kernels, paper_slips, recovery
from spatialldp.dashboard.shared import controls
from spatialldp.dashboard.shared.choices import PARTS
from spatialldp.dashboard.shared.page_setup import setup_page

setup_page("How it works")
loaded = controls.sidebar_data()
controls.sidebar_budget("LDP")
controls.sidebar_end()
chosen = kernels.limited(controls.choices())

st.title("How it works")
controls.show_notices()
kernels.part_menu()
if controls.choices().d > kernels.FINEST:
    st.caption(f"This page uses at most {kernels.FINEST} × {kernels.FINEST} cells.")
body = controls.container_for(chosen.part, PARTS)
if chosen.part == "kernel":
    with body:
        kernels.kernel_part(chosen)
    st.stop()
loaded, population = controls.present(loaded, chosen)
with body:
    if chosen.part == "recovery":
        recovery.recovery_part(chosen, population)
    else:
        paper_slips.paper_part(chosen, population)
