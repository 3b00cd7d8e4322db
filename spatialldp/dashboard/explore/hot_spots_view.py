"""Explore's hot spots: the fullest cells as a table, which is also what the maps show in words."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from spatialldp.dashboard.explore.counted import is_postcode
from spatialldp.dashboard.explore.downloads import file_name
from spatialldp.dashboard.explore.state import ExploreState
from spatialldp.experiments import HotSpot, district_names, districts, hot_spots, surviving_hotspots
from spatialldp.experiments.export import hot_spots_csv
from spatialldp.experiments.hot_spots import LISTED


def hot_spot_table(state: ExploreState) -> None:
    """The truly fullest cells and those the recovered map takes for such, folded until somebody looks."""
    panel = st.expander(
        "Top cells: the fullest cells as a table (what the maps show, in numbers)",
        icon=":material/table_rows:",
        key="hot-spots",
        on_change="rerun",
    )
    if not panel.open:  # Not computed or sent before it is looked at: it would slow down every slider.
        return
    with panel:
        if state.run is None:
            st.caption("Being computed …")
            return
        counts, recovered = state.population.counts.astype(float), state.run.estimate.distribution
        found = hot_spots(counts, recovered, LISTED)
        survived, of = surviving_hotspots(counts, recovered, LISTED)
        parts = "" if float(survived).is_integer() else " (ties count in part)"
        st.markdown(
            f"**{survived:.3g} of the {of}** fullest cells are also among the {of} fullest of the recovered map{parts}."
            " Columns are numbered from the west and rows from the south, from 1; in files, ix and iy start at 0."
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
        st.caption("This table gives in numbers what the maps show in colour. Click a column heading to sort.")
        st.download_button(
            "Top cells, CSV",
            lambda: hot_spots_csv(found, state.population.grid, _names(state)),
            f"{file_name(state)}-hot-spots.csv",
            "text/csv",
            on_click="ignore",
            key="get-hot-spots",
        )


def _districts(state: ExploreState, found: list[HotSpot]) -> dict[str, list[Any]]:
    """A column with the district of each cell, where there are districts."""
    names = _names(state)
    if names is None:
        return {}
    heading = "Postcode" if all(map(is_postcode, districts(state.loaded.entry))) else "District"
    return {heading: [names[spot.ix, spot.iy] for spot in found]}


def _names(state: ExploreState) -> NDArray[np.object_] | None:
    """The district of each cell (d, d); None where there are no districts."""
    entry = state.loaded.entry
    return district_names(entry, state.population.grid) if districts(entry) else None


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
        words.append("not a top cell")
    elif spot.recovered_rank.first > of:
        words.append("missed")
    for name, rank in (("true", spot.true_rank), ("recovered", spot.recovered_rank)):
        if rank.first != rank.last:
            words.append(f"shares {name} ranks {rank}")
    return ", ".join(words)
