"""The three maps of a run, true | perturbed | recovered, assembled once for page, picture and printable report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spatialldp.drawing.cells import Lines, cell_image
from spatialldp.drawing.colours import Scale, shared_scale
from spatialldp.grid import Grid
from spatialldp.mechanisms import Mechanism, ReportMap
from spatialldp.population import Population

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Panel:
    """One map of cells."""

    title: str
    """"True", "Perturbed" or "Recovered"."""
    caption: str
    """What it shows, in a few words without a full stop."""
    values: Array
    """Share per cell [ix, iy], fit for the colour scale of the triple; NaN where there is nothing to show."""
    grid: Grid
    """The cells of `values`; those of the perturbed map may go beyond the true area."""
    frame: Grid | None = None
    """The true area, where it is drawn as a frame on wider cells; else None."""

    def image(self, scale: Scale, side: int, outline: Lines = ()) -> Any:
        """A square picture of `side` pixels (PIL)."""
        return cell_image(self.values, self.grid, scale, side, outline, self.frame)


@dataclass(frozen=True)
class MapTriple:
    """The three maps of one run."""

    true: Panel
    """Where people are."""
    perturbed: Panel
    """What their reports look like."""
    recovered: Panel | None
    """What was made of the reports; None before the recovery."""
    report_map: ReportMap
    """The reports as the mechanism itself shows them, in the unit of its caption."""

    @property
    def panels(self) -> tuple[Panel, ...]:
        """Those there are, from the true one to the recovered one."""
        return tuple(panel for panel in (self.true, self.perturbed, self.recovered) if panel is not None)

    def scale(self, dark: bool) -> Scale:
        """The one colour scale of the three."""
        return shared_scale(self.true.values, dark)


def map_triple(population: Population, mechanism: Mechanism, reports: Any, recovered: Array | None) -> MapTriple:
    """The maps of these people, of their summed `reports` (as `mechanism.perturb` returns them) and of the `recovered`
    distribution (d, d), None while there is none."""
    grid, report_map = population.grid, mechanism.report_map(reports)
    return MapTriple(
        Panel("True", "where people are", population.shares, grid),
        Panel(
            "Perturbed",
            report_map.caption,
            mechanism.comparable(report_map.values),
            grid.extended(-report_map.origin[0]),
            grid,
        ),
        None if recovered is None else Panel("Recovered", "what the reports reveal of the true map", recovered, grid),
        report_map,
    )
