"""One small, coherent situation per call: a grid of a few cells, its people, a mechanism that fits, what came of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from spatialldp import MECHANISMS, Grid, teaching
from spatialldp.datasets import DATASETS, Points
from spatialldp.experiments import Plan, Run, Score, compare, simulate, sweep
from spatialldp.experiments.sweep import Point
from spatialldp.mechanisms import Mechanism
from spatialldp.oracles import OptimizedLocalHashing, OptimizedUnaryEncoding, RandomizedResponse, SquareWave
from spatialldp.planning import Question, assemble, parts
from spatialldp.planning.study import Study
from spatialldp.population import Population
from spatialldp.privacy import Protection, protection
from tests.fuzz.values import Draw

#: The quickest set to count, and one without metres.
DATA = ("new-haven", "szipf")
ORACLES = (OptimizedLocalHashing, OptimizedUnaryEncoding, RandomizedResponse, SquareWave)

#: Usual budgets, the ends of what pages and commands take, and a few that no table of whole numbers can hold.
USUAL_EPSILONS = (0.5, 1.0, 2.0, 3.5, 9.0)
BORDERLINE_EPSILONS = (1e-3, 1e-2, 20.0, 50.0, 100.0, 1, np.float32(2.5), 1e-9, 1e-17, 1e-300, 5e-324)


def epsilons() -> st.SearchStrategy[Any]:
    """Budgets that are allowed, or just."""
    return st.one_of(st.sampled_from(USUAL_EPSILONS), st.floats(0.01, 20), st.sampled_from(BORDERLINE_EPSILONS))


class Scene:
    """What the arguments of one call have in common. Everything is drawn when it is first asked for."""

    def __init__(self, draw: Draw, epsilon: float | None = None) -> None:
        self.draw = draw
        self.receiver: Any = None
        self.d: int = draw(st.integers(1, 4))
        self._kept: dict[str, Any] = {} if epsilon is None else {"epsilon": epsilon}

    def keep(self, name: str, make: Callable[[], Any]) -> Any:
        """The same value for every argument that asks for it."""
        if name not in self._kept:
            self._kept[name] = make()
        return self._kept[name]

    def one_of(self, *values: Any) -> Any:
        """One of some values."""
        return self.draw(st.sampled_from(values))

    def whole(self, low: int, high: int) -> int:
        """A whole number."""
        return int(self.draw(st.integers(low, high)))

    def real(self, low: float, high: float) -> float:
        """A number."""
        return float(self.draw(st.floats(low, high)))

    @property
    def epsilon(self) -> Any:
        return self.keep("epsilon", lambda: self.draw(epsilons()))

    @property
    def rng(self) -> np.random.Generator:
        return np.random.default_rng(self.draw(st.integers(0, 3)))

    @property
    def counts(self) -> np.ndarray:
        """People per cell of the scene's grid."""
        return self.keep("counts", lambda: self._counts(self.side**2).reshape(self.side, self.side))

    def _counts(self, size: int) -> np.ndarray:
        kind = self.one_of("few", "few", "one", "many")
        if kind == "one":
            counts = np.zeros(size, dtype=np.int64)
            counts[self.whole(0, size - 1)] = self.one_of(1, 50)
            return counts
        most = 20 if kind == "few" else self.one_of(1_000, 10**5)
        entries = st.lists(st.integers(0, most), min_size=size, max_size=size)
        counts = np.array(self.draw(entries), dtype=np.int64)
        return counts if counts.any() else counts + 1

    @property
    def side(self) -> int:
        """Cells per side of the mechanism that the call is about."""
        return self.receiver.d if isinstance(self.receiver, Mechanism) else self.d

    @property
    def kind(self) -> type[Mechanism]:
        return self.keep("kind", lambda: self.one_of(*MECHANISMS.values()))

    @property
    def mechanism(self) -> Mechanism:
        if isinstance(self.receiver, Mechanism):
            return self.receiver
        return self.keep("mechanism", lambda: self.build(self.kind))

    def build(self, kind: type[Mechanism]) -> Mechanism:
        """A mechanism of a kind, with or without what else may be chosen."""
        chosen = {entry.name: self.whole(entry.lowest(self.d), entry.highest(self.d)) for entry in kind.parameters}
        given = chosen if self.one_of(True, False) else {}
        try:
            return kind(self.epsilon, self.d, **given)
        except ValueError:
            return kind(2.0, self.d)

    def build_oracle(self, kind: Any) -> Any:
        """An oracle over up to five symbols."""
        symbols = self.whole(2, 5)
        try:
            return kind(self.epsilon, symbols)
        except ValueError:
            return kind(2.0, symbols)

    @property
    def oracle(self) -> Any:
        return self.receiver

    @property
    def symbol_counts(self) -> np.ndarray:
        """People per symbol."""
        return self.keep("symbol counts", lambda: self._counts(self.oracle.m))

    @property
    def symbols(self) -> np.ndarray:
        return np.array(self.draw(st.lists(st.integers(0, self.oracle.m - 1), max_size=6)), dtype=np.int64)

    @property
    def summed_reports(self) -> Any:
        """What `perturb` gives."""
        return self.keep("summed", lambda: self.mechanism.perturb(self.counts, self.rng))

    @property
    def single_reports(self) -> np.ndarray:
        """What `randomize` gives, of a few people."""
        n = self.whole(1, 5)
        ix, iy = (np.array([self.whole(0, self.side - 1) for _ in range(n)]) for _ in "xy")
        return self.mechanism.randomize(ix, iy, self.rng)

    @property
    def cell(self) -> int:
        return self.whole(0, self.side**2 - 1)

    @property
    def grid(self) -> Grid:
        boxes = ((0.0, 0.0, 1.0, 1.0), (-3.0, -2.0, 5.0, 1.0), (8.0, 47.0, 8.1, 47.1), (0.0, 0.0, 1e-3, 1e-3))
        return self.keep("grid", lambda: Grid.from_bounds(self.one_of(*boxes), self.d, self.one_of(None, "EPSG:4326")))

    @property
    def coordinates(self) -> tuple[np.ndarray, np.ndarray]:
        """x and y of some points, most of them on the grid."""
        size = self.whole(0, 12)
        numbers = st.lists(st.floats(-2, 10), min_size=size, max_size=size)
        return self.keep("coordinates", lambda: (np.array(self.draw(numbers)), np.array(self.draw(numbers))))

    @property
    def points(self) -> Points:
        x, y = (np.array(self.draw(st.lists(st.floats(0, 1), min_size=20, max_size=20))) for _ in "xy")
        return Points(x, y, self.one_of(None, np.ones(20, dtype=np.int64)))

    @property
    def data(self) -> str:
        return self.keep("data", lambda: self.one_of(*DATA))

    @property
    def population(self) -> Population:
        return people(self.data, self.d)

    @property
    def population_on(self) -> Callable[[int], Population]:
        data = self.data
        return lambda d: people(data, d)

    @property
    def plan(self) -> Plan:
        def make() -> Plan:
            radius = self.one_of(None, 1, self.d)
            calibrated = self.one_of(True, False)
            name = self.one_of(*MECHANISMS)
            # A calibration takes seconds where it is not stored.
            epsilon = self.one_of(0.5, 2.0, 3.5) if calibrated else self.epsilon
            return Plan(name, epsilon, self.d, radius, self.one_of(None, 1, 40), calibrated and name != "SEM-Geo-I")

        return self.keep("plan", make)

    @property
    def question(self) -> Question:
        return Question(self.data, self.plan, None, 1, 2, self.one_of(1, 3), self.one_of("epsilon", "users"), ("DAM",))

    @property
    def run(self) -> Run:
        return self.keep("run", lambda: simulate(self.counts, self.mechanism, 1))

    @property
    def scores(self) -> list[Score]:
        return scores(self.d)[: self.whole(0, 3)]

    @property
    def curve_points(self) -> list[Point]:
        return curve_points(self.d)[: self.whole(0, 3)]

    @property
    def protection(self) -> Protection:
        return hidden_by("DAM", self.d)

    @property
    def study(self) -> Study:
        return answered(self.d)


