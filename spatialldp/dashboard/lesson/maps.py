"""Maps of the lesson: where reports fall, and what an attacker makes of one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from spatialldp.dashboard.lesson.scene import Lesson, wait_for
from spatialldp.dashboard.shared import captions, components, maps
from spatialldp.dashboard.shared.chosen_data import jobs_for
from spatialldp.dashboard.shared.page_setup import is_dark
from spatialldp.drawing.colours import Scale
from spatialldp.drawing.outlines import outline_of
from spatialldp.mechanisms import SAM, Mechanism, SEMGeoI
from spatialldp.privacy import Conclusion, Risk, conclusion, risk

Array = NDArray[np.float64]

_DOTS = 150


def length(cells: float, side: float | None) -> str:
    """A distance in words: kilometres or metres, or cells where cells have no length."""
    if side is None:
        return f"{cells:.2f} cells"
    metres = cells * side
    return f"{metres / 1000:.2f} km" if metres >= 1000 else f"{metres:.0f} m"


def own_cell_share(lesson: Lesson, name: str) -> float:
    """Share of the simulated reports that name the person's own cell."""
    values, margin = _shares(lesson, name)
    return float(values[lesson.person.ix + margin, lesson.person.iy + margin])


def _shares(lesson: Lesson, name: str) -> tuple[Array, int]:
    """Share of reports that name each cell, and how many cells the array goes beyond the city."""
    mechanism, reports = lesson.mechanisms[name], lesson.reports[name]
    picture = mechanism.report_map(mechanism.aggregate(reports))
    share = picture.values if isinstance(mechanism, SEMGeoI) else picture.values / len(reports)
    return share, -picture.origin[0]


def _margin(mechanism: Mechanism, cells: list[tuple[int, int]]) -> int:
    """How many cells beyond the city some cells lie: a map must show them."""
    beyond = [max(-x, -y, x - mechanism.d + 1, y - mechanism.d + 1) for x, y in cells]
    return max(0, *beyond) if beyond else 0


def named_cells(mechanism: Mechanism, report: NDArray[Any]) -> list[tuple[int, int]]:
    """The cells one report names; none for an empty one."""
    if isinstance(mechanism, SEMGeoI):
        return [divmod(int(cell), mechanism.d) for cell in report if cell >= 0]
    return [(int(report[0]), int(report[1]))]


def _centre(lesson: Lesson, cell: tuple[float, float]) -> maps.Point:
    west, south, _, _ = lesson.population.grid.bounds
    width, height = lesson.population.grid.cell_size
    return west + (cell[0] + 0.5) * width, south + (cell[1] + 0.5) * height


def _backdrop(lesson: Lesson) -> maps.Backdrop:
    entry = lesson.loaded.entry
    return maps.Backdrop(entry.is_geographic, is_dark(), outline_of(entry.outline))


def heading(mechanism: Mechanism, name: str) -> str:
    """Name, notion and budget of a mechanism."""
    budget = f"ε = {mechanism.epsilon:g}" if mechanism.notion == "LDP" else f"ε′ = {mechanism.epsilon:.3f} per cell"
    return f"**{name}** · {mechanism.notion}, {budget}"


def _three_maps(
    lesson: Lesson, pictures: dict[str, tuple[str, str, maps.Picture]], scale: Scale, meaning: str, marks: str
) -> None:
    zooms, labels = {}, {}
    for column, (name, (caption, alternative, picture)) in zip(
        st.columns(3, gap="small"), pictures.items(), strict=True
    ):
        key = name.lower().replace(" ", "-")
        with column, st.container(key=f"map-{key}"):
            st.markdown(f"{heading(lesson.mechanisms[name], name)}  \n:small[{caption}]")
            st.pydeck_chart(
                maps.deck(picture, scale, _backdrop(lesson)), height=maps.MAP_HEIGHT, key=f"deck-{key}", alt=alternative
            )
        zooms[f"map-{key}"] = maps.zoom_of(picture.grid, lesson.loaded.entry.is_geographic)
        labels[f"map-{key}"] = maps.labels(picture)
    components.maps_in_step(zooms)
    components.values_on_hover(labels, "values-on-maps")
    st.html(captions.legend(scale, meaning))
    st.caption(marks)


