"""Mechanisms side by side on a page: maps, errors, and what one report hides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import altair as alt
import pandas as pd
import streamlit as st

from spatialldp.dashboard.shared import captions, comparison
from spatialldp.dashboard.shared.baselines import baselines_by_now
from spatialldp.dashboard.shared.chosen_data import LoadedData
from spatialldp.dashboard.shared.comparison import Comparison
from spatialldp.dashboard.shared.page_setup import is_dark
from spatialldp.dashboard.shared.small_maps import SmallMap, small_maps, stop_looking
from spatialldp.experiments import comparison_sentences
from spatialldp.experiments.comparison import Score, alike
from spatialldp.experiments.measures import Baselines
from spatialldp.experiments.ranges import square_in_words
from spatialldp.experiments.usefulness import HOT_SPOTS, RANGE_ERROR, W2, more_is_better
from spatialldp.mechanisms import MECHANISMS
from spatialldp.privacy.protection import BEST_GUESS, HIT_RATE, LOCAL_PRIVACY, WORST_CASE

#: The column that each ruler makes equal.
_COLUMNS = {
    LOCAL_PRIVACY: "Local privacy",
    BEST_GUESS: "Best guess off by",
    HIT_RATE: "Right cell named",
    WORST_CASE: "Worst case",
}
#: What the maps of the two sides of a jump are called.
_DRAWS = ("one draw, below the jump", "one draw, above the jump")


class _Row(NamedTuple):
    """One side of one mechanism, as maps, charts and tables show it."""

    name: str
    """The name of the mechanism."""
    side: str
    """Which side of a jump it is, in words; nothing where there is no jump."""
    draw: str
    """What its map shows, in two or three words."""
    best: bool
    """Whether its error is the least, as far as the intervals can tell."""
    score: Score
    """Its figures."""

    @property
    def label(self) -> str:
        """The name, with the side of the jump."""
        return f"{self.name}, {self.side}" if self.side else self.name


def _rows(scores: Sequence[Score]) -> list[_Row]:
    """Everything that is shown: a mechanism with a jump has two rows."""
    winners = _winners(scores, W2)
    return [
        _Row(entry.name, comparison_sentences.side_name(side, entry), draw, entry.name in winners, side)
        for entry in scores
        for side, draw in zip(entry.sides, _DRAWS if entry.beyond else ["one draw"], strict=True)
    ]


def _winners(scores: Sequence[Score], measure: str) -> list[str]:
    """Who is best by a measure, if the intervals say so. Nobody wins alone."""
    return alike(scores, measure) if len(scores) > 1 else []


def draw(found: Comparison, loaded: LoadedData, least: str = "17rem") -> None:
    """The progress so far; maps, errors and protection of the scores there are. Each map is at least `least`, a length
    of CSS, wide."""
    scores = [found.scores[name] for name in found.names if name in found.scores]
    if not found.names:
        st.info("Select at least one mechanism.")
    if found.missing:
        comparison.progress(found)
    if not scores:
        stop_looking()
        return
    rows, side = _rows(scores), found.population.grid.cell_size_m
    ends = baselines_by_now(found.choices, found.population, 0.5)
    if sentence := comparison_sentences.winner_sentence(scores, side, W2):
        st.markdown(f"**{sentence}** :small[W2 between grids, {_draws(scores[0].w2_cells.size)}.]")
    _maps(found, loaded, rows, least)
    for entry in scores:
        if sentence := comparison_sentences.jump_sentence(entry, found.choices.by):
            st.info(sentence, icon=":material/stacked_line_chart:")
    with st.container(key="measures"):
        for tab, measure in zip(st.tabs(list(_TABS.values())), _TABS, strict=True):
            with tab:
                _one_measure(_charted(rows, measure, ends, side), scores, side)
    st.table(_error_table(scores, rows, side).set_index("Mechanism"))
    st.caption(_table_note(found.choices.repeats))
    st.markdown("##### What one report hides")
    with st.container(key="protection"):
        st.table(_protection_table(rows).set_index("Mechanism"))
    possible = ", where that is possible" if any(entry.beyond for entry in scores) else ""
    equal = f"For Geo-I mechanisms, “{_COLUMNS[found.choices.by]}” is made equal to DAM’s{possible}. "
    st.caption((equal if found.choices.calibrated else "") + _COLUMNS_HELP)


def _one_measure(chart: _Charted, scores: Sequence[Score], side: float | None) -> None:
    """A tab: the chart, what it measures, and who is best by that."""
    left, right = st.columns([3, 2], gap="medium", vertical_alignment="center")
    picture = _bars(chart, _winners(scores, chart.measure), is_dark())
    left.altair_chart(picture, width="stretch", key=f"bars of {chart.measure}")
    right.markdown(_meaning(chart.measure, scores[0]))
    # The one by W2 stands above the maps.
    sentence = comparison_sentences.winner_sentence(scores, side, chart.measure)
    if sentence and chart.measure != W2:
        right.markdown(f"**{sentence}**")


_COLUMNS_HELP = """An attacker who knows nothing beforehand sees one report.
- **Local privacy** (more is better): how far off, on average, a guess drawn at random from what the report
  makes plausible would be.
