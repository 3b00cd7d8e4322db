"""The Compare page: what is compared, on which footing, and the jobs that compute it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from spatialldp.dashboard.compare import pictures
from spatialldp.dashboard.shared.choices import EQUAL, FOOTINGS, REPEATS_RANGE, Choices
from spatialldp.dashboard.shared.chosen_data import LoadedData, jobs_for, key_of
from spatialldp.dashboard.shared.controls import bound, choices, mechanism_pills
from spatialldp.dashboard.shared.jobs import Job
from spatialldp.experiments.comparison import Score, score
from spatialldp.mechanisms import MECHANISMS
from spatialldp.population import Population

_FOOTING_NAMES = {
    EQUAL: "Local privacy, as in the paper",
    "guess": "Distance of the best guess",
    "hit": "Hit rate: how often the right cell is guessed",
    "worst": "Worst-case loss across the map",
    "same": "Nothing: use the same number ε",
}
assert _FOOTING_NAMES.keys() == FOOTINGS.keys()


def which() -> None:
    """Mechanisms, footing and repeats."""
    chosen = choices()
    mechanism_pills("Mechanisms")
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    left.selectbox(
        "What Geo-I mechanisms (SEM-Geo-I, Planar Laplace) have in common with DAM",
        list(FOOTINGS),
        format_func=lambda footing: _FOOTING_NAMES[footing],
        help="Geo-I mechanisms protect less the farther two places are apart, so one number ε means less with them. "
        "Each runs at the ε′ at which it protects as much as DAM, by the ruler chosen here. Every ruler sees one side "
        "of protection only: all of them are in the table below.",
        **bound("footing", "footing", chosen.footing),
    )
    right.slider(
        "Repeats",
        *REPEATS_RANGE,
        help="Each mechanism runs this often with new random draws; the interval shows how much its error varies.",
        **bound("repeats", "repeats", chosen.repeats),
    )
    st.caption(_explanation(chosen))


def _explanation(chosen: Choices) -> str:
    if not chosen.calibrated:
        away = min(10, chosen.d - 1)
        example = (
            f", so a report may be e^{away * chosen.epsilon:g} times likelier from one place than from another {away} "
            "cells away. Where their error is smaller it is bought with less protection"
        )
        return (
            f"All run at ε = {chosen.epsilon:g}, but it does not mean the same: for Geo-I it is per cell of distance"
            f"{example if away > 1 else ''}: see “What one report hides” below."
        )
    return (
        f"For DAM and the other LDP mechanisms ε = {chosen.epsilon:g} bounds what a report tells about *any* two "
        "places; for Geo-I it bounds it per cell of distance, so the same number protects far places hardly at all. "
        f"Here each Geo-I mechanism runs at the ε′ at which {_RULERS[chosen.footing]}"
    )


_RULERS = {
    EQUAL: "an attacker who draws a guess from what a report makes plausible is, on average, as far off as with DAM "
    "(“local privacy”).",
    "guess": "an attacker who makes the best guess from a report is, on average, as far off as with DAM.",
    "hit": "an attacker who names the likeliest cell after a report is right as often as with DAM.",
    "worst": "no report is more than e^ε times likelier from one place than from any other on the map, as LDP "
    "promises.",
}


def _key(chosen: Choices, name: str) -> tuple[Any, ...]:
    footing = chosen.footing if MECHANISMS[name].notion == "Geo-I" else None
    return ("score", *key_of(chosen), name, chosen.epsilon, chosen.seed, chosen.repeats, footing)


def results(chosen: Choices, loaded: LoadedData, population: Population) -> None:
    """Scores as they arrive, with progress and a stop. Waits for what is missing, so it comes last on its page."""
    wait(begin(chosen, loaded, population))


@dataclass(frozen=True)
class Waiting:
    """What a page still waits for."""

    job: Job
    seen: int
    name: str


def begin(chosen: Choices, loaded: LoadedData, population: Population) -> Waiting | None:
    """Draw the scores there are, and start computing the others."""
    names = [name for name in MECHANISMS if name in chosen.compared]
    if not names:
        st.info("Tick at least one mechanism.")
        return None
    scores = _known(chosen, names)
    missing = [name for name in names if name not in scores]
    state = (key_of(chosen), chosen.epsilon, chosen.seed, chosen.repeats, chosen.footing, tuple(names))
    stopped = st.session_state.get("compare-stopped") == state
    job, seen = None, 0
    if missing and not stopped:
        job = _start(chosen, population, missing)
        job.wait_to_finish(0.4)
        seen = len(job.results)  # before they are read: what comes while the page is drawn is news
        scores = _known(chosen, names)
        missing = [name for name in names if name not in scores]
    if missing:
        _progress(names, missing, job, stopped, state)
    if scores:
        pictures.draw(chosen, loaded, population, [scores[name] for name in names if name in scores])
    return None if job is None or not missing else Waiting(job, seen, missing[0])


def wait(waiting: Waiting | None) -> None:
    """Wait for news, free for the visitor's next click, and draw again when there are some."""
    if waiting is None:
        return
    slot, started = st.empty(), time.monotonic()
    while not waiting.job.wait(waiting.seen, 0.1):
        slot.caption(f"Computing {waiting.name} … {time.monotonic() - started:.0f} s")
    if waiting.job.failed:
        st.error(f"{waiting.name} could not be computed with these settings. Untick it, or change ε or d.")
        return
    st.rerun()


