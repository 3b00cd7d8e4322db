"""Explore's figures: the error above the maps, the others below."""

from __future__ import annotations

from typing import Any

import streamlit as st

from spatialldp.dashboard.explore.state import HEADLINE, ExploreState, other_run
from spatialldp.dashboard.shared import captions
from spatialldp.dashboard.shared.baselines import baselines_by_now
from spatialldp.dashboard.shared.controls import choose
from spatialldp.dashboard.shared.figures import figure
from spatialldp.experiments.measures import Baselines, surviving_hotspots
from spatialldp.experiments.run import make_mechanism
from spatialldp.formatting import escaped_markdown, percent


def settings_on_paper(state: ExploreState) -> None:
    """What the sidebar says, for a printed page."""
    chosen, radius = state.choices, state.mechanism.radius
    with st.container(key="on-paper"):
        st.caption(
            f"{escaped_markdown(state.loaded.entry.title)}: {state.mechanism.full_name} ({chosen.mechanism}), "
            f"ε = {state.mechanism.epsilon:g}, {chosen.d} × {chosen.d} cells"
            + ("" if radius is None else f", radius {radius} cells")
            + f", random seed {chosen.seed}. A simulation with {state.population.users:,} people."
        )


def headline(state: ExploreState) -> Baselines | None:
    """The error and what it means, above the maps; returns the ends of the scale, as far as they are known."""
    side = state.population.grid.cell_size_m
    ends = None if state.run is None else baselines_by_now(state.choices, state.population)
    error = None if state.run is None else state.run.w2_cells
    with st.container(key=HEADLINE):
        geo_i = state.mechanism.notion == "Geo-I"
        number, words, *rest = st.columns([1, 3, 1] if geo_i else [1, 4], vertical_alignment="center", gap="medium")
        figure(number, "Error W2", captions.cells(error), captions.of_one_draw(error, side), help=captions.W2_HELP)
        if error is None:
            words.markdown("The recovered map is being computed …")
        else:
            words.markdown(" ".join(filter(None, [captions.verdict(error, ends, side), _gain(state, error)])))
        for place in rest:
            _same_promise(state, error, words, place)
    return ends


def _gain(state: ExploreState, error: float) -> str:
    """What it is worth to know where nobody can live."""
    if state.mask is None:
        return ""
    plain = other_run(state, state.mechanism)
    return "" if plain is None else captions.gain(error, plain.w2_cells, state.population.counts[~state.mask].sum())


def _same_promise(state: ExploreState, error: float | None, words: Any, place: Any) -> None:
    """What the ε of a Geo-I mechanism means, in `words`, and in its `place` a button to the ε′ that makes it
    comparable."""
    chosen, side = state.choices, state.population.grid.cell_size_m
    honest = other_run(state, make_mechanism("DAM", chosen.epsilon, chosen.d))
    beside = None if honest is None or error is None else (error, honest.w2_cells)
    said = captions.same_promise(state.mechanism, chosen.mechanism, chosen.epsilon, chosen.equal, beside, side)
    words.markdown(f":small[{said}]")
    label = "Back to the same ε" if chosen.equal else "Protect as DAM does"
    place.button(label, on_click=choose, kwargs={"equal": not chosen.equal}, key="equal", width="stretch")


def figures(state: ExploreState, ends: Baselines | None) -> None:
    """What else the run means, under the maps."""
    if state.run is None:
        return
    run, estimate, population = state.run, state.run.estimate, state.population
    side = population.grid.cell_size_m
    uniform, no_privacy = (None, None) if ends is None else (ends.uniform_guess, ends.no_privacy)
    truthful = state.mechanism.truthful_share(run.counts)
    survived, of = surviving_hotspots(run.counts.astype(float), estimate.distribution)
    first = st.columns(4)
    figure(first[0], "People", f"{population.users:,}", captions.left_out(population), help="Each sends one report.")
    figure(
        first[1],
        "Truthful reports",
        percent(truthful.share),
        truthful.meaning,
        help=captions.TRUTHFUL_HELP,
    )
    figure(
        first[2],
        "Hottest cells that survive",
        f"{survived:.3g} of {of}",
        f"{survived / of:.0%}",
        help=f"How many of the {of} fullest cells of the true map are among the {of} fullest of the recovered one.",
    )
    figure(first[3], "Recovery", captions.steps(estimate), captions.stop_rule(estimate), help=captions.RECOVERY_HELP)
    second = st.columns(4)
    figure(
        second[0],
        "Uniform guess",
        captions.cells(uniform),
        captions.metres(uniform, side),
        help=captions.UNIFORM_HELP,
    )
    figure(
        second[1],
        "No privacy",
        captions.cells(no_privacy),
        captions.metres(no_privacy, side),
        help=captions.NO_PRIVACY_HELP,
    )
    figure(second[2], "Computed in", f"{run.seconds:.2f} s", "perturb, recover, measure")
