"""Step 1 of the lesson: where the reports of one person fall. And what the maps of all steps have in common."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from spatialldp.dashboard.lesson.state import LessonState
from spatialldp.dashboard.shared import captions, components, maps
from spatialldp.dashboard.shared.page_setup import is_dark
from spatialldp.drawing.colours import Scale, highest
from spatialldp.drawing.outlines import outline_of

Array = NDArray[np.float64]

#: Reports whose cells are drawn as dots.
DOTS = 150
_MAPS_PER_ROW = 3


class LessonMap(NamedTuple):
    """The map of one mechanism."""

    name: str
    """The name of the mechanism."""
    caption: str
    """What it shows, in small print above it."""
    alternative: str
    """The same in words, for those who cannot see the map."""
    picture: maps.Picture
    """The map itself."""


def draw_maps(lesson: LessonState, found: list[LessonMap], scale: Scale, meaning: str, marks: str) -> None:
    """One map per mechanism, which move together, over one legend."""
    entry, areas, labels = lesson.loaded.entry, {}, {}
    backdrop = maps.Backdrop(entry.is_geographic, is_dark(), outline_of(entry.outline))
    for start in range(0, len(found), _MAPS_PER_ROW):
        row = found[start : start + _MAPS_PER_ROW]
        for column, one in zip(st.columns(_MAPS_PER_ROW, gap="small"), row, strict=False):
            key = one.name.lower().replace(" ", "-")
            with column, st.container(key=f"map-{key}"):
                st.markdown(f"{_heading(lesson, one.name)}  \n:small[{one.caption}]")
                st.pydeck_chart(
                    maps.deck(one.picture, scale, backdrop),
                    height=maps.MAP_HEIGHT,
                    key=f"deck-{key}",
                    alt=one.alternative,
                )
            areas[f"map-{key}"] = one.picture.view
            labels[f"map-{key}"] = maps.labels(one.picture)
    components.maps_in_step(areas, entry.is_geographic)
    components.values_on_hover(labels, "values-on-maps")
    st.html(captions.legend(scale, f"{meaning} (or more); the same scale for all maps"))
    st.caption(marks)


def _heading(lesson: LessonState, name: str) -> str:
    """Name, notion and budget of a mechanism."""
    mechanism = lesson.mechanisms[name]
    budget = f"ε = {mechanism.epsilon:g}" if mechanism.notion == "LDP" else f"ε′ = {mechanism.epsilon:.3f} per cell"
    return f"**{name}** · {mechanism.notion}, {budget}"


def centre(lesson: LessonState, cell: tuple[float, float]) -> maps.Point:
    """The middle of a cell, which may lie outside the city."""
    west, south, _, _ = lesson.population.grid.bounds
    width, height = lesson.population.grid.cell_size
    return west + (cell[0] + 0.5) * width, south + (cell[1] + 0.5) * height


def own_cell_share(lesson: LessonState, name: str) -> float:
    """Share of the simulated reports that name the person's own cell."""
    cells, report = lesson.mechanisms[name].named_cells(lesson.reports[name])
    own = (cells == [lesson.person.ix, lesson.person.iy]).all(axis=1)
    return np.unique(report[own]).size / len(lesson.reports[name])


def _shares(lesson: LessonState, name: str) -> tuple[Array, int]:
    """Share of reports that name each cell, and how many cells the array goes beyond the city."""
    mechanism, reports = lesson.mechanisms[name], lesson.reports[name]
    values, origin, _ = mechanism.report_map(mechanism.aggregate(reports))
    return (values if mechanism.map_shows == "share of reports" else values / len(reports)), -origin[0]


def sample_reports(lesson: LessonState) -> None:
    """Many reports of the one person under each mechanism."""
    person, grid = lesson.person, lesson.population.grid
    shares = {name: _shares(lesson, name) for name in lesson.mechanisms}
    top = max(highest(values, 0.99) for values, _ in shares.values())
    # A map may show nothing at all, and a scale needs two ends.
    scale = Scale(0.0, top or max(highest(values) for values, _ in shares.values()) or 1.0, is_dark())
    rng = np.random.default_rng([lesson.choices.seed, 2])
    found, rows = [], []
    for name, (values, margin) in shares.items():
        cells = lesson.mechanisms[name].named_cells(lesson.reports[name][:DOTS]).cells
        dots = [centre(lesson, (x, y)) for x, y in (cells + rng.uniform(-0.4, 0.4, cells.shape)).tolist()]
        figures = _figures(lesson, name)
        texts = np.array([f"named in {share:.2%} of reports" for share in values.ravel()]).reshape(values.shape)
        found.append(
            LessonMap(
                name,
                lesson.mechanisms[name].report_meaning,
                f"Reports of one person under {name}: {figures.own_cell} name her own cell, half of the named cells "
                f"lie within {figures.half_within}",
                maps.Picture(
                    values,
                    grid.extended(margin),
                    texts,
                    grid,
                    marks=maps.Marks(person=(person.x, person.y), dots=dots),
                ),
            )
        )
        rows.append(
            {
                "Mechanism": name,
                "Own cell named": figures.own_cell,
                "Half of the named cells within": figures.half_within,
                "Nine in ten within": figures.nine_in_ten_within,
                "Empty reports": figures.empty,
            }
        )
    draw_maps(
        lesson,
        found,
        scale,
        "of the reports name the cell",
        f"Orange: the person. Colours: {len(lesson.reports[found[0].name]):,} simulated reports. Pink dots: the cells "
        f"named by the first {DOTS} of them, each dot somewhere in its cell. Frame: the city.",
    )
    st.table(pd.DataFrame(rows).set_index("Mechanism"))


class _Figures(NamedTuple):
    """Where the simulated reports of the person fall, in words."""

    own_cell: str
    """Share of reports that name her own cell."""
    half_within: str
    """The distance within which half of all named cells lie."""
    nine_in_ten_within: str
    """The same for nine in ten."""
    empty: str
    """Share of reports that name no cell."""


def _figures(lesson: LessonState, name: str) -> _Figures:
    cells, report = lesson.mechanisms[name].named_cells(lesson.reports[name])
    distance = np.hypot(cells[:, 0] - lesson.person.ix, cells[:, 1] - lesson.person.iy)

    def within(share: float) -> str:
        return captions.length(float(np.quantile(distance, share)), lesson.side) if distance.size else "–"

    empty = 1 - np.unique(report).size / len(lesson.reports[name])
    return _Figures(f"{own_cell_share(lesson, name):.1%}", within(0.5), within(0.9), f"{empty:.1%}")
