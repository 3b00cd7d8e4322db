"""Range counts on Explore: people in a rectangle or a district, truly and recovered, and how good such counts are."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from spatialldp.dashboard.explore.counted import Counted, counted, middle_quarter, named
from spatialldp.dashboard.explore.state import ExploreState
from spatialldp.dashboard.shared import session
from spatialldp.dashboard.shared.controls import choose, corner_fields, typed_box
from spatialldp.dashboard.shared.figures import figure
from spatialldp.dashboard.shared.link_values import rounded_box
from spatialldp.experiments import districts, range_error
from spatialldp.experiments.ranges import random_squares
from spatialldp.formatting import percent

#: No district is called so.
_RECTANGLE = "a rectangle"
_SQUARES_HELP = (
    "1,000 squares, {side} of {d} cells wide, are laid on the map at random, the same for every mechanism. In each the "
    "people of the recovered map are compared with those who are really there. This is the mean of the differences, "
    "too many or too few alike. Uniform guess: the same for somebody who spreads everybody evenly."
)


def range_counts(state: ExploreState) -> None:
    """Where to count, the people there, and the error of such counts everywhere."""
    with st.container(key="range-counts"):
        st.markdown("#### Count people in a part of the map")
        _where(state)
        found = counted(state)
        columns = st.columns(4)
        _figures(columns, found)
        _random_squares(columns[3], state)
        _in_words(found)


def _where(state: ExploreState) -> None:
    place = state.choices.counted
    names = list(districts(state.loaded.entry))
    # Another menu for other data: the browser would keep the texts of the first one.
    key = session.counted_in_key(state.choices.data)
    session.show(key, _RECTANGLE if isinstance(place, tuple) else place)
    first, *fields = st.columns([2, 1, 1, 1, 1], vertical_alignment="bottom")
    first.selectbox(
        "Count people in",
        [_RECTANGLE, *names],
        format_func=lambda option: option if option == _RECTANGLE else named(option),
        index=None,
        placeholder="Choose a district or a rectangle" if names else "Choose a rectangle",
        help="Or switch “Dragging on a map” to “counts people” and drag a rectangle.",
        key=key,
        on_change=_chosen,
        args=(key, rounded_box(middle_quarter(state.population.grid))),
    )
    if isinstance(place, tuple):
        corner_fields(place, state.loaded, fields, session.count_key, _typed)
    if problem := session.COUNT_PROBLEM.take():
        st.warning(problem)


def _chosen(key: str, middle: tuple[float, float, float, float]) -> None:
    option = session.shown(key)
    choose(counted=middle if option == _RECTANGLE else option)


def _typed() -> None:
    box = typed_box(session.count_key)
    if box is not None:
        choose(counted=box)
    else:
        session.COUNT_PROBLEM.set("West must be less than east, south less than north: the rectangle stays as it was.")


def _figures(columns: list[Any], found: Counted | None) -> None:
    if found is None or found.inside == 0:
        return
    by_points = None if found.points is None else f"{found.points:,} by their points"
    figure(columns[0], "True people", f"{found.true:,.0f}", by_points, help="Cells on the edge count by their area.")
    recovered = "…" if found.recovered is None else f"{found.recovered:,.0f}"
    figure(columns[1], "Recovered people", recovered, None if found.recovered is not None else "being computed")
    if found.difference is None:
        figure(columns[2], "Difference", "…", "being computed")
    else:
        figure(
            columns[2],
            "Difference",
            signed(found.difference),
            f"{_relative(found)} of the true people" if found.true else "nobody is there",
            help="Recovered − true: what privacy costs in this count.",
        )


def _random_squares(column: Any, state: ExploreState) -> None:
    d, users, counts = state.choices.d, state.population.users, state.population.counts.astype(float)
    from_, to, *_ = random_squares(d)[0].tolist()
    blind = range_error(counts, np.ones((d, d))) * 1000
    error = None if state.run is None else range_error(counts, state.run.estimate.distribution)
    figure(
        column,
        "Off in a random square",
        "…" if error is None else f"{error * 1000:.2f} per thousand",
        "being computed" if error is None else f"{error * users:,.0f} people; uniform guess: {blind:.1f} per thousand",
        help=_SQUARES_HELP.format(side=to - from_, d=d),
    )


def _in_words(found: Counted | None) -> None:
    if found is None:
        return
    name = found.name[0].upper() + found.name[1:]
    if found.inside == 0:
        st.info(f"{name} lies outside the area of the maps: choose another part, or another area.")
        return
    parts = []
    if found.difference is not None:
        parts.append(_verdict(found))
    if found.inside < 0.995:
        parts.append(f"Only {found.inside:.0%} of {found.name} lies in the area of the maps; the rest is not counted.")
    parts.append("A cell on the edge counts by the share of its area that is inside.")
    if found.points is not None:
        parts.append(
            f"That alone shifts the true count by {signed(found.true - found.points)} people (grid error), whatever the "
            "mechanism; the difference above is what privacy adds (privacy error)."
        )
    st.markdown(" ".join(parts))


def _verdict(found: Counted) -> str:
    assert found.difference is not None and found.recovered is not None
    there = f"In {found.name} there are {found.true:,.0f} people"
    off = round(found.recovered) - round(found.true)
    if off == 0:
        return f"{there}, and the recovered map says the same."
    direction = "too many" if off > 0 else "too few"
    share = f" ({_relative(found)})" if found.true else ""
    return f"{there}; the recovered map says {found.recovered:,.0f}, **{abs(off):,} {direction}**{share}."


def _relative(found: Counted) -> str:
    assert found.difference is not None
    share = found.difference / found.true
    return f"{'−' if share < 0 else '+'}{percent(abs(share))}"


def signed(people: float) -> str:
    """A number of people with its sign: "+1,204", "−35", "0"."""
    return f"{round(people):+,}".replace("-", "−") if round(people) else "0"
