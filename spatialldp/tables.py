"""The whole numbers a device draws from, and how one uniform whole number becomes a report.

    P(out | in) = (far + extra(out − in)) / total,   total = far·outputs + Σ extra, the same for every input.

A ratio of probabilities is then a ratio of whole numbers, so a privacy loss is checked with integers alone: the
numbers here *are* the mechanism that a device runs, whatever the formulas it was made from were rounded to.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from spatialldp import _validation as validate
from spatialldp._exact import exact_budget, exponential_floor, uniform_below

#: Totals stay below 2⁵³, so that every number in a table, and every sum of them, is exact in a double as well:
#: a device that knows only doubles can run the same table.
TOTAL_BITS = 53

Cells = NDArray[np.int64]

#: Devices of Geo-I mechanisms draw at an ε that is smaller by this share (or by as much as at the second number, where
#: ε is below it): it pays for the rounding of what they draw from, and changes no digit that anybody sees.
_SLACK, _SLACK_AT_LEAST = 2.0**-24, 2.0**-10


def with_slack(epsilon: float) -> float:
    """The ε⁻ < ε that a Geo-I device draws at: ε − ε⁻ ≥ 2⁻³⁴, so errors of one part in 2³⁶ do not cost privacy."""
    smaller = epsilon - _SLACK * max(epsilon, _SLACK_AT_LEAST)
    if smaller <= epsilon / 2:
        raise ValueError(f"epsilon must be larger for a device that draws exactly, got {epsilon:g} per cell")
    return smaller


class WeightTable:
    """The whole numbers behind one kind of report. Made only if every report that any cell can send is an output, and
    every output can come from every cell.

    Args:
        far: weight of every output.
        extras: what is added to it at each offset from the truth, (offsets,).
        outputs: all reports, (n, axes).
        offsets: of the extras, (offsets, axes), in cells.
        side: cells of the grid along each axis.
        clamped: whether a report beyond the grid moves to its nearest cell.

    Raises:
        ValueError: a weight is below 1, the total is too large, outputs or offsets repeat, or an output is missing.
    """

    def __init__(
        self, far: int, extras: Sequence[int], outputs: Cells, offsets: Cells, side: int, clamped: bool = False
    ) -> None:
        kept = [index for index, extra in enumerate(extras) if extra]
        self.far = far
        self.extras = [extras[index] for index in kept]
        self.outputs, self.offsets, self.side, self.clamped = outputs, offsets[kept], side, clamped
        #: Below this number a draw is blind: any output, all alike.
        self.blind = far * len(outputs)
        self.total = self.blind + sum(self.extras)
        if not (far >= 1 and min(self.extras, default=1) >= 1 and self.total < 2**TOTAL_BITS):
            raise ValueError(f"a table must have weights ≥ 1 and a total below 2^{TOTAL_BITS}, got {self.total}")
        for name, rows in (("outputs", outputs), ("offsets", self.offsets)):
            if len(np.unique(rows, axis=0)) < len(rows):
                raise ValueError(f"{name} must differ, or their weights would add up to more than each was allowed")
        if not clamped and not self._lands_in_outputs():
            raise ValueError("outputs must hold all that any cell can send, or some reports would give a cell away")

    def _lands_in_outputs(self) -> bool:
        """Whether every cell plus every offset is an output."""
        if not len(self.offsets):
            return True
        low = self.offsets.min(axis=0)
        reached = np.zeros(self.offsets.max(axis=0) - low + self.side)
        reached[tuple((self.offsets - low).T)] = 1
        # Every offset, moved by 0 … side − 1 along each axis: running sums over as many places.
        for axis in range(reached.ndim):
            total = np.cumsum(reached, axis=axis)
            before = np.roll(total, self.side, axis=axis)
            before[(slice(None),) * axis + (slice(0, self.side),)] = 0
            reached = total - before
        known = {tuple(row) for row in self.outputs.tolist()}
        return known.issuperset(map(tuple, (np.argwhere(reached > 0.5) + low).tolist()))

    @classmethod
    def near_and_far(
        cls, epsilon: float, shape: NDArray[np.float64], outputs: Cells, offsets: Cells, side: int
    ) -> WeightTable:
        """The table of P ∝ 1 + (e^ε − 1)·shape, 0 ≤ shape ≤ 1, with a loss of at most ε.

        Proof: the weight of an output lies between far and far + extra ≤ far·(1 + gain·shape) ≤ far·(1 + gain), with
        1 + gain ≤ e^ε because both the bound of e^ε and the extras are rounded *down*; totals are equal, so a ratio
        of probabilities is at most 1 + gain. Errors of the shape's floats cost accuracy, never privacy.
        """
        if not ((shape >= 0) & (shape <= 1)).all():
            raise ValueError(
                f"shape must lie between 0 and 1, got {shape.min():g} to {shape.max():g}: no table keeps ε"
            )
        gain = exponential_floor(exact_budget(epsilon)) - 1
        kinds, which, number = np.unique(shape, return_inverse=True, return_counts=True)
        values = [Fraction(kind) for kind in kinds.tolist()]
        whole = sum((value * count for value, count in zip(values, number.tolist(), strict=True)), Fraction(0))
        largest = 2**TOTAL_BITS - 1
        far = largest // math.ceil(len(outputs) + gain * whole)
        if far == 0:
            # e^ε is beyond the numbers of the table: the far outputs keep the least weight, and the loss is below ε.
            far, gain = 1, (largest - len(outputs)) / whole
        weights = [math.floor(far * gain * value) for value in values]
        return cls(far, [weights[index] for index in which.tolist()], outputs, offsets, side)

    # -- drawing ---------------------------------------------------------------------------------

    @cached_property
    def _cumulated(self) -> NDArray[np.int64]:
        return np.cumsum(np.array(self.extras, dtype=np.int64))

    @cached_property
    def _padded(self) -> list[int]:
        """The cumulated extras, filled up to a power of two with numbers no draw reaches."""
        cumulated = self._cumulated.tolist()
        return cumulated + [self.total] * ((1 << len(cumulated).bit_length()) - len(cumulated))

    def decode(self, u: int, *cell: int) -> tuple[int, ...]:
        """The report that u, a whole number below `total`, stands for when the truth is `cell`.

        Both answers, the blind one and the near one, are worked out for every u in a fixed number of steps, and one is
        picked by arithmetic: how long it takes gives nothing away.
        """
        near = int(u >= self.blind)
        blind = self.outputs[(u * (1 - near)) // self.far]
        rest, position, step = (u - self.blind) * near, 0, len(self._padded) // 2
        while step:
            position += step * int(self._padded[position + step - 1] <= rest)
            step //= 2
        offset = self.offsets[min(position, len(self.offsets) - 1)] if len(self.offsets) else 0 * blind
        report = [
            near * (at + int(by)) + (1 - near) * int(any_) for at, by, any_ in zip(cell, offset, blind, strict=True)
        ]
        return tuple([min(max(at, 0), self.side - 1) for at in report] if self.clamped else report)

    def draw(self, cells: Cells, rng: np.random.Generator | None) -> Cells:
        """One report for each row of `cells` (n, axes): `decode` of a uniform number each.

        A single report, which is what a device draws, takes the same time whatever it is; many at once, a simulation,
        are only fast.
        """
        u = uniform_below(self.total, len(cells), rng)
        if len(cells) == 1:
            return np.array([self.decode(int(u[0]), *cells[0].tolist())], dtype=np.int64)
        return self.decode_all(u, cells)

    def decode_all(self, u: NDArray[np.int64], cells: Cells) -> Cells:
        """`decode` of each u (n,) for each row of `cells` (n, axes), all at once."""
        offsets = np.searchsorted(self._cumulated, u - self.blind, side="right")
        blind = np.flatnonzero(u < self.blind)
        reports = cells + self.offsets[offsets] if len(self.offsets) else cells.copy()
        if self.clamped:
            np.clip(reports, 0, self.side - 1, out=reports)
        reports[blind] = self.outputs[u[blind] // self.far]
        return reports

    # -- what it amounts to ----------------------------------------------------------------------

    @cached_property
    def _index(self) -> tuple[Cells, NDArray[np.int64]]:
        """(lowest output, number of the output at each place from there on; −1 for none)."""
        low = self.outputs.min(axis=0)
        index = np.full(self.outputs.max(axis=0) - low + 1, -1)
        index[tuple((self.outputs - low).T)] = np.arange(len(self.outputs))
        return low, index

    def weights(self, *cell: int) -> NDArray[np.int64]:
        """How many of the `total` numbers stand for each output when the truth is `cell`, (n,): the whole truth
        about what a device there sends."""
        cell = tuple(validate.whole_number("cell", number, 0, self.side - 1) for number in cell)
        low, index = self._index
        landing = np.array(cell) + self.offsets
        if self.clamped:
            landing = np.clip(landing, 0, self.side - 1)
        weights = np.full(len(self.outputs), self.far, dtype=np.int64)
        np.add.at(weights, index[tuple((landing - low).T)], np.array(self.extras, dtype=np.int64))
        return weights

    def largest_ratio(self) -> Fraction | float:
        """The largest ratio of a report's probabilities from any two cells, where no offset moves to a border.

        The extras of one output from all cells are a window, `side` wide along each axis, of those over all offsets.
        """
        if not len(self.offsets):
            return Fraction(1)
        low = self.offsets.min(axis=0) - (self.side - 1)
        extras = np.zeros(self.offsets.max(axis=0) - low + self.side, dtype=np.int64)
        extras[tuple((self.offsets - low).T)] = self.extras
        most = least = extras
        for axis in range(extras.ndim):
            most = sliding_window_view(most, self.side, axis).max(axis=-1)
            least = sliding_window_view(least, self.side, axis).min(axis=-1)
        return largest_ratio(self.far + most.ravel(), self.far + least.ravel())


def largest_ratio(first: NDArray[np.int64], second: NDArray[np.int64]) -> Fraction | float:
    """The largest of first/second over all reports, exactly; both are weights of equal total. Infinite where the second
    cannot send what the first can.

    Doubles find the candidates: weights below 2⁵³ are exact in them and a quotient is off by one rounding, so the
    true maximum is among those within four roundings of the largest quotient.
    """
    if ((second <= 0) & (first > 0)).any():
        return math.inf
    first, second = first[second > 0], second[second > 0]
    quotient = first / second
    candidates = np.flatnonzero(quotient >= quotient.max() * (1 - 2.0**-50))
    pairs = {(int(first[at]), int(second[at])) for at in candidates}
    return max(Fraction(numerator, denominator) for numerator, denominator in pairs)
