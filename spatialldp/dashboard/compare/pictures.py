"""The Compare page's pictures and figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from spatialldp.dashboard.explore.scene import baselines_by_now
from spatialldp.dashboard.shared import captions
from spatialldp.dashboard.shared.choices import Choices
from spatialldp.dashboard.shared.chosen_data import LoadedData, jobs_for, key_of, population_of
from spatialldp.dashboard.shared.page_setup import is_dark
from spatialldp.datasets import DataError
from spatialldp.drawing.cells import cell_image
from spatialldp.drawing.colours import shared_scale
from spatialldp.drawing.outlines import outline_lines
from spatialldp.experiments import comparison_sentences
from spatialldp.experiments.comparison import Score, alike, score_of
from spatialldp.experiments.measures import Baselines
from spatialldp.mechanisms import DAM, MECHANISMS, SEMGeoI
from spatialldp.population import Population
from spatialldp.privacy.protection import BEST_GUESS, HIT_RATE, LOCAL_PRIVACY, WORST_CASE

_PICTURE = 300
#: The column that each ruler makes equal.
_COLUMNS = {
    LOCAL_PRIVACY: "Local privacy",
    BEST_GUESS: "Best guess off by",
    HIT_RATE: "Right cell named",
    WORST_CASE: "Worst case",
}
#: The example that fools local privacy: three cells named around town, one of them nearly always the true one.
_FOOLED_EPSILON, _FOOLED_D = 3.5, 15
_FOOLING = {
    "DAM, ε = 3.5": DAM(_FOOLED_EPSILON, _FOOLED_D),
    "SEM-Geo-I, ε′ = 3 per cell, three cells named": SEMGeoI(3.0, _FOOLED_D, 3),
}


def draw(chosen: Choices, loaded: LoadedData, population: Population, scores: Sequence[Score]) -> None:
    """Maps, errors and protection of the scores there are."""
    winners, side = _winners(scores), population.grid.cell_size_m
    ends = baselines_by_now(chosen, population, 0.5)
    _small_maps(loaded, population, scores, winners)
    for entry in scores:
        if sentence := comparison_sentences.jump_sentence(entry, chosen.by):
            st.info(sentence, icon=":material/stacked_line_chart:")
    chart, table = st.columns(2, gap="medium")
    with chart:
        st.altair_chart(_bars(scores, ends, side, is_dark()), width="stretch", key="bars")
    with table:
        st.table(_error_table(scores, winners, side).set_index("Mechanism"))
        st.caption("± is half the 95 % interval of the mean over the repeats (Student’s t).")
    if sentence := comparison_sentences.winner_sentence(scores, side):
        st.markdown(f"**{sentence}**")
    st.markdown("##### What one report hides")
    with st.container(key="protection"):
        st.table(_protection_table(scores).set_index("Mechanism"))
    possible = ", where that is possible" if any(entry.beyond for entry in scores) else ""
    equal = f"The column “{_COLUMNS[chosen.by]}” is made equal to DAM’s for Geo-I mechanisms{possible}. "
    st.caption((equal if chosen.calibrated else "") + _COLUMNS_HELP)


_COLUMNS_HELP = """An attacker who knows nothing beforehand sees one report.
- **Local privacy** (more is better): how far off a guess is, drawn at random as likely as the report makes each place.
- **Best guess off by** (more is better): how far off the best guess is.
- **Right cell named** (less is better): how often the likeliest cell is the right one.
- **95 % region** (more is better): how many cells to search to be 95 % sure.
- **Worst case** (less is better): the largest privacy loss between any two cells, and how many times likelier a report
  can be from one than from the other.

