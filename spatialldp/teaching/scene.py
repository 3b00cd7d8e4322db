"""What a lesson is about: one person in one city, the mechanisms at equal protection, and simulated reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spatialldp import _validation as validate
from spatialldp.datasets import DataError, Dataset, dataset
from spatialldp.experiments import defaults
from spatialldp.experiments.calibrated import EqualProtection, equal_protection
from spatialldp.experiments.measures import hottest_cells, loneliest_cell
from spatialldp.experiments.run import make_mechanism
from spatialldp.formatting import metres_or_kilometres
from spatialldp.grid import LONGITUDE_LATITUDE, Binned, Bounds, Grid, checked_box
from spatialldp.mechanisms import MECHANISMS, Mechanism
from spatialldp.population import Population

#: The mechanism whose protection the Geo-I ones have to reach.
REFERENCE = "DAM"
#: On finer grids the attacker's reasoning would take seconds per step and show no more.
FINEST = 30
#: Reports of the one person that are simulated.
REPORTS = 2_000
#: Cells per side on which two mechanisms show that a ruler can be fooled.
EXAMPLE_D = 15
#: A place as a link carries it: to a tenth of a metre.
_PLACE_DIGITS = 6


@dataclass(frozen=True)
class Person:
    """Where the person is.

    Attributes:
        x: west to east, in the units of the data set.
        y: south to north.
        ix: the column of the cell, from the west, from 0.
        iy: its row, from the south, from 0.
        neighbours: how many people live in that cell.

    Example:
        >>> from spatialldp.teaching import Scene
        >>> Scene.of_counts([[40, 10], [0, 50]], (0, 0, 1, 1), crs=None).person
        Person(x=0.75, y=0.75, ix=1, iy=1, neighbours=50)
    """

    x: float
    y: float
    ix: int
    iy: int
    neighbours: int


class Place(NamedTuple):
    """A place to stand at.

    Attributes:
        name: what it is called in a list.
        at: x and y, in the units of the data set.

    Example:
        >>> from spatialldp.teaching import Place
        >>> Place("City Hall", (-122.4193, 37.7793)).name
        'City Hall'
    """

    name: str
    at: tuple[float, float]


def places_for(entry: Dataset | None, population: Population) -> list[Place]:
    """Places to stand at, all of them inside the cells: landmarks of the data set first."""
    counts, centres = population.counts, population.grid.cell_centres().reshape(-1, 2)
    known = {} if entry is None else entry.landmarks
    landmarks = [Place(name, at) for name, at in known.items() if _inside(population, at)]
    cells = {
        "The fullest cell": int(hottest_cells(counts.astype(float), 1)[0]),
        "The loneliest cell somebody lives in": loneliest_cell(counts),
        "The middle of the map": (counts.shape[0] // 2) * (counts.shape[0] + 1),
    }
    return landmarks + [Place(name, rounded(*centres[cell])) for name, cell in cells.items()]


def rounded(x: float, y: float) -> tuple[float, float]:
    """A place to a tenth of a metre."""
    return round(float(x), _PLACE_DIGITS), round(float(y), _PLACE_DIGITS)


def _pair(name: str, value: Any) -> tuple[float, float]:
    found = validate.real_array(name, value)
    if found.shape != (2,):
        raise ValueError(f"{name} must be two numbers, got {validate.shown(value)}")
    return float(found[0]), float(found[1])


def _inside(population: Population, at: tuple[float, float]) -> bool:
    return bool(population.grid.cells_of(*at)[2][0])


def person_at(at: tuple[float, float] | None, population: Population, places: Sequence[Place]) -> Person:
    """The person at a place; at the first of `places` where none is given, or one outside the cells."""
    if at is not None:
        at = _pair("person", at)
    if at is None or not _inside(population, at):
        at = places[0].at
    ix, iy, _ = population.grid.cells_of(*at)
    return Person(*at, int(ix[0]), int(iy[0]), int(population.counts[ix[0], iy[0]]))


def lesson_names() -> tuple[str, ...]:
    """The mechanisms that the lesson compares: the reference first, then those of LDP, then those of Geo-I."""
    others = [name for name, kind in MECHANISMS.items() if kind.in_lesson and name != REFERENCE]
    return (REFERENCE, *sorted(others, key=lambda name: MECHANISMS[name].notion != "LDP"))


@dataclass(frozen=True)
class Scene:
    """Everything that the steps of a lesson are about. Made by `Scene.of`, or from counted people by `Scene.of_counts`.

    Attributes:
        title: what the people and the place are called.
        data: the id of the data set; None for somebody's own file.
        population: the people on the grid.
        outline: the city whose outline lies over maps; None for none.
        epsilon: the privacy budget of the reference.
        seed: of the random draws.
        person: the one who reports.
        mechanisms: by name; those of Geo-I at the ε′ that protects as much as the reference does at ε.
        beyond: by name, where no ε′ protects as much, because a jump skips it: the mechanism just above the jump. That
            of `mechanisms` lies just below it.
        knows_city: whether the attacker knows where people live.
        example: the same people on 15×15 cells, on which step 4 fools a ruler; None for `population`.

    Example:
        >>> from spatialldp.teaching import Scene
        >>> scene = Scene.of("new-haven", epsilon=3.5, d=5)
        >>> scene.person.ix, scene.person.iy, list(scene.mechanisms)
        (2, 2, ['DAM', 'SEM-Geo-I', 'Planar Laplace'])
        >>> scene.reports["DAM"].shape
        (2000, 2)
    """

    title: str
    data: str | None
    population: Population
    outline: str | None
    epsilon: float
    seed: int
    person: Person
    mechanisms: dict[str, Mechanism]
    beyond: dict[str, Mechanism]
    knows_city: bool = False
    example: Population | None = None

    @cached_property
    def reports(self) -> dict[str, NDArray[Any]]:
        """By name, `REPORTS` simulated reports of the person, one per row."""
        there = np.full(REPORTS, self.person.ix), np.full(REPORTS, self.person.iy)
        return {
            name: mechanism.randomize(*there, np.random.default_rng(self.seed))
            for name, mechanism in self.mechanisms.items()
        }

    @classmethod
    @validate.takes(knows_city=bool)
    def of(
        cls,
        data: str = defaults.DATA,
        epsilon: float = defaults.EPSILON,
        d: int = defaults.D,
        bounds: Sequence[float] | None = None,
        person: tuple[float, float] | None = None,
        seed: int = defaults.SEED,
        knows_city: bool = False,
    ) -> Scene:
        """The scene of a public data set.

        Args:
            data: its id.
            epsilon: the privacy budget of the reference.
            d: cells per side, 1 to 30.
            bounds: a box (west, south, east, north), in the units of the data set; None for all of it.
            person: x and y of the person; None, or a place outside the cells, for the first place of the data set.
            seed: of the random draws.
            knows_city: whether the attacker knows where people live.

        Returns:
            The scene, its ε′ looked up or searched for, which may take some seconds.

        Raises:
            DataError: there is no such data set, or it or the box cannot be used.
            ValueError: a number is out of range.

        Example:
            >>> from spatialldp.teaching import Scene
            >>> Scene.of("new-haven", d=5, person=(-72.9264, 41.2975)).person.neighbours
            821
        """
        if not isinstance(data, str):
            raise DataError(f"data must be the id of a data set, got {validate.shown(data)}")
        entry, d = dataset(data), checked_d(d)
        population = Population.of(entry, d, bounds)
        there = person_at(person, population, places_for(entry, population))
        example = Population.of(entry, EXAMPLE_D, bounds, population.points)
        return cls._with(entry.title, data, population, entry.outline, epsilon, seed, there, knows_city, example)

    @classmethod
    @validate.takes(title=str, knows_city=bool, crs=(str, type(None)))
    def of_counts(
        cls,
        counts: Any,
        bounds: Bounds,
        title: str = "somebody's own file",
        epsilon: float = defaults.EPSILON,
        person: tuple[float, float] | None = None,
        seed: int = defaults.SEED,
        knows_city: bool = False,
        crs: str | None = LONGITUDE_LATITUDE,
        example_counts: Any = None,
    ) -> Scene:
        """The scene of people who have been counted already, such as those of an own file.

        Args:
            counts: people per cell, (d, d), [ix, iy].
            bounds: the square of these cells (west, south, east, north).
            title: what the people and the place are called.
            epsilon: the privacy budget of the reference.
            person: x and y of the person; None, or a place outside the cells, for the fullest cell.
            seed: of the random draws.
            knows_city: whether the attacker knows where people live.
            crs: "EPSG:4326" where `bounds` are in degrees, None where they are in plain units.
            example_counts: the same people on 15×15 cells, for step 4; None where there are no such.

        Returns:
            The scene.

        Raises:
            ValueError: the counts are not d×d whole numbers from 0 on, some of them above, or a number is out of range.

        Example:
            >>> from spatialldp.teaching import Scene
            >>> Scene.of_counts([[40, 10], [0, 50]], (0, 0, 1, 1), crs=None).population.users
            100
        """
        population = _counted("counts", counts, bounds, crs)
        there = person_at(person, population, places_for(None, population))
        example = None if example_counts is None else _counted("example_counts", example_counts, bounds, crs)
        return cls._with(title, None, population, None, epsilon, seed, there, knows_city, example)

    @classmethod
    def _with(
        cls,
        title: str,
        data: str | None,
        population: Population,
        outline: str | None,
        epsilon: float,
        seed: int,
        person: Person,
        knows_city: bool,
        example: Population | None,
    ) -> Scene:
        epsilon, seed = validate.privacy_budget(epsilon), validate.seed(seed)
        d = population.grid.d
        found = {name: equal_protection(name, epsilon, d) for name in lesson_names() if is_geo_i(name)}
        made, beyond = mechanisms_at(epsilon, d, found)
        return cls(title, data, population, outline, epsilon, seed, person, made, beyond, knows_city, example)

    @property
    def bounds(self) -> Bounds | None:
        """The box that was asked for, in the units of the data set; None for all of a public one."""
        grid = self.population.grid
        west, south, east, north = grid.bounds if grid.requested_bounds is None else grid.requested_bounds
        box = float(west), float(south), float(east), float(north)
        return None if self.data is not None and box == dataset(self.data).default_view else box

    @property
    def d(self) -> int:
        """Cells per side."""
        return self.population.grid.d

    @property
    def example_population(self) -> Population:
        """The people on whom step 4 fools a ruler."""
        return self.population if self.example is None else self.example

    @property
    def geo_i(self) -> list[str]:
        """The names of the mechanisms that promise Geo-I."""
        return [name for name in self.mechanisms if is_geo_i(name)]

    @property
    def ldp(self) -> list[str]:
        """The names of the others."""
        return [name for name in self.mechanisms if not is_geo_i(name)]

    @property
    def side(self) -> float | None:
        """Side of a cell in metres; None where cells have no length."""
        return self.population.grid.cell_size_m

    @property
    def prior(self) -> NDArray[np.int64] | None:
        """What the attacker knows before any report: None for nothing, else people per cell."""
        return self.population.counts if self.knows_city else None

    def length(self, cells: float) -> str:
        """A distance in words: kilometres or metres, or cells where cells have no length.

        Args:
            cells: the distance, ≥ 0.

        Returns:
            A number and its unit.

        Raises:
            ValueError: `cells` is not such a number.

        Example:
            >>> from spatialldp.teaching import Scene
            >>> Scene.of("new-haven", d=5).length(1)
            '2.11 km'
        """
        if not validate.is_zero(cells):
            cells = validate.real_number("cells", cells, above=0.0)
        if self.side is None:
            return f"{cells:.2f} cells"
        return metres_or_kilometres(cells * self.side, digits=2)

    def centre(self, cell: tuple[float, float]) -> tuple[float, float]:
        """The middle of a cell, which may lie outside the city.

        Args:
            cell: its column from the west and row from the south, both from 0.

        Returns:
            x and y, in the units of the data set.

        Raises:
            ValueError: `cell` is not two numbers.

        Example:
            >>> from spatialldp.teaching import Scene
            >>> Scene.of_counts([[40, 10], [0, 50]], (0, 0, 1, 1), crs=None).centre((0, 1))
            (0.25, 0.75)
        """
        cell = _pair("cell", cell)
        west, south, _, _ = self.population.grid.bounds
        width, height = self.population.grid.cell_size
        return west + (cell[0] + 0.5) * width, south + (cell[1] + 0.5) * height


def _counted(name: str, counts: Any, bounds: Bounds, crs: str | None) -> Population:
    found = validate.square_counts(name, counts)
    west, south, east, north = checked_box(bounds)
    return Population(Grid((west, south, east, north), checked_d(found.shape[0]), crs), Binned(found, 0, 0, 0))


def is_geo_i(name: str) -> bool:
    """Whether the mechanism with this name promises Geo-I."""
    return MECHANISMS[name].notion == "Geo-I"


def checked_d(d: int) -> int:
    """Cells per side of a lesson. Raises ValueError beyond `FINEST`."""
    return validate.whole_number("d", d, 1, FINEST)


def mechanisms_at(
    epsilon: float, d: int, found: Mapping[str, EqualProtection]
) -> tuple[dict[str, Mechanism], dict[str, Mechanism]]:
    """The mechanisms of the lesson, and those beyond a jump; `found` has the ε′ of those of Geo-I."""
    sides = {name: found.get(name, EqualProtection(epsilon, None)) for name in lesson_names()}
    made = {name: make_mechanism(name, side.epsilon, d) for name, side in sides.items()}
    beyond = {name: make_mechanism(name, side.beyond, d) for name, side in sides.items() if side.beyond is not None}
    return made, beyond
