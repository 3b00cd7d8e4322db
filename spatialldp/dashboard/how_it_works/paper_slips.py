"""The slips of the paper, each with its figures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import altair as alt
import pandas as pd
import streamlit as st

from spatialldp.dashboard.how_it_works.parts import mechanism_of
from spatialldp.dashboard.shared.chart_style import AXIS_FONT
from spatialldp.dashboard.shared.choices import Choices
from spatialldp.dashboard.shared.chosen_data import jobs_for, key_of
from spatialldp.dashboard.shared.waiting import Share, watch
from spatialldp.paper import SLIPS, Setting, Slip, slips
from spatialldp.population import Population


def paper_part(chosen: Choices, population: Population) -> None:
    """All slips, each as soon as it is computed."""
    st.markdown(
        "We rebuilt everything in *Numerical Estimation of Spatial Distributions under Differential Privacy* (Du et "
        "al.) and compared. The idea is sound; these details are not. Every figure is **computed now**, with this "
        "page’s ε, d, b and seed where it says “your”; figures that are only quoted name their source."
    )
    setting = Setting(population.counts, chosen.epsilon, mechanism_of(chosen).b, chosen.seed)
    key = ("slips", *key_of(chosen), chosen.epsilon, setting.b, chosen.seed)
    job = jobs_for(chosen).start(key, lambda: slips(setting))
    note, places = st.empty(), _places(len(SLIPS))
    drawn = 0

    def progress() -> Share:
        number = len(job.results)
        return Share(number / len(SLIPS), f"Computing demonstration {number + 1} of {len(SLIPS)} …")

    def more() -> bool:
        return len(job.results) > drawn

    going_on = True
    while going_on and drawn < len(SLIPS):
        failure = "The demonstrations could not be computed in full. Change ε or d."
        going_on = watch(job, progress, until=more, failure=failure, slot=note)
        for (name, slip), place in zip(job.results[drawn:], places, strict=False):
            drawn += 1
            with place, st.container(border=True, key=f"slip-{name}"):
                _draw(drawn, slip)


def _places(number: int) -> Iterator[Any]:
    """A place for each, two by two, so that a narrow screen keeps their order."""
    for start in range(0, number, 2):
        yield from st.columns(2, gap="medium")[: number - start]


def _draw(number: int, slip: Slip) -> None:
    st.markdown(f"#### {number}. {slip.title}")
    st.markdown(slip.text)
    st.table(
        pd.DataFrame(
            {
                "Figure": [row.what for row in slip.rows],
                "Printed or run": [figure_text(row.printed) for row in slip.rows],
                "Right": [figure_text(row.right) for row in slip.rows],
            }
        ).set_index("Figure")
    )
    if slip.curves:
        st.altair_chart(_chart(slip), width="stretch", key=f"slip-chart-{number}")
    st.caption(f"Source: {slip.source}.")


def figure_text(value: float | str | None) -> str:
    """A figure with as many digits as it takes to see the point."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:.4f}" if abs(value) >= 0.001 else f"{value:.2g}"


def _chart(slip: Slip) -> Any:
    rows = pd.DataFrame([{"kind": kind, "x": x, "y": y} for kind, points in slip.curves.items() for x, y in points])
    every = ((kind, *point) for kind, points in slip.curves.items() for point in points)
    kind, x, y = max(every, key=lambda point: point[2])
    return (
        alt.Chart(rows)
        .mark_line(strokeWidth=3, point={"size": 60})
        .encode(
            x=alt.X("x:Q", title=slip.x_title, axis=alt.Axis(tickMinStep=1, **AXIS_FONT)),
            y=alt.Y("y:Q", title=slip.y_title, scale=alt.Scale(zero=False), axis=alt.Axis(**AXIS_FONT)),
            color=alt.Color(
                "kind:N",
                scale=alt.Scale(domain=list(slip.curves), range=["#e66101", "#4f8fa8"]),
                legend=alt.Legend(title=None, orient="top", labelFontSize=15),
            ),
            tooltip=[
                "kind:N",
                alt.Tooltip("x:Q", title=slip.x_title),
                alt.Tooltip("y:Q", title=slip.y_title, format=".4f"),
            ],
        )
        .properties(
            height=240,
            description=f"{slip.y_title} against {slip.x_title}: {kind} reaches {y:.3f} at {x:g}.",
        )
    )
