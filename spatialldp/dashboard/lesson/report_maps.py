"""Step 1 of the lesson: where the reports of one person fall."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from spatialldp.dashboard.lesson.state import LessonState
from spatialldp.dashboard.lesson.step_maps import draw_maps
from spatialldp.dashboard.shared.page_setup import is_dark
from spatialldp.teaching import reports
from spatialldp.teaching.texts import promises


def sample_reports(lesson: LessonState) -> None:
    """Many reports of the one person under each mechanism."""
    pictures, scale = reports.report_pictures(lesson.scene, is_dark())
    draw_maps(lesson, pictures, scale, reports.MEANING, reports.MARKS)
    st.table(pd.DataFrame(reports.report_rows(lesson.scene)).set_index("Mechanism"))
    st.caption(f"{reports.FIGURES} {promises(lesson.scene)} What one report names is written above each map.")
