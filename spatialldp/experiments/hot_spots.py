"""Hot spots: the fullest cells of a map, and whether a recovered map has them. Equal values share their ranks.

Recovered maps may be constant over blocks. Were ties broken by cell number, such a map would be praised or blamed for
how cells happen to be numbered; so every figure here is the expectation over ties broken at random.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spatialldp import _validation as validate

Array = NDArray[np.float64]

#: How many cells a figure is about.
HOTTEST = 5
#: How many cells a table lists.
LISTED = 10

#: Values that differ by less than this share of the largest one are equal but for rounding.
_DIGITS = 12


class Rank(NamedTuple):
    """The ranks that a cell shares with those of the same value; 1 is the fullest.

    Attributes:
        first: the best of them.
        last: the worst; the same where no other cell has that value.

    Example:
        >>> from spatialldp.experiments.hot_spots import Rank
        >>> str(Rank(2, 2)), str(Rank(3, 5))
        ('2', '3–5')
    """

    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.first}" if self.first == self.last else f"{self.first}–{self.last}"


class HotSpot(NamedTuple):
    """A cell that is among the fullest, truly or in the recovered map.

    Attributes:
        ix: its column, from the west.
        iy: its row, from the south.
        people: how many are there, in the unit of the true map.
        recovered: how many the recovered map shows there, in the same unit.
        true_rank: its ranks in the true map.
        recovered_rank: its ranks in the recovered map.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments import hot_spots
        >>> hot_spots(np.array([[50, 40], [30, 20]]), np.array([[0.4, 0.3], [0.3, 0.0]]), number=2)[1]
        HotSpot(ix=0, iy=1, people=40.0, recovered=42.0, true_rank=Rank(first=2, last=2), \
recovered_rank=Rank(first=2, last=3))
    """

    ix: int
    iy: int
    people: float
    recovered: float
    true_rank: Rank
    recovered_rank: Rank


def hottest_cells(values: Array, number: int = HOTTEST) -> NDArray[np.int64]:
    """The fullest cells of a map, one after the other. Of equal ones that with the lower number comes first.

    Args:
        values: of the cells, (d, d), in any unit.
        number: how many cells at most.

    Returns:
        Their flat numbers ix·d + iy, the fullest first; empty cells are never among them.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments.hot_spots import hottest_cells
        >>> hottest_cells(np.array([[5.0, 4.0], [0.0, 7.0]])).tolist()
        [3, 0, 1]
    """
    flat = validate.real_array("values", values).ravel()
    order = np.argsort(-flat, kind="stable")[: validate.whole_number("number", number, 0)]
    return order[flat[order] > 0]


def surviving_hotspots(true: Array, recovered: Array, number: int = HOTTEST) -> tuple[float, int]:
    """How many of the truly fullest cells are also among the fullest of the recovered map.

    Args:
        true: the true map, (d, d), in any unit.
        recovered: the recovered map, (d, d), in any unit.
        number: how many cells are looked at; fewer where fewer are inhabited.

    Returns:
        How many survive, in expectation over ties broken at random (a whole number where there are none), and of how
        many.

    Raises:
        ValueError: a map is not an array of finite numbers, the two have different shapes, or `number` is not a whole
            number ≥ 0.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments import surviving_hotspots
        >>> true, recovered = np.array([[5.0, 4.0], [3.0, 0.0]]), np.array([[0.0, 4.0], [3.0, 5.0]])
        >>> surviving_hotspots(true, recovered)
        (2.0, 3)
        >>> surviving_hotspots(true, np.full((2, 2), 0.25))  # says nothing: each cell has three chances out of four
        (2.25, 3)
    """
    true, recovered = _pair(true, recovered)
    number = min(validate.whole_number("number", number, 0), int(np.count_nonzero(true > 0)))
    return float(np.sum(_chance_of_being_among(true, number) * _chance_of_being_among(recovered, number))), number


def hot_spots(true: Array, recovered: Array, number: int = LISTED) -> list[HotSpot]:
    """The fullest cells for a table: the truly fullest ones, and those that the recovered map takes for such.

    Args:
        true: the true map, (d, d), in any unit; people per cell to read people.
        recovered: the recovered map, (d, d), in any unit; it is scaled to the total of the true one.
        number: how many of the truly fullest cells; fewer where fewer are inhabited. Where the last ranks are shared by
            more cells than have room, those that the recovered map ranks highest are listed.

    Returns:
        The cells by true rank: `number` of the truly fullest, and up to as many that are wrongly among as many of the
        recovered map (at least as likely as not, where ties are broken at random).

    Raises:
        ValueError: a map is not square, holds anything but numbers ≥ 0 or nothing but zeros; the shapes differ; or
            `number` is not a whole number ≥ 0.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments import hot_spots
        >>> found = hot_spots(np.array([[50, 40], [30, 20]]), np.array([[0.4, 0.1], [0.2, 0.3]]), number=2)
        >>> [(spot.ix, spot.iy, str(spot.true_rank), str(spot.recovered_rank)) for spot in found]
        [(0, 0, '1', '1'), (0, 1, '2', '4'), (1, 1, '4', '2')]
    """
    true = validate.square_map("true", true)
    recovered = validate.square_map("recovered", recovered, true.shape)
    validate.refuse_overflow("true", true)
    number = min(validate.whole_number("number", number, 0), int(np.count_nonzero(true)))
    true_first, true_last = _ranks(true)
    found_first, found_last = _ranks(recovered)
    order = np.lexsort((found_first, true_first))
    fullest = order[:number]
    # At least as likely as not: a block of many equal cells is a hot spot of the map, a map that is all equal has none.
    # A cell that is recovered as empty is none either, however many there are on the same rank.
    likely = (_chance_of_being_among(recovered, number).ravel() >= 0.5) & (recovered.ravel() > 0)
    taken_for = np.setdiff1d(np.flatnonzero(likely), fullest)
    wrong = taken_for[np.lexsort((true_first[taken_for], found_first[taken_for]))][:number]
    people = true.ravel()
    shown = validate.shares(recovered).ravel() * people.sum()
    wrong = wrong[np.lexsort((found_first[wrong], true_first[wrong]))]
    return [
        HotSpot(
            int(cell // true.shape[1]),
            int(cell % true.shape[1]),
            float(people[cell]),
            float(shown[cell]),
            Rank(int(true_first[cell]), int(true_last[cell])),
            Rank(int(found_first[cell]), int(found_last[cell])),
        )
        for cell in [*fullest, *wrong]
    ]


def _pair(true: Array, recovered: Array) -> tuple[Array, Array]:
    true, recovered = validate.real_array("true", true), validate.real_array("recovered", recovered)
    if true.shape != recovered.shape:
        raise ValueError(f"recovered must have the shape of true, {true.shape}, got shape {recovered.shape}")
    return true, recovered


def _ranks(values: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first and the last rank of each cell, both (cells,)."""
    flat = values.ravel()
    scale = np.abs(flat).max() or 1.0
    _, group, sizes = np.unique(-np.round(flat / scale, _DIGITS), return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    return (last - sizes + 1)[group], last[group]


def _chance_of_being_among(values: Array, number: int) -> Array:
    """How likely each cell is among the fullest `number`, if ties are broken at random; in the shape of the values."""
    first, last = _ranks(values)
    chance: Array = np.clip((number - first + 1) / (last - first + 1), 0.0, 1.0)
    return chance.reshape(values.shape)
