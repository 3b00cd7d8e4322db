"""Step 2 of the lesson: what an attacker makes of one report."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from spatialldp.dashboard.lesson.report_maps import LessonMap, centre, draw_maps
from spatialldp.dashboard.lesson.state import REFERENCE, LessonState
from spatialldp.dashboard.shared import maps
from spatialldp.dashboard.shared.captions import length, listed
from spatialldp.dashboard.shared.chosen_data import jobs_for
from spatialldp.dashboard.shared.page_setup import is_dark
from spatialldp.dashboard.shared.waiting import watch
from spatialldp.drawing.colours import Scale
from spatialldp.mechanisms import Mechanism
from spatialldp.privacy import Conclusion, Risk, conclusion, risk


def concluded(lesson: LessonState, name: str, prior: NDArray[np.int64] | None) -> Conclusion:
    """What the attacker makes of the first simulated report."""
    return conclusion(lesson.mechanisms[name], lesson.reports[name][0], prior)


def conclusions(lesson: LessonState) -> None:
    """The attacker's belief after one report, its region, the best guess and their figures."""
    person, grid = lesson.person, lesson.population.grid
    if lesson.choices.knows_city and person.neighbours == 0:
        st.warning("Nobody lives in this cell, so an attacker who knows the city will never think of it.")
    found = {name: concluded(lesson, name, lesson.prior) for name in lesson.mechanisms}
    top = max(float(np.quantile(entry.belief, 0.99)) for entry in found.values())
    pictures = []
    for name, entry in found.items():
        cells = _first_report(lesson, name)
        margin = _margin(cells, grid.d)
        padded = np.pad(entry.belief, margin, constant_values=np.nan)
        texts = np.array([f"{share:.2%} of the belief" for share in padded.ravel()]).reshape(padded.shape)
        pictures.append(
            LessonMap(
                name,
                _said(lesson, cells),
                f"Belief after one report under {name}: 95 % of it in {int(entry.region.sum())} cells, expected error "
                f"{length(entry.expected_distance, lesson.side)}",
                maps.Picture(
                    padded,
                    grid.extended(margin),
                    texts,
                    grid,
                    marks=maps.Marks(
                        person=(person.x, person.y),
                        reported=[centre(lesson, (x, y)) for x, y in cells.tolist()],
                        guess=centre(lesson, entry.guess),
                        borders=maps.region_border(entry.region, grid),
                    ),
                ),
            )
        )
    draw_maps(
        lesson,
        pictures,
        Scale(0.0, top or 1.0, is_dark()),
        "of the belief in one cell",
        "Orange dot: the person. Pink ring: the report. Orange line: the smallest area with 95 % of the belief (among "
        "equally likely cells, those around the guess). Blue dot: the best guess. Simulated reports.",
    )
    averages = _risks(lesson)
    st.table(_table(lesson, found, averages).set_index("Mechanism"))
    before = averages[REFERENCE].prior_distance
    unlisted = [name for name, mechanism in lesson.mechanisms.items() if not mechanism.lists_reports]
    st.caption(
        f"Without any report the best guess is {length(before, lesson.side)} off on average. The last two columns are "
        "averages over everybody and all their reports"
        + (
            f"; those of {listed(unlisted)} are simulated to within 1 % where too many different reports are possible."
            if unlisted
            else "."
        )
    )


def _first_report(lesson: LessonState, name: str) -> NDArray[np.int64]:
    """The cells (n, 2) that the first simulated report names; none for an empty one."""
    return lesson.mechanisms[name].named_cells(lesson.reports[name][:1]).cells


def _margin(cells: NDArray[np.int64], d: int) -> int:
    """How many cells beyond the city some cells lie: a map must show them."""
    return max(0, int(-cells.min()), int(cells.max()) - d + 1) if cells.size else 0


def _said(lesson: LessonState, cells: NDArray[np.int64]) -> str:
    """What the report says, in a few words."""
    if not len(cells):
        return "the report: nothing, which also says something"
    if len(cells) > 1:
        return f"the report: {len(cells)} cells"
    away = float(np.hypot(cells[0, 0] - lesson.person.ix, cells[0, 1] - lesson.person.iy))
    return "the report: her own cell" if away == 0 else f"the report: {length(away, lesson.side)} off"


def _risk(mechanism: Mechanism, prior: NDArray[np.int64] | None) -> Iterator[Risk]:
    yield risk(mechanism, prior)


def _risks(lesson: LessonState) -> dict[str, Risk]:
    found = {}
    for name, mechanism in lesson.mechanisms.items():
        key = ("risk", *lesson.key, name, lesson.choices.knows_city)
        job = jobs_for(lesson.choices).start(key, partial(_risk, mechanism, lesson.prior))
        if not watch(
            job,
            f"Averaging over all reports of {name}",
            failure="The averages could not be computed. Change ε or d.",
        ):
            st.stop()
        found[name] = job.results[0]
    return found


def _table(lesson: LessonState, found: dict[str, Conclusion], averages: dict[str, Risk]) -> pd.DataFrame:
    side, person = lesson.side, lesson.person

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
