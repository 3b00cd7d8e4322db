"""Step 4: two mechanisms that fool a ruler. Three cells named around town, one of them often the true one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from spatialldp.drawing.colours import Scale, shared_scale
from spatialldp.drawing.marks import Marks, region_border
from spatialldp.experiments.comparison import Score, score_of
from spatialldp.experiments.comparison_sentences import figures, reading
from spatialldp.formatting import counted
from spatialldp.mechanisms import DAM, Mechanism, SEMGeoI
from spatialldp.population import Population
from spatialldp.privacy import MEASURES, Conclusion, conclusion
from spatialldp.privacy.protection import BEST_GUESS, HIT_RATE, LOCAL_PRIVACY, WORST_CASE
from spatialldp.teaching.pictures import StepPicture, budget_of
from spatialldp.teaching.scene import EXAMPLE_D, Scene, person_at
from spatialldp.teaching.wording import in_percent

EPSILON, FOOLING_EPSILON, NAMED = 3.5, 3.0, 3
NAMES = (f"DAM, ε = {EPSILON:g}", f"SEM-Geo-I, ε′ = {FOOLING_EPSILON:g} per cell, three cells named")
SHORT_NAMES = ("DAM", "SEM-Geo-I (three cells)")

#: The rulers as a class is asked to choose among them, and the question that each of them answers.
RULERS = {
    LOCAL_PRIVACY: ("Local privacy", "How far off is a guess drawn at random from what the report makes plausible?"),
    BEST_GUESS: ("Best guess", "How far off is the best possible guess?"),
    HIT_RATE: ("Right cell named", "How often is the likeliest cell the right one?"),
    WORST_CASE: ("Worst case", "How many times likelier can a report be from one place than from another?"),
}
assert RULERS.keys() == MEASURES.keys()
#: Reports among which one names her cell for certain: each does with a probability of more than three quarters.
_TRIES = 200


def pair(d: int = EXAMPLE_D) -> tuple[Mechanism, Mechanism]:
    """The honest mechanism and the one that fools local privacy."""
    return DAM(EPSILON, d), SEMGeoI(FOOLING_EPSILON, d, min(NAMED, d * d))


def example_scores(population: Population, seed: int, repeats: int = 1) -> Iterator[Score]:
    """Errors and protection of both, one after the other."""
    for name, mechanism in zip(NAMES, pair(population.grid.d), strict=True):
        yield score_of(population.counts, name, mechanism, seed, repeats)


class Verdict(NamedTuple):
    """What one ruler says of the two.

    Attributes:
        label: the name of the ruler.
        question: what it answers.
        readings: what it reads of each, with its unit.
        winner: 0 or 1, the number of the one that protects better by it.
    """

    label: str
    question: str
    readings: tuple[str, str]
    winner: int


def verdict(scores: Sequence[Score], ruler: str) -> Verdict:
    """What the ruler, one of `RULERS`, says of the two."""
    measured = [entry.protection.by(ruler) for entry in scores]
    values = [entry.value for entry in measured]
    first = values[0] >= values[1] if MEASURES[ruler].larger_is_better else values[0] <= values[1]
    texts = [reading(entry, ruler) for entry in measured]
    return Verdict(*RULERS[ruler], (texts[0], texts[1]), 0 if first else 1)


def ruler_table(scores: Sequence[Score], side: float | None) -> dict[str, dict[str, str]]:
    """All readings and the error of both, by name: what is measured → a text."""
    rows = {}
    for entry in scores:
        metres = "" if side is None else f" = {entry.mean * side:,.0f} m"
        rows[entry.name] = {**figures(entry.protection), "Error W2": f"{entry.mean:.2f} cells{metres}"}
    return rows


def map_pictures(
    population: Population, scores: Sequence[Score], dark: bool = False
) -> tuple[list[StepPicture], Scale]:
    """The true map and the two recovered ones, and their one scale."""
    grid, shares = population.grid, population.shares
    maps = [("True map", "known only in a simulation", shares)]
    for name, entry in zip(SHORT_NAMES, scores, strict=True):
        # A unit alone on the next line is hard to read.
        error = f"{entry.mean:.2f}\u00a0cells"
        if grid.cell_size_m is not None:
            error = f"{entry.mean * grid.cell_size_m:,.0f}\u00a0m"
        maps.append((name, f"recovered map, W2\u00a0{error}", entry.distribution))
    pictures = [StepPicture(name, said, f"{name}: {said}", values, grid, [], None, None) for name, said, values in maps]
    return pictures, shared_scale(shares, dark)


def city_pictures(scene: Scene, scores: Sequence[Score], dark: bool = False) -> list[tuple[StepPicture, Scale]]:
    """Step 5: the true map and the recovered ones, all on one scale."""
    grid, shares = scene.population.grid, scene.population.shares
    scale = shared_scale(shares, dark)
    found = [("True map", "known only in a simulation", shares)]
    for entry in scores:
        found.append((entry.name, f"{budget_of(scene, entry)}, W2 {scene.length(entry.mean)}", entry.distribution))
    return [
        (StepPicture(name, said, f"{name}: {said}", values, grid, [], None, None), scale)
        for name, said, values in found
    ]


def naming_share(population: Population) -> float:
    """The share of reports under the second mechanism that name the true cell, exact."""
    return pair(population.grid.d)[1].truthful_share(population.counts).share


def belief_pictures(scene: Scene, population: Population, dark: bool = False) -> list[tuple[StepPicture, Scale]]:
    """What an attacker believes after one report of the person under each, each with a scale of its own: on one scale
    the belief of the first could not be seen."""
    at = (scene.person.x, scene.person.y)
    there = person_at(at, population, [])
    naming = f"a report that names her cell, as {in_percent(naming_share(population))} do"
    after = ("one report", naming)
    found = []
    for name, which, mechanism, entry in zip(
        SHORT_NAMES, after, pair(population.grid.d), _beliefs(scene, population), strict=True
    ):
        own = in_percent(float(entry.belief[there.ix, there.iy]))
        region = counted(int(entry.region.sum()), "cell")
        said = f"belief after {which}: {own} in her cell, 95% in {region}"
        top = float(entry.belief.max())
        marks = Marks(person=at, borders=region_border(entry.region, population.grid))
        texts: list[str] = []
        picture = StepPicture(name, said, f"{mechanism}: {said}", entry.belief, population.grid, texts, marks, None)
        found.append((picture, Scale(0.0, top, dark)))
    return found


def _beliefs(scene: Scene, population: Population) -> list[Conclusion]:
    """After the first report of the honest mechanism, and after the first of the other one that names her cell: what
    such a report gives away is what the step is about, and a class should not miss it by chance."""
    there = person_at((scene.person.x, scene.person.y), population, [])
    places = np.full(_TRIES, there.ix), np.full(_TRIES, there.iy)
    honest, fooling = pair(population.grid.d)
    sent = [mechanism.randomize(*places, np.random.default_rng(scene.seed)) for mechanism in (honest, fooling)]
    naming = (sent[1] == there.ix * population.grid.d + there.iy).any(axis=1)
    return [conclusion(honest, sent[0][0]), conclusion(fooling, sent[1][int(naming.argmax())])]
