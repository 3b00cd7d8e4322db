"""The computations and pictures of the Explore page."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from spatialldp.dashboard import maps
from spatialldp.dashboard.setup import is_dark
from spatialldp.datasets import SYNTHETIC
from spatialldp.experiments import Run, simulate
from spatialldp.grid import Binned
from spatialldp.mechanisms import KRR, MECHANISMS, SAM, Mechanism

LARGEST_D = 40
PEOPLE_SEED = 0


@st.cache_data(max_entries=64, show_spinner=False)
def population(data: str, d: int) -> Binned:
    """People per cell of a generated set, and how many are in none."""
    recipe = SYNTHETIC[data]
    return recipe.grid(d).bin(*_points(data))


@st.cache_data(max_entries=3, show_spinner=False)
def _points(data: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    points = SYNTHETIC[data].points(PEOPLE_SEED)
    return points.x, points.y


def make(mechanism: str, epsilon: float, d: int, b: int | None) -> Mechanism:
    """The chosen mechanism; `b` only where it has a radius to choose."""
    kind = MECHANISMS[mechanism]
    return kind(epsilon, d) if b is None else kind(epsilon, d, b)  # type: ignore[call-arg]


def has_radius(mechanism: str) -> bool:
    """Whether the visitor can choose the radius of this mechanism."""
    return issubclass(MECHANISMS[mechanism], SAM) and MECHANISMS[mechanism] is not KRR


def best_radius(mechanism: str, epsilon: float, d: int) -> int:
    """The optimal radius, cells."""
    chosen = make(mechanism, epsilon, d, None)
    assert isinstance(chosen, SAM)
    return chosen.b


@st.cache_data(max_entries=256, show_spinner=False)
def run(data: str, mechanism: str, epsilon: float, d: int, b: int | None, seed: int) -> Run:
    """One simulated collection; the same choices give the same result to every visitor."""
    return simulate(population(data, d).counts, make(mechanism, epsilon, d, b), seed)


def three_maps(data: str, mechanism: Mechanism, result: Run) -> None:
    """True, perturbed and recovered side by side on one colour scale."""
    grid = SYNTHETIC[data].grid(mechanism.d)
    people = int(result.counts.sum())
    picture = mechanism.report_map(result.reports)
    reported = picture.values / np.nansum(picture.values)
    recovered = result.estimate.distribution
    true = result.counts / people
    largest = float(max(true.max(), recovered.max()))
    dark = is_dark()
    wide = grid.extended(-picture.origin[0])
    charts = (
        ("true", "True", "where people are; nobody sees this map", true, grid, None, None),
        ("perturbed", "Perturbed", f"{picture.caption} (frame: the true area)",
         reported, wide, ~np.isnan(reported), grid),
        ("recovered", "Recovered", "what the reports reveal of the true map", recovered, grid, None, None),
    )  # fmt: skip
    for column, (key, title, caption, values, cells, shown, frame) in zip(st.columns(3), charts, strict=True):
        with column, st.container(key=f"map-{key}"):
            st.markdown(f"**{title}**  \n:small[{caption}]")
            deck = maps.heatmap(values, cells, largest, dark=dark, shown=shown, frame=frame)
            st.pydeck_chart(
                deck,
                height=maps.MAP_HEIGHT,
                key=f"deck-{key}",
                alt=f"{title} distribution on {cells.d} by {cells.d} cells; the fullest cell holds "
                f"{np.nanmax(values):.2%} of the total",
            )
    _legend(largest, dark)


def _legend(largest: float, dark: bool) -> None:
    st.html(
        f'<div style="display:flex;align-items:center;gap:.75rem;font-size:.9rem">'
        f'<span>0&nbsp;%</span><div role="img" aria-label="Colour scale" style="flex:1;max-width:24rem;height:.8rem;'
        f'outline:1px solid #8884;background:{maps.css_ramp(dark)}"></div>'
        f"<span>{largest:.2%} of the total in one cell, the same scale for the three maps</span></div>"
    )


def meaning_of_epsilon(epsilon: float, notion: str) -> str:
    """ε in a sentence."""
    factor = math.exp(epsilon)
    shown = f"{factor:.2f}" if factor < 10 else f"{factor:,.0f}"
    if notion == "LDP":
        return f"A report is at most e^ε = {shown} times likelier from one place than from any other."
    return f"A report is at most e^ε = {shown} times likelier from one cell than from the next; farther apart, more."
