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
from spatialldp.dashboard.shared.small_maps import SmallMap, small_maps
from spatialldp.experiments import comparison_sentences
from spatialldp.experiments.comparison import Score, alike
from spatialldp.experiments.measures import Baselines
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
_DRAWS = ("below the jump", "above the jump")


class _Row(NamedTuple):
    """One side of one mechanism, as maps, charts and tables show it."""

    name: str
    """The name of the mechanism."""
    side: str
    """Which side of a jump it is, in words; nothing where there is no jump."""
    draw: str
    """What its map shows, in two or three words."""
    best: bool
    """Whether no other mechanism has less error."""
    score: Score
    """Its figures."""

    @property
    def label(self) -> str:
        """The name, with the side of the jump."""
        return f"{self.name}, {self.side}" if self.side else self.name


def _rows(scores: Sequence[Score]) -> list[_Row]:
    """Everything that is shown: a mechanism with a jump has two rows. Nobody wins alone."""
    winners = alike(scores) if len(scores) > 1 else []
    return [
        _Row(entry.name, comparison_sentences.side_name(side, entry), draw, entry.name in winners, side)
        for entry in scores
        for side, draw in zip(entry.sides, _DRAWS if entry.beyond else ["first draw"], strict=True)
    ]


def draw(found: Comparison, loaded: LoadedData) -> None:
    """The progress so far; maps, errors and protection of the scores there are."""
    if not found.names:
        st.info("Tick at least one mechanism.")
        return
    if found.missing:
        comparison.progress(found)
    scores = [found.scores[name] for name in found.names if name in found.scores]
    if not scores:
        return
    rows, side = _rows(scores), found.population.grid.cell_size_m
    ends = baselines_by_now(found.choices, found.population, 0.5)
    _maps(found, loaded, rows)
    for entry in scores:
        if sentence := comparison_sentences.jump_sentence(entry, found.choices.by):
            st.info(sentence, icon=":material/stacked_line_chart:")
    chart, table = st.columns(2, gap="medium")
    with chart:
        st.altair_chart(_bars(rows, ends, side, is_dark()), width="stretch", key="bars")
    with table:
        st.table(_error_table(rows, side).set_index("Mechanism"))
        st.caption("± is half the 95 % interval of the mean over the repeats (Student’s t).")
    if sentence := comparison_sentences.winner_sentence(scores, side):
        st.markdown(f"**{sentence}**")
    st.markdown("##### What one report hides")
    with st.container(key="protection"):
        st.table(_protection_table(rows).set_index("Mechanism"))
    possible = ", where that is possible" if any(entry.beyond for entry in scores) else ""
    equal = f"The column “{_COLUMNS[found.choices.by]}” is made equal to DAM’s for Geo-I mechanisms{possible}. "
    st.caption((equal if found.choices.calibrated else "") + _COLUMNS_HELP)


_COLUMNS_HELP = """An attacker who knows nothing beforehand sees one report.
- **Local privacy** (more is better): how far off a guess is that is drawn from what the report makes plausible.
- **Best guess off by** (more is better): how far off the best guess is.
- **Right cell named** (less is better): how often the likeliest cell is the right one.
- **95 % region** (more is better): how many cells to search to be 95 % sure.
- **Worst case** (less is better): the largest privacy loss between any two cells, and how many times likelier a report
  can be from one than from the other.

± is 1.96 standard errors where a figure is simulated. A ruler can be fooled: naming far-away cells beside the true one
keeps local privacy up and hides little, so read all five.
"""


def _maps(found: Comparison, loaded: LoadedData, rows: Sequence[_Row]) -> None:
    side = found.population.grid.cell_size_m

    def caption(row: _Row) -> str:
        error = row.score.w2_cells[0]
        metres = "" if side is None else f" ({captions.metres(error, side)})"
        which = f", {row.draw}" if row.side else ""
        return f"{captions.cells(error)}{metres}, this draw{which}"

    cards = [
        SmallMap(
            row.name + (" · best" if row.best else ""), caption(row), row.score.distribution, f"error W2 {caption(row)}"
        )
        for row in rows
    ]
    with st.container(key="small-maps"):
        small_maps(cards, found.population, loaded, "15rem", "(first draws)", "map-cards")


