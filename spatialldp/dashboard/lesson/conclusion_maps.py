"""Step 2 of the lesson: what an attacker makes of one report."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from spatialldp.dashboard.lesson.state import LessonState
from spatialldp.dashboard.lesson.step_maps import draw_maps
from spatialldp.dashboard.shared.captions import listed
from spatialldp.dashboard.shared.chosen_data import jobs_for
from spatialldp.dashboard.shared.page_setup import is_dark
from spatialldp.dashboard.shared.waiting import watch
from spatialldp.mechanisms import Mechanism
from spatialldp.privacy import Risk, risk
from spatialldp.teaching import beliefs
from spatialldp.teaching.scene import REFERENCE


def conclusions(lesson: LessonState) -> None:
    """The attacker's belief after one report, its region, the best guess and their figures."""
    scene = lesson.scene
    if scene.knows_city and scene.person.neighbours == 0:
        st.warning("Nobody lives in this cell, so an attacker who knows the city will never think of it.")
    found = beliefs.all_concluded(scene)
    pictures, scale = beliefs.belief_pictures(scene, found, is_dark())
    draw_maps(lesson, pictures, scale, beliefs.MEANING, beliefs.MARKS)
    averages = _risks(lesson)
    st.table(pd.DataFrame(beliefs.belief_rows(scene, found, averages)).set_index("Mechanism"))
    before = averages[REFERENCE].prior_distance
    unlisted = [name for name, mechanism in scene.mechanisms.items() if not mechanism.lists_reports]
    st.caption(
        f"Without any report the best guess is {scene.length(before)} off on average. The last two columns are "
        "averages over everybody and all their reports"
        + (
            f"; those of {listed(unlisted)} are simulated to within 1% where too many different reports are possible."
            if unlisted
            else "."
        )
    )


def _risk(mechanism: Mechanism, prior: NDArray[np.int64] | None) -> Iterator[Risk]:
    yield risk(mechanism, prior)


def _risks(lesson: LessonState) -> dict[str, Risk]:
    found = {}
    for name, mechanism in lesson.scene.mechanisms.items():
        key = ("risk", *lesson.key, name, lesson.choices.knows_city)
        job = jobs_for(lesson.choices).start(key, partial(_risk, mechanism, lesson.scene.prior))
        if not watch(
            job,
            f"Averaging over all reports of {name}",
            failure="The averages could not be computed. Change ε or d.",
        ):
            st.stop()
        found[name] = job.results[0]
    return found
