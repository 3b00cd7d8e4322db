"""Step 1: where the reports of one person fall."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spatialldp.drawing.colours import Scale, highest
from spatialldp.drawing.marks import Marks
from spatialldp.teaching.pictures import StepPicture
from spatialldp.teaching.scene import REPORTS, Scene
from spatialldp.teaching.wording import in_percent

Array = NDArray[np.float64]

#: Reports whose cells are drawn as dots.
DOTS = 150
MEANING = "of the reports name the cell"
MARKS = (
    f"Orange: the person. Colours: {REPORTS:,} simulated reports. Pink dots: the cells named by the first {DOTS} of "
    "them, each dot somewhere in its cell. Frame: the area."
)
#: What the columns of the table are.
FIGURES = "“Own cell named” is exact; the other columns count the simulated reports."


class ReportFigures(NamedTuple):
    """Where the reports of the person fall.

    Attributes:
        own_cell: probability that a report names the person's own cell, exact: among so few simulated reports that of a
            fine grid is mostly chance.
        half_within: the distance within which half of all cells named by simulated reports lie, in cells; NaN where
            none is named.
        nine_in_ten_within: the same for nine in ten.
        empty: share of simulated reports that name no cell.
    """

    own_cell: float
    half_within: float
    nine_in_ten_within: float
    empty: float


def report_figures(scene: Scene, name: str) -> ReportFigures:
    """The figures of one mechanism."""
    cells, report = scene.mechanisms[name].named_cells(scene.reports[name])
    away = np.hypot(cells[:, 0] - scene.person.ix, cells[:, 1] - scene.person.iy)
    half, nine = (float(np.quantile(away, share)) if away.size else float("nan") for share in (0.5, 0.9))
    return ReportFigures(own_cell_named(scene, name), half, nine, 1 - np.unique(report).size / REPORTS)


def own_cell_named(scene: Scene, name: str) -> float:
    """The probability that a report names the person's own cell, exact."""
    alone = np.zeros((scene.d, scene.d), dtype=np.int64)
    alone[scene.person.ix, scene.person.iy] = 1
    return scene.mechanisms[name].truthful_share(alone).share


def report_rows(scene: Scene) -> list[dict[str, str]]:
    """The figures as the rows of a table."""
    return [
        {
            "Mechanism": name,
            "Own cell named": in_percent(found.own_cell, 1),
            "Half of the named cells within": within(scene, found.half_within),
            "Nine in ten within": within(scene, found.nine_in_ten_within),
            "Empty reports": f"{found.empty:.1%}",
        }
        for name in scene.mechanisms
        for found in [report_figures(scene, name)]
    ]


def within(scene: Scene, cells: float) -> str:
    """A distance in words; a dash where no cell is named."""
    return "–" if np.isnan(cells) else scene.length(cells)


def report_pictures(scene: Scene, dark: bool = False) -> tuple[list[StepPicture], Scale]:
    """A map of the reports under each mechanism, and their one scale."""
    shares = {name: _shares(scene, name) for name in scene.mechanisms}
    top = max(highest(values, 0.99) for values, _ in shares.values())
    # A map may show nothing at all, and a scale needs two ends.
    scale = Scale(0.0, top or max(highest(values) for values, _ in shares.values()) or 1.0, dark)
    rng = np.random.default_rng([scene.seed, 2])
    found = []
    for name, (values, margin) in shares.items():
        cells = scene.mechanisms[name].named_cells(scene.reports[name][:DOTS]).cells
        dots = [scene.centre((x, y)) for x, y in (cells + rng.uniform(-0.4, 0.4, cells.shape)).tolist()]
        figures = report_figures(scene, name)
        found.append(
            StepPicture(
                name,
                scene.mechanisms[name].report_meaning,
                f"Reports of one person under {name}: {in_percent(figures.own_cell, 1)} name their own cell, half of "
                f"the named cells lie within {within(scene, figures.half_within)}",
                values,
                scene.population.grid.extended(margin),
                [f"named in {share:.2%} of reports" for share in values.ravel()],
                Marks(person=(scene.person.x, scene.person.y), dots=dots),
                scene.population.grid,
            )
        )
    return found, scale


def _shares(scene: Scene, name: str) -> tuple[Array, int]:
    """Share of reports that name each cell, and how many cells the array goes beyond the city."""
    mechanism, reports = scene.mechanisms[name], scene.reports[name]
    values, origin, _ = mechanism.report_map(mechanism.aggregate(reports))
    return (values if mechanism.map_shows == "share of reports" else values / len(reports)), -origin[0]
