"""Explore's figures, under the maps."""

from __future__ import annotations

import streamlit as st

from spatialldp.dashboard.explore.state import ExploreState
from spatialldp.dashboard.shared import captions
from spatialldp.dashboard.shared.baselines import baselines_by_now
from spatialldp.dashboard.shared.figures import figure
from spatialldp.experiments.measures import Baselines, surviving_hotspots
from spatialldp.formatting import percent


def figures(state: ExploreState) -> Baselines | None:
    """What the run means, in eight figures and a sentence; returns the ends of the scale, as far as they are known."""
    if state.run is None:
        return None
    run, estimate, population = state.run, state.run.estimate, state.population
    side = population.grid.cell_size_m
    ends = baselines_by_now(state.choices, population)
    uniform, no_privacy = (None, None) if ends is None else (ends.uniform_guess, ends.no_privacy)
    truthful = state.mechanism.truthful_share(run.counts)
    survived, of = surviving_hotspots(run.counts.astype(float), estimate.distribution)
    first = st.columns(4)
    figure(
        first[0], "Error W2", f"{run.w2_cells:.3f} cells", captions.metres(run.w2_cells, side), help=captions.W2_HELP
    )
    figure(first[1], "People", f"{population.users:,}", captions.left_out(population), help="Each sends one report.")
    figure(
        first[2],
        "Truthful reports",
        percent(truthful.share),
        truthful.meaning,
        help=captions.TRUTHFUL_HELP,
    )
    figure(
        first[3],
        "Hottest cells that survive",
        f"{survived:.3g} of {of}",
        f"{survived / of:.0%}",
        help=f"How many of the {of} fullest cells of the true map are among the {of} fullest of the recovered one.",
    )
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
    figure(second[2], "Recovery", captions.steps(estimate), captions.stop_rule(estimate), help=captions.RECOVERY_HELP)
    figure(second[3], "Computed in", f"{run.seconds:.2f} s", "perturb, recover, measure")
    st.markdown(captions.verdict(run.w2_cells, ends, side))
    return ends