def _scores(chosen: Choices) -> dict[Any, Score]:
    """Scores of this visitor's session, by key; the jobs behind them are shared where the data are."""
    kept: dict[Any, Score] = st.session_state.setdefault("scores", {})
    while len(kept) > 200:
        kept.pop(next(iter(kept)))
    return kept


def _known(chosen: Choices, names: Sequence[str]) -> dict[str, Score]:
    kept = _scores(chosen)
    job: Job | None = st.session_state.get("comparing")
    for key, found in list(job.results) if job is not None else []:
        kept[key] = found
    return {name: kept[_key(chosen, name)] for name in names if _key(chosen, name) in kept}


def _start(chosen: Choices, population: Population, missing: Sequence[str]) -> Job:
    counts = population.counts

    def work() -> Iterator[tuple[Any, Score]]:
        for name in missing:
            yield (
                keys[name],
                score(counts, name, chosen.epsilon, chosen.seed, chosen.repeats, chosen.calibrated, chosen.by),
            )

    keys = {name: _key(chosen, name) for name in missing}
    previous: Job | None = st.session_state.get("comparing")
    wanted = ("compare", *(key for key in keys.values()))
    if previous is not None and not previous.finished and st.session_state.get("comparing-for") is not None:
        # The rest of a comparison that is under way.
        if set(keys.values()) <= st.session_state["comparing-for"]:
            return previous
        previous.stop()
    job = jobs_for(chosen).start(wanted, work)
    st.session_state["comparing"], st.session_state["comparing-for"] = job, set(keys.values())
    return job


def _progress(names: Sequence[str], missing: Sequence[str], job: Job | None, stopped: bool, state: Any) -> None:
    done = len(names) - len(missing)
    bar, button = st.columns([5, 1], vertical_alignment="center")
    if stopped:
        bar.progress(done / len(names), f"Stopped: {done} of {len(names)} mechanisms are done.")
        button.button("Continue", on_click=_continue, key="continue", width="stretch")
    else:
        bar.progress(done / len(names), f"{done} of {len(names)} mechanisms are done; computing {missing[0]} …")
        button.button("Stop", on_click=_stop, args=(job, state), key="stop", width="stretch")


def _stop(job: Job | None, state: Any) -> None:
    if job is not None:
        job.stop()
    st.session_state["compare-stopped"] = state


def _continue() -> None:
    del st.session_state["compare-stopped"]
