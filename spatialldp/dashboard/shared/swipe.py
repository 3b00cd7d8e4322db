"""Two maps of the same cells one above the other, with a divider to swipe between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spatialldp.dashboard.shared import components
from spatialldp.dashboard.shared.maps import MOST_HOVER_CELLS
from spatialldp.drawing.colours import Scale, data_uri
from spatialldp.drawing.in_words import fullest_cells_in_words
from spatialldp.drawing.outlines import outline_path
from spatialldp.population import Population

Array = NDArray[np.float64]

#: What the page, or a dialog, takes of the window's height besides the map.
ON_A_PAGE, IN_A_DIALOG = "21.5rem", "14rem"


class Side(NamedTuple):
    """One of the maps."""

    title: str
    """In the corner of the map, and in the pairs of `swipe`."""
    note: str
    """What it shows, in a few words without a full stop."""
    values: Array
    """Share per cell (d, d), fit for the colour scale; NaN where there is nothing to show."""
    read: Array | None = None
    """What the pointer reads in each cell, in `unit`; None for the people whose shares `values` are."""
    unit: str = "people"
    """"people", "reports" (a count) or "named" (a share of the reports)."""


def swipe(
    sides: Sequence[Side],
    pairs: Sequence[tuple[str, str]],
    population: Population,
    city: str | None,
    scale: Scale,
    key: str,
    room: str = ON_A_PAGE,
) -> None:
    """One large map of a population's cells with a divider: one side to its left, the other to its right.

    `pairs` are the titles of the two; where a side is not there yet, its pairs wait. `city` is the one whose outline is
    drawn, `room` what is left free of the window's height. What the divider uncovers and which pair is shown stay as
    they are when the page sends other maps under the same `key`.
    """
    components.swipe(
        {
            "pictures": [_picture(side, scale) for side in sides],
            "pairs": [list(pair) for pair in pairs],
            "d": population.grid.d,
            "users": population.users,
            "outline": outline_path(city, population.grid.bounds)._asdict(),
            "legend": {
                "css": scale.css,
                "text": f"{scale.low:.0%} to {scale.high:.2%} of all people in one cell (or more); "
                "the same scale for both maps",
            },
            "dark": scale.dark,
            "room": room,
        },
        key,
    )


def _picture(side: Side, scale: Scale) -> dict[str, Any]:
    read = side.values if side.read is None else side.read
    known = [None if np.isnan(value) else round(value, 7) for value in read.ravel().tolist()]
    return {
        "title": side.title,
        "note": side.note,
        "image": data_uri(scale.image(side.values)),
        "words": fullest_cells_in_words(side.values),
        "unit": side.unit,
        "values": known if side.values.size <= MOST_HOVER_CELLS else None,
    }
