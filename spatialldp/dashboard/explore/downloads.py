"""Downloads of a run, and how to repeat it elsewhere."""

from __future__ import annotations

from typing import Any

import streamlit as st

from spatialldp import __version__
from spatialldp.dashboard.explore.state import ExploreState
from spatialldp.dashboard.shared.page_setup import is_dark
from spatialldp.drawing.cells import sheet
from spatialldp.drawing.outlines import outline_lines
from spatialldp.drawing.triple import MapTriple
from spatialldp.experiments import export

_PANEL = 480


def take_away(state: ExploreState, triple: MapTriple) -> None:
    """CSV, GeoJSON, Parquet, PNG, the command and the library calls."""
    run = state.run
    if run is None:
        return
    chosen = state.choices
    name = file_name(state)
    settings, dark = settings_of(state), is_dark()

    def table() -> dict[str, list[Any]]:
        return export.cell_table(run, state.mechanism, state.population.grid)

    panel = st.expander(
        "Downloads: data, pictures, how to repeat this run",
        icon=":material/download:",
        key="take",
        on_change="rerun",
    )
    if not panel.open:
        return
    with panel:
        with st.container(horizontal=True):
            # Files are made on the click: a slider must not pay for them.
            _button("Recovered map, CSV", lambda: export.to_csv(table()), f"{name}.csv", "text/csv")
            _button(
                "All three maps, GeoJSON",
                lambda: export.to_geojson(table(), settings),
                f"{name}.geojson",
                "application/geo+json",
            )
            _button(
                "All three maps, Parquet",
                lambda: export.to_parquet(table(), settings),
                f"{name}.parquet",
                "application/vnd.apache.parquet",
            )
            _button("All three maps, PNG", lambda: _sheet(state, triple, dark), f"{name}.png", "image/png")
        st.caption(
            "Cells are numbered from 0: ix from the west, iy from the south. Perturbed values are "
            f"{triple.perturbed.caption}. Cells outside the area have no true value."
        )
        if state.loaded.entry.own:
            st.caption("To repeat this run in Python: spatialldp.datasets.read_points, Population.of_points, simulate.")
            return
        choice = (
            chosen.data,
            chosen.mechanism,
            state.mechanism.epsilon,
            chosen.d,
            chosen.radius,
            chosen.seed,
            chosen.box,
            state.mask is not None,
        )
        st.markdown("The same run on the command line:")
        st.code(export.command(*choice), language="bash", wrap_lines=True)
        st.markdown("The same run in Python:")
        st.code(export.snippet(*choice), language="python", wrap_lines=True)


def file_name(state: ExploreState) -> str:
    """What files of this run are called, without an ending."""
    chosen, mask = state.choices, "" if state.mask is None else "-mask"
    mechanism = f"{chosen.mechanism.replace(' ', '-')}-eps{state.mechanism.epsilon:.4g}"
    return f"{chosen.data}-{mechanism}-d{chosen.d}-seed{chosen.seed}{mask}"


def _button(label: str, make: Any, file: str, mime: str) -> None:
    st.download_button(label, make, file, mime, on_click="ignore", key=f"get-{file.rpartition('.')[2]}")


def settings_of(state: ExploreState) -> dict[str, Any]:
    """Everything about a run, for files."""
    run, chosen = state.run, state.choices
    assert run is not None
    side = state.population.grid.cell_size_m
    return {
        "data": chosen.data,
        "bounds": chosen.box,
        "mechanism": chosen.mechanism,
        "epsilon": state.mechanism.epsilon,
        "d": chosen.d,
        "b": state.mechanism.radius,
        "seed": chosen.seed,
        "mask": state.mask is not None,
        "users": state.population.users,
        "w2_cells": run.w2_cells,
        "w2_metres": None if side is None else run.w2_cells * side,
        "iterations": run.estimate.iterations,
        "units": "degrees (EPSG:4326)" if state.loaded.entry.is_geographic else "plain units",
        "version": __version__,
    }


def _sheet(state: ExploreState, triple: MapTriple, dark: bool) -> bytes:
    settings, scale = settings_of(state), triple.scale(dark)
    lines = outline_lines(state.loaded.entry.outline)
    metres = "" if settings["w2_metres"] is None else f" = {settings['w2_metres']:,.0f} m"
    captions = (triple.true.caption, triple.perturbed.caption, f"W2 = {settings['w2_cells']:.3f} cells{metres}")
    panels = [
        (panel.title, caption, panel.image(scale, _PANEL, lines))
        for panel, caption in zip(triple.panels, captions, strict=True)
    ]
    radius = "" if settings["b"] is None else f", b = {settings['b']}"
    title = (
        f"{state.loaded.entry.title}: {settings['mechanism']}, epsilon = {settings['epsilon']:g}, "
        f"d = {settings['d']}{radius}"
    )
    footer = f"Simulation, {settings['users']:,} people, seed {settings['seed']}; spatialldp {__version__}"
    return sheet(panels, scale, title, footer)
