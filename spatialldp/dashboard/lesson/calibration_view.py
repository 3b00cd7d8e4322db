"""Step 4 of the lesson, further down: how ε′ is found, and what it does to the map."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from spatialldp.dashboard.lesson.state import LessonState, mechanism_for
from spatialldp.dashboard.shared import captions
from spatialldp.dashboard.shared.chart_style import axis_style, mechanism_colour, mechanism_shape
from spatialldp.dashboard.shared.chosen_data import jobs_for
from spatialldp.dashboard.shared.page_setup import is_dark
from spatialldp.dashboard.shared.session import run_again
from spatialldp.dashboard.shared.small_maps import SmallMap, looking_closer, small_maps
from spatialldp.dashboard.shared.waiting import watch
from spatialldp.drawing.colours import colour_of
from spatialldp.experiments.comparison import Score, score
from spatialldp.experiments.comparison_sentences import what_changes
from spatialldp.mechanisms import MECHANISMS
from spatialldp.privacy import local_privacy
from spatialldp.teaching.scene import REFERENCE
from spatialldp.teaching.texts import LOCAL_PRIVACY_FORMULA, calibrated
from spatialldp.teaching.wording import budget_number, per_cell

#: Points of a curve.
_POINTS = 14
#: New points after which the chart is redrawn: redrawn for each of them, it would only flicker.
_POINTS_PER_DRAWING = 8


class _Reading(NamedTuple):
    """One point of a curve."""

    name: str
    """Whose curve it is on."""
    epsilon: float
    """The budget, per cell."""
    privacy: float
    """Local privacy, in cells."""


class _OneDraw(NamedTuple):
    """One recovered map."""

    name: str
    """Whose it is."""
    equal: bool
    """Whether it protects as much as the reference; otherwise it ran at the same ε."""
    score: Score
    """Its error and its map."""


def calibration(lesson: LessonState) -> None:
    """Local privacy against ε with the crossing points, then maps at the same ε and at ε′, as they come.

    Points arrive within one run of the page. For new maps the page is drawn anew, as a component has its key once per
    run, but not while one of them is looked at closer.
    """
    st.markdown(f"**How ε′ is found.** {calibrated(lesson.scene)}")
    st.latex(LOCAL_PRIVACY_FORMULA)
    for sentence in jump_sentences(lesson):
        st.warning(sentence, icon=":material/stacked_line_chart:")
    chart = st.empty()
    store, key = jobs_for(lesson.choices), (*lesson.key, tuple(lesson.scene.mechanisms))
    curves = store.start(("local-privacy", *key), partial(_readings, lesson))
    maps = store.start(("lesson-maps", *key, lesson.choices.seed), partial(_draws, lesson))
    points_in_all = len(lesson.scene.geo_i) * _POINTS + 2 * len(lesson.scene.beyond)
    maps_in_all = len(lesson.scene.ldp) + 2 * len(lesson.scene.geo_i)
    draws: list[_OneDraw] = list(maps.results)
    with st.container(key="lesson-maps"):
        _maps(lesson, draws)
    note = st.empty()
    points_shown = -1

    def more_points() -> bool:
        more = len(curves.results) - points_shown
        return more >= _POINTS_PER_DRAWING or (more > 0 and (curves.finished or points_shown < 0))

    def more_maps() -> bool:
        return len(maps.results) > len(draws) and not looking_closer()

    going_on = True
    while going_on:
        if more_points():
            points = list(curves.results)
            chart.altair_chart(_chart(lesson, points), width="stretch", key=f"curve-{len(points)}")
            points_shown = len(points)
        over = curves.finished and maps.finished
        going_on = more_points() or more_maps() or not over
        if going_on:
            going_on = watch(
                [curves, maps],
                lambda: (
                    f"Computing the curves ({len(curves.results)} of {points_in_all} points) and maps "
                    f"({len(maps.results)} of {maps_in_all}) …"
                ),
                until=lambda: more_points() or more_maps(),
                failure="This step could not be computed in full. Change ε or d.",
                slot=note,
            )
            if going_on and more_maps():
                run_again()


def _readings(lesson: LessonState) -> Iterator[_Reading]:
    """The curves of all Geo-I mechanisms around their crossings, in turn; both sides of every jump first."""
    if lesson.choices.d == 1 or not lesson.scene.geo_i:
        return
    for name, beyond in lesson.scene.beyond.items():
        for mechanism in (lesson.scene.mechanisms[name], beyond):
            yield _Reading(name, mechanism.epsilon, local_privacy(mechanism, relative_error=0.005).value)
    found = [lesson.scene.mechanisms[name].epsilon for name in lesson.scene.geo_i]
    for epsilon in np.geomspace(0.5 * min(found), max(lesson.choices.epsilon, 1.5 * max(found)), _POINTS).tolist():
        for name in lesson.scene.geo_i:
            mechanism = MECHANISMS[name](epsilon, lesson.choices.d)
            yield _Reading(name, epsilon, local_privacy(mechanism, relative_error=0.01).value)


def _draws(lesson: LessonState) -> Iterator[_OneDraw]:
    """One draw of every mechanism, and for those of Geo-I another one at the same ε."""
    chosen, counts = lesson.choices, lesson.scene.population.counts
    for name in lesson.scene.ldp:
        yield _OneDraw(name, True, score(counts, name, chosen.epsilon, chosen.seed, 1))
    for name in lesson.scene.geo_i:
        for equal in (False, True):
            yield _OneDraw(name, equal, score(counts, name, chosen.epsilon, chosen.seed, 1, equal))


@st.cache_data(max_entries=64, show_spinner=False)
def _privacy(name: str, epsilon: float, d: int) -> float:
    """Local privacy, cells. Kept, because the text and the chart both need it."""
    return local_privacy(mechanism_for(name, epsilon, d), relative_error=0.005).value


def jump_sentences(lesson: LessonState) -> list[str]:
    """Where no ε′ has the reference's local privacy: what is taken instead."""
    d = lesson.choices.d

    def length(privacy: float) -> str:
        metres = "" if lesson.scene.side is None else f" ({lesson.scene.length(privacy)})"
        return f"{privacy:.2f} cells{metres}"

    target = length(_privacy(REFERENCE, lesson.choices.epsilon, d))
    sentences = []
    for name, beyond in lesson.scene.beyond.items():
        here = lesson.scene.mechanisms[name]
        below, above = (length(_privacy(name, side.epsilon, d)) for side in (here, beyond))
        sentences.append(
            f"{name} cannot match {REFERENCE} here: at ε′ = {per_cell(here.epsilon)} "
            f"{what_changes(name, here, beyond)}, and its local privacy jumps from {below} to {above}, past "
            f"{REFERENCE}’s {target}. The lesson takes the side that protects more; step 5 shows both."
        )
    return sentences


