"""Explore's hot spots: the fullest cells as a table, which is also what the maps show in words."""

from __future__ import annotations

import csv
import io
from typing import Any

import streamlit as st

from spatialldp.dashboard.explore.counted import is_postcode
from spatialldp.dashboard.explore.downloads import file_name
from spatialldp.dashboard.explore.state import ExploreState
from spatialldp.experiments import HotSpot, district_names, districts, hot_spots, surviving_hotspots
from spatialldp.experiments.hot_spots import LISTED


def hot_spot_table(state: ExploreState) -> None:
    """The truly fullest cells and those the recovered map takes for such, folded until somebody looks."""
    panel = st.expander(
        "Hot spots: the fullest cells in a table (what the maps show, in words)",
        icon=":material/table_rows:",
        key="hot-spots",
        on_change="rerun",
    )
    if not panel.open:  # Not computed or sent before it is looked at: it would slow down every slider.
        return
    with panel:
        if state.run is None:
            st.caption("…")
            return
        counts, recovered = state.population.counts.astype(float), state.run.estimate.distribution
        found = hot_spots(counts, recovered, LISTED)
        survived, of = surviving_hotspots(counts, recovered, LISTED)
        parts = "" if float(survived).is_integer() else " (ties count in parts)"
        st.markdown(
            f"**{survived:.3g} of {of}** truly fullest cells are among the {of} fullest of the recovered map{parts}. "
            f"Columns are counted from the west, rows from the south."
        )
        numbers = st.column_config.NumberColumn
        st.dataframe(
            _table(state, found, of),
            hide_index=True,
            height="content",
            column_config={
                "True rank": numbers(help="1 is the fullest cell; equal cells share the best of their ranks."),
                "People": numbers(format="localized"),
                "Recovered people": numbers(format="localized"),
            },
            alt="The fullest cells: ranks and people, truly and recovered",
        )
        st.caption("This table says in text what the maps show in colours. A click on the head of a column sorts it.")
        st.download_button(
            "Hot spots, CSV",
            lambda: _csv(state, found),
            f"{file_name(state)}-hot-spots.csv",
            "text/csv",
            on_click="ignore",
            key="get-hot-spots",
        )


def _districts(state: ExploreState, found: list[HotSpot]) -> dict[str, list[Any]]:
    """A column with the district of each cell, where there are districts."""
    known = districts(state.loaded.entry)
    if not known:
        return {}
    names = district_names(state.loaded.entry, state.population.grid)
    heading = "Postcode" if all(map(is_postcode, known)) else "District"
    return {heading: [names[spot.ix, spot.iy] for spot in found]}


def _table(state: ExploreState, found: list[HotSpot], of: int) -> dict[str, list[Any]]:
    return {
        "True rank": [spot.true_rank.first for spot in found],
        "Recovered rank": [spot.recovered_rank.first for spot in found],
        "People": [round(spot.people) for spot in found],
        "Recovered people": [round(spot.recovered) for spot in found],
        **_districts(state, found),
        "Column": [spot.ix + 1 for spot in found],
        "Row": [spot.iy + 1 for spot in found],
        "Remark": [_remark(spot, of) for spot in found],
    }


def _remark(spot: HotSpot, of: int) -> str:
    """What the ranks do not say, or not at a glance."""
    words = []
    if spot.true_rank.first > of:
        words.append("wrongly hot")
    elif spot.recovered_rank.first > of:
        words.append("lost")
    for name, rank in (("true", spot.true_rank), ("recovered", spot.recovered_rank)):
        if rank.first != rank.last:
            words.append(f"shares {name} ranks {rank}")
    return ", ".join(words)


def _csv(state: ExploreState, found: list[HotSpot]) -> bytes:
    centres = state.population.grid.cell_centres()
    table = {
        "ix": [spot.ix for spot in found],
        "iy": [spot.iy for spot in found],
        "x": [float(centres[spot.ix, spot.iy, 0]) for spot in found],
        "y": [float(centres[spot.ix, spot.iy, 1]) for spot in found],
        **{heading.lower(): names for heading, names in _districts(state, found).items()},
        "true_rank_first": [spot.true_rank.first for spot in found],
        "true_rank_last": [spot.true_rank.last for spot in found],
        "recovered_rank_first": [spot.recovered_rank.first for spot in found],
        "recovered_rank_last": [spot.recovered_rank.last for spot in found],
        "true_people": [spot.people for spot in found],
        "recovered_people": [spot.recovered for spot in found],
    }
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))
    return text.getvalue().encode()