def _error_table(rows: Sequence[_Row], side: float | None) -> pd.DataFrame:
    def interval(entry: Score) -> str:
        return f"{entry.mean:.3f}" + ("" if entry.half_width is None else f" ± {entry.half_width:.3f}")

    columns: dict[str, list[str]] = {
        "Mechanism": [("★ " if row.best else "") + row.label for row in rows],
        "W2, cells": [interval(row.score) for row in rows],
    }
    if side is not None:
        columns["W2, m"] = [f"{row.score.mean * side:,.0f}" for row in rows]
    columns["ε used"] = [
        f"{row.score.epsilon:.4g}" + (" per cell" if MECHANISMS[row.name].notion == "Geo-I" else "") for row in rows
    ]
    columns["Time, s"] = [f"{row.score.seconds:.2f}" for row in rows]
    return pd.DataFrame(columns)


def _protection_table(rows: Sequence[_Row]) -> pd.DataFrame:
    return pd.DataFrame(
        [{"Mechanism": row.label, **comparison_sentences.figures(row.score.protection)} for row in rows]
    )


def _bars(rows: Sequence[_Row], ends: Baselines | None, side: float | None, dark: bool) -> Any:
    unit, factor = ("cells", 1.0) if side is None else ("metres", side)
    ink = "#f0f0f6" if dark else "#22222e"
    bars_data = pd.DataFrame(
        {
            # A name and its side of the jump on two lines.
            "name": [f"{row.name}|{row.side}" if row.side else row.name for row in rows],
            "error": [row.score.mean * factor for row in rows],
            "low": [max(0.0, row.score.mean - (row.score.half_width or 0)) * factor for row in rows],
            "high": [(row.score.mean + (row.score.half_width or 0)) * factor for row in rows],
            "best": [row.best for row in rows],
        }
    )
    axis = alt.Axis(labelExpr="split(datum.label, '|')", labelLimit=200)
    base = alt.Chart(bars_data).encode(y=alt.Y("name:N", sort=bars_data["name"].tolist(), title=None, axis=axis))
    bars = base.mark_bar(height={"band": 0.6}).encode(
        x=alt.X("error:Q", title=f"Error W2, {unit} (shorter is better)", axis=alt.Axis(tickCount=6)),
        color=alt.Color("best:N", scale=alt.Scale(domain=[True, False], range=["#d9822b", "#4f8fa8"]), legend=None),
        tooltip=[alt.Tooltip("name:N", title="Mechanism"), alt.Tooltip("error:Q", title=f"W2, {unit}", format=",.3~f")],
    )
    spread = base.mark_rule(strokeWidth=2, color=ink).encode(x="low:Q", x2="high:Q")
    layers: list[Any] = [bars, spread]
    if ends is not None:
        # Only the right line has room for its name.
        limits = pd.DataFrame(
            {
                "at": [ends.no_privacy * factor, ends.uniform_guess * factor],
                "what": ["no privacy (chance alone)", "uniform guess (no report)"],
            }
        )
        layers += [
            alt.Chart(limits)
            .mark_rule(strokeDash=[4, 4], strokeWidth=1.5, color=ink)
            .encode(x="at:Q", tooltip=["what:N", "at:Q"]),
            alt.Chart(limits[1:])
            .mark_text(align="right", dx=-4, dy=-4, baseline="bottom", fontSize=11, color=ink)
            .encode(x="at:Q", y=alt.value(0), text="what:N"),
        ]
    title = "" if ends is None else "Dashed: no privacy (left) and a uniform guess (right)"
    return alt.layer(*layers).properties(
        height=80 + 46 * len(rows),
        title=alt.TitleParams(title, fontSize=12, fontWeight="normal", anchor="start"),
        description="Error of each mechanism: "
        + "; ".join(f"{row.label} {row.score.mean * factor:,.2f} {unit}" for row in rows),
    )
