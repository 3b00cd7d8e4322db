"""Explore's figures: the error above the maps, the others below."""

from __future__ import annotations

from typing import Any

import streamlit as st

from spatialldp.dashboard.explore.state import HEADLINE, ExploreState, other_run
from spatialldp.dashboard.shared import captions
from spatialldp.dashboard.shared.baselines import baselines_by_now
from spatialldp.dashboard.shared.choices import LARGEST_EQUAL_D
from spatialldp.dashboard.shared.controls import choose
from spatialldp.dashboard.shared.figures import figure
from spatialldp.experiments import range_error
from spatialldp.experiments.land import mask_gain
from spatialldp.experiments.measures import Baselines, surviving_hotspots
from spatialldp.experiments.run import make_mechanism
from spatialldp.formatting import escaped_markdown, percent


def settings_on_paper(state: ExploreState) -> None:
    """What the sidebar says, for a printed page."""
    chosen, radius = state.choices, state.mechanism.radius
    with st.container(key="on-paper"):
        st.caption(
            f"{escaped_markdown(state.loaded.entry.title)}: {state.mechanism.full_name} ({chosen.mechanism}), "
            + (
                f"ε′ = {state.mechanism.epsilon:.4g} per cell (as DAM at ε = {chosen.epsilon:g})"
                if chosen.runs_as_dam
                else f"ε = {chosen.epsilon:g}"
            )
            + f", {chosen.d} × {chosen.d} cells"
            + ("" if radius is None else f", radius {radius} cells")
            + ("" if state.mask is None else ", recovered with the outline of the city")
            + f", random seed {chosen.seed}. A simulation with {state.population.users:,} people."
        )


def headline(state: ExploreState) -> Baselines | None:
    """The error and what it means, above the maps; returns the ends of the scale, as far as they are known."""
    side = state.population.grid.cell_size_m
    ends = None if state.run is None else baselines_by_now(state.choices, state.population)
    error = None if state.run is None else state.run.w2_cells
    with st.container(key=HEADLINE):
        numbers, words = st.columns([9, 14], vertical_alignment="center", gap="medium")
        first, second = numbers.columns(2)
        # While others are played, the figures above are still those of the visitor's own settings.
        own = {"eps": f"ε = {state.choices.epsilon:g}", "d": f"d = {state.choices.d}"}[state.choices.play]
        label = f"Error W2 at {own}" if state.choices.view == "play" else "Error W2"
        figure(first, label, captions.cells(error), captions.of_one_draw(error, side), help=captions.W2_HELP)
        _range_error(state, second)
        if error is None:
            words.markdown("The recovered map is being computed …")
        else:
            words.markdown(" ".join(filter(None, [captions.verdict(error, ends, side), _gain(state, error)])))
        # On a single cell every promise is the same.
        if state.mechanism.notion == "Geo-I" and state.mechanism.d > 1:
            _beside_dam(state, error, words, numbers)
    return ends


def _range_error(state: ExploreState, column: Any) -> None:
    """The other kind of error: how far a count of people in a part of the map is off."""
    if state.run is None:
        figure(column, "Range error", "…", "being computed", help=captions.RANGE_HELP)
        return
    error = range_error(state.population.counts.astype(float), state.run.estimate.distribution)
    people = f"{error * state.population.users:,.0f} people"
    figure(column, "Range error", people, f"{error * 1000:.1f} per 1,000", help=captions.RANGE_HELP)


def _gain(state: ExploreState, error: float) -> str:
    """What it is worth to know where nobody can live."""
    if state.mask is None:
        return ""
    plain = other_run(state, state.mechanism, None)
    if plain is None:
        return ""
    ruled_out = int(state.population.counts[~state.mask].sum())
    return mask_gain(error, plain.w2_cells, state.population.grid.cell_size_m, ruled_out)


def _beside_dam(state: ExploreState, error: float | None, words: Any, place: Any) -> None:
    """What the ε of a Geo-I mechanism means, in `words`, and in its `place` a button to the ε′ that makes it
    comparable."""
    chosen, side = state.choices, state.population.grid.cell_size_m
    dam = make_mechanism("DAM", chosen.epsilon, chosen.d)
    honest = None if error is None else other_run(state, dam, state.mask)
    beside = None if honest is None or error is None else (error, honest.w2_cells)
    said = captions.meaning_beside_dam(
        state.mechanism, chosen.mechanism, chosen.epsilon, chosen.runs_as_dam, beside, side
    )
    words.markdown(f":small[{said}]")
    fine = chosen.d > LARGEST_EQUAL_D
    label = "Back to the same ε" if chosen.runs_as_dam else "Use the ε′ that protects as much as DAM"
    place.button(
        label,
        on_click=choose,
        kwargs={"equal": not chosen.runs_as_dam},
        key="equal",
        width="stretch",
        disabled=fine,
        help=f"On more than {LARGEST_EQUAL_D} cells per side the search would take minutes." if fine else None,
    )


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
        "Top cells recovered",
        f"{survived:.3g} of {of}",
        "the fullest cells of the map",
        help=captions.HOT_SPOTS_HELP,
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
