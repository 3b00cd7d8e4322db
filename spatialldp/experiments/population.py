"""The people of a data set, or of a box in it, as counts per cell."""

from __future__ import annotations

from collections.abc import Sequence

from spatialldp.datasets import DATASETS, Dataset, Points, Rectangle, count_in, dataset
from spatialldp.grid import LONGITUDE_LATITUDE, Bounds


def population(data: str, d: int, bounds: Sequence[float] | None = None) -> Rectangle:
    """The square domain of a data set, or around a box (west, south, east, north) in it, with d×d cells."""
    return count_people(dataset(data), dataset(data).load(), d, bounds)


def count_people(entry: Dataset, points: Points, d: int, bounds: Sequence[float] | None = None) -> Rectangle:
    """The same for points that are already loaded."""
    box = entry.default_view if bounds is None else tuple(bounds)
    return count_in(box, points, d, box_crs(entry, box))


def box_crs(entry: Dataset, box: Sequence[float]) -> str | None:
    """How a box becomes a square: in metres, but in plain units or degrees where the paper defines the square so."""
    if entry.simulated or _alike(box, entry.default_view):
        return entry.crs
    return None if any(_alike(box, square) for square in paper_squares(entry).values()) else LONGITUDE_LATITUDE


def _alike(box: Sequence[float], square: Bounds) -> bool:
    # A link and a number field carry six digits.
    return all(abs(a - b) < 1e-6 for a, b in zip(box, square, strict=True))


def paper_squares(entry: Dataset) -> dict[str, Bounds]:
    """The squares the paper cuts this set into, by id of the part."""
    if entry.download is None:
        return {}
    return {other.id: other.default_view for other in DATASETS.values() if other.download is entry.download}
