"""The corrections to the paper, each with its figures."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd
import streamlit as st

from spatialldp.dashboard.how_it_works.parts import mechanism_of
from spatialldp.dashboard.shared.chart_style import axis_style, legend_style
from spatialldp.dashboard.shared.choices import Choices
from spatialldp.dashboard.shared.chosen_data import jobs_for, key_of
from spatialldp.dashboard.shared.page_setup import is_dark
from spatialldp.dashboard.shared.waiting import Share, watch
from spatialldp.paper import SLIPS, Setting, Slip, slips
from spatialldp.population import Population

#: As many columns as there is room for, each filled from the top, so that cards of any height leave no gaps.
_STYLE = """<style>
  .st-key-slips { display: block; columns: 3 25rem; column-gap: 1.25rem; }
  .st-key-slips > * { break-inside: avoid; width: 100%; margin-bottom: 1rem; }
  .st-key-slips > :not(:has([class*="st-key-slip-"])) { display: none; }
</style>"""


def paper_part(chosen: Choices, population: Population) -> None:
    """All slips, each as soon as it is computed."""
    st.markdown(
        "We rebuilt everything in *Numerical Estimation of Spatial Distributions under Differential Privacy* (Du et "
        "al.) and checked it against the paper. The idea is sound; these details are not. The figures are **computed "
        "now**, with the ε, d, b and seed of this page where it says “your”. Figures we only quote name their source."
    )
    setting = Setting(population.counts, chosen.epsilon, mechanism_of(chosen).b, chosen.seed)
    key = ("slips", *key_of(chosen), chosen.epsilon, setting.b, chosen.seed)
    job = jobs_for(chosen).start(key, lambda: slips(setting))
    note = st.empty()
    st.html(_STYLE)
    with st.container(key="slips"):
        places = iter([st.empty() for _ in SLIPS])
    drawn = 0

    def progress() -> Share:
        number = len(job.results)
        return Share(number / len(SLIPS), f"Computing figures for correction {number + 1} of {len(SLIPS)} …")

    def more() -> bool:
        return len(job.results) > drawn

    going_on = True
    while going_on and drawn < len(SLIPS):
        failure = "Not all figures could be computed. Change ε or d."
        going_on = watch(job, progress, until=more, failure=failure, slot=note)
        for (name, slip), place in zip(job.results[drawn:], places, strict=False):
            drawn += 1
            with place.container(border=True, key=f"slip-{name}"):
                _draw(drawn, slip)


def _draw(number: int, slip: Slip) -> None:
    st.markdown(f"#### {number}. {slip.title}")
    st.markdown(slip.text)
    st.table(
        pd.DataFrame(
            {
                "Figure": [row.what for row in slip.rows],
                "Published": [figure_text(row.printed) for row in slip.rows],
                "Corrected": [figure_text(row.right) for row in slip.rows],
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
    text = f"{value:.4f}" if abs(value) >= 0.001 else f"{value:.2g}"
    return text.replace("-", "−", 1) if value < 0 else text


def _chart(slip: Slip) -> Any:
    rows = pd.DataFrame([{"kind": kind, "x": x, "y": y} for kind, points in slip.curves.items() for x, y in points])
    every = ((kind, *point) for kind, points in slip.curves.items() for point in points)
    kind, x, y = max(every, key=lambda point: point[2])
    style = axis_style(is_dark())
    return (
        alt.Chart(rows)
        .mark_line(strokeWidth=3, point={"size": 60})
        .encode(
            x=alt.X("x:Q", title=slip.x_title, axis=alt.Axis(tickMinStep=1, **style)),
            y=alt.Y("y:Q", title=slip.y_title, scale=alt.Scale(zero=False), axis=alt.Axis(**style)),
            color=alt.Color(
                "kind:N",
                scale=alt.Scale(domain=list(slip.curves), range=["#e66101", "#4f8fa8"]),
                legend=alt.Legend(orient="top", **legend_style(is_dark())),
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
