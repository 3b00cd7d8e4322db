"""Range counts on Explore: people in a rectangle or a district, truly and recovered, and how good such counts are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from spatialldp.dashboard.explore.counted import Counted, counted, middle_quarter, named
from spatialldp.dashboard.explore.state import ExploreState
from spatialldp.dashboard.shared import captions, session
from spatialldp.dashboard.shared.controls import choices, choose, corner_fields, typed_box
from spatialldp.dashboard.shared.figures import figure
from spatialldp.dashboard.shared.link_values import rounded_box
from spatialldp.experiments import districts, range_error
from spatialldp.formatting import percent

#: No district is called so.
_RECTANGLE = "a rectangle"


def range_counts(state: ExploreState) -> None:
    """Where to count, the people there, and the error of such counts everywhere."""
    with st.container(key="range-counts"):
        st.markdown("#### Count people in a part of the map")
        with st.container(key="where-to-count"):
            _where(state)
        found = counted(state)
        _figures(st.columns(3), found)
        _in_words(found, _anywhere(state))


def _where(state: ExploreState) -> None:
    place = state.choices.counted
    names = list(districts(state.loaded.entry))
    # Another menu for other data: the browser would keep the texts of the first one.
    key = session.counted_in_key(state.choices.data)
    session.show(key, _RECTANGLE if isinstance(place, tuple) else place)
    first, hint = st.columns([2, 3], vertical_alignment="bottom")
    if place is None and state.choices.view == "three":
        hint.caption("Or press “Count people” above the maps and drag a rectangle.")
    first.selectbox(
        "Count people in",
        [_RECTANGLE, *names],
        format_func=lambda option: option if option == _RECTANGLE else named(option),
        index=None,
        placeholder="Choose a district or a rectangle" if names else "Choose a rectangle",
        key=key,
        on_change=_chosen,
        args=(state.choices.data, rounded_box(middle_quarter(state.population.grid))),
    )
    if isinstance(place, tuple):
        corner_fields(place, state.loaded, st.columns(4), session.count_key, _typed)
    if problem := session.COUNT_PROBLEM.take():
        st.warning(problem)


def _chosen(data: str, middle: tuple[float, float, float, float]) -> None:
    option = session.shown(session.counted_in_key(data))
    if choices().data != data:  # On a slow server the menu of the former data set may still be there.
        return
    choose(counted=middle if option == _RECTANGLE else option)


def _typed() -> None:
    box = typed_box(session.count_key)
    if box is not None:
        choose(counted=box)
    else:
        session.COUNT_PROBLEM.set(
            "West must be less than east, and south less than north. The rectangle was not changed."
        )


def _figures(columns: Sequence[Any], found: Counted | None) -> None:
    if found is None or found.inside == 0:
        return
    by_points = None if found.points is None else f"{found.points:,} by exact position"
    figure(
        columns[0],
        "True people",
        f"{found.true:,}",
        by_points,
        help="A cell on the edge counts by the share of its area that is inside.",
    )
    if found.recovered is None:
        figure(columns[1], "Recovered people", "…", "being computed")
        figure(columns[2], "Difference", "…", "being computed")
        return
    figure(columns[1], "Recovered people", f"{found.recovered:,}", "what the reports reveal")
    figure(
        columns[2],
        "Difference",
        _signed(found.recovered - found.true),
        f"{_relative(found.true, found.recovered)} of the true people" if found.true else "nobody is there",
        help="Recovered − true: the error that privacy causes in this count.",
    )


def _anywhere(state: ExploreState) -> str:
    """The error of such counts anywhere, in a sentence; nothing while it is being computed, or where there is only one
    cell."""
    d, users, counts = state.choices.d, state.population.users, state.population.counts.astype(float)
    if state.run is None or d == 1:
        return ""
    error, blind = (range_error(counts, found) for found in (state.run.estimate.distribution, np.ones((d, d))))
    return (
        f"In {captions.random_square(d)}, the recovered map is off by {error * users:,.0f} people on "
        f"average, {error * 1000:.1f} per 1,000 (range error, one draw). A uniform guess, with everybody spread "
        f"evenly, is off by {blind * 1000:.1f} per 1,000."
    )


def _in_words(found: Counted | None, everywhere: str) -> None:
    parts = []
    if found is not None and found.inside == 0:
        name = found.name[0].upper() + found.name[1:]
        st.info(f"{name} lies outside the map: choose another place, or another area.")
    elif found is not None:
        parts = _place_in_words(found)
    st.markdown(" ".join(parts) + "\n\n" + everywhere)


def _place_in_words(found: Counted) -> list[str]:
    parts = [] if found.recovered is None else [_verdict(found.name, found.true, found.recovered)]
    if found.inside < 0.995:
        parts.append(f"Only {found.inside:.0%} of {found.name} lies on the map; the rest is not counted.")
    parts.append("A cell on the edge counts by the share of its area that is inside.")
    if found.points is not None:
        parts.append(
            f"This alone shifts the true count by {_signed(found.true - found.points)} people (grid error), whatever "
            "the mechanism; the difference above is what privacy adds (privacy error)."
        )
    return parts


def _verdict(name: str, true: int, recovered: int) -> str:
    there = f"In {name} there are {true:,} people"
    if recovered == true:
        return f"{there}, and the recovered map says the same."
    direction = "too many" if recovered > true else "too few"
    share = f" ({_relative(true, recovered)})" if true else ""
    return f"{there}; the recovered map says {recovered:,}, **{abs(recovered - true):,} {direction}**{share}."


def _relative(true: int, recovered: int) -> str:
    share = (recovered - true) / true
    return f"{'−' if share < 0 else '+'}{percent(abs(share))}"


def _signed(people: int) -> str:
    """A number of people with its sign: "+1,204", "−35", "0"."""
    return f"{people:+,}".replace("-", "−") if people else "0"
