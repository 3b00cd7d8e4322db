"""Maps in words, for somebody who cannot see them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spatialldp import _validation as validate
from spatialldp.experiments.hot_spots import hottest_cells

#: How many cells are named.
_NAMED = 3


def fullest_cells_in_words(values: NDArray[np.float64], number: int = _NAMED) -> str:
    """Where the fullest cells of a map are, and how much of the whole each of them holds.

    Args:
        values: of the cells, (d, d), in any unit; NaN where there is nothing.
        number: how many cells at most.

    Returns:
        A phrase without a full stop. Columns count from the west and rows from the south, from 1.

    Raises:
        ValueError: `values` is not an array of numbers, or `number` is not a whole number ≥ 1.

    Example:
        >>> import numpy as np
        >>> from spatialldp.drawing.in_words import fullest_cells_in_words
        >>> fullest_cells_in_words(np.array([[0.5, 0.0], [0.0, 0.3]]), number=1)
        'fullest cell in the south-west: column 1 from the west, row 1 from the south (62.50%)'
    """
    number = validate.whole_number("number", number, 1)
    known = np.nan_to_num(np.asarray(values, dtype=float))
    cells = hottest_cells(known, number).tolist()
    if not cells:
        return "all cells are empty"
    d, whole = known.shape[1], float(known.sum())
    first, *others = [divmod(cell, d) for cell in cells]
    wide = known.shape[0]

    def share(place: tuple[int, int]) -> str:
        return f"{known[place] / whole:.2%}"

    words = (
        f"fullest cell in the {_side(first, wide, d)}: column {first[0] + 1} from the west, row {first[1] + 1} from "
        f"the south ({share(first)})"
    )
    return words + "".join(f"; then column {place[0] + 1}, row {place[1] + 1} ({share(place)})" for place in others)


def _side(place: tuple[int, int], wide: int, high: int) -> str:
    """In which third of the map a cell lies, each way."""
    across = ("west", "", "east")[min(int(3 * (place[0] + 0.5) / wide), 2)]
    up = ("south", "", "north")[min(int(3 * (place[1] + 0.5) / high), 2)]
    return "-".join(filter(None, (up, across))) or "middle"
