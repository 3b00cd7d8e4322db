"""All data sets, in one table that menus and the command line read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from spatialldp.datasets import embedded, official
from spatialldp.datasets.points import DataError, Points
from spatialldp.datasets.synthetic import SYNTHETIC, SyntheticSet
from spatialldp.grid import LONGITUDE_LATITUDE, Bounds, Grid

Availability = Literal["embedded", "generated", "needs download", "downloaded"]

#: What a visitor sees first.
DEFAULT_DATASET = "san-francisco"


@dataclass(frozen=True)
class Dataset:
    """One data set.

    Attributes:
        id: what links and the command line call it.
        title: what menus call it.
        city: where it is; empty for a generated set.
        description: what a point is, in one sentence.
        source: where it comes from.
        licence: under which it may be used.
        bounds: a box (west, south, east, north) around the set, in degrees or plain units.
        default_view: the box that a page starts with and whose square is the domain of `grid`, in the same units.
        crs: "EPSG:4326", or None where the domain is a square in plain units or plain degrees.
        simulated: whether it is generated from a seed.
        outline: the city of `load_outline`; None where there is none.
        read: gives the points; `load` calls it.
        stored_rows: rows of the file or recipe; None for a downloaded set, whose file tells.
        paper_rows: number of points that the paper prints; None where it does not use the set.
        download: where an official set comes from; None where nothing is downloaded.
        part: the square (west, south, east, north), in degrees, to which `load` restricts a larger set; None for all.
        part_label: what the paper's square is called among those of the same set ("part A", "full square"); empty for
            other sets.
        areas: boxes in it (west, south, east, north) that are worth a look, by name.
        landmarks: places (longitude, latitude) worth standing at, by name.
        own: whether it is a visitor's own file, which no id, link or command can name.

    Example:
        >>> from spatialldp.datasets import dataset
        >>> entry = dataset("new-haven")
        >>> entry.title, entry.availability, entry.rows
        ('New Haven police cases', 'embedded', 3293)
        >>> entry.grid(5).bin(*entry.load()).inside
        3293
    """

    id: str
    title: str
    city: str
    description: str
    source: str
    licence: str
    bounds: Bounds
    default_view: Bounds
    crs: str | None
    simulated: bool
    outline: str | None
    read: Callable[[], Points]
    stored_rows: int | None = None
    paper_rows: int | None = None
    download: official.OfficialSource | None = None
    part: Bounds | None = None
    part_label: str = ""
    areas: Mapping[str, Bounds] = field(default_factory=dict, hash=False)
    landmarks: Mapping[str, tuple[float, float]] = field(default_factory=dict, hash=False)
    own: bool = False

    @property
    def availability(self) -> Availability:
        """Whether it can be used now: "needs download" turns into "downloaded"."""
        if self.simulated:
            return "generated"
        if self.download is None:
            return "embedded"
        return "downloaded" if self.download.is_present else "needs download"

    @property
    def label(self) -> str:
        """What a menu shows: the title, marked while a download is needed."""
        return f"{self.title} (needs download)" if self.availability == "needs download" else self.title

    @property
    def rows(self) -> int | None:
        """Rows of the file or recipe, points of a part; None before a download, whose size is not known for sure."""
        return self.stored_rows if self.download is None else official.rows(self.download, self.part)

    @property
    def is_geographic(self) -> bool:
        """Whether x and y are longitude and latitude, even where the domain is a square in plain degrees."""
        return not self.simulated

    def load(self) -> Points:
        """The points, in the units of `bounds`. Some may lie outside `default_view`.

        Raises:
            DataError: the set is not on this computer, or its file is damaged.
        """
        return self.read()

    def grid(self, d: int) -> Grid:
        """The set's own square domain with d×d cells.

        Raises:
            ValueError: `d` is not a whole number ≥ 1.
        """
        return Grid.from_bounds(self.default_view, d, self.crs)


def dataset(name: str) -> Dataset:
    """The data set with a given id.

    Args:
        name: its id, one of `DATASETS`.

    Returns:
        Its entry; `load` gives the points.

    Raises:
        DataError: there is no such set; the message lists the ids there are.

    Example:
        >>> from spatialldp.datasets import dataset
        >>> points = dataset("szipf").load()
        >>> points.people
        100000
    """
    if not isinstance(name, str) or name not in DATASETS:
        raise DataError(f"there is no data set {name!r}: choose one of {', '.join(DATASETS)}")
    return DATASETS[name]


def _embedded() -> Iterator[Dataset]:
    san_francisco = (-122.5144, 37.7079, -122.3648, 37.8319)
    yield Dataset(
        id="san-francisco",
        title="San Francisco addresses",
        city="San Francisco",
        description="Every address in the city; each stands for a resident who reports where they live.",
        source="Python package apache-superset 6.1.0rc3, example data (deckgl_demo/long_lat)",
        licence="Apache-2.0",
        bounds=san_francisco,
        default_view=san_francisco,
        crs=LONGITUDE_LATITUDE,
        simulated=False,
        outline="san-francisco",
        read=partial(embedded.load_points, "san-francisco"),
        stored_rows=261_552,
        areas={
            "Downtown": (-122.43, 37.77, -122.39, 37.81),
            "Mission": (-122.435, 37.745, -122.4, 37.775),
            "Sunset": (-122.512, 37.735, -122.465, 37.77),
        },
        landmarks={
            "City Hall": (-122.4193, 37.7793),
            "Ferry Building": (-122.3937, 37.7955),
            "Twin Peaks": (-122.4477, 37.7544),
            "Treasure Island, in the bay": (-122.3706, 37.8235),
        },
    )
    new_haven = (-72.9843, 41.2529, -72.8617, 41.3478)
    yield Dataset(
        id="new-haven",
        title="New Haven police cases",
        city="New Haven",
        description="Police cases of September 2014: a real population so small that local privacy struggles.",
        source="Python package PySAL 1.14.4.post2, example data (newHaven)",
        licence="BSD-3-Clause",
        bounds=new_haven,
        default_view=new_haven,
        crs=LONGITUDE_LATITUDE,
        simulated=False,
        outline="new-haven",
        read=partial(embedded.load_points, "new-haven"),
        stored_rows=3_293,
        areas={"Downtown": (-72.945, 41.295, -72.905, 41.325)},
        landmarks={
            "New Haven Green": (-72.9272, 41.3083),
            "Union Station": (-72.9264, 41.2975),
            "East Rock Park": (-72.9060, 41.3270),
        },
    )


@dataclass(frozen=True)
class _Part:
    """A square of the paper in plain degrees.

    Attributes:
        suffix: what follows the id of the whole set; empty for the whole.
        label: what follows its title.
        corner: south-western corner (latitude, longitude), in degrees, as printed.
        side: in degrees.
        paper_rows: number of points as printed.
    """

    suffix: str
    label: str
    corner: tuple[float, float]
    side: float
    paper_rows: int

    @property
    def bounds(self) -> Bounds:
        south, west = self.corner
        return (west, south, west + self.side, south + self.side)


_CHICAGO = (
    _Part("", "full square", (41.64, -87.90), 0.36, 101_146),
    _Part("-a", "part A", (41.72, -87.68), 0.09, 216_595),
    _Part("-b", "part B", (41.82, -87.73), 0.09, 173_552),
    _Part("-c", "part C", (41.92, -87.77), 0.07, 69_068),
)
_NEW_YORK = (
    _Part("", "full square", (40.56, -74.05), 0.32, 446_110),
    _Part("-a", "part A", (40.65, -73.84), 0.10, 10_561),
    _Part("-b", "part B", (40.65, -73.95), 0.09, 42_195),
    _Part("-c", "part C", (40.82, -73.90), 0.07, 9_186),
)


def _official(
    parts: tuple[_Part, ...],
    source: official.OfficialSource,
    city: str,
    title: str,
    description: str,
    outline: str,
    licence: str,
) -> Iterator[Dataset]:
    for part in parts:
        yield Dataset(
            id=source.id + part.suffix,
            title=f"{title}, {part.label}" if part.suffix else title,
            city=city,
            description=description,
            source=source.page,
            licence=licence,
            bounds=part.bounds if part.suffix else source.region,
            default_view=part.bounds,
            # The paper's squares are squares in degrees, not in metres; its experiments need them as they are.
            crs=None,
            simulated=False,
            outline=outline,
            read=partial(official.load, source, part.bounds if part.suffix else None),
            paper_rows=part.paper_rows,
            download=source,
            part=part.bounds if part.suffix else None,
            part_label=part.label,
        )


def _generated(recipe: SyntheticSet) -> Dataset:
    return Dataset(
        id=recipe.id,
        title=recipe.title,
        city="",
        description=recipe.description,
        source="generated from a seed (Du et al., Numerical Estimation of Spatial Distributions under DP)",
        licence="none needed",
        bounds=recipe.bounds,
        default_view=recipe.bounds,
        crs=None,
        simulated=True,
        outline=None,
        read=recipe.points,
        stored_rows=recipe.rows,
        paper_rows=recipe.rows,
    )


DATASETS: dict[str, Dataset] = {
    entry.id: entry
    for entry in (
        *_embedded(),
        *_official(
            _CHICAGO,
            official.SOURCES["chicago-crimes-2022"],
            "Chicago",
            "Chicago crimes 2022",
            "Every crime reported in 2022, placed on its block.",
            "chicago",
            "City of Chicago terms of use: https://www.chicago.gov/city/en/narr/foia/data_disclaimer.html",
        ),
        *_official(
            _NEW_YORK,
            official.SOURCES["nyc-green-taxi-2016"],
            "New York",
            "New York green taxis 2016",
            "Where green taxis picked people up in the first half of 2016.",
            "new-york",
            "NYC Open Data terms of use: https://opendata.cityofnewyork.us/overview/#termsofuse",
        ),
        *(_generated(recipe) for recipe in SYNTHETIC.values()),
    )
}
