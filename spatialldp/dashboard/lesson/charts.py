"""Charts of the lesson: loss against distance, and how ε′ is found."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from spatialldp.dashboard.lesson.maps import length
from spatialldp.dashboard.lesson.scene import NAMES, Lesson, mechanism_for
from spatialldp.dashboard.shared import captions
from spatialldp.dashboard.shared.chosen_data import jobs_for
from spatialldp.dashboard.shared.page_setup import is_dark
from spatialldp.drawing.cells import cell_image
from spatialldp.drawing.colours import shared_scale
from spatialldp.drawing.outlines import outline_lines
from spatialldp.experiments.comparison import Score, score
from spatialldp.mechanisms import MECHANISMS
from spatialldp.privacy import local_privacy, privacy_loss_from

#: Told apart by every kind of colour vision, on light and dark alike.
COLOURS = {"DAM": "#e66101", "SEM-Geo-I": "#0072b2", "Planar Laplace": "#009e73"}
_FONT: dict[str, Any] = {"labelFontSize": 14, "titleFontSize": 15}
_POINTS = 14
_SMALL_MAP = 300


def times(factor: float) -> str:
    """A factor that a class can read."""
    if math.isinf(factor):
        return "infinitely many"
    if factor < 10:
        return f"{factor:.2g}"
    if factor < 1e5:
        return f"{factor:,.0f}"
    return f"10^{math.log10(factor):.0f}"


def reference_distances(lesson: Lesson) -> dict[str, float]:
    """Distances a class can picture, in cells: the next block, the district, the far end of the city."""
    d, person = lesson.population.grid.d, lesson.person
    farthest = max(math.hypot(x - person.ix, y - person.iy) for x in (0, d - 1) for y in (0, d - 1))
    if d == 1:
        return {"own block": 0.0}
    return {"next block": 1.0, "district": float(max(1, round(d / 5))), "far end of the city": farthest}


def worst_factors(lesson: Lesson, name: str) -> dict[float, float]:
    """Distance in cells → how many times likelier, at most, a report is from here than from there, or the reverse."""
    d, person = lesson.population.grid.d, lesson.person
    losses = _losses(name, lesson.mechanisms[name].epsilon, d, person.ix, person.iy)
    ix, iy = np.meshgrid(np.arange(d), np.arange(d), indexing="ij")
    distance = np.hypot(ix - person.ix, iy - person.iy)
    return {float(at): float(np.exp(np.minimum(losses[distance == at].max(), 700.0))) for at in np.unique(distance)}


@st.cache_data(max_entries=64, show_spinner=False)
def _losses(name: str, epsilon: float, d: int, ix: int, iy: int) -> NDArray[np.float64]:
    """Kept, because the text and the chart both need it."""
    return privacy_loss_from(mechanism_for(name, epsilon, d), ix, iy)


def loss_against_distance(lesson: Lesson) -> None:
    """Step 3: the curves, the promises as dashed lines, and the table for block, district and city."""
    side = lesson.population.grid.cell_size_m
    unit, factor = ("cells", 1.0) if side is None else ("km", side / 1000)
    curves = {name: worst_factors(lesson, name) for name in NAMES}
    marks = reference_distances(lesson)
    rows = pd.DataFrame(
        [
            {"name": name, "distance": at * factor, "times": value}
            for name in NAMES
            for at, value in curves[name].items()
        ]
    )
    promises = pd.DataFrame(
        [
            {"name": name, "distance": at * factor, "times": math.exp(min(700.0, _promise(lesson, name, at)))}
            for name in NAMES
            for at in (0.0, *sorted(curves[name]))
        ]
    )
    lines = pd.DataFrame({"at": [at * factor for at in marks.values()], "what": list(marks)})
    st.altair_chart(_loss_chart(rows, promises, lines, unit, lesson), width="stretch", key="loss-chart")
    st.caption(
        "Solid: the worst case over all reports, computed exactly from this person’s cell. Dashed: the promise, e^ε "
        "for LDP and e^(ε′·distance) for Geo-I. A block is one cell here, a district a fifth of the map."
    )
    table = [
        {
            "At most … times likelier": name,
            **{f"{what} ({length(at, side)})": times(_nearest(curves[name], at)) for what, at in marks.items()},
        }
        for name in NAMES
    ]
    st.table(pd.DataFrame(table).set_index("At most … times likelier"))


def _nearest(curve: dict[float, float], at: float) -> float:
    return curve[min(curve, key=lambda distance: abs(distance - at))]


def _promise(lesson: Lesson, name: str, cells: float) -> float:
    mechanism = lesson.mechanisms[name]
    return mechanism.epsilon if mechanism.notion == "LDP" else mechanism.epsilon * cells


def _loss_chart(rows: pd.DataFrame, promises: pd.DataFrame, marks: pd.DataFrame, unit: str, lesson: Lesson) -> Any:
    colour = alt.Color(
        "name:N",
        scale=alt.Scale(domain=list(COLOURS), range=list(COLOURS.values())),
        legend=alt.Legend(title=None, orient="top", labelFontSize=15, symbolStrokeWidth=4),
    )
    x = alt.X("distance:Q", title=f"Distance between the two places, {unit}", axis=alt.Axis(**_FONT))
    top = max(10.0, float(max(rows["times"].max(), promises["times"].max())))
    y = alt.Y(
        "times:Q",
        title="Times likelier, at most (log scale)",
        axis=alt.Axis(format="~g", tickCount=6, **_FONT),
        scale=alt.Scale(type="log", domain=[1.0, top]),
    )
    tips = [
        alt.Tooltip("name:N", title="Mechanism"),
        alt.Tooltip("distance:Q", title=unit, format=".2f"),
        alt.Tooltip("times:Q", title="times likelier", format=".3~g"),
    ]
    solid = alt.Chart(rows).mark_line(strokeWidth=3, point={"size": 30}).encode(x=x, y=y, color=colour, tooltip=tips)
    dashed = alt.Chart(promises).mark_line(strokeWidth=2, strokeDash=[6, 5], opacity=0.8).encode(x=x, y=y, color=colour)
    ink = "#d8d8e4" if is_dark() else "#44445a"
    farthest = marks["what"].iloc[-1]
    rules = alt.Chart(marks).mark_rule(strokeWidth=1.5, strokeDash=[2, 3], color=ink).encode(x="at:Q")
    labels = (
        alt.Chart(marks)
        .mark_text(angle=270, align="right", baseline="bottom", dx=-4, dy=-4, fontSize=14, color=ink)
        .encode(x="at:Q", y=alt.value(0), text="what:N")
        .transform_filter(alt.datum["what"] != farthest)
    )
    # The curves end high at the far end, so its name stands below.
    low_label = (
        alt.Chart(marks)
        .mark_text(angle=270, align="left", baseline="bottom", dx=6, dy=-4, fontSize=14, color=ink)
        .encode(x="at:Q", y=alt.datum(1.0), text="what:N")
        .transform_filter(alt.datum["what"] == farthest)
    )
    ends = "; ".join(f"{name} up to {times(rows.loc[rows['name'] == name, 'times'].max())} times" for name in NAMES)
    return alt.layer(dashed, solid, rules, labels, low_label).properties(
        height=380, description=f"Times likelier at most against distance: {ends}."
    )


def calibration(lesson: Lesson) -> None:
    """Step 4: local privacy against ε with the crossing points, then maps at the same ε and at ε′."""
    chart, maps_slot, note = st.empty(), st.container(), st.empty()
    chosen, counts = lesson.choices, lesson.population.counts
    target = _privacy("DAM", chosen.epsilon, chosen.d)
    job = jobs_for(chosen).start(("local-privacy", chosen.epsilon, chosen.d), lambda: _points(lesson))
    maps_job = jobs_for(chosen).start(("lesson-maps", *lesson.key), lambda: _scores(lesson))
    with maps_slot:
        slot = st.empty()
    drawn = drawn_maps = -1
    while True:
        over = job.finished and maps_job.finished
        points, scores = list(job.results), list(maps_job.results)
        # A chart that is drawn anew for every point would only flicker.
        if drawn < 0 or len(points) - drawn >= 8 or (job.finished and len(points) > drawn):
            chart.altair_chart(_curve(lesson, points, target), width="stretch", key=f"curve-{len(points)}")
            drawn = len(points)
        if len(scores) > drawn_maps:
            with slot.container(key=f"lesson-maps-{len(scores)}"):
                _small_maps(lesson, counts, scores)
            drawn_maps = len(scores)
        if over:
            break
        number = 2 * (_POINTS + len(lesson.beyond))
        note.caption(f"Computing the curves ({len(points)} of {number} points) and maps ({len(scores)} of 5) …")
        job.wait(len(points), 0.3) if not job.finished else maps_job.wait(len(scores), 0.3)
    note.empty()
    if job.failed or maps_job.failed:
        st.error("This step could not be computed in full. Change ε or d.")


@st.cache_data(max_entries=64, show_spinner=False)
def _privacy(name: str, epsilon: float, d: int) -> float:
    """Local privacy, cells. Kept, because the text and the chart both need it."""
    return local_privacy(mechanism_for(name, epsilon, d), relative_error=0.005).value


def jump_sentences(lesson: Lesson) -> list[str]:
    """Where no ε′ has DAM's local privacy: what is taken instead."""
    d, side = lesson.choices.d, lesson.population.grid.cell_size_m
    target = length(_privacy("DAM", lesson.choices.epsilon, d), side)
    sentences = []
    for name, beyond in lesson.beyond.items():
        epsilon = lesson.mechanisms[name].epsilon
        below, above = (length(_privacy(name, at, d), side) for at in (epsilon, beyond.epsilon))
        sentences.append(
            f"{name} cannot match DAM here: at ε′ = {epsilon:.3f}, where each report begins to name one cell fewer, "
            f"its local privacy jumps from {below} to {above}, past DAM’s {target}. The lesson takes the side that "
            "protects more; step 5 shows both."
        )
    return sentences


