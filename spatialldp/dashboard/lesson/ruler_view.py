"""Step 4 of the lesson: a ruler is chosen, and fooled. How ε′ is found stands below."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from spatialldp.dashboard.lesson.state import LessonState
from spatialldp.dashboard.lesson.step_maps import picture_row
from spatialldp.dashboard.shared import session
from spatialldp.dashboard.shared.chosen_data import jobs_for, key_of
from spatialldp.dashboard.shared.page_setup import is_dark
from spatialldp.dashboard.shared.waiting import watch
from spatialldp.experiments.comparison import Score
from spatialldp.teaching import ruler


def example_scores(lesson: LessonState) -> list[Score]:
    """Errors and protection of the two mechanisms; the page ends here where they cannot be had."""
    population = lesson.scene.example_population
    key = ("ruler", *key_of(lesson.choices), lesson.choices.seed)
    job = jobs_for(lesson.choices).start(key, partial(ruler.example_scores, population, lesson.choices.seed))
    if not watch(job, "Running the two mechanisms", failure="This step could not be computed."):
        st.stop()
    found: list[Score] = job.results
    return found


def choose_ruler(lesson: LessonState, scores: list[Score]) -> None:
    """The rulers, what the chosen one says, the maps and the beliefs."""
    population = lesson.scene.example_population
    with st.container(key="ruler-choice", horizontal=True, vertical_alignment="center"):
        chosen = st.segmented_control(
            "Ruler",
            list(ruler.RULERS),
            format_func=lambda name: ruler.RULERS[name][0],
            key=session.RULER,
            label_visibility="collapsed",
        )
        if chosen is None:
            st.markdown("Choose a ruler: which of the two protects better?")
        else:
            said = ruler.verdict(scores, chosen)
            names = ruler.SHORT_NAMES
            st.markdown(
                f"**{names[said.winner]} protects better.** {said.question} "
                f"{names[0]}: {said.readings[0]}; {names[1]}: {said.readings[1]}."
            )
    pictures, scale = ruler.map_pictures(population, scores, is_dark())
    maps = [(picture, scale) for picture in pictures]
    picture_row(lesson, [*maps, *ruler.belief_pictures(lesson.scene, population, is_dark())], "ruler-maps")
    st.caption(
        f"Always on {population.grid.d} × {population.grid.d} cells: {' against '.join(ruler.NAMES)}. The maps have "
        "one colour scale; each belief has its own, from nothing to its fullest cell. Orange: the person, and the "
        "smallest area with 95% of the belief. Simulated, one draw of each map; the last report is the first drawn "
        "that names her cell."
    )
    with st.expander("What all rulers say", key="all-rulers"):
        st.table(pd.DataFrame(ruler.ruler_table(scores, population.grid.cell_size_m)))
