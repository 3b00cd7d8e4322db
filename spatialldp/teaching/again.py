"""Step 6: the same person reports every day. A fresh draw each time gives away more and more; a stored one does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spatialldp.drawing.colours import Scale
from spatialldp.drawing.marks import Marks
from spatialldp.formatting import times
from spatialldp.mechanisms import Mechanism
from spatialldp.privacy import conclusion
from spatialldp.teaching.pictures import StepPicture
from spatialldp.teaching.scene import REFERENCE, Scene
from spatialldp.teaching.wording import in_percent

Array = NDArray[np.float64]

#: How many reports there are, and after which of them the belief is shown.
MOST = 30
SHOWN = (1, 5, 10, MOST)
#: Simulated people: a share is then known to within two percent points.
PEOPLE = 4_000


@dataclass(frozen=True, eq=False)
class Again:
    """How often the right cell is named after 1, 2, 3 … reports.

    Attributes:
        epsilon: the budget of one report.
        fresh: the share of people whose cell the attacker names after so many fresh reports, (n,).
        before: the same before any report.
    """

    epsilon: float
    fresh: Array
    before: float

    @property
    def stored(self) -> float:
        """The share after any number of copies of one stored report: a copy says nothing new."""
        return float(self.fresh[0])

    def after(self, reports: int) -> float:
        """The share after so many fresh reports."""
        return float(self.fresh[reports - 1])

    def budget(self, reports: int) -> float:
        """The ε that so many fresh reports cost together."""
        return reports * self.epsilon


def hits_by_reports(
    mechanism: Mechanism, prior: NDArray[np.int64] | None, seed: int, most: int = MOST, people: int = PEOPLE
) -> Iterator[Again]:
    """The curve, one report longer each time. The attacker multiplies the likelihoods of all reports of a person, knows
    how people are spread (`prior`, (d, d), None for evenly) and names the likeliest cell."""
    d = mechanism.d
    believed = np.full(d * d, 1.0) if prior is None else prior.ravel().astype(float)
    believed /= believed.sum()
    rng = np.random.default_rng([seed, 6])
    cells = rng.choice(d * d, size=people, p=believed)
    joint = np.broadcast_to(believed, (people, d * d))
    found: list[float] = []
    for _ in range(most):
        sent = mechanism.randomize(cells // d, cells % d, rng)
        joint = joint * mechanism.likelihoods(sent)
        joint /= joint.sum(axis=1, keepdims=True)
        # The mean of the largest belief is how often the likeliest cell is right, with less chance in it than counting.
        found.append(float(joint.max(axis=1).mean()))
        yield Again(mechanism.epsilon, np.array(found), float(believed.max()))


def curve(mechanism: Mechanism, prior: NDArray[np.int64] | None, seed: int) -> Again:
    """The whole curve."""
    *_, found = hits_by_reports(mechanism, prior, seed)
    return found


def beliefs(scene: Scene) -> dict[int, Array]:
    """What the attacker believes of the person after so many fresh reports, (d, d) each."""
    mechanism = scene.mechanisms[REFERENCE]
    prior = np.ones((scene.d, scene.d)) if scene.prior is None else scene.prior.astype(float)
    belief, found = prior / prior.sum(), {}
    for number in range(1, MOST + 1):
        belief = conclusion(mechanism, scene.reports[REFERENCE][number - 1], belief).belief
        if number in SHOWN:
            found[number] = belief
    return found


def again_pictures(scene: Scene, dark: bool = False) -> list[tuple[StepPicture, Scale]]:
    """The belief after 1, 5, 10 and 30 fresh reports, and after 30 copies of the stored one, each with its own scale:
    certainty is a hundred times as much as the first belief."""
    after = beliefs(scene)
    shown = [("1 report" if number == 1 else f"{number} fresh reports", after[number]) for number in SHOWN]
    shown.append((f"{MOST} copies of one", after[1]))
    person, found = scene.person, []
    for name, belief in shown:
        said = f"{in_percent(float(belief[person.ix, person.iy]), 1)} in her cell"
        marks = Marks(person=(person.x, person.y))
        said_aloud = f"Belief after {name}: {said}"
        picture = StepPicture(name, said, said_aloud, belief, scene.population.grid, [], marks, None)
        found.append((picture, Scale(0.0, float(belief.max()), dark)))
    return found


def again_rows(found: Again, shown: Sequence[int] = SHOWN) -> list[dict[str, str]]:
    """Budgets and shares as the rows of a table."""
    return [
        {
            "Reports": str(number),
            "ε in all, fresh draws": f"{found.budget(number):g}",
            "e^ε": times(found.budget(number)),
            "Right cell named, fresh draws": in_percent(found.after(number)),
            "… one stored draw": in_percent(found.stored),
        }
        for number in shown
    ]