def _points(lesson: Lesson) -> Iterator[tuple[str, float, float]]:
    """(name, ε, local privacy in cells) around the crossing, the two kinds in turn."""
    if lesson.choices.d == 1:
        return
    found = {name: lesson.mechanisms[name].epsilon for name in NAMES[1:]}
    low = 0.5 * min(found.values())
    high = max(lesson.choices.epsilon, 1.5 * max(found.values()))
    for name, beyond in lesson.beyond.items():
        for mechanism in (lesson.mechanisms[name], beyond):
            yield name, mechanism.epsilon, local_privacy(mechanism, relative_error=0.005).value
    for epsilon in np.geomspace(low, high, _POINTS):
        for name in NAMES[1:]:
            mechanism = MECHANISMS[name](float(epsilon), lesson.choices.d)
            yield name, float(epsilon), local_privacy(mechanism, relative_error=0.01).value


def _scores(lesson: Lesson) -> Iterator[tuple[str, bool, Score]]:
    chosen, counts = lesson.choices, lesson.population.counts
    yield "DAM", True, score(counts, "DAM", chosen.epsilon, chosen.seed, 1)
    for name in NAMES[1:]:
        for equal in (False, True):
            yield name, equal, score(counts, name, chosen.epsilon, chosen.seed, 1, equal)


