"""Explore's maps: true, perturbed and recovered side by side, and their difference."""

from __future__ import annotations

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from spatialldp.dashboard.explore.counted import border
from spatialldp.dashboard.explore.state import MAP_NAMES, ExploreState, flows
from spatialldp.dashboard.shared import captions, components, maps
from spatialldp.dashboard.shared.page_setup import is_dark
from spatialldp.drawing.colours import Scale, difference_scale
from spatialldp.drawing.in_words import fullest_cells_in_words
from spatialldp.drawing.outlines import outline_of
from spatialldp.drawing.triple import MapTriple, map_triple

Array = NDArray[np.float64]


def triple_of(state: ExploreState) -> MapTriple:
    """The three maps of the run so far."""
    return map_triple(state.population, state.mechanism, state.reports, state.recovered)


def three_maps(state: ExploreState, triple: MapTriple, tiles: bool) -> None:
    """True, perturbed and recovered side by side on one colour scale."""
    users, dark = state.population.users, is_dark()
    scale, backdrop = triple.scale(dark), _backdrop(state, dark, tiles)
    small, area = state.choices.d**2 <= maps.MOST_HOVER_CELLS, state.population.grid.bounds
    notes = {
        "true": f"{triple.true.caption} (known only in a simulation)",
        "perturbed": captions.reports_caption(state.mechanism, triple.perturbed.caption),
        "recovered": "a first, rough map; being refined …",
    }
    if triple.recovered is not None and state.run is not None:
        notes["recovered"] = triple.recovered.caption
    texts = {"perturbed": _report_texts(triple.report_map.values, state.mechanism.map_shows)}
    if small:
        texts |= {"true": _texts(triple.true.values, users)}
        texts |= {} if triple.recovered is None else {"recovered": _texts(triple.recovered.values, users)}
    panels = dict(zip(MAP_NAMES, (triple.true, triple.perturbed, triple.recovered), strict=True))
    pictures = {
        key: maps.Picture(
            panel.values,
            panel.grid,
            texts.get(key),
            panel.frame,
            _arrows(state) if key == "recovered" and state.choices.flows else (),
            area=area,
        )
        for key, panel in panels.items()
        if panel is not None
    }
    for column, (key, panel) in zip(st.columns(3, gap="small"), panels.items(), strict=True):
        with column, st.container(key=f"map-{key}"):
            if panel is None:
                st.markdown("**Recovered**  \n:small[being recovered from the reports …]")
                st.container(height=maps.MAP_HEIGHT, border=True, key="no-recovery").caption("Recovering …")
                continue
            st.markdown(f"**{panel.title}**  \n:small[{notes[key]}]")
            st.pydeck_chart(
                maps.deck(pictures[key], scale, backdrop),
                height=maps.MAP_HEIGHT,
                key=f"deck-{key}",
                alt=f"{panel.title} map, {panel.grid.d} by {panel.grid.d} cells; "
                + fullest_cells_in_words(panel.values),
            )
    components.values_on_hover(
        {f"map-{key}": maps.labels(picture) for key, picture in pictures.items()}, "values-on-maps"
    )
    st.html(captions.legend(scale, "of all people in one cell (or more); the same scale for all three maps"))


def _backdrop(state: ExploreState, dark: bool, tiles: bool) -> maps.Backdrop:
    entry = state.loaded.entry
    return maps.Backdrop(
        entry.is_geographic,
        dark,
        outline_of(entry.outline),
        state.choices.box,
        tiles and entry.is_geographic,
        border(state),
    )


def _texts(shares: Array, users: int) -> NDArray[np.str_]:
    return np.array([f"{_people(share * users)} ({share:.2%})" for share in shares.ravel().tolist()]).reshape(
        shares.shape
    )


def _people(number: float) -> str:
    return "1 person" if round(number) == 1 else f"{number:,.0f} people"


def _report_texts(values: Array, map_shows: str) -> NDArray[np.str_] | None:
    if np.count_nonzero(~np.isnan(values)) > maps.MOST_HOVER_CELLS:
        return None
    words = "named in {:.2%} of reports" if map_shows == "share of reports" else "{:,.0f} reports"
    return np.array([words.format(value) for value in np.nan_to_num(values).ravel().tolist()]).reshape(values.shape)


def _arrows(state: ExploreState) -> list[maps.Arrow]:
    if state.run is None:
        return []
    centres, side = state.population.grid.cell_centres(), state.population.grid.cell_size_m
    found, _ = flows(state)
    most = max((flow.share for flow in found), default=1.0)
    return [
        maps.Arrow(
            tuple(centres[flow.target].tolist()),
            tuple(centres[flow.source].tolist()),
            1.5 + 5 * flow.share / most,
            captions.flow(flow, side),
        )
        for flow in found
    ]


def difference_map(state: ExploreState, tiles: bool) -> None:
    """Recovered minus true below the three maps, with the largest flows, where they are switched on."""
    if state.choices.view != "three":
        return
    if state.run is None or not (state.choices.difference or state.choices.flows):
        return
    picture, text = st.columns([1, 2], gap="medium")
    users = state.population.users
    if state.choices.difference:
        difference = state.run.estimate.distribution - state.population.shares
        with picture, st.container(key="map-difference"):
            _draw_difference(state, difference, difference_scale(difference, is_dark()), tiles)
    if state.choices.flows:
        found, explained = flows(state)
        with text if state.choices.difference else st.container():
            st.markdown(captions.flow_list(found, explained, state.population.grid.cell_size_m, users))


def _draw_difference(state: ExploreState, difference: Array, scale: Scale, tiles: bool) -> None:
    users = state.population.users
    st.markdown("**Difference**  \n:small[recovered − true: where there are too many or too few people]")
    texts = np.array([f"{value * users:+,.0f} people ({value:+.2%})" for value in difference.ravel()])
    picture = maps.Picture(
        difference,
        state.population.grid,
        texts.reshape(difference.shape) if difference.size <= maps.MOST_HOVER_CELLS else None,
        arrows=_arrows(state) if state.choices.flows else (),
    )
    st.pydeck_chart(
        maps.deck(picture, scale, _backdrop(state, scale.dark, tiles)),
        height=maps.MAP_HEIGHT,
        key="deck-difference",
        alt=f"Difference map; largest excess {difference.max():+.2%}, largest lack {difference.min():+.2%}",
    )
    components.values_on_hover({"map-difference": maps.labels(picture)}, "values-on-difference")
    st.html(captions.legend(scale, "of all people: too few (blue) to too many (orange)"))
