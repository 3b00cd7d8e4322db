"""Three measures of how useful a recovered map is, for whatever compares maps by all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spatialldp import _validation as validate
from spatialldp.experiments.hot_spots import HOTTEST, surviving_hotspots
from spatialldp.experiments.ranges import range_error
from spatialldp.wasserstein import wasserstein2_many

Array = NDArray[np.float64]

#: How far people are from where the map shows them; by how much it misses the people in an area; whether it has the
#: fullest cells.
W2, RANGE_ERROR, HOT_SPOTS = "W2", "range error", "hot spots"
USEFULNESS = (W2, RANGE_ERROR, HOT_SPOTS)


class Usefulness(NamedTuple):
    """What recovered maps are good for, one entry per map.

    Attributes:
        w2_cells: error W2, (maps,), in cells.
        range_error: mean error over random squares, (maps,), as a share of all people.
        hot_spots: how many of the truly fullest cells survive, (maps,), in expectation over ties.
        hottest: of how many.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments.usefulness import usefulness
        >>> true = np.array([[60, 40], [0, 0]])
        >>> found = usefulness(true, [true / 100, np.full((2, 2), 0.25)])
        >>> found.w2_cells.round(2).tolist(), found.hot_spots.tolist(), found.hottest
        ([0.0, 0.77], [2.0, 1.0], 2)
        >>> found.by("range error").round(2).tolist()
        [0.0, 0.25]
    """

    w2_cells: Array
    range_error: Array
    hot_spots: Array
    hottest: int

    def by(self, measure: str) -> Array:
        """The values by one of `USEFULNESS`, (maps,).

        Raises:
            ValueError: there is no such measure.
        """
        fields = {W2: self.w2_cells, RANGE_ERROR: self.range_error, HOT_SPOTS: self.hot_spots}
        return fields[validate.one_of("measure", measure, USEFULNESS)]


def usefulness(counts: NDArray[np.int64], maps: Sequence[Array]) -> Usefulness:
    """Measure recovered maps against the true one by all three measures.

    Args:
        counts: the true people per cell, (d, d).
        maps: recovered ones, (d, d) each, in any unit; at least one.

    Returns:
        Their figures, in the order of the maps.

    Raises:
        ValueError: a map is not (d, d), holds anything but numbers ≥ 0 or nothing but zeros, or there is none.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments.usefulness import usefulness
        >>> usefulness(np.eye(3, dtype=int), [np.eye(3)]).hottest  # no more than are inhabited
        3
    """
    counts = validate.square_counts("counts", counts)
    checked = [validate.square_map("maps", one, counts.shape) for one in (maps if validate.goes_through(maps) else ())]
    if not checked:
        raise ValueError(f"maps must be a sequence of at least one map, got {validate.shown(maps)}")
    true = counts.astype(np.float64)
    survived = [surviving_hotspots(true, one, HOTTEST) for one in checked]
    return Usefulness(
        wasserstein2_many(counts, checked),
        np.array([range_error(true, one) for one in checked]),
        np.array([number for number, _ in survived]),
        survived[0][1],
    )


def more_is_better(measure: str) -> bool:
    """Whether a larger value of a measure is the better one.

    Args:
        measure: one of `USEFULNESS`.

    Returns:
        True for hot spots, False for errors.

    Raises:
        ValueError: there is no such measure.

    Example:
        >>> from spatialldp.experiments.usefulness import USEFULNESS, more_is_better
        >>> {measure: more_is_better(measure) for measure in USEFULNESS}
        {'W2': False, 'range error': False, 'hot spots': True}
    """
    return validate.one_of("measure", measure, USEFULNESS) == HOT_SPOTS
