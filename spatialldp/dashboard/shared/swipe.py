"""Two maps of the same cells one above the other, with a divider to swipe between them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spatialldp.dashboard.shared import components
from spatialldp.dashboard.shared.maps import MOST_HOVER_CELLS
from spatialldp.drawing.colours import Scale, data_uri
from spatialldp.drawing.outlines import outline_lines
from spatialldp.grid import Bounds, Grid

Array = NDArray[np.float64]

#: The outline is drawn on a square of this side; the browser scales it, so that it is sharp at any size.
_OUTLINE_SIZE = 2_000
#: What the page, or a dialog, takes of the window's height besides the map.
ON_A_PAGE, IN_A_DIALOG = "8rem", "14rem"


class Side(NamedTuple):
    """One of the maps."""

    name: str
    """In `pairs` of `swipe`."""
    title: str
    """In the corner of the map."""
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
    grid: Grid,
    city: str | None,
    scale: Scale,
    users: int,
    key: str,
    room: str = ON_A_PAGE,
) -> None:
    """One large map of `grid` with a divider: one side to its left, the other to its right.

    `pairs` are the names of the two; where a side is not there yet, its pairs wait. `city` is the one whose outline is
    drawn, `room` what is left free of the window's height. What the divider uncovers and which pair is shown stay as
    they are when the page sends other maps under the same `key`.
    """
    titles = {"true": "True", "perturbed": "Perturbed", "recovered": "Recovered"}
    components.swipe(
        {
            "pictures": [_picture(side, scale) for side in sides],
            "pairs": [list(pair) for pair in pairs],
            "titles": titles | {side.name: side.title for side in sides},
            "d": grid.d,
            "users": users,
            "outline": outline_of(city, grid.bounds),
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
        "name": side.name,
        "title": side.title,
        "note": side.note,
        "image": data_uri(scale.image(side.values)),
        "unit": side.unit,
        "values": known if side.values.size <= MOST_HOVER_CELLS else None,
    }


@lru_cache(maxsize=16)
def outline_of(city: str | None, bounds: Bounds) -> dict[str, Any]:
    """The outline of a city as the path of an SVG that shows `bounds`, {size, path}; lines beyond them are left out."""
    west, south, east, north = bounds
    parts = []
    for line in outline_lines(city):
        places = np.asarray(line)
        at = np.stack([(places[:, 0] - west) / (east - west), (north - places[:, 1]) / (north - south)], axis=1)
        if (at.max(axis=0) > 0).all() and (at.min(axis=0) < 1).all():
            parts.append("M" + "L".join(f"{x},{y}" for x, y in np.rint(at * _OUTLINE_SIZE).astype(int).tolist()))
    return {"size": _OUTLINE_SIZE, "path": "".join(parts)}
