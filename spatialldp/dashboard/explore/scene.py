"""The Explore page's pictures and figures."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from spatialldp.dashboard.shared import captions, components, maps
from spatialldp.dashboard.shared.choices import Choices
from spatialldp.dashboard.shared.chosen_data import LoadedData, jobs_for, key_of
from spatialldp.dashboard.shared.controls import bound, street_map_switch
from spatialldp.dashboard.shared.jobs import Job
from spatialldp.dashboard.shared.page_setup import is_dark
from spatialldp.drawing.colours import Scale, difference_scale, shared_scale
from spatialldp.drawing.outlines import outline_of
from spatialldp.experiments.measures import (
    Baselines,
    Flow,
    baselines,
    largest_flows,
    surviving_hotspots,
    truthful_share,
)
from spatialldp.experiments.run import Run, Stage, has_radius, make_mechanism, simulate_in_stages
from spatialldp.mechanisms import Mechanism
from spatialldp.population import Population

Array = NDArray[np.float64]

#: What takes longer than this is shown in stages.
_PATIENCE_S = 0.35
_ARROWS = 30


@dataclass(frozen=True)
class Scene:
    """All that is on the page: `run` None while it is being computed, `recovered` None before the first recovery;
    `key` what the run depends on; `seen` how many results of the job are drawn."""

    choices: Choices
    loaded: LoadedData
    population: Population
    mechanism: Mechanism
    key: tuple[Any, ...]
    job: Job
    seen: int
    reports: object
    recovered: Array | None
    run: Run | None


def scene(choices: Choices, loaded: LoadedData, population: Population) -> Scene | None:
    """Start the run, or find it done. None when it failed."""
    mechanism = make_mechanism(choices.mechanism, choices.epsilon, choices.d, usable_radius(choices))
    counts = population.counts
    key = ("run", *key_of(choices), choices.mechanism, choices.epsilon, usable_radius(choices), choices.seed)
    job = jobs_for(choices).start(key, lambda: simulate_in_stages(counts, mechanism, choices.seed))
    _forget_previous(job)
    job.wait_to_finish(_PATIENCE_S)
    while not job.wait(0, 0.1):
        st.session_state.setdefault("waiting", True)  # touching the session lets a newer click interrupt
    if not job.results:
        if job.stopped:  # by another visitor who shared it and went on: it is started again
            st.rerun()
        return None
    seen = len(job.results)
    latest: Stage | Run = job.results[seen - 1]
    if isinstance(latest, Run):
        found = latest.estimate.distribution
        return Scene(choices, loaded, population, mechanism, key, job, seen, latest.reports, found, latest)
    rough = None if latest.rough is None else latest.rough.distribution
    return Scene(choices, loaded, population, mechanism, key, job, seen, latest.reports, rough, None)


def usable_radius(choices: Choices) -> int | None:
    """The chosen radius, where the mechanism has one."""
    return choices.b if has_radius(choices.mechanism) else None


def _forget_previous(job: Job) -> None:
    """A run that the visitor no longer waits for must not take time from the one they do wait for."""
    previous: Job | None = st.session_state.get("running")
    if previous is not None and previous is not job:
        previous.stop()
    st.session_state["running"] = job


def three_maps(shown: Scene, tiles: bool) -> Scale:
    """True, perturbed and recovered side by side on one colour scale."""
    grid, counts = shown.population.grid, shown.population.counts
    users = int(counts.sum())
    true = counts / users
    picture = shown.mechanism.report_map(shown.reports)
    reported = shown.mechanism.comparable(picture.values)
    wide = grid.extended(-picture.origin[0])
    dark = is_dark()
    scale = shared_scale(true, dark)
    backdrop = _backdrop(shown, dark, tiles)
    small = shown.choices.d**2 <= maps.MOST_HOVER_CELLS
    recovered_note = "what the reports reveal of the true map"
    if shown.run is None:
        recovered_note = "a first, rough recovery; being refined …"
    columns = st.columns(3, gap="small")
    pictures = {
        "true": (
            "True",
            "where people are; nobody ever sees this map",
            maps.Picture(true, grid, _texts(true, users) if small else None),
        ),
        "perturbed": (
            "Perturbed",
            captions.reports_caption(shown.mechanism, picture.caption),
            maps.Picture(reported, wide, _report_texts(picture.values, picture.caption), grid),
        ),
    }
    if shown.recovered is not None:
        pictures["recovered"] = (
            "Recovered",
            recovered_note,
            maps.Picture(
                shown.recovered,
                grid,
                _texts(shown.recovered, users) if small else None,
                arrows=_arrows(shown) if shown.choices.flows else (),
            ),
        )
    for column, key in zip(columns, ("true", "perturbed", "recovered"), strict=True):
        with column, st.container(key=f"map-{key}"):
            if key not in pictures:
                st.markdown("**Recovered**  \n:small[being recovered from the reports …]")
                st.container(height=maps.MAP_HEIGHT, border=True, key="no-recovery").caption("Recovering …")
                continue
            title, caption, cells = pictures[key]
            st.markdown(f"**{title}**  \n:small[{caption}]")
            st.pydeck_chart(
                maps.deck(cells, scale, backdrop),
                height=maps.MAP_HEIGHT,
                key=f"deck-{key}",
                alt=f"{title} map, {cells.grid.d} by {cells.grid.d} cells; the fullest cell holds "
                f"{np.nanmax(cells.values):.2%} of the total",
            )
    geographic = shown.loaded.entry.is_geographic
    components.maps_in_step(
        {f"map-{key}": maps.zoom_of(cells.grid, geographic) for key, (_, _, cells) in pictures.items()}
    )
    components.values_on_hover(
        {f"map-{key}": maps.labels(cells) for key, (_, _, cells) in pictures.items()}, "values-on-maps"
    )
    st.html(captions.legend(scale, "of all people in one cell (or more); the same scale for the three maps"))
    return scale


def _backdrop(shown: Scene, dark: bool, tiles: bool) -> maps.Backdrop:
    entry = shown.loaded.entry
    return maps.Backdrop(
        entry.is_geographic, dark, outline_of(entry.outline), shown.choices.box, tiles and entry.is_geographic
    )


def _texts(shares: Array, users: int) -> NDArray[np.str_]:
    return np.array([f"{share * users:,.0f} people ({share:.2%})" for share in shares.ravel()]).reshape(shares.shape)


def _report_texts(values: Array, caption: str) -> NDArray[np.str_] | None:
    if np.count_nonzero(~np.isnan(values)) > maps.MOST_HOVER_CELLS:
        return None
    share = caption.startswith("share")
    texts = [
        f"named in {value:.2%} of reports" if share else f"{value:,.0f} reports"
        for value in np.nan_to_num(values).ravel().tolist()
    ]
    return np.array(texts).reshape(values.shape)


def _flows(shown: Scene) -> tuple[list[Flow], float]:
    assert shown.run is not None
    run = shown.run
    job = jobs_for(shown.choices).start(
        ("flows", *shown.key), lambda: iter([largest_flows(run.counts, run.estimate.distribution, _ARROWS)])
    )
    while not job.wait_to_finish(0.1):
        st.session_state.setdefault("waiting", True)
    found: tuple[list[Flow], float] = job.results[0] if job.results else ([], 0.0)
    return found


def _arrows(shown: Scene) -> list[maps.Arrow]:
    if shown.run is None:
        return []
    centres, side = shown.population.grid.cell_centres(), shown.population.grid.cell_size_m
    flows, _ = _flows(shown)
    most = max((flow.share for flow in flows), default=1.0)
    return [
        maps.Arrow(
            tuple(centres[flow.target].tolist()),
            tuple(centres[flow.source].tolist()),
            1.5 + 5 * flow.share / most,
            captions.flow(flow, side),
        )
        for flow in flows
    ]


def figures(shown: Scene) -> None:
    """The numbers under the maps."""
    if shown.run is None:
        return
    run, estimate = shown.run, shown.run.estimate
    side = shown.population.grid.cell_size_m
    ends = baselines_by_now(shown.choices, shown.population)
    uniform, honest = (None, None) if ends is None else (ends.uniform_guess, ends.no_privacy)
    truthful = truthful_share(shown.mechanism, run.counts)
    survived, of = surviving_hotspots(run.counts.astype(float), estimate.distribution)
    error, users, truth, hottest = st.columns(4)
    error.metric(
        "Error W2",
        f"{run.w2_cells:.3f} cells",
        captions.metres(run.w2_cells, side),
        border=True,
        delta_color="off",
        delta_arrow="off",
        help=captions.W2_HELP,
    )
    users.metric(
        "People",
        f"{shown.population.users:,}",
        captions.left_out(shown.population),
        border=True,
        delta_color="off",
        delta_arrow="off",
        help="Each sends one report.",
    )
    truth.metric(
        "Truthful reports",
        captions.percent(truthful.share),
        truthful.meaning,
        border=True,
        delta_color="off",
        delta_arrow="off",
        help=captions.TRUTHFUL_HELP,
    )
    hottest.metric(
        "Hottest cells that survive",
        f"{survived} of {of}",
        f"{survived / of:.0%}",
        border=True,
        delta_color="off",
        delta_arrow="off",
        help=f"Of the {of} truly fullest cells, how many are among the {of} fullest recovered.",
    )
    guess, none, rounds, seconds = st.columns(4)
    guess.metric(
        "Uniform guess",
        captions.cells(uniform),
        captions.metres(uniform, side),
        border=True,
        delta_color="off",
        delta_arrow="off",
        help=captions.UNIFORM_HELP,
    )
    none.metric(
        "No privacy",
        captions.cells(honest),
        captions.metres(honest, side),
        border=True,
        delta_color="off",
        delta_arrow="off",
        help=captions.NO_PRIVACY_HELP,
    )
    rounds.metric(
        "Recovery",
        captions.steps(estimate),
        captions.stop_rule(estimate),
        border=True,
        delta_color="off",
        delta_arrow="off",
        help=captions.RECOVERY_HELP,
    )
    seconds.metric(
        "Computed in",
        f"{run.seconds:.2f} s",
        "perturb, recover, measure",
        border=True,
        delta_color="off",
        delta_arrow="off",
    )
    st.markdown(captions.verdict(run.w2_cells, ends, side))


def baselines_job(choices: Choices, population: Population) -> Job:
    """Both ends of the scale, which on a large grid take their time."""
    counts, seed = population.counts, choices.seed
    return jobs_for(choices).start(("baselines", *key_of(choices), seed), lambda: iter([baselines(counts, seed)]))


def baselines_by_now(choices: Choices, population: Population, seconds: float = 0.1) -> Baselines | None:
    """Both ends of the scale, or None while they are being computed."""
    job = baselines_job(choices, population)
    job.wait_to_finish(seconds)
    return job.results[0] if job.results else None


def difference_map(shown: Scene, tiles: bool) -> None:
    """Recovered minus true, with the largest flows where they are asked for."""
    if shown.run is None or not (shown.choices.difference or shown.choices.flows):
        return
    picture, text = st.columns([2, 1], gap="medium")
    dark, run = is_dark(), shown.run
    users = int(run.counts.sum())
    difference = run.estimate.distribution - run.counts / users
    scale = difference_scale(difference, dark)
    if shown.choices.difference:
        with picture, st.container(key="map-difference"):
            st.markdown("**Difference**  \n:small[recovered − true: where there are too many or too few people]")
            texts = np.array([f"{value * users:+,.0f} people ({value:+.2%})" for value in difference.ravel()])
            small = difference.size <= maps.MOST_HOVER_CELLS
            cells = maps.Picture(
                difference,
                shown.population.grid,
                texts.reshape(difference.shape) if small else None,
                arrows=_arrows(shown) if shown.choices.flows else (),
            )
            st.pydeck_chart(
                maps.deck(cells, scale, _backdrop(shown, dark, tiles)),
                height=maps.MAP_HEIGHT,
                key="deck-difference",
                alt=f"Difference map; largest excess {difference.max():+.2%}, largest lack {difference.min():+.2%}",
            )
            components.values_on_hover({"map-difference": maps.labels(cells)}, "values-on-difference")
            st.html(captions.legend(scale, "of all people: too few (blue) to too many (orange)"))
    if shown.choices.flows:
        flows, explained = _flows(shown)
        with text if shown.choices.difference else st.container():
            st.markdown(captions.flow_list(flows, explained, shown.population.grid.cell_size_m, users))


def view_switches(shown: Scene) -> bool:
    """What else to draw; True when streets are wanted."""
    with st.container(horizontal=True, gap="medium"):
        st.toggle(
            "Difference map",
            help="A fourth map: recovered − true.",
            **bound("difference", "diff", shown.choices.difference),
        )
        st.toggle(
            "Where the error is",
            help="Draws the largest moves that would repair the recovered map.",
            **bound("flows", "flows", shown.choices.flows),
        )
        return street_map_switch(shown.loaded)


def refine(shown: Scene) -> None:
    """Wait for what is still being computed, free for the visitor's next click, and draw again when it is there."""
    job = shown.job
    if shown.run is None:
        started = time.monotonic()
        slot = st.empty()
        while not job.wait(shown.seen, 0.1):
            slot.caption(f"Refining the recovered map … {time.monotonic() - started:.0f} s")
        if job.failed:
            slot.error("The recovery could not be finished. Change a setting, or reset to the defaults.")
            return
        st.rerun()
    ends = baselines_job(shown.choices, shown.population)
    if not ends.results and not ends.failed:
        slot = st.empty()
        while not ends.wait_to_finish(0.2):
            slot.caption("Computing the two baselines …")
        if ends.results:
            st.rerun()