def _curve(lesson: Lesson, points: list[tuple[str, float, float]], target: float) -> Any:
    side = lesson.population.grid.cell_size_m
    unit, factor = ("cells", 1.0) if side is None else ("km", side / 1000)
    rows = pd.DataFrame(
        [{"name": name, "epsilon": epsilon, "privacy": value * factor} for name, epsilon, value in points],
        columns=["name", "epsilon", "privacy"],
    )
    d = lesson.choices.d
    found = pd.DataFrame(
        [
            {
                "name": name,
                "epsilon": lesson.mechanisms[name].epsilon,
                "privacy": factor
                * (_privacy(name, lesson.mechanisms[name].epsilon, d) if name in lesson.beyond else target),
                "text": f"ε′ = {lesson.mechanisms[name].epsilon:.3f}"
                + (", below the jump" if name in lesson.beyond else ""),
            }
            for name in NAMES[1:]
        ]
    )
    past = pd.DataFrame(
        [
            {"name": name, "epsilon": mechanism.epsilon, "privacy": factor * _privacy(name, mechanism.epsilon, d)}
            for name, mechanism in lesson.beyond.items()
        ],
        columns=["name", "epsilon", "privacy"],
    )
    level = pd.DataFrame({"privacy": [target * factor], "text": [f"DAM at ε = {lesson.choices.epsilon:g}"]})
    colour = alt.Color(
        "name:N",
        scale=alt.Scale(domain=list(COLOURS)[1:], range=list(COLOURS.values())[1:]),
        legend=alt.Legend(title=None, orient="top", labelFontSize=15, symbolStrokeWidth=4),
    )
    x = alt.X(
        "epsilon:Q",
        title="ε per cell (log scale)",
        scale=alt.Scale(type="log"),
        axis=alt.Axis(format="~g", tickCount=6, **_FONT),
    )
    y = alt.Y("privacy:Q", title=f"Local privacy, {unit}", axis=alt.Axis(**_FONT))
    curves = alt.Chart(rows).mark_line(strokeWidth=3, point={"size": 30}).encode(x=x, y=y, color=colour)
    rule = alt.Chart(level).mark_rule(strokeWidth=2.5, color=COLOURS["DAM"], strokeDash=[7, 4]).encode(y="privacy:Q")
    name = (
        alt.Chart(level)
        .mark_text(align="left", dx=6, dy=-8, fontSize=14, color=COLOURS["DAM"])
        .encode(x=alt.value(0), y="privacy:Q", text="text:N")
    )
    crossings = alt.Chart(found).mark_point(size=160, filled=True).encode(x=x, y=y, color=colour)
    # The other side of the jump is no crossing and not what the lesson uses: hollow.
    other_sides = alt.Chart(past).mark_point(size=160, strokeWidth=2.5).encode(x=x, y=y, color=colour)
    # One to the left and below, one to the right and above: on a telephone they would lie on each other.
    found = found.sort_values("epsilon")
    bold: dict[str, Any] = {"fontSize": 15, "fontWeight": "bold"}
    labels = [
        mark.encode(x=x, y=y, text="text:N", color=colour)
        for mark in (
            alt.Chart(found[:1]).mark_text(align="right", dx=-10, dy=16, **bold),
            alt.Chart(found[1:]).mark_text(align="left", dx=10, dy=-12, **bold),
        )
    ]
    return alt.layer(rule, name, curves, crossings, other_sides, *labels).properties(
        height=380,
        description=f"Local privacy against ε. DAM has {target * factor:.2f} {unit}; "
        + "; ".join(
            f"{row['name']} {'jumps past' if row['name'] in lesson.beyond else 'reaches'} it at {row['text']}"
            for row in found.to_dict("records")
        ),
    )


def _small_maps(lesson: Lesson, counts: Any, scores: list[tuple[str, bool, Score]]) -> None:
    true = counts / counts.sum()
    scale = shared_scale(true, is_dark())
    lines = outline_lines(lesson.loaded.entry.outline)
    side = lesson.population.grid.cell_size_m
    cards = [("True map", "nobody sees it", true)]
    for name, equal, entry in scores:
        geo = MECHANISMS[name].notion == "Geo-I"
        title = name if not geo else f"{name}, {'ε′' if equal else 'same ε'}"
        error = captions.cells(entry.mean) if side is None else f"W2 {captions.metres(entry.mean, side)}"
        cards.append((title, f"{error}, ε {entry.epsilon:.3g}" + (" per cell" if geo else ""), entry.distribution))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for title, caption, values in cards:
            with st.container(width=140):
                st.markdown(f"**{title}**  \n:small[{caption}]")
                st.image(cell_image(values, lesson.population.grid, scale, _SMALL_MAP, lines), width=140)
    st.html(
        captions.legend(scale, "of all people in one cell (or more); the same scale for all maps (simulated, one draw)")
    )