@cache
def people(data: str, d: int) -> Population:
    """The people of a set; counted once."""
    return Population.of(data, d)


@cache
def scores(d: int) -> list[Score]:
    """Scores of three mechanisms."""
    return list(compare(people("new-haven", d).counts, ["DAM", "k-RR", "Planar Laplace"], 2.0, 1, 2, False))


@cache
def curve_points(d: int) -> list[Point]:
    """Points of a curve."""
    return list(sweep(lambda side: people("new-haven", side), Plan(d=d), "epsilon", values=[1, 2, 3], repeats=2))


@cache
def hidden_by(name: str, d: int) -> Protection:
    """What one report hides."""
    return protection(MECHANISMS[name](2.0, d))


@cache
def lesson(d: int) -> teaching.Scene:
    """What a lesson is about."""
    return teaching.Scene.of("new-haven", 2.0, d)


@cache
def study_results(d: int) -> tuple[Question, dict[str, list[Any]]]:
    """A question, and what its parts found."""
    question = Question("new-haven", Plan(d=d), repeats=2, names=("DAM",), decided_for="present")
    work = parts(question, lambda side: people("new-haven", side))
    return question, {name: list(part.work()) for name, part in work.items()}


@cache
def answered(d: int) -> Study:
    """A study."""
    question, results = study_results(d)
    return assemble(question, DATASETS["new-haven"], lambda side: people("new-haven", side), results)
