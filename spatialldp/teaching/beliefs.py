"""Step 2: what an attacker makes of one report."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from spatialldp.drawing.colours import Scale
from spatialldp.drawing.marks import Marks, region_border
from spatialldp.formatting import counted
from spatialldp.privacy import Conclusion, Risk, conclusion
from spatialldp.teaching.pictures import StepPicture
from spatialldp.teaching.scene import Scene

MEANING = "of the belief in one cell"
MARKS = (
    "Orange dot: the person. Pink ring: the report. Orange line: the smallest area with 95% of the belief (where "
    "cells tie, those nearest the guess). Blue dot: the best guess. Simulated reports."
)


def concluded(scene: Scene, name: str, prior: NDArray[np.int64] | None) -> Conclusion:
    """What the attacker makes of the first simulated report."""
    return conclusion(scene.mechanisms[name], scene.reports[name][0], prior)


def all_concluded(scene: Scene) -> dict[str, Conclusion]:
    """The same for every mechanism, by name, with what the attacker of the scene knows."""
    return {name: concluded(scene, name, scene.prior) for name in scene.mechanisms}


def belief_pictures(
    scene: Scene, found: Mapping[str, Conclusion], dark: bool = False
) -> tuple[list[StepPicture], Scale]:
    """A map of the belief under each mechanism, and their one scale."""
    top = max(float(np.quantile(entry.belief, 0.99)) for entry in found.values())
    grid, pictures = scene.population.grid, []
    for name, entry in found.items():
        cells = scene.mechanisms[name].named_cells(scene.reports[name][:1]).cells
        margin = _margin(cells, grid.d)
        padded = np.pad(entry.belief, margin, constant_values=np.nan)
        pictures.append(
            StepPicture(
                name,
                _said(scene, cells),
                f"Belief after one report under {name}: 95% of it in {counted(int(entry.region.sum()), 'cell')}, "
                f"expected error {scene.length(entry.expected_distance)}",
                padded,
                grid.extended(margin),
                [f"{share:.2%} of the belief" for share in padded.ravel()],
                Marks(
                    person=(scene.person.x, scene.person.y),
                    reported=[scene.centre((x, y)) for x, y in cells.tolist()],
                    guess=scene.centre(entry.guess),
                    borders=region_border(entry.region, grid),
                ),
                grid,
            )
        )
    return pictures, Scale(0.0, top or 1.0, dark)


def _margin(cells: NDArray[np.int64], d: int) -> int:
    """How many cells beyond the city some cells lie: a map must show them."""
    return max(0, int(-cells.min()), int(cells.max()) - d + 1) if cells.size else 0


def _said(scene: Scene, cells: NDArray[np.int64]) -> str:
    """What the report says, in a few words."""
    if not len(cells):
        return "the report: nothing, which also says something"
    if len(cells) > 1:
        return f"the report: {len(cells)} cells"
    away = float(np.hypot(cells[0, 0] - scene.person.ix, cells[0, 1] - scene.person.iy))
    return "the report: the true cell" if away == 0 else f"the report: {scene.length(away)} off"


def belief_rows(scene: Scene, found: Mapping[str, Conclusion], averages: Mapping[str, Risk]) -> list[dict[str, str]]:
    """The figures of this report and of all reports, as the rows of a table."""
    side, person = scene.side, scene.person

    def area(cells: int) -> str:
        return counted(cells, "cell") + ("" if side is None else f" ({cells * side**2 / 1e6:.1f} km²)")

    return [
        {
            "Mechanism": name,
            "This report: expected error": scene.length(entry.expected_distance),
            "95% of the belief": area(int(entry.region.sum())),
            "Belief in the true cell": f"{entry.belief[person.ix, person.iy]:.1%}",
            "All reports: expected error": scene.length(averages[name].expected_distance),
            "Right cell named": f"{averages[name].hit_rate:.1%}",
        }
        for name, entry in found.items()
    ]
