"""Mechanisms whose reports are cells: what they have in common."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spatialldp import _validation as validate
from spatialldp.estimation import EMOptions, Estimate, expectation_maximization
from spatialldp.mechanisms.base import Mechanism
from spatialldp.mechanisms.records import ListedReports, NamedCells, TruthfulShare
from spatialldp.operators import Operator

#: Cells whose likelihoods are looked at together in `truthful_share`.
_TRUTHFUL_CHUNK = 64


class CellReportMechanism(Mechanism):
    """A mechanism whose reports are cells, counted per cell and recovered by EM through its `operator`.

    Args:
        epsilon: the privacy budget, above 0 and at most 100; for Geo-I, per cell of distance.
        d: cells per side of the grid, 1 to `largest_d`.

    Raises:
        ValueError: a parameter is not a number in its range.

    Example:
        >>> import numpy as np
        >>> from spatialldp import DAM
        >>> mechanism = DAM(epsilon=3.0, d=2, b=1)
        >>> mechanism.output_cells[:3].tolist()  # where reports can lie, from −b to d+b−1
        [[-1, -1], [-1, 0], [-1, 1]]
        >>> mechanism.operator.forward(np.full((2, 2), 0.25)).shape  # expected shares of reports, (d+2b, d+2b)
        (4, 4)
    """

    uses_em = True
    honours_mask = True
    takes_long = True
    lists_reports = True

    @property
    @abstractmethod
    def operator(self) -> Operator:
        """The mechanism as a linear map from cells to reports."""

    @property
    @abstractmethod
    def output_cells(self) -> NDArray[np.int64]:
        """Cells a report can lie in, (n_outputs, 2), sorted by (ix, iy)."""

    @abstractmethod
    def _checked_reports(self, reports: ArrayLike) -> NDArray[np.float64]:
        """Report counts of the right shape, or an error that says what is wrong."""

    def _checked_report_cells(self, reports: ArrayLike) -> NDArray[np.int64]:
        """Reports (n, 2) that the mechanism can send: one of the output cells each."""
        cells = self._checked_rows(reports, 2)
        outside = self.reports_outside
        low, high = -outside, self.d - 1 + outside
        wrong: NDArray[np.bool_] = np.any((cells < low) | (cells > high), axis=1)
        self._refuse_rows(cells, wrong, f"cells {low} to {high}")
        return cells

    def _estimate(self, reports: ArrayLike, options: EMOptions | None) -> Estimate:
        return expectation_maximization(self.operator, self._checked_reports(reports), options)

    def named_cells(self, reports: ArrayLike) -> NamedCells:
        """The cell of each report (n, 2)."""
        cells = self._checked_report_cells(reports)
        return NamedCells(cells, np.arange(len(cells)))

    @property
    def report_meaning(self) -> str:
        """One cell, perhaps outside the grid."""
        outside = self.reports_outside
        return f"a report names one cell, up to {outside} cells outside" if outside else "a report names one cell"

    def truthful_share(self, counts: ArrayLike) -> TruthfulShare:
        """The expected share of people whose report is their own cell."""
        people = self._checked_counts(counts)
        cells = np.flatnonzero(people)
        own = np.empty(cells.size)
        for start in range(0, cells.size, _TRUTHFUL_CHUNK):
            part = cells[start : start + _TRUTHFUL_CHUNK]
            own[start : start + _TRUTHFUL_CHUNK] = np.diagonal(
                self.likelihoods(np.stack(np.divmod(part, self.d), axis=1), part)
            )
        return TruthfulShare(float(np.average(own, weights=people.flat[cells])), "name their own cell")

    def listed_reports(self, mirrored: bool = False) -> ListedReports:
        """Every output cell, or one of each kind of mirror images."""
        validate.instance("mirrored", mirrored, bool)
        cells = self.output_cells
        if not (mirrored and self.mirror_symmetric):
            return ListedReports(cells, np.ones(len(cells)))
        corner = np.sort(np.minimum(cells, self.d - 1 - cells), axis=1)
        cells, images = np.unique(corner, axis=0, return_counts=True)
        return ListedReports(cells, images.astype(np.float64))