- **Best guess off by** (more is better): how far off the best guess is.
- **Right cell named** (less is better): how often the likeliest cell is the right one.
- **95% region** (more is better): how many cells to search to be 95% sure.
- **Worst case** (less is better): the largest privacy loss between any two cells, and how many times likelier a report
  can be from one than from the other.

± is 1.96 standard errors where a figure is simulated. A ruler can be fooled: naming far-away cells beside the true one
keeps local privacy up but hides little, so look at all five.
"""


def _maps(found: Comparison, loaded: LoadedData, rows: Sequence[_Row], least: str) -> None:
    side = found.population.grid.cell_size_m

    def caption(row: _Row) -> str:
        error = row.score.w2_cells[0]
        metres = "" if side is None else f" ({captions.metres(error, side)})"
        return f"{captions.cells(error)}{metres}, {row.draw}"

    cards = [
        SmallMap(
            row.name + (" · best" if row.best else ""), caption(row), row.score.distribution, f"error W2 {caption(row)}"
        )
        for row in rows
    ]
    with st.container(key="small-maps"):
        small_maps(cards, found.population, loaded, least, "(the first draw of each)", "map-cards")


def _draws(repeats: int) -> str:
    """What a figure is, in the words that Explore has for it."""
    return "one draw" if repeats == 1 else f"mean of {repeats} draws"


def _table_note(repeats: int) -> str:
    if repeats == 1:
        return "These figures come from one draw: raise the repeats to see how much is chance."
    return (
        f"Each figure is the {_draws(repeats)}, ± half its 95% interval (Student’s t). ★ marks the best by that "
        "measure: its interval lies wholly on the better side of all others. Without a star, the leaders are tied."
    )


def _error_table(scores: Sequence[Score], rows: Sequence[_Row], side: float | None) -> pd.DataFrame:
    def column(measure: str, digits: int, factor: float = 1.0) -> list[str]:
        winners = _winners(scores, measure)
        found = []
        for row in rows:
            half = row.score.half_width_of(measure)
            interval = "" if half is None else f" ± {half * factor:.{digits}f}"
            star = "★ " if row.name in winners else ""
            found.append(f"{star}{row.score.mean_of(measure) * factor:.{digits}f}{interval}")
        return found

    columns: dict[str, list[str]] = {"Mechanism": [row.label for row in rows], "W2, cells": column(W2, 3)}
    if side is not None:
        columns["W2, m"] = [f"{row.score.mean * side:,.0f}" for row in rows]
    columns["Range error, people per 1,000"] = column(RANGE_ERROR, 1, 1000.0)
    columns[f"Top cells, of {scores[0].usefulness.hottest}"] = column(HOT_SPOTS, 1)
    columns["ε used"] = [
        f"{row.score.epsilon:.4g}" + (" per cell" if MECHANISMS[row.name].notion == "Geo-I" else "") for row in rows
    ]
    columns["Time, s"] = [f"{row.score.seconds:.2f}" for row in rows]
    return pd.DataFrame(columns)


def _protection_table(rows: Sequence[_Row]) -> pd.DataFrame:
    return pd.DataFrame(
        [{"Mechanism": row.label, **comparison_sentences.figures(row.score.protection)} for row in rows]
    )


_TABS = {W2: "W2 between grids", RANGE_ERROR: "Range error", HOT_SPOTS: "Top cells"}


def _meaning(measure: str, entry: Score) -> str:
    """What a measure says, in a sentence or two."""
    hottest = entry.usefulness.hottest
    return {
        W2: (
            "How far people would have to be moved from cell to cell, on average (root mean square), to repair the "
            "map. It leaves out what the cells themselves hide; Trade-off shows the error of the map itself."
        ),
        RANGE_ERROR: (
            "How many people per 1,000 a count in an area is off by: the mean over 1,000 random squares of "
            f"{square_in_words(len(entry.distribution))}."
        ),
        HOT_SPOTS: (
            f"How many of the {hottest} fullest cells are also among the {hottest} fullest of the recovered map. "
            "Where cells are equally full, the expected number."
        ),
    }[measure]


class _Charted(NamedTuple):
    """One measure of all rows, in the unit of its chart."""

    measure: str
    """One of `USEFULNESS`."""
    title: list[str]
    """Of the axis, in lines that fit a telephone: what, in which unit, and which way is better."""
    unit: str
    """For the tooltip and the description."""
    rows: Sequence[_Row]
    """Whose bars there are."""
    means: list[float]
    """The length of each bar."""
    intervals: list[tuple[float, float]]
    """Both ends of each 95% interval; the mean twice after a single draw."""
    ends: tuple[float, float] | None
    """The figures of a uniform guess and without privacy."""
    longest: float | None
    """Where the axis ends; None where that is open."""


def _charted(rows: Sequence[_Row], measure: str, ends: Baselines | None, side: float | None) -> _Charted:
    score = rows[0].score
    hottest, draws = score.usefulness.hottest, _draws(score.w2_cells.size)
    titles = {
        W2: (["W2 between grids, cells"], "cells", 1.0)
        if side is None
        else (["W2 between grids, metres"], "metres", side),
        RANGE_ERROR: (["Range error,", "people per 1,000"], "people per 1,000", 1000.0),
        HOT_SPOTS: ([f"Top cells recovered, of {hottest}"], f"of {hottest}", 1.0),
    }
    title, unit, factor = titles[measure]
    longest = float(hottest) if measure == HOT_SPOTS else None
    means = [row.score.mean_of(measure) * factor for row in rows]
    halves = [(row.score.half_width_of(measure) or 0.0) * factor for row in rows]
    return _Charted(
        measure,
        [*title, f"({draws}; {'longer' if more_is_better(measure) else 'shorter'} is better)"],
        unit,
        rows,
        means,
        [
            (max(0.0, mean - half), mean + half if longest is None else min(longest, mean + half))
            for mean, half in zip(means, halves, strict=True)
        ],
        None if ends is None or (found := ends.ends(measure)) is None else (found[0] * factor, found[1] * factor),
        longest,
    )


def _bars(chart: _Charted, winners: Sequence[str], dark: bool) -> Any:
    ink = "#f0f0f6" if dark else "#22222e"
    bars_data = pd.DataFrame(
        {
            # A name and its side of the jump on two lines.
            "name": [f"{row.name}|{row.side}" if row.side else row.name for row in chart.rows],
            "mean": chart.means,
            "low": [low for low, _ in chart.intervals],
            "high": [high for _, high in chart.intervals],
            "best": [row.name in winners for row in chart.rows],
        }
    )
    words: dict[str, Any] = {"labelColor": ink, "titleColor": ink}
    axis = alt.Axis(labelExpr="split(datum.label, '|')", labelLimit=200, labelOverlap=False, **words)
    base = alt.Chart(bars_data).encode(y=alt.Y("name:N", sort=bars_data["name"].tolist(), title=None, axis=axis))
    scale = alt.Undefined if chart.longest is None else alt.Scale(domain=[0, chart.longest])
    bars = base.mark_bar(height={"band": 0.6}).encode(
        x=alt.X("mean:Q", title=chart.title, axis=alt.Axis(tickCount=6, **words), scale=scale),
        color=alt.Color("best:N", scale=alt.Scale(domain=[True, False], range=["#d9822b", "#4f8fa8"]), legend=None),
        tooltip=[alt.Tooltip("name:N", title="Mechanism"), alt.Tooltip("mean:Q", title=chart.unit, format=",.3~f")],
    )
    spread = base.mark_rule(strokeWidth=2, color=ink).encode(x="low:Q", x2="high:Q")
    layers: list[Any] = [bars, spread]
    title = ""
    if chart.ends is not None:
        guess, truth = (chart.ends[0], "uniform guess (no report)"), (chart.ends[1], "no privacy (chance alone)")
        left, right = (guess, truth) if more_is_better(chart.measure) else (truth, guess)
        title = f"Dashed: {left[1].partition(' (')[0]} (left) and {right[1].partition(' (')[0]} (right)"
        limits = pd.DataFrame({"at": [left[0], right[0]], "what": [left[1], right[1]]})
        layers += [
            alt.Chart(limits)
            .mark_rule(strokeDash=[4, 4], strokeWidth=1.5, color=ink)
            .encode(x="at:Q", tooltip=["what:N", "at:Q"]),
            # Only the right line has room for its name.
            alt.Chart(limits[1:])
            .mark_text(align="right", dx=-4, dy=-4, baseline="bottom", fontSize=11, color=ink)
            .encode(x="at:Q", y=alt.value(0), text="what:N"),
        ]
    return alt.layer(*layers).properties(
        height=76 + 46 * len(chart.rows) + 17 * len(chart.title),
        title=alt.TitleParams(title, fontSize=12, fontWeight="normal", anchor="start", color=ink),
        description=f"{' '.join(chart.title)}: "
        + "; ".join(f"{row.label} {mean:,.2f} {chart.unit}" for row, mean in zip(chart.rows, chart.means, strict=True)),
    )
