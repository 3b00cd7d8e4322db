"""The lesson: six steps, each with a question for the class and an answer to unfold, and a quiz."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from spatialldp.dashboard.lesson import (
    again_view,
    calibration_view,
    conclusion_maps,
    loss_view,
    report_maps,
    ruler_view,
)
from spatialldp.dashboard.lesson.state import LessonState, begin
from spatialldp.dashboard.shared import comparison, comparison_view, components, session
from spatialldp.dashboard.shared.choices import EQUAL, LARGEST_SEED, STEPS, Choices
from spatialldp.dashboard.shared.chosen_data import LoadedData
from spatialldp.dashboard.shared.controls import bound, choices, choose
from spatialldp.dashboard.shared.small_maps import stop_looking
from spatialldp.population import Population
from spatialldp.teaching import texts
from spatialldp.teaching.scene import Person
from spatialldp.teaching.texts import SHORT_TITLES, TITLES, StepText

#: The text and the pictures of a step fit on one screen: pictures take the height that the text leaves, --room, which
#: components/lesson_steps.js measures.
STYLE = """
<style>
  h1 { font-size: 1.45rem !important; padding: 0 !important; }
  .st-key-words [data-testid="stHeading"] { margin-bottom: 0.35rem; }
  .st-key-words h3 { font-size: 1.3rem; padding: 0.1rem 0 0.3rem !important; }
  .block-container:not(:has(.st-key-essentials)) { padding-top: 2.7rem; }
  .block-container:has(.st-key-strip) { padding-top: 1.7rem; }
  [data-testid="stLayoutWrapper"]:has(> .st-key-strip) { margin: -1.4rem 0 1.4rem; }
  [data-testid="stMainBlockContainer"] > [data-testid="stVerticalBlock"] { gap: 0.6rem; }
  .st-key-lesson-head { gap: 0.75rem; }
  .st-key-step [data-testid="stButtonGroup"] > div, .st-key-step [role="radiogroup"] {
    flex-wrap: nowrap; overflow-x: auto;
  }
  .st-key-step button { white-space: nowrap; }
  [data-testid="stVerticalBlock"]:has(> [data-testid="stLayoutWrapper"] > .st-key-words) { gap: 0.7rem; }
  .st-key-words [data-testid="stVerticalBlock"] { gap: 0.4rem; }
  .st-key-another button { min-height: 2rem; padding-block: 0.1rem; }
  .st-key-attacker { margin-top: 0.2rem; }
  .st-key-words .katex-display { margin: 0.1rem 0; }
  .st-key-words [data-testid="stElementContainer"]:has(.katex-display) { margin-bottom: 1rem; }
  .st-key-words .katex { font-size: 1em; }
  .st-key-words [data-testid="stAlert"] p, .st-key-words [data-testid="stMarkdown"] p { line-height: 1.4; }
  .st-key-words [data-testid="stAlertContainer"] { padding: 0.6rem 0.8rem; }
  [class*="st-key-map-"] [data-testid="stMarkdown"] { min-height: 0 !important; }
  :is(.st-key-loss-chart, .st-key-again-chart) > [data-testid="stElementContainer"] {
    flex: none !important; height: 20rem !important;
  }
  .picture-row { display: grid; gap: 0.75rem; grid-template-columns: repeat(var(--pictures), minmax(0, 1fr)); }
  .picture-row figure { margin: 0; display: flex; flex-direction: column; line-height: 1.3; }
  .picture-row figcaption { margin-bottom: 0.3rem; color: inherit; }
  .picture-row small { font-size: 0.85rem; }
  .picture-row img { width: 100%; margin-top: auto; outline: 1px solid #8886; }
  @media (min-width: 641px) {
    /* Captions of one line or of three, and yet the maps stand on one line. */
    .st-key-pictures [data-testid="stLayoutWrapper"]:has(> [class*="st-key-map-"]) { flex-grow: 1; }
    .st-key-pictures [class*="st-key-map-"] > :first-child { margin-bottom: auto; }
    .st-key-pictures [class*="st-key-map-"] [data-testid="stElementContainer"]:has([data-testid="stDeckGlJsonChart"]) {
      max-height: max(13rem, var(--room, calc(100vh - 27.5rem)));
    }
    :is(.st-key-loss-chart, .st-key-again-chart) > [data-testid="stElementContainer"] {
      height: clamp(14rem, var(--room, 300px), 32rem) !important;
    }
    .picture-row img { max-width: max(10rem, var(--room, calc(100vh - 30rem))); }
    /* Two rows beside the curve, each with two lines above its maps. */
    .st-key-again-maps .picture-row { grid-template-columns: repeat(3, minmax(0, 1fr)); }
    .st-key-again-maps .picture-row img { max-width: max(6rem, calc((var(--room, 24rem) - 6.5rem) / 2)); }
  }
  /* On a telephone the bar shows the numbers alone. */
  @media (max-width: 640px) {
    .st-key-step button p { font-size: 0; }
    .st-key-step button p::first-letter { font-size: 1rem; }
  }
  @media (max-width: 640px) { .picture-row { grid-template-columns: repeat(2, minmax(0, 1fr)); } }
</style>
"""


def step_menu() -> None:
    """Jump to any step, by the bar, by an arrow key, or by the browser's Back and Forward."""
    st.segmented_control(
        "Step",
        list(range(1, STEPS + 1)),
        format_func=lambda step: f"{step} · {SHORT_TITLES[step - 1]}",
        label_visibility="collapsed",
        required=True,
        **bound("step", "step", choices().step),
    )
    components.lesson_steps(choices().step, STEPS, _turned, session.TURNED)


def _turned() -> None:
    step = session.shown(session.TURNED).get("turned")
    if isinstance(step, (int, float)) and 1 <= step <= STEPS:
        choose(step=int(step))


def turn_pages() -> None:
    """Back and next, at the end of a step."""
    step = choices().step
    with st.container(horizontal=True, horizontal_alignment="distribute", key="turn"):
        st.button(
            "Back" if step == 1 else f"Back: {TITLES[step - 2]}",
            key="step-back",
            disabled=step == 1,
            on_click=choose,
            kwargs={"step": max(1, step - 1)},
            icon=":material/arrow_back:",
        )
        st.button(
            "The end" if step == STEPS else f"Next: {TITLES[step]}",
            key="step-next",
            disabled=step == STEPS,
            on_click=choose,
            kwargs={"step": min(STEPS, step + 1)},
            icon=":material/arrow_forward:",
            type="primary",
        )


def show_step(chosen: Choices, loaded: LoadedData, population: Population, person: Person) -> LessonState:
    """The chosen step."""
    lesson = begin(chosen, loaded, population, person)
    if chosen.step not in (4, 5):
        stop_looking()
    words, pictures = _STEPS[chosen.step - 1](lesson)
    with st.container(key="words"):
        _words(lesson, words)
    with st.container(key="pictures"):
        pictures()
    return lesson


def _words(lesson: LessonState, words: StepText) -> None:
    left, right = st.columns([3, 2], gap="medium")
    with left:
        st.subheader(f"{words.number}. {words.title}", anchor=False)
        st.markdown(words.text)
        for formula in words.formulas:
            st.latex(formula)
        if words.number == 2:
            _attacker_controls(lesson, words.number)
    with right:
        st.info(f"**Question for the class.** {words.question}", icon=":material/school:")
        # A key of its own for every step, or the next answer would be open before its question is read.
        with st.expander("Answer", key=f"answer-{words.number}"):
            st.markdown(words.answer)
        # Each in the column that has room for it.
        if words.number == 6:
            _attacker_controls(lesson, words.number)


def _attacker_controls(lesson: LessonState, step: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="attacker"):
        st.toggle(
            "The attacker knows where people live",
            help="Off: before the report every cell is as likely as any other. On: as likely as its share of people.",
            **bound("knows_city", "prior", lesson.choices.knows_city),
        )
        if step == 2:
            st.button(
                "Another report",
                key="another",
                icon=":material/casino:",
                on_click=choose,
                kwargs={"seed": (lesson.choices.seed + 1) % LARGEST_SEED},
            )


#: The words of a step and what draws its pictures.
_Step = tuple[StepText, Callable[[], None]]


def _leaves(lesson: LessonState) -> _Step:
    return texts.leaves(lesson.scene), partial(report_maps.sample_reports, lesson)


def _concludes(lesson: LessonState) -> _Step:
    return texts.concludes(lesson.scene), partial(conclusion_maps.conclusions, lesson)


def _distance(lesson: LessonState) -> _Step:
    return texts.distance(lesson.scene), partial(loss_view.loss_against_distance, lesson)


def _ruler(lesson: LessonState) -> _Step:
    scores = ruler_view.example_scores(lesson)

    def pictures() -> None:
        ruler_view.choose_ruler(lesson, scores)
        calibration_view.calibration(lesson)

    return texts.ruler(lesson.scene, scores), pictures


def _city(lesson: LessonState) -> _Step:
    def pictures() -> None:
        chosen = lesson.choices.changed(compared=tuple(lesson.scene.mechanisms), footing=EQUAL)
        found = comparison.begin(chosen, lesson.scene.population)
        in_a_row = 1 + len(lesson.scene.mechanisms) + len(lesson.scene.beyond)
        # Square maps as wide as the page may be taller than the window; each has a line below it.
        widest = f"calc({in_a_row} * (max(9rem, var(--room, 100vh)) - 2rem) + {in_a_row - 1}rem)"
        st.html(f"<style>@media (min-width: 641px) {{ .st-key-small-maps {{ max-width: {widest}; }} }}</style>")
        comparison_view.draw(found, lesson.loaded, f"max(9rem, calc(100% / {in_a_row} - 1rem))")
        comparison.wait(found)

    return texts.city(lesson.scene), pictures


def _again(lesson: LessonState) -> _Step:
    found = again_view.found_again(lesson)
    return texts.again(lesson.scene, found), partial(again_view.again_and_again, lesson, found)


_STEPS: tuple[Callable[[LessonState], _Step], ...] = (_leaves, _concludes, _distance, _ruler, _city, _again)
assert len(_STEPS) == len(TITLES) == STEPS