def sample_reports(lesson: Lesson) -> None:
    """Step 1: many reports of the one person under each mechanism."""
    person = lesson.person
    shares = {name: _shares(lesson, name) for name in lesson.mechanisms}
    top = max(float(np.nanquantile(values, 0.99)) for values, _ in shares.values())
    scale = Scale(0.0, top or max(float(np.nanmax(values)) for values, _ in shares.values()), is_dark())
    rng = np.random.default_rng([lesson.choices.seed, 2])
    pictures, rows = {}, []
    for name, (values, margin) in shares.items():
        mechanism = lesson.mechanisms[name]
        cells = [cell for report in lesson.reports[name][:_DOTS] for cell in named_cells(mechanism, report)]
        jitter = rng.uniform(-0.4, 0.4, (len(cells), 2))
        dots = [_centre(lesson, (x + dx, y + dy)) for (x, y), (dx, dy) in zip(cells, jitter.tolist(), strict=True)]
        figures = _report_figures(lesson, name)
        texts = np.array([f"named in {share:.2%} of reports" for share in values.ravel()]).reshape(values.shape)
        pictures[name] = (
            _what_a_report_is(mechanism),
            f"Reports of one person under {name}: {figures['own cell named']} name her own cell, half of the named "
            f"cells lie within {figures['half of the named cells within']}",
            maps.Picture(
                values,
                lesson.population.grid.extended(margin),
                texts,
                lesson.population.grid,
                marks=maps.Marks(person=(person.x, person.y), dots=dots),
            ),
        )
        rows.append({"Mechanism": name, **figures})
    _three_maps(
        lesson,
        pictures,
        scale,
        "of the reports name the cell (or more); the same scale for the three maps",
        f"Orange: the person. Colours: {len(lesson.reports['DAM']):,} simulated reports. Pink dots: the cells named by "
        f"the first {_DOTS} of them, each dot somewhere in its cell. Frame: the city.",
    )
    table = pd.DataFrame(rows).set_index("Mechanism")
    st.table(table.rename(columns=lambda name: name[0].upper() + name[1:]))


def _what_a_report_is(mechanism: Mechanism) -> str:
    if isinstance(mechanism, SEMGeoI):
        cells = "one cell" if mechanism.k == 1 else f"{mechanism.k} cells at once"
        return f"a report names {cells}, or nothing"
    if isinstance(mechanism, SAM):
        return f"a report names one cell, up to {mechanism.b} cells outside"
    return "a report names one cell; outside becomes the edge"


def _report_figures(lesson: Lesson, name: str) -> dict[str, str]:
    mechanism, reports = lesson.mechanisms[name], lesson.reports[name]
    cells = reports.ravel() if isinstance(mechanism, SEMGeoI) else None
    if cells is not None:
        cells = np.stack(np.divmod(cells[cells >= 0], mechanism.d), axis=1)
    named = reports if cells is None else cells
    distance = np.hypot(named[:, 0] - lesson.person.ix, named[:, 1] - lesson.person.iy)
    empty = float((reports[:, 0] < 0).mean()) if isinstance(mechanism, SEMGeoI) else 0.0
    side = lesson.population.grid.cell_size_m
    return {
        "own cell named": f"{own_cell_share(lesson, name):.1%}",
        "half of the named cells within": length(float(np.median(distance)), side) if distance.size else "–",
        "nine in ten within": length(float(np.quantile(distance, 0.9)), side) if distance.size else "–",
        "empty reports": f"{empty:.1%}",
    }


def concluded(lesson: Lesson, name: str, prior: NDArray[np.int64] | None) -> Conclusion:
    """What the attacker makes of the first simulated report."""
    return conclusion(lesson.mechanisms[name], lesson.reports[name][0], prior)


