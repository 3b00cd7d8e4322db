"""Step 3 of the lesson: privacy loss against distance."""

from __future__ import annotations

import math
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from spatialldp.dashboard.lesson.state import LessonState, mechanism_for
from spatialldp.dashboard.shared.captions import length
from spatialldp.dashboard.shared.chart_style import AXIS_FONT, ink, mechanism_colour, mechanism_shape
from spatialldp.dashboard.shared.page_setup import is_dark
from spatialldp.formatting import times
from spatialldp.privacy import privacy_loss_from

#: e to the power of more is too large for a chart, and for a double.
_LARGEST_LOSS = 700.0


def reference_distances(lesson: LessonState) -> dict[str, float]:
    """Distances a class can picture, in cells: the next block, the district, the far end of the city."""
    d, person = lesson.population.grid.d, lesson.person
    farthest = max(math.hypot(x - person.ix, y - person.iy) for x in (0, d - 1) for y in (0, d - 1))
    if d == 1:
        return {"own block": 0.0}
    return {"next block": 1.0, "district": float(max(1, round(d / 5))), "far end of the city": farthest}


def worst_losses(lesson: LessonState, name: str) -> dict[float, float]:
    """Distance in cells → the largest privacy loss between the person's cell and those at that distance."""
    d, person = lesson.population.grid.d, lesson.person
    losses = _losses(name, lesson.mechanisms[name].epsilon, d, person.ix, person.iy)
    ix, iy = np.meshgrid(np.arange(d), np.arange(d), indexing="ij")
    distance = np.hypot(ix - person.ix, iy - person.iy)
    return {float(at): float(losses[distance == at].max()) for at in np.unique(distance)}


def times_at(losses: dict[float, float], cells: float) -> str:
    """How many times likelier, at most, a report is from here than from the distance nearest to this one, or the
    reverse."""
    return _times(losses[min(losses, key=lambda distance: abs(distance - cells))])


def _times(loss: float) -> str:
    return "infinitely many" if math.isinf(loss) else times(loss)


@st.cache_data(max_entries=64, show_spinner=False)
def _losses(name: str, epsilon: float, d: int, ix: int, iy: int) -> NDArray[np.float64]:
    """Kept, because the text and the chart both need it."""
    return privacy_loss_from(mechanism_for(name, epsilon, d), ix, iy)


def loss_against_distance(lesson: LessonState) -> None:
    """The curves, the promises as dashed lines, and the table for block, district and city."""
    unit, factor = ("cells", 1.0) if lesson.side is None else ("km", lesson.side / 1000)
    curves = {name: worst_losses(lesson, name) for name in lesson.mechanisms}
    marks = reference_distances(lesson)
    rows = pd.DataFrame(
        [
            {"name": name, "distance": at * factor, "times": math.exp(min(_LARGEST_LOSS, loss))}
            for name, curve in curves.items()
            for at, loss in curve.items()
        ]
    )
    promises = pd.DataFrame(
        [
            {"name": name, "distance": at * factor, "times": math.exp(min(_LARGEST_LOSS, _promise(lesson, name, at)))}
            for name, curve in curves.items()
            for at in (0.0, *sorted(curve))
        ]
    )
    lines = pd.DataFrame({"at": [at * factor for at in marks.values()], "what": list(marks)})
    st.altair_chart(_chart(rows, promises, lines, unit, curves), width="stretch", key="loss-chart")
    st.caption(
        "Solid: the worst case over all reports, computed exactly from this person’s cell. Dashed: the promise, e^ε "
        "for LDP and e^(ε′·distance) for Geo-I. A block is one cell here, a district a fifth of the map."
    )
    head = "At most … times likelier"
    table = [
        {
            head: name,
            **{f"{what} ({length(at, lesson.side)})": times_at(curve, at) for what, at in marks.items()},
        }
        for name, curve in curves.items()
    ]
    st.table(pd.DataFrame(table).set_index(head))


def _promise(lesson: LessonState, name: str, cells: float) -> float:
    mechanism = lesson.mechanisms[name]
    return mechanism.epsilon if mechanism.notion == "LDP" else mechanism.epsilon_per_cell * cells


def _chart(
    rows: pd.DataFrame, promises: pd.DataFrame, marks: pd.DataFrame, unit: str, curves: dict[str, dict[float, float]]
) -> Any:
    colour = mechanism_colour("name", list(curves), is_dark())
    x = alt.X("distance:Q", title=f"Distance between the two places, {unit}", axis=alt.Axis(**AXIS_FONT))
    top = max(10.0, float(max(rows["times"].max(), promises["times"].max())))
    y = alt.Y(
        "times:Q",
        title="Times likelier, at most (log scale)",
        axis=alt.Axis(format="~g", tickCount=6, **AXIS_FONT),
        scale=alt.Scale(type="log", domain=[1.0, top]),
    )
    tips = [
        alt.Tooltip("name:N", title="Mechanism"),
        alt.Tooltip("distance:Q", title=unit, format=".2f"),
        alt.Tooltip("times:Q", title="times likelier", format=".3~g"),
    ]
    solid = alt.Chart(rows).mark_line(strokeWidth=3).encode(x=x, y=y, color=colour)
    points = (
        alt.Chart(rows)
        .mark_point(filled=True, size=50, opacity=1)
        .encode(x=x, y=y, color=colour, shape=mechanism_shape("name", list(curves)), tooltip=tips)
    )
    dashed = alt.Chart(promises).mark_line(strokeWidth=2, strokeDash=[6, 5], opacity=0.8).encode(x=x, y=y, color=colour)
    plain = ink(is_dark())
    rules = alt.Chart(marks).mark_rule(strokeWidth=1.5, strokeDash=[2, 3], color=plain).encode(x="at:Q")
    upright: dict[str, Any] = {"angle": 270, "baseline": "bottom", "dy": -4, "fontSize": 14, "color": plain}
    labels = (
        alt.Chart(marks[:-1]).mark_text(align="right", dx=-4, **upright).encode(x="at:Q", y=alt.value(0), text="what:N")
    )
    # The curves end high at the far end, so its name stands below.
    low_label = (
        alt.Chart(marks[-1:]).mark_text(align="left", dx=6, **upright).encode(x="at:Q", y=alt.datum(1.0), text="what:N")
    )
    ends = "; ".join(f"{name} up to {_times(max(curve.values()))} times" for name, curve in curves.items())
    return alt.layer(dashed, solid, points, rules, labels, low_label).properties(
        height=380, description=f"Times likelier at most against distance: {ends}."
    )