def _chart(lesson: LessonState, points: list[_Reading]) -> Any:
    d, dark = lesson.choices.d, is_dark()
    # In cells, as step 5 and Compare have it, and as ε′ counts.
    unit = "cells" if lesson.scene.side is None else f"cells of {lesson.scene.length(1)}"
    target = _privacy(REFERENCE, lesson.choices.epsilon, d)

    def table(readings: list[_Reading], texts: list[str] | None = None) -> pd.DataFrame:
        frame = pd.DataFrame(readings, columns=["name", "epsilon", "privacy"])
        return frame.assign(privacy=frame["privacy"].astype(float), text=texts)

    crossings, texts = [], []
    # From the smallest ε′ to the largest, so that the labels of neighbours lie on different sides.
    for name in sorted(lesson.scene.geo_i, key=lambda name: lesson.scene.mechanisms[name].epsilon):
        epsilon = lesson.scene.mechanisms[name].epsilon
        jumped = name in lesson.scene.beyond
        crossings.append(_Reading(name, epsilon, _privacy(name, epsilon, d) if jumped else target))
        texts.append(f"ε′ = {budget_number(epsilon)}" + (", below the jump" if jumped else ""))
    curves, found = table(points), table(crossings, texts)
    past = table([_Reading(name, m.epsilon, _privacy(name, m.epsilon, d)) for name, m in lesson.scene.beyond.items()])
    level = pd.DataFrame({"privacy": [target], "text": [f"{REFERENCE} at ε = {lesson.choices.epsilon:g}"]})
    colour, shape = mechanism_colour("name", lesson.scene.geo_i, dark), mechanism_shape("name", lesson.scene.geo_i)
    x = alt.X(
        "epsilon:Q",
        title="ε per cell (log scale)",
        scale=alt.Scale(type="log"),
        axis=alt.Axis(format="~g", tickCount=6, **axis_style(dark)),
    )
    y = alt.Y("privacy:Q", title=f"Local privacy, {unit}", axis=alt.Axis(**axis_style(dark)))
    of_reference = colour_of(REFERENCE, dark)
    bold: dict[str, Any] = {"fontSize": 15, "fontWeight": "bold"}
    layers = [
        alt.Chart(level).mark_rule(strokeWidth=2.5, color=of_reference, strokeDash=[7, 4]).encode(y="privacy:Q"),
        alt.Chart(level)
        .mark_text(align="left", dx=6, dy=-8, fontSize=14, color=of_reference)
        .encode(x=alt.value(0), y="privacy:Q", text="text:N"),
        alt.Chart(curves).mark_line(strokeWidth=3).encode(x=x, y=y, color=colour),
        alt.Chart(curves).mark_point(filled=True, size=50, opacity=1).encode(x=x, y=y, color=colour, shape=shape),
        alt.Chart(found).mark_point(size=160, filled=True).encode(x=x, y=y, color=colour),
        # The other side of the jump is neither a crossing nor what the lesson uses: hollow.
        alt.Chart(past).mark_point(size=160, strokeWidth=2.5).encode(x=x, y=y, color=colour),
        # In turn to the left and below, and to the right and above: on a telephone they would lie on each other.
        *(
            mark.encode(x=x, y=y, text="text:N", color=colour)
            for mark in (
                alt.Chart(found[::2]).mark_text(align="right", dx=-10, dy=16, **bold),
                alt.Chart(found[1::2]).mark_text(align="left", dx=10, dy=-12, **bold),
            )
        ),
    ]
    return alt.layer(*layers).properties(
        height=380,
        description=f"Local privacy against ε. {REFERENCE} has {target:.2f} {unit}; "
        + "; ".join(
            f"{crossing.name} {'jumps past' if crossing.name in lesson.scene.beyond else 'reaches'} it at {text}"
            for crossing, text in zip(crossings, texts, strict=True)
        ),
    )


def _maps(lesson: LessonState, draws: list[_OneDraw]) -> None:
    cards = []
    for name, equal, entry in draws:
        geo = MECHANISMS[name].notion == "Geo-I"
        title = name if not geo else f"{name}, {'ε′' if equal else 'same ε'}"
        metres = captions.metres(entry.mean, lesson.scene.side)
        error = captions.cells(entry.mean) if lesson.scene.side is None else f"W2 {metres}"
        budget = per_cell(entry.epsilon) if geo else f"{entry.epsilon:g}"
        caption = f"{error}, {'ε′' if geo and equal else 'ε'} = {budget}"
        cards.append(SmallMap(title, caption, entry.distribution, f"error {caption}"))
    small_maps(
        cards,
        lesson.scene.population,
        lesson.loaded,
        "max(13.5rem, calc(100% / 6 - 1rem))",
        "(simulated, one draw)",
        "lesson-cards",
    )
