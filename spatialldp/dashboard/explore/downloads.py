"""Downloads of a run, and how to repeat it elsewhere."""

from __future__ import annotations

from typing import Any

import streamlit as st

from spatialldp import __version__
from spatialldp.dashboard.explore.scene import Scene, usable_radius
from spatialldp.dashboard.shared.choices import UPLOAD
from spatialldp.drawing import cells
from spatialldp.drawing.colours import Scale
from spatialldp.drawing.outlines import outline_lines
from spatialldp.experiments import export

_PANEL = 480


def take_away(shown: Scene, scale: Scale) -> None:
    """CSV, GeoJSON, Parquet, PNG, the command and the library calls."""
    run = shown.run
    if run is None:
        return
    chosen = shown.choices
    name = f"{chosen.data}-{chosen.mechanism.replace(' ', '-')}-eps{chosen.epsilon:g}-d{chosen.d}-seed{chosen.seed}"
    settings = settings_of(shown)

    def table() -> dict[str, list[Any]]:
        return export.cell_table(run, shown.mechanism, shown.population.grid)

    panel = st.expander(
        "Take it away: data, pictures, how to repeat this run",
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
                "All three, GeoJSON",
                lambda: export.to_geojson(table(), settings),
                f"{name}.geojson",
                "application/geo+json",
            )
            _button(
                "All three, Parquet",
                lambda: export.to_parquet(table(), settings),
                f"{name}.parquet",
                "application/vnd.apache.parquet",
            )
            _button("The maps, PNG", lambda: _sheet(shown, scale), f"{name}.png", "image/png")
        st.caption(
            "Cells are numbered ix from the west, iy from the south. Perturbed values: "
            f"{shown.mechanism.report_map(run.reports).caption}; cells outside the true area have no true value."
        )
        if chosen.data == UPLOAD:
            st.caption("For your own file: spatialldp.datasets.read_points, then Population.of_points and simulate.")
            return
        choice = (
            chosen.data,
            chosen.mechanism,
            chosen.epsilon,
            chosen.d,
            usable_radius(chosen),
            chosen.seed,
            chosen.box,
        )
        st.markdown("The same run on the command line:")
        st.code(export.command(*choice), language="bash", wrap_lines=True)
        st.markdown("The same run in Python:")
        st.code(export.snippet(*choice), language="python", wrap_lines=True)


def _button(label: str, make: Any, file: str, mime: str) -> None:
    st.download_button(label, make, file, mime, on_click="ignore", key=f"get-{file.rpartition('.')[2]}")


def settings_of(shown: Scene) -> dict[str, Any]:
    """All there is to know about a run, for files."""
    run, chosen = shown.run, shown.choices
    assert run is not None
    side = shown.population.grid.cell_size_m
    return {
        "data": chosen.data,
        "bounds": chosen.box,
        "mechanism": chosen.mechanism,
        "epsilon": chosen.epsilon,
        "d": chosen.d,
        "b": getattr(shown.mechanism, "b", None),
        "seed": chosen.seed,
        "users": shown.population.users,
        "w2_cells": run.w2_cells,
        "w2_metres": None if side is None else run.w2_cells * side,
        "iterations": run.estimate.iterations,
        "units": "degrees (EPSG:4326)" if shown.loaded.entry.is_geographic else "plain units",
        "version": __version__,
    }


def _sheet(shown: Scene, scale: Scale) -> bytes:
    run = shown.run
    assert run is not None
    grid, settings = shown.population.grid, settings_of(shown)
    lines = outline_lines(shown.loaded.entry.outline)
    picture = shown.mechanism.report_map(run.reports)
    wide = grid.extended(-picture.origin[0])
    true = run.counts / run.counts.sum()
    metres = "" if settings["w2_metres"] is None else f" = {settings['w2_metres']:,.0f} m"
    panels = [
        ("True", "where people are", cells.cell_image(true, grid, scale, _PANEL, lines)),
        (
            "Perturbed",
            picture.caption,
            cells.cell_image(shown.mechanism.comparable(picture.values), wide, scale, _PANEL, lines, grid),
        ),
        (
            "Recovered",
            f"W2 = {run.w2_cells:.3f} cells{metres}",
            cells.cell_image(run.estimate.distribution, grid, scale, _PANEL, lines),
        ),
    ]
    radius = "" if settings["b"] is None else f", b = {settings['b']}"
    title = (
        f"{shown.loaded.entry.title}: {settings['mechanism']}, epsilon = {settings['epsilon']:g}, "
        f"d = {settings['d']}{radius}"
    )
    footer = f"Simulation, {settings['users']:,} people, seed {settings['seed']}; spatialldp {__version__}"
    return cells.sheet(panels, scale, title, footer)