± is 1.96 standard errors where a figure is simulated. A ruler can be fooled: naming far-away cells beside the true one
keeps local privacy up and hides little, so read all five.
"""


def _winners(scores: Sequence[Score]) -> list[str]:
    """The names to mark: nobody wins alone."""
    return alike(scores) if len(scores) > 1 else []


def _shown(scores: Sequence[Score]) -> list[tuple[Score, str, str]]:
    """(score, name, side of the jump or nothing) of everything that is shown."""
    return [(side, entry.name, comparison_sentences.side_name(side, entry)) for entry in scores for side in entry.sides]


def _small_maps(loaded: LoadedData, population: Population, scores: Sequence[Score], winners: Sequence[str]) -> None:
    true = population.counts / population.users
    scale = shared_scale(true, is_dark())
    lines = outline_lines(loaded.entry.outline)
    cards = [("True map", "nobody sees it", true)]
    for entry, name, at in _shown(scores):
        mark = " · best" if name in winners else ""
        caption = f"{captions.cells(entry.w2_cells[0])}, {at.removeprefix('just ') or 'first draw'}"
        cards.append((name + mark, caption, entry.distribution))
    with st.container(horizontal=True, key="small-maps"):
        for title, caption, values in cards:
            with st.container(width=168):
                st.markdown(f"**{title}**  \n:small[{caption}]")
                st.image(cell_image(values, population.grid, scale, _PICTURE, lines), width=168)
    st.html(captions.legend(scale, "of all people in one cell (or more); the same scale for all maps (first draws)"))


def _label(name: str, at: str, winners: Sequence[str] = ()) -> str:
    return ("★ " if name in winners else "") + name + (f", {at}" if at else "")


def _error_table(scores: Sequence[Score], winners: Sequence[str], side: float | None) -> pd.DataFrame:
    def interval(entry: Score) -> str:
        return f"{entry.mean:.3f}" + ("" if entry.half_width is None else f" ± {entry.half_width:.3f}")

    shown = _shown(scores)
    columns: dict[str, list[str]] = {
        "Mechanism": [_label(name, at, winners) for _, name, at in shown],
        "W2, cells": [interval(entry) for entry, _, _ in shown],
    }
    if side is not None:
        columns["W2, m"] = [f"{entry.mean * side:,.0f}" for entry, _, _ in shown]
    columns["ε used"] = [
        f"{entry.epsilon:.4g}" + (" per cell" if MECHANISMS[name].notion == "Geo-I" else "") for entry, name, _ in shown
    ]
    columns["Time, s"] = [f"{entry.seconds:.2f}" for entry, _, _ in shown]
    return pd.DataFrame(columns)


def _protection_table(scores: Sequence[Score]) -> pd.DataFrame:
    rows = []
    for entry, name, at in _shown(scores):
        figures = comparison_sentences.figures(entry.protection)
        rows.append({"Mechanism": _label(name, at), **figures})
    return pd.DataFrame(rows)


def _bars(scores: Sequence[Score], ends: Baselines | None, side: float | None, dark: bool) -> Any:
    unit, factor = ("cells", 1.0) if side is None else ("metres", side)
    winners, ink = _winners(scores), "#f0f0f6" if dark else "#22222e"
    shown = _shown(scores)
    rows = pd.DataFrame(
        {
            "name": [name + (f"|{at}" if at else "") for _, name, at in shown],
            "error": [entry.mean * factor for entry, _, _ in shown],
            "low": [max(0.0, entry.mean - (entry.half_width or 0)) * factor for entry, _, _ in shown],
            "high": [(entry.mean + (entry.half_width or 0)) * factor for entry, _, _ in shown],
            "kind": ["best" if name in winners else "other" for _, name, _ in shown],
        }
    )
    order = rows["name"].tolist()
    # A name and its side of the jump on two lines.
    axis = alt.Axis(labelExpr="split(datum.label, '|')", labelLimit=200)
    base = alt.Chart(rows).encode(y=alt.Y("name:N", sort=order, title=None, axis=axis))
    bars = base.mark_bar(height={"band": 0.6}).encode(
        x=alt.X("error:Q", title=f"Error W2, {unit} (shorter is better)", axis=alt.Axis(tickCount=6)),
        color=alt.Color("kind:N", scale=alt.Scale(domain=["best", "other"], range=["#d9822b", "#4f8fa8"]), legend=None),
        tooltip=[alt.Tooltip("name:N", title="Mechanism"), alt.Tooltip("error:Q", title=f"W2, {unit}", format=",.3~f")],
    )
    spread = base.mark_rule(strokeWidth=2, color=ink).encode(x="low:Q", x2="high:Q")
    layers: list[Any] = [bars, spread]
    if ends is not None:
        limits = pd.DataFrame(
            {
                "at": np.array([ends.no_privacy, ends.uniform_guess]) * factor,
                "what": ["no privacy (chance alone)", "uniform guess (no report)"],
            }
        )
        layers.append(
            alt.Chart(limits)
            .mark_rule(strokeDash=[4, 4], strokeWidth=1.5, color=ink)
            .encode(x="at:Q", tooltip=["what:N", "at:Q"])
        )
        layers.append(
            alt.Chart(limits)
            .mark_text(align="right", dx=-4, dy=-4, baseline="bottom", fontSize=11, color=ink)
            .encode(x="at:Q", y=alt.value(0), text="what:N")
            .transform_filter("datum.what != 'no privacy (chance alone)'")
        )
    title = "" if ends is None else "Dashed: no privacy (left) and a uniform guess (right)"
    return alt.layer(*layers).properties(
        height=80 + 46 * len(shown),
        title=alt.TitleParams(title, fontSize=12, fontWeight="normal", anchor="start"),
        description="Error of each mechanism: "
        + "; ".join(f"{_label(name, at)} {entry.mean * factor:,.2f} {unit}" for entry, name, at in shown),
    )


def fooled(chosen: Choices) -> None:
    """A mechanism with more local privacy than DAM that hides next to nothing, computed when it is looked at."""
    panel = st.expander("Can the ruler be fooled?", icon=":material/straighten:", key="fooled", on_change="rerun")
    if not panel.open:
        return
    with panel:
        st.markdown(
            "Yes. Local privacy is an *average distance*. Let every report name three cells around town, one of them "
            "nearly always the true one: the other two keep the average distance up, although a guess is often right. "
            "SEM-Geo-I does just that when its number of cells is chosen freely; here it is beside DAM, on "
            f"the people above, always with {_FOOLED_D} × {_FOOLED_D} cells."
        )
        try:
            population = population_of(chosen.changed(d=_FOOLED_D))
        except DataError as problem:
            st.caption(f"Not computed here: {problem}.")
            return
        key = ("fooled", *key_of(chosen.changed(d=_FOOLED_D)), chosen.seed, chosen.repeats)
        counts, seed, repeats = population.counts, chosen.seed, chosen.repeats
        job = jobs_for(chosen).start(
            key, lambda: iter([score_of(counts, name, m, seed, repeats) for name, m in _FOOLING.items()])
        )
        slot = st.empty()
        waited = 0.0
        while not job.wait_to_finish(0.25):
            waited += 0.25
            slot.caption(f"Computing … {waited:.0f} s")
        if not job.results:
            slot.error("This example could not be computed.")
            return
        side = population.grid.cell_size_m
        slot.table(_fooled_table(job.results, side))
        honest, fooling = job.results
        better = "also smaller" if fooling.mean < honest.mean else "larger here, which does not matter for the point"
        st.markdown(
            f"By local privacy the second protects {_more(fooling, honest)}, and its error is {better}. Yet one report "
            f"of it gives the right cell away in {comparison_sentences.share(fooling.protection.hit_rate)} of cases "
            f"(DAM: {comparison_sentences.share(honest.protection.hit_rate)}), and 95 % of the belief is in "
            f"{fooling.protection.credible_cells.value:.0f} cells (DAM: {honest.protection.credible_cells.value:.0f})."
        )


def _more(one: Score, other: Score) -> str:
    ratio = one.protection.local_privacy.value / other.protection.local_privacy.value - 1
    return f"{ratio:.0%} better" if ratio > 0 else f"{-ratio:.0%} worse"


def _fooled_table(scores: Sequence[Score], side: float | None) -> pd.DataFrame:
    rows = {}
    for entry in scores:
        metres = "" if side is None else f" = {entry.mean * side:,.0f} m"
        rows[entry.name] = {
            **comparison_sentences.figures(entry.protection),
            "Error W2": f"{entry.mean:.2f} cells{metres}",
        }
    return pd.DataFrame(rows)