def conclusions(lesson: Lesson) -> None:
    """Step 2: the attacker's belief after one report, its region, the best guess and their figures."""
    person, side = lesson.person, lesson.population.grid.cell_size_m
    if lesson.choices.knows_city and person.neighbours == 0:
        st.warning("Nobody lives in this cell, so an attacker who knows the city will never think of it.")
    found = {name: concluded(lesson, name, lesson.prior) for name in lesson.mechanisms}
    top = max(float(np.quantile(entry.belief, 0.99)) for entry in found.values())
    scale = Scale(0.0, top or 1.0, is_dark())
    pictures = {}
    for name, entry in found.items():
        cells = named_cells(lesson.mechanisms[name], lesson.reports[name][0])
        margin = _margin(lesson.mechanisms[name], cells)
        padded = np.pad(entry.belief, margin, constant_values=np.nan)
        texts = np.array([f"believed with {share:.2%}" for share in padded.ravel()]).reshape(padded.shape)
        pictures[name] = (
            _said(lesson, name),
            f"Belief after one report under {name}: 95 % of it in {int(entry.region.sum())} cells, expected error "
            f"{length(entry.expected_distance, side)}",
            maps.Picture(
                padded,
                lesson.population.grid.extended(margin),
                texts,
                lesson.population.grid,
                marks=maps.Marks(
                    person=(person.x, person.y),
                    reported=[_centre(lesson, cell) for cell in cells],
                    guess=_centre(lesson, entry.guess),
                    borders=maps.region_border(entry.region, lesson.population.grid),
                ),
            ),
        )
    _three_maps(
        lesson,
        pictures,
        scale,
        "of the belief in one cell (or more); the same scale for the three maps",
        "Orange dot: the person. Pink ring: the report. Orange line: the smallest area with 95 % of the belief; among "
        "equally likely cells those around the guess. Blue dot: the best guess. Simulated reports.",
    )
    averages = _risks(lesson)
    st.table(_conclusion_table(lesson, found, averages).set_index("Mechanism"))
    before = averages["DAM"].prior_distance
    st.caption(
        f"Without any report the best guess is {length(before, side)} off on average. The last two columns are "
        "averages over everybody and all their reports; SEM-Geo-I’s are simulated to 1 % where there are too many "
        "different ones."
    )


def _said(lesson: Lesson, name: str) -> str:
    cells = named_cells(lesson.mechanisms[name], lesson.reports[name][0])
    if not cells:
        return "the report: nothing, which also tells something"
    if len(cells) > 1:
        return f"the report: {len(cells)} cells"
    away = np.hypot(cells[0][0] - lesson.person.ix, cells[0][1] - lesson.person.iy)
    return (
        "the report: her own cell"
        if away == 0
        else f"the report: {length(away, lesson.population.grid.cell_size_m)} off"
    )


def _risk(mechanism: Mechanism, prior: NDArray[np.int64] | None) -> Iterator[Risk]:
    yield risk(mechanism, prior)


def _risks(lesson: Lesson) -> dict[str, Risk]:
    found = {}
    for name, mechanism in lesson.mechanisms.items():
        key = ("risk", *lesson.key[:-1], name, lesson.choices.knows_city)
        job = jobs_for(lesson.choices).start(key, partial(_risk, mechanism, lesson.prior))
        if not wait_for(job, f"Averaging over all reports of {name}"):
            st.error("The averages could not be computed. Change ε or d.")
            st.stop()
        found[name] = job.results[0]
    return found


def _conclusion_table(lesson: Lesson, found: dict[str, Conclusion], averages: dict[str, Risk]) -> pd.DataFrame:
    side, person = lesson.population.grid.cell_size_m, lesson.person

    def area(cells: int) -> str:
        return f"{cells} cells" + ("" if side is None else f" ({cells * side**2 / 1e6:.1f} km²)")

    return pd.DataFrame(
        [
            {
                "Mechanism": name,
                "This report: expected error": length(entry.expected_distance, side),
                "95 % of the belief": area(int(entry.region.sum())),
                "Belief in her cell": f"{entry.belief[person.ix, person.iy]:.1%}",
                "All reports: expected error": length(averages[name].expected_distance, side),
                "Best guess is right": f"{averages[name].hit_rate:.1%}",
            }
            for name, entry in found.items()
        ]
    )
