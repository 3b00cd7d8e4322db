"""Step 6 of the lesson: the same person reports every day."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from spatialldp.dashboard.lesson.state import LessonState
from spatialldp.dashboard.lesson.step_maps import picture_row
from spatialldp.dashboard.shared.chosen_data import jobs_for
from spatialldp.dashboard.shared.page_setup import is_dark
from spatialldp.dashboard.shared.waiting import watch
from spatialldp.teaching import again
from spatialldp.teaching.charts import again_chart
from spatialldp.teaching.scene import REFERENCE


def found_again(lesson: LessonState) -> again.Again:
    """The curve; the page ends here where it cannot be had."""
    scene = lesson.scene
    key = ("again", *lesson.key, scene.knows_city, scene.seed)
    work = partial(again.hits_by_reports, scene.mechanisms[REFERENCE], scene.prior, scene.seed)
    job = jobs_for(lesson.choices).start(key, work)
    if not watch(
        job,
        lambda: f"{again.PEOPLE:,} simulated people report: {len(job.results)} of {again.MOST} times …",
        failure="This step could not be computed. Change ε or d.",
    ):
        st.stop()
    found: again.Again = job.results[-1]
    return found


def again_and_again(lesson: LessonState, found: again.Again) -> None:
    """The curve, the belief after 1, 5, 10 and 30 reports beside it, and their figures."""
    left, right = st.columns([11, 9], gap="medium")
    with left, st.container(key="again-chart"):
        st.vega_lite_chart(again_chart(found, is_dark(), None), width="stretch", height="stretch", key="again")
    with right:
        picture_row(lesson, again.again_pictures(lesson.scene, is_dark()), "again-maps")
    st.caption(
        "Maps: where the attacker believes this person (orange) to be; each map has its own colour scale, from nothing "
        f"to its likeliest cell. Curve: how often the likeliest cell is the right one, for {again.PEOPLE:,} simulated "
        f"people. Before any report it is right in {found.before:.1%} of cases."
    )
    st.table(pd.DataFrame(again.again_rows(found)).set_index("Reports"))
