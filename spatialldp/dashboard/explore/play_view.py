"""Explore's player: how the recovered map changes with ε, or with d, picture by picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from spatialldp.dashboard.explore.state import ExploreState, mask_of, mechanism_of
from spatialldp.dashboard.shared import captions, components, session
from spatialldp.dashboard.shared.choices import EPSILON_RANGE, PLAYED, Choices
from spatialldp.dashboard.shared.chosen_data import LoadedData, jobs_for, key_of
from spatialldp.dashboard.shared.controls import bound
from spatialldp.dashboard.shared.jobs import Job
from spatialldp.dashboard.shared.page_setup import is_dark
from spatialldp.dashboard.shared.waiting import watch
from spatialldp.datasets import DataError
from spatialldp.drawing.colours import data_uri, shared_scale
from spatialldp.drawing.outlines import outline_path
from spatialldp.experiments.run import simulate
from spatialldp.mechanisms import MECHANISMS
from spatialldp.population import Population

Array = NDArray[np.float64]

#: The values that are played. Finer grids than the last would take seconds each with some mechanisms.
_EPSILONS = tuple(np.arange(EPSILON_RANGE[0], EPSILON_RANGE[1] + 0.25, 0.5).tolist())
_SIDES = (2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 21, 25, 30, 35, 40, 45, 50, 55, 60)
_TITLES = {"eps": "over ε: less and less private", "d": "over d: finer and finer cells"}
assert tuple(_TITLES) == PLAYED
#: What takes longer than this is shown in pieces.
_PATIENCE_S = 0.35
#: A page that is redrawn for every picture would do nothing else.
_REDRAW_S = 0.8


@dataclass(frozen=True, eq=False)
class _Frame:
    """One picture."""

    step: int
    """Which of the values that are played it is for."""
    population: Population
    """The people on its grid."""
    recovered: Array
    """What was made of their reports, (d, d)."""
    w2_cells: float
    """Its error, W2 in cells."""


@dataclass(frozen=True)
class Playing:
    """What is on the page, and what is still to come."""

    job: Job
    """The work."""
    seen: int
    """How many pictures are drawn."""
    more: bool
    """Whether the page says that others follow."""


def play_view(state: ExploreState) -> Playing:
    """The player with the pictures so far."""
    chosen = state.choices
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.segmented_control(
            "Play",
            PLAYED,
            format_func=_TITLES.__getitem__,
            label_visibility="collapsed",
            required=True,
            **bound("play", "play", chosen.play),
        )
        place = st.empty()
    values = _values(chosen)
    job = _job(state, values)
    job.wait(_PATIENCE_S)
    watch(job, "Computing the first picture", until=lambda: job.results, slot=place)
    more = not job.finished  # before they are read: what comes while the page is drawn is news
    frames: list[_Frame] = list(job.results)
    if not frames:
        st.error("These pictures could not be computed. Change a setting, or reset to the defaults.")
        return Playing(job, 0, more)
    if not more and len(frames) < len(values):
        place.caption(f"{len(frames)} of {len(values)} pictures; the others cannot be computed here.")
    elif not more:
        place.caption(f"All {len(frames)} pictures are ready.")
    else:
        place.progress(
            len(frames) / len(values), f"{len(frames)} of {len(values)} pictures are ready; the rest will follow"
        )
    _draw(state, frames, values, more)
    return Playing(job, len(frames), more)


def wait(playing: Playing) -> None:
    """Wait for further pictures, and draw again when they are there. Comes last on its page."""
    if playing.more:
        watch(
            playing.job,
            until=lambda: len(playing.job.results) > playing.seen,
            no_sooner_than_s=_REDRAW_S,
            failure="The rest of the pictures could not be computed.",
            rerun=True,
        )


def _values(chosen: Choices) -> Sequence[float]:
    return _EPSILONS if chosen.play == "eps" else _SIDES


def _job(state: ExploreState, values: Sequence[float]) -> Job:
    chosen, loaded = state.choices, state.loaded
    # What is varied is no part of the question: the visitor's own value of it may move while it plays.
    fixed = chosen.changed(epsilon=EPSILON_RANGE[0]) if chosen.play == "eps" else chosen.changed(d=1)
    radius = None if MECHANISMS[chosen.mechanism].parameter("b") is None else chosen.b
    key = ("play", chosen.play, *key_of(fixed), chosen.mechanism, fixed.epsilon, radius, chosen.seed)
    key += (chosen.mask, chosen.equal)
    job = jobs_for(chosen).start(key, lambda: _frames(chosen, loaded, values))
    previous = session.PLAY_JOB.get()
    if previous is not job:
        stop_playing()
    session.PLAY_JOB.set(job)
    session.when_leaving(stop_playing)
    return job


def stop_playing() -> None:
    """Compute no further pictures: nobody looks at them any more."""
    job = session.PLAY_JOB.take()
    if job is not None and not job.finished:
        job.stop()


def _frames(chosen: Choices, loaded: LoadedData, values: Sequence[float]) -> Iterator[_Frame]:
    """A run for each value, as Explore itself would show it there. Runs beside the page, which it must not touch."""
    population = None
    for step, value in enumerate(values):
        here = chosen.changed(epsilon=value) if chosen.play == "eps" else chosen.changed(d=int(value))
        try:
            if population is None or population.grid.d != here.d:
                population = Population.of(loaded.entry, here.d, here.box, loaded.points)
            mechanism = mechanism_of(here)
        except (DataError, ValueError):  # a box too small for such cells, or a mechanism with limits of its own
            continue
        run = simulate(population.counts, mechanism, here.seed, mask_of(here, loaded, population, mechanism))
        yield _Frame(step, population, run.estimate.distribution, run.w2_cells)


def _draw(state: ExploreState, frames: Sequence[_Frame], values: Sequence[float], more: bool) -> None:
    chosen, dark = state.choices, is_dark()
    over_epsilon = chosen.play == "eps"
    scale = shared_scale(state.population.shares, dark)
    name = "Privacy budget ε" if over_epsilon else "Cells per side d"
    # Values that are not possible have no picture; the curve passes over them.
    along = [values[frame.step] for frame in frames]
    later = [value for value in values if value > along[-1]] if more else []
    own = chosen.epsilon if over_epsilon else chosen.d
    yours = {"step": own, "label": f"yours: {own:g}", "colour": "#888899", "left": own > values[len(values) // 2]}
    film = components.Film(
        "Recovered map",
        [
            _picture(chosen.play, number, value, frame)
            for number, (value, frame) in enumerate(zip(along, frames, strict=True))
        ],
        {
            "image": data_uri(scale.image(state.population.shares)),
            "caption": "True map (known only in a simulation)" + ("" if over_epsilon else ", on the same cells"),
        },
        outline=outline_path(state.loaded.entry.outline, state.population.grid.bounds),
        dark=dark,
    )
    curves = components.Curves(
        [_chart(state, name, along, frames)],
        [yours] if values[0] <= own <= values[-1] else [],
        components.Axis(name, [*along, *later], _ticks(chosen.play, values)),
    )
    components.player(film, curves, "play-player", components.Growing(chosen.play, more))
    if over_epsilon:
        st.html(captions.legend(scale, "of all people in one cell (or more); the same scale for every picture"))
    st.caption(_explanation(state))


def _picture(play: str, number: int, value: float, frame: _Frame) -> dict[str, Any]:
    """A frame of `components.player`."""
    scale = shared_scale(frame.population.shares, is_dark())
    shown = {
        "step": number,
        "image": data_uri(scale.image(frame.recovered)),
        "text": _text(play, value, frame),
    }
    return shown if play == "eps" else shown | {"truth": data_uri(scale.image(frame.population.shares))}


def _chart(state: ExploreState, name: str, along: Sequence[float], frames: Sequence[_Frame]) -> dict[str, Any]:
    """A chart of `components.player`: the error of every picture."""
    unit, digits = _unit(state)
    errors = [_error(frame, unit) for frame in frames]
    return {
        "title": "Error W2 of the recovered map",
        "unit": unit,
        "values": [round(error, 7) for error in errors],
        "description": f"Error W2, {unit}, over the {name[0].lower()}{name[1:]}: "
        f"{errors[0]:.{digits}f} at {along[0]:g}, {errors[-1]:.{digits}f} at {along[-1]:g}.",
        "digits": digits,
        "colour": "#009e73",
        "begin": 0,
        "high": True,
        "low": 0,
    }


def _text(play: str, value: float, frame: _Frame) -> str:
    side = frame.population.grid.cell_size_m
    metres = "" if side is None else f" ({captions.metres(frame.w2_cells, side)})"
    return f"{'ε' if play == 'eps' else 'd'} = {value:g}: off by {frame.w2_cells:.2f} cells{metres}"


def _unit(state: ExploreState) -> tuple[str, int]:
    """The unit of the curve and the digits it is written with."""
    if state.population.grid.cell_size_m is not None:
        return "metres", 0
    return ("cells", 2) if state.choices.play == "eps" else ("map units", 2)


def _error(frame: _Frame, unit: str) -> float:
    grid = frame.population.grid
    length = {"metres": grid.cell_size_m, "cells": 1.0, "map units": grid.cell_size[0]}[unit]
    assert length is not None
    return frame.w2_cells * length


def _ticks(play: str, values: Sequence[float]) -> list[float]:
    return [0.5, *range(2, 10)] if play == "eps" else [2, *range(10, int(values[-1]) + 1, 10)]


def _explanation(state: ExploreState) -> str:
    chosen = state.choices
    fixed = f"d = {chosen.d}" if chosen.play == "eps" else f"ε = {chosen.epsilon:g}"
    sentences = [f"{chosen.mechanism}, {fixed}, seed {chosen.seed}: one draw of everybody’s reports for each picture."]
    if MECHANISMS[chosen.mechanism].parameter("b") is not None:
        sentences.append(
            "Each picture has its own optimal radius b."
            if chosen.b is None
            else f"The radius stays at your b = {chosen.b} wherever that is possible."
        )
    if state.mask is not None:
        sentences.append("The recovery knows where nobody can live.")
    if chosen.runs_as_dam:
        sentences.append("Every picture is made at the ε′ that protects as much as DAM.")
    if chosen.play == "d":
        same = "metres" if state.population.grid.cell_size_m is not None else "map units"
        sentences.append(
            f"Cells differ in size from picture to picture, so compare errors in {same}, not in cells. Each picture "
            "has its own colour scale, set by the fullest cells of its grid."
        )
    return " ".join(sentences)
