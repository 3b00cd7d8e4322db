"""What a teacher takes away: a link to every step, worksheets, their key, and a notebook."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

import streamlit as st

from spatialldp.dashboard.lesson.state import LessonState
from spatialldp.dashboard.shared.choices import STEPS, UPLOAD
from spatialldp.dashboard.shared.controls import choices
from spatialldp.dashboard.shared.pages import Page
from spatialldp.teaching import texts
from spatialldp.teaching.findings import Findings
from spatialldp.teaching.notebook import notebook
from spatialldp.teaching.texts import TITLES
from spatialldp.teaching.worksheet import command, worksheet


def kit(lesson: LessonState) -> None:
    """Links, worksheets, keys and the notebook, made of the settings on the page when they are asked for."""
    step, scene = lesson.choices.step, lesson.scene
    panel = st.expander("Teacher’s kit", icon=":material/backpack:", key="kit", on_change="rerun")
    if not panel.open:
        return
    repeats = lesson.choices.repeats
    found = Findings(scene, repeats)
    name = f"lesson-{scene.data or 'own-file'}"
    every = range(1, STEPS + 1)
    with panel:
        st.markdown(
            "Sheets to print (A4) and a notebook, made from the data, ε, d and person on this page. Each file holds "
            "its own pictures and works offline. A file with all steps takes a few seconds."
        )
        with st.container(horizontal=True):
            _button(f"Worksheet, step {step}", lambda: worksheet(found, [step]), f"{name}-step-{step}.html")
            _button(f"Key, step {step}", lambda: worksheet(found, [step], key=True), f"{name}-step-{step}-key.html")
            _button("All worksheets", lambda: worksheet(found, every), f"{name}.html")
            _button("All keys", lambda: worksheet(found, every, key=True), f"{name}-key.html")
            _button("Notebook", lambda: notebook(scene, repeats), f"{name}.ipynb", "application/x-ipynb+json")
        if scene.data is None:
            st.caption(
                "The notebook made from your own file contains the number of people per cell, not the file itself. The "
                "sheets show the same numbers as maps. Share them as you would share those numbers."
            )
        else:
            st.caption("The same from the command line:")
            st.code(command(scene, "worksheet", step, repeats), language="shell", wrap_lines=True)
        st.markdown("**A link to every step, with these settings**")
        if lesson.choices.data == UPLOAD:
            st.caption("Your file stays in this session: the links carry the settings, not the data.")
        lines = [f"{number}. {TITLES[number - 1]}\n   {link_to(number)}" for number in every]
        st.code("\n".join(lines), language=None, wrap_lines=True)


def link_to(step: int) -> str:
    """The whole address of a step with what is chosen now."""
    here = urlsplit(st.context.url or "")
    path = here.path if here.path.endswith("lesson") else "/lesson"
    return f"{here.scheme}://{here.netloc}{path}?{choices().changed(step=step).link(Page.LESSON)}"


def step_link() -> None:
    """The address of the step on the page."""
    st.caption(f"Link to step {choices().step} of “{texts.TITLE}”:")
    st.code(link_to(choices().step), language=None, wrap_lines=True)


def _button(label: str, make: Callable[[], str], name: str, kind: str = "text/html") -> None:
    st.download_button(
        label, lambda: make().encode(), name, kind, on_click="ignore", key=f"kit-{label}", icon=":material/download:"
    )
