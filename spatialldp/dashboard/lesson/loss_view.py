"""Step 3 of the lesson: privacy loss against distance."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from spatialldp.dashboard.lesson.state import LessonState
from spatialldp.dashboard.shared.page_setup import is_dark
from spatialldp.teaching.charts import loss_chart
from spatialldp.teaching.losses import LOSS_HEAD, NO_DISTANCE, loss_rows, worst_losses


def loss_against_distance(lesson: LessonState) -> None:
    """The curves, the promises as dashed lines, and the table of three distances."""
    if lesson.scene.d == 1:
        st.info(NO_DISTANCE)
        return
    curves = {name: worst_losses(lesson.scene, name) for name in lesson.scene.mechanisms}
    with st.container(key="loss-chart"):
        chart = loss_chart(lesson.scene, curves, is_dark(), None)
        st.vega_lite_chart(chart, width="stretch", height="stretch", key="losses")
    st.caption(
        "Solid: the worst case over all reports, computed exactly from this person’s cell. Dashed: the promise, e^ε "
        "for LDP and e^(ε′·distance) for Geo-I. Distances are between the middles of cells."
    )
    st.table(pd.DataFrame(loss_rows(lesson.scene, curves)).set_index(LOSS_HEAD))
