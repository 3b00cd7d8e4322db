"""The Compare page's pictures and figures."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from spatialldp.dashboard import words
from spatialldp.dashboard.controls import bound, choices, choose, mechanism_pills, show
from spatialldp.dashboard.explore import baselines_by_now
from spatialldp.dashboard.jobs import Job
from spatialldp.dashboard.places import Place, jobs_for, key_of
from spatialldp.dashboard.setup import is_dark
from spatialldp.dashboard.state import REPEATS_RANGE, Choices
from spatialldp.datasets import Rectangle
from spatialldp.drawing.cells import cell_image
from spatialldp.drawing.colours import shared_scale
from spatialldp.drawing.outlines import outline_lines
from spatialldp.experiments.comparison import Score, best, score
from spatialldp.experiments.measures import Baselines
from spatialldp.mechanisms import MECHANISMS

_PICTURE = 300
_EQUAL = "At equal protection"
_SAME = "At the same ε"


def which() -> None:
    """Mechanisms, footing and repeats."""
    chosen = choices()
    mechanism_pills("Mechanisms")
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    with left:
        show("footing", _EQUAL if chosen.calibrated else _SAME)
        st.radio(
            "Mechanisms whose protection fades with distance (Geo-I: SEM-Geo-I, Planar Laplace)", [_EQUAL, _SAME],
            key="footing", horizontal=True, on_change=lambda: choose(calibrated=st.session_state.footing == _EQUAL),
        )  # fmt: skip
    right.slider(
        "Repeats", *REPEATS_RANGE, help="Each mechanism runs this often with new random draws; the interval shows how "
        "much its error varies.", **bound("repeats", "repeats", chosen.repeats),
    )  # fmt: skip
    st.caption(_explanation(chosen))


def _explanation(chosen: Choices) -> str:
    if chosen.calibrated:
        return (
            f"For DAM and the other LDP mechanisms ε = {chosen.epsilon:g} bounds what a report tells about *any* two "
            "places; for Geo-I it bounds it per cell of distance, so the same number protects far places hardly at "
            "all. Here each Geo-I mechanism runs at the ε′ at which an attacker who guesses from a report is, on "
            "average, as far off as with DAM (“local privacy”)."
        )
    return (
        f"All run at ε = {chosen.epsilon:g}, but it does not mean the same: for Geo-I it is per cell of distance, so a "
        f"report may be e^{10 * chosen.epsilon:g} times likelier from one place than from another ten cells away. "
        "Their smaller error is bought with less protection."
    )


def _key(chosen: Choices, name: str) -> tuple[Any, ...]:
    footing = chosen.calibrated if MECHANISMS[name].notion == "Geo-I" else None
    return ("score", *key_of(chosen), name, chosen.epsilon, chosen.seed, chosen.repeats, footing)


def results(chosen: Choices, place: Place, people: Rectangle) -> None:
    """Scores as they arrive, with progress and a stop."""
    names = [name for name in MECHANISMS if name in chosen.compared]
    if not names:
        st.info("Tick at least one mechanism.")
        return
    scores = _known(chosen, names)
    missing = [name for name in names if name not in scores]
    state = (key_of(chosen), chosen.epsilon, chosen.seed, chosen.repeats, chosen.calibrated, tuple(names))
    stopped = st.session_state.get("compare-stopped") == state
    job = None
    if missing and not stopped:
        job = _start(chosen, people, missing)
        job.wait_to_finish(0.4)
        scores = _known(chosen, names)
        missing = [name for name in names if name not in scores]
    if missing:
        _progress(names, missing, job, stopped, state)
    if scores:
        _draw(chosen, place, people, [scores[name] for name in names if name in scores])
    if job is not None and missing:
        slot, seen, started = st.empty(), len(job.results), time.monotonic()
        while not job.wait(seen, 0.1):
            slot.caption(f"Computing {missing[0]} … {time.monotonic() - started:.0f} s")
        if job.failed:
            st.error(f"{missing[0]} could not be computed with these settings. Untick it, or change ε or d.")
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


def _start(chosen: Choices, people: Rectangle, missing: Sequence[str]) -> Job:
    counts = people.binned.counts

    def work() -> Iterator[tuple[Any, Score]]:
        for name in missing:
            yield keys[name], score(counts, name, chosen.epsilon, chosen.seed, chosen.repeats, chosen.calibrated)

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


def _draw(chosen: Choices, place: Place, people: Rectangle, scores: Sequence[Score]) -> None:
    winner, side = best(scores), people.grid.cell_size_m
    ends = baselines_by_now(chosen, people, 0.5)
    _small_maps(place, people, scores, winner)
    chart, table = st.columns(2, gap="medium")
    with chart:
        st.altair_chart(_bars(scores, ends, side, is_dark()), width="stretch", key="bars")
    with table:
        st.table(_table(scores, winner, side).set_index("Mechanism"))
        st.caption("± is half the 95 % interval of the mean over the repeats (Student’s t).")
    if len(scores) > 1 and winner is not None:
        ordered = sorted(scores, key=lambda entry: entry.mean)
        st.markdown(
            f"Least error here: **{winner}**, {words.cells(ordered[0].mean)}"
            + ("" if side is None else f" ({words.metres(ordered[0].mean, side)})")
            + f"; next is {ordered[1].name} with {words.cells(ordered[1].mean)}."
            + (" Their intervals overlap: they cannot be told apart yet." if _overlap(*ordered[:2]) else "")
        )


def _overlap(first: Score, second: Score) -> bool:
    return first.mean + (first.half_width or 0) >= second.mean - (second.half_width or 0)


def _small_maps(place: Place, people: Rectangle, scores: Sequence[Score], winner: str | None) -> None:
    true = people.binned.counts / people.binned.inside
    scale = shared_scale(true, is_dark())
    lines = outline_lines(place.entry.outline)
    cards = [("True map", "nobody sees it", true)]
    for entry in scores:
        mark = " · best" if entry.name == winner and len(scores) > 1 else ""
        cards.append((entry.name + mark, f"{words.cells(entry.w2_cells[0])}, first draw", entry.distribution))
    with st.container(horizontal=True, key="small-maps"):
        for title, caption, values in cards:
            with st.container(width=168):
                st.markdown(f"**{title}**  \n:small[{caption}]")
                st.image(cell_image(values, people.grid, scale, _PICTURE, lines), width=168)
    st.html(words.legend(scale, "of all people in one cell (or more); the same scale for all maps"))


def _table(scores: Sequence[Score], winner: str | None, side: float | None) -> pd.DataFrame:
    def interval(entry: Score) -> str:
        return f"{entry.mean:.3f}" + ("" if entry.half_width is None else f" ± {entry.half_width:.3f}")

    columns: dict[str, list[str]] = {
        "Mechanism": [("★ " if entry.name == winner else "") + entry.name for entry in scores],
        "W2, cells": [interval(entry) for entry in scores],
    }
    if side is not None:
        columns["W2, m"] = [f"{entry.mean * side:,.0f}" for entry in scores]
    columns["ε used"] = [
        f"{entry.epsilon:.3g}" + (" per cell" if MECHANISMS[entry.name].notion == "Geo-I" else "") for entry in scores
    ]
    columns["Time, s"] = [f"{entry.seconds:.2f}" for entry in scores]
    return pd.DataFrame(columns)


def _bars(scores: Sequence[Score], ends: Baselines | None, side: float | None, dark: bool) -> Any:
    unit, factor = ("cells", 1.0) if side is None else ("metres", side)
    winner, ink = best(scores), "#f0f0f6" if dark else "#22222e"
    rows = pd.DataFrame({
        "name": [entry.name for entry in scores],
        "error": [entry.mean * factor for entry in scores],
        "low": [max(0.0, entry.mean - (entry.half_width or 0)) * factor for entry in scores],
        "high": [(entry.mean + (entry.half_width or 0)) * factor for entry in scores],
        "kind": ["best" if entry.name == winner else "other" for entry in scores],
    })  # fmt: skip
    order = rows["name"].tolist()
    base = alt.Chart(rows).encode(y=alt.Y("name:N", sort=order, title=None))
    bars = base.mark_bar(height={"band": 0.6}).encode(
        x=alt.X("error:Q", title=f"Error W2, {unit} (shorter is better)", axis=alt.Axis(tickCount=6)),
        color=alt.Color("kind:N", scale=alt.Scale(domain=["best", "other"], range=["#d9822b", "#4f8fa8"]), legend=None),
        tooltip=[alt.Tooltip("name:N", title="Mechanism"), alt.Tooltip("error:Q", title=f"W2, {unit}", format=",.3~f")],
    )
    spread = base.mark_rule(strokeWidth=2, color=ink).encode(x="low:Q", x2="high:Q")
    layers: list[Any] = [bars, spread]
    if ends is not None:
        limits = pd.DataFrame({
            "at": np.array([ends.no_privacy, ends.uniform_guess]) * factor,
            "what": ["no privacy (chance alone)", "uniform guess (no report)"],
        })  # fmt: skip
        layers.append(
            alt.Chart(limits)
            .mark_rule(strokeDash=[4, 4], strokeWidth=1.5, color=ink)
            .encode(x="at:Q", tooltip=["what:N", "at:Q"])
        )
        layers.append(
            alt.Chart(limits).mark_text(align="right", dx=-4, dy=-4, baseline="bottom", fontSize=11, color=ink)
            .encode(x="at:Q", y=alt.value(0), text="what:N")
            .transform_filter("datum.what != 'no privacy (chance alone)'")
        )  # fmt: skip
    title = "" if ends is None else "Dashed: no privacy (left) and a uniform guess (right)"
    return alt.layer(*layers).properties(
        height=80 + 46 * len(scores),
        title=alt.TitleParams(title, fontSize=12, fontWeight="normal", anchor="start"),
        description="Error of each mechanism: " + "; ".join(
            f"{entry.name} {entry.mean * factor:,.2f} {unit}" for entry in scores
        ),
    )  # fmt: skip
