"""What one report reveals: the kernels as pictures, the bound behind the optimal radius, and where a report may lie."""

from __future__ import annotations

import math

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from spatialldp.dashboard.how_it_works import kernel_drawings
from spatialldp.dashboard.how_it_works.parts import mechanism_of, radius_slider
from spatialldp.dashboard.shared.chart_style import axis_style, ink, legend_style
from spatialldp.dashboard.shared.choices import Choices
from spatialldp.dashboard.shared.page_setup import is_dark
from spatialldp.mechanisms import DAM, DAMNS, HUEM, SAM, mutual_information_bound, optimal_radius


def kernel_part(chosen: Choices) -> None:
    """The kernels, the bound behind the optimal radius, and the output domain."""
    near, far = ("bright", "dark") if is_dark() else ("dark", "light")
    st.markdown(
        f"The phone is in the middle cell (orange dot). It reports a {near} cell **e^ε times** as often as a {far} "
        "one. Every cell can be reported from anywhere, so no report proves anything. The three mechanisms differ at "
        "the circle: **DAM** counts only part of each cell that the circle cuts, **DAM-NS** counts such a cell fully "
        "or not at all, and **HUEM** fades ring by ring."
    )
    # A telephone is not wide enough for one line: it breaks at the equals sign and after the comma, nowhere else.
    st.latex(
        r"{P(\text{report}\mid\text{truth})} = {q\,\bigl(1+(e^{\varepsilon}-1)\,A(\text{offset})\bigr),}"
        r"\allowbreak\;\;{0\le A\le 1}"
    )
    radius_slider(chosen)
    b = mechanism_of(chosen).b
    family: dict[str, SAM] = {
        "DAM": DAM(chosen.epsilon, chosen.d, b),
        "DAM-NS": DAMNS(chosen.epsilon, chosen.d, b),
        "HUEM": HUEM(chosen.epsilon, chosen.d, b),
    }
    for column, (name, mechanism) in zip(st.columns(3, gap="medium"), family.items(), strict=True):
        high, mixed = cell_kinds(mechanism)
        with column, st.container(key=f"kernel-{name.lower()}"):
            st.markdown(f"**{name}**  \n:small[{mechanism.full_name}]")
            st.html(
                kernel_drawings.kernel(
                    mechanism,
                    is_dark(),
                    f"{name} with radius {b}: {high} high and {mixed} mixed cells, all others low",
                )
            )
            st.html(kernel_drawings.legend(mechanism, is_dark(), (high, mixed)))
            st.markdown(
                f":small[Probability of a low cell: q = **{mechanism.q:.3g}**, of a high one: q·e^ε = "
                f"**{mechanism.q * math.exp(mechanism.epsilon):.3g}**. All cells together count as "
                f"**{float(mechanism.kernel.sum()):.4f}** high ones. **{mechanism.uniform_share:.1%}** of reports are "
                "pure chance.]"
            )
    left, right = st.columns([2, 1], gap="large")
    with left:
        _bound_chart(chosen, b)
    with right:
        _domain(chosen, b)


def cell_kinds(mechanism: SAM) -> tuple[int, int]:
    """The number of (high, mixed) cells: A = 1, and in between. All others, however many there are, are low: A = 0."""
    kernel = mechanism.kernel
    return int((kernel == 1).sum()), int(((kernel > 0) & (kernel < 1)).sum())


def _bound_chart(chosen: Choices, b: int) -> None:
    st.markdown(
        "**Why this radius?**  \n:small[If the disk is small, a report from inside it says a lot, but few are. If it "
        "is large, many are, but each says little. The best radius maximises a bound on what a report can reveal.]"
    )
    best = optimal_radius(chosen.epsilon)
    widest = max(2.2 * best, 1.1 * b / chosen.d)
    radius = np.linspace(0.0, widest, 160)
    rows = pd.DataFrame({"b": radius * chosen.d, "bound": mutual_information_bound(chosen.epsilon, radius)})
    at = pd.DataFrame(
        {
            "b": [best * chosen.d, float(b)],
            "bound": mutual_information_bound(chosen.epsilon, [best, b / chosen.d]),
            "what": [f"optimum: {best * chosen.d:.2f} cells", f"chosen: b = {b}"],
        }
    )
    dot = "#ff9d5c" if is_dark() else "#e66101"
    axis = alt.Axis(**axis_style(is_dark()))
    x = alt.X("b:Q", title="Radius in cells", axis=axis)
    y = alt.Y("bound:Q", title="Bound on information, in nats", axis=axis)
    curve = alt.Chart(rows).mark_line(strokeWidth=3, color="#4f8fa8").encode(x=x, y=y)
    colour = alt.Color(
        "what:N",
        scale=alt.Scale(domain=at["what"].tolist(), range=[ink(is_dark()), dot]),
        legend=alt.Legend(orient="bottom", **legend_style(is_dark())),
    )
    rules = alt.Chart(at).mark_rule(strokeWidth=2, strokeDash=[5, 4]).encode(x="b:Q", color=colour)
    points = alt.Chart(at).mark_point(size=150, filled=True, opacity=1).encode(x=x, y=y, color=colour)
    st.altair_chart(
        alt.layer(curve, rules, points).properties(
            height=360,
            description=f"Bound on mutual information against the radius: largest at {best * chosen.d:.2f} cells; "
            f"the chosen radius is {b}.",
        ),
        width="stretch",
        key="bound-chart",
    )
    st.latex(
        r"g(b)=\ln\frac{\pi b^2+4b+1}{\pi b^2e^{\varepsilon}+4b+1}+\varepsilon\,"
        r"\frac{\pi b^2e^{\varepsilon}}{\pi b^2e^{\varepsilon}+4b+1}"
    )
    st.caption(
        f"The optimum is {best:.4f} of the map’s side. With d = {chosen.d} that is {best * chosen.d:.2f} cells, "
        f"rounded down to b = {math.floor(best * chosen.d)}."
    )


def _domain(chosen: Choices, b: int) -> None:
    mechanism = DAM(chosen.epsilon, chosen.d, b)
    reach = DAM(chosen.epsilon, 1, b).n_outputs
    st.markdown(
        "**Where can a report lie?**  \n:small[On the map (inner square) or up to b cells beyond it. A phone at the "
        "edge needs room for its whole disk: cut off, its odds would differ from everyone else’s.]"
    )
    st.html(
        kernel_drawings.output_domain(
            mechanism, is_dark(), f"Output domain: {mechanism.n_outputs} cells around {chosen.d} by {chosen.d} cells"
        )
    )
    # In a narrow column the second half stands in a line of its own.
    st.latex(r"|\text{outputs}| = {d^2+4bd-4b}\allowbreak{{}-1+|\text{reach}|}" if b else r"|\text{outputs}| = d^2")
    sum_of = f"{chosen.d**2} + {4 * b * chosen.d} − {4 * b} − 1 + {reach} = " if b else ""
    st.markdown(f":small[{sum_of}**{mechanism.n_outputs:,}** cells. The disk of one phone reaches {reach} of them.]")
