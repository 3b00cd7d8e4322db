"""Mechanisms side by side on the same people, each several times."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from spatialldp import _validation as validate
from spatialldp.experiments import defaults
from spatialldp.experiments.calibrated import equal_protection
from spatialldp.experiments.repeats import half_width_of_mean, repeated
from spatialldp.experiments.run import make_mechanism
from spatialldp.mechanisms import MECHANISMS, Mechanism
from spatialldp.privacy import MEASURES, Measured, Protection, protection
from spatialldp.privacy.protection import LOCAL_PRIVACY

#: Of simulated figures of protection.
_RELATIVE_ERROR = 0.0025


@dataclass(frozen=True)
class Score:
    """One mechanism's errors over repeats, and what one of its reports hides.

    Where no ε′ protects as much as required, because a jump skips it, there are two scores: this one lies just below
    the jump and protects more, `beyond` just above it and protects less. A claim must hold for both.

    Attributes:
        name: of the mechanism, a key of `spatialldp.MECHANISMS`.
        epsilon: the ε it ran with; per cell for Geo-I.
        w2_cells: error of each repeat, (repeats,), in cells.
        distribution: what the first repeat recovered, (d, d), sums to 1.
        seconds: how long the repeats took.
        protection: what one report hides, by every ruler.
        beyond: the score just above the jump; None where there is none.
        asked: the protection required, by the ruler in use; None where there is no jump.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments import score
        >>> counts = np.arange(25).reshape(5, 5) * 40
        >>> jumped = score(counts, "SEM-Geo-I", 2.2, seed=4, repeats=2)  # no ε′ has the local privacy of DAM at 2.2
        >>> round(jumped.asked.value, 2), [round(side.protection.local_privacy.value, 2) for side in jumped.sides]
        (2.16, [2.2, 1.88])
    """

    name: str
    epsilon: float
    w2_cells: NDArray[np.float64]
    distribution: NDArray[np.float64]
    seconds: float
    protection: Protection
    beyond: Score | None = None
    asked: Measured | None = None

    @property
    def mean(self) -> float:
        """Mean W2, cells."""
        return float(self.w2_cells.mean())

    @property
    def half_width(self) -> float | None:
        """Half the 95 % interval of the mean (Student's t), cells; None for a single repeat."""
        return half_width_of_mean(self.w2_cells) if self.w2_cells.size > 1 else None

    @property
    def sides(self) -> tuple[Score, ...]:
        """This score, and the one beyond the jump where there is one."""
        return (self,) if self.beyond is None else (self, self.beyond)


def equal_footing(name: str, epsilon: float, d: int, calibrated: bool, by: str = LOCAL_PRIVACY) -> Mechanism:
    """The mechanism at this ε, or at the ε′ that protects as much as DAM does at ε.

    Args:
        name: of the mechanism, a key of `spatialldp.MECHANISMS`.
        epsilon: privacy budget.
        d: cells per side.
        calibrated: whether a Geo-I mechanism gets ε′; False for ε per cell.
        by: the ruler of that, one of `spatialldp.privacy.MEASURES`.

    Returns:
        The mechanism; where a jump skips equality, at the largest ε′ that protects more.

    Raises:
        ValueError: the mechanism or the ruler is unknown, or a number is out of range.

    Example:
        >>> from spatialldp.experiments.comparison import equal_footing
        >>> equal_footing("DAM", 3.5, 15, calibrated=True)
        DAM(epsilon=3.5, d=15, b=3)
        >>> equal_footing("Planar Laplace", 3.5, 15, calibrated=False).epsilon
        3.5
        >>> round(equal_footing("Planar Laplace", 3.5, 15, calibrated=True).epsilon, 3)
        0.386
    """
    return both_sides(name, epsilon, d, calibrated, by)[0]


def both_sides(name: str, epsilon: float, d: int, calibrated: bool, by: str = LOCAL_PRIVACY) -> list[Mechanism]:
    """As `equal_footing`, followed by the mechanism just above the jump where there is one.

    Args:
        name: of the mechanism, a key of `spatialldp.MECHANISMS`.
        epsilon: privacy budget.
        d: cells per side.
        calibrated: whether a Geo-I mechanism gets ε′; False for ε per cell.
        by: the ruler of that, one of `spatialldp.privacy.MEASURES`.

    Returns:
        One mechanism, or two.

    Raises:
        ValueError: as `equal_footing`.

    Example:
        >>> from spatialldp.experiments.comparison import both_sides
        >>> [mechanism.k for mechanism in both_sides("SEM-Geo-I", 2.2, 5, calibrated=True)]
        [2, 1]
        >>> len(both_sides("SEM-Geo-I", 5.0, 5, calibrated=True))
        1
    """
    kind = MECHANISMS[validate.one_of("mechanism", name, tuple(MECHANISMS))]
    validate.one_of("by", by, tuple(MEASURES))
    validate.instance("calibrated", calibrated, bool)
    if not calibrated or kind.notion != "Geo-I":
        return [make_mechanism(name, epsilon, d)]
    found = equal_protection(name, epsilon, d, by)
    return [make_mechanism(name, side, d) for side in found if side is not None]


def score(
    counts: NDArray[np.int64],
    name: str,
    epsilon: float,
    seed: int,
    repeats: int = defaults.REPEATS,
    calibrated: bool = True,
    by: str = LOCAL_PRIVACY,
) -> Score:
    """One mechanism with the seeds seed, seed + 1, …; the first is the run that `simulate` gives.

    Args:
        counts: people per cell, (d, d).
        name: of the mechanism, a key of `spatialldp.MECHANISMS`.
        epsilon: privacy budget; what it means for a Geo-I mechanism depends on `calibrated`.
        seed: of the first repeat.
        repeats: how often it runs.
        calibrated: a Geo-I mechanism runs at the ε′ that protects as much as DAM does at ε; False: at ε per cell.
        by: the ruler of that, one of `spatialldp.privacy.MEASURES`.

    Returns:
        Its errors, and what one of its reports hides.

    Raises:
        ValueError: the mechanism or the ruler is unknown, or a number is out of range.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments import score
        >>> found = score(np.arange(25).reshape(5, 5) * 40, "DAM", 3.5, seed=4, repeats=3)
        >>> round(found.mean, 2), round(found.half_width, 2)  # cells
        (0.25, 0.04)
    """
    counts = validate.square_counts("counts", counts)
    here, *past = (
        score_of(counts, name, mechanism, seed, repeats)
        for mechanism in both_sides(name, epsilon, counts.shape[0], calibrated, by)
    )
    if not past:
        return here
    asked = protection(make_mechanism("DAM", epsilon, counts.shape[0]), relative_error=_RELATIVE_ERROR).by(by)
    return replace(here, beyond=past[0], asked=asked)


@validate.takes(mechanism=Mechanism)
def score_of(counts: NDArray[np.int64], name: str, mechanism: Mechanism, seed: int, repeats: int) -> Score:
    """The score of a mechanism as it is.

    Args:
        counts: people per cell, (d, d).
        name: under which it is listed.
        mechanism: the one to run.
        seed: of the first repeat.
        repeats: how often it runs.

    Returns:
        Its errors, and what one of its reports hides.

    Raises:
        ValueError: the counts do not fit the mechanism, or a number is out of range.

    Example:
        >>> import numpy as np
        >>> from spatialldp import DAM
        >>> from spatialldp.experiments.comparison import score_of
        >>> found = score_of(np.arange(25).reshape(5, 5) * 40, "DAM, b = 3", DAM(3.5, 5, b=3), seed=4, repeats=2)
        >>> found.name, round(found.mean, 2)  # cells
        ('DAM, b = 3', 0.25)
    """
    started = time.perf_counter()
    found = repeated(counts, mechanism, seed, repeats)
    seconds = time.perf_counter() - started
    hidden = protection(mechanism, relative_error=_RELATIVE_ERROR)
    return Score(name, mechanism.epsilon, found.w2_cells, found.first, seconds, hidden)


@validate.takes(names=[str])
def compare(
    counts: NDArray[np.int64],
    names: Sequence[str],
    epsilon: float,
    seed: int,
    repeats: int = defaults.REPEATS,
    calibrated: bool = True,
    by: str = LOCAL_PRIVACY,
) -> Iterator[Score]:
    """Several mechanisms on the same people, with the same seeds.

    Args:
        counts: people per cell, (d, d).
        names: of the mechanisms, keys of `spatialldp.MECHANISMS`.
        epsilon: privacy budget; what it means for a Geo-I mechanism depends on `calibrated`.
        seed: of the first repeat.
        repeats: how often each runs.
        calibrated: a Geo-I mechanism runs at the ε′ that protects as much as DAM does at ε; False: at ε per cell.
        by: the ruler of that, one of `spatialldp.privacy.MEASURES`.

    Yields:
        Their scores, in the order of the names, each as soon as it is there.

    Raises:
        ValueError: as `score`, when it comes to that mechanism.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments import best, compare
        >>> counts = np.arange(25).reshape(5, 5) * 40
        >>> scores = list(compare(counts, ["DAM", "MDSW"], 3.5, seed=4, repeats=3))
        >>> [(entry.name, round(entry.mean, 2)) for entry in scores]
        [('DAM', 0.25), ('MDSW', 0.35)]
        >>> best(scores)
        'DAM'
    """
    counts = validate.square_counts("counts", counts)
    d = validate.cells_per_side(counts.shape[0])
    validate.repeats(repeats)
    for name in names:  # Before the first takes its time.
        make_mechanism(name, epsilon, d)
    for name in names:
        yield score(counts, name, epsilon, seed, repeats, calibrated, by)


@validate.takes(scores=[Score])
def best(scores: Sequence[Score]) -> str | None:
    """Who has the least mean error.

    Args:
        scores: of the mechanisms compared.

    Returns:
        The name of the one that has it on either side of every jump; None where the side decides, or there are none.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments import best, compare
        >>> counts = np.arange(25).reshape(5, 5) * 40
        >>> best(list(compare(counts, ["MDSW", "DAM"], 3.5, seed=4, repeats=3)))
        'DAM'
    """
    names = contenders(scores)
    return names[0] if len(names) == 1 else None


@validate.takes(scores=[Score])
def contenders(scores: Sequence[Score]) -> list[str]:
    """Who may have the least mean error, depending on the sides of jumps.

    Args:
        scores: of the mechanisms compared.

    Returns:
        Their names, the likeliest first.

    Example:
        >>> from spatialldp.experiments import compare
        >>> from spatialldp.experiments.comparison import contenders
        >>> from spatialldp.population import Population
        >>> counts = Population.of("san-francisco", d=6).counts
        >>> contenders(list(compare(counts, ["DAM", "MDSW", "SEM-Geo-I"], 2.5, seed=1, repeats=2)))
        ['DAM', 'SEM-Geo-I']
    """
    if not len(scores):
        return []
    bar = min(max(side.mean for side in entry.sides) for entry in scores)
    sure = min(scores, key=lambda entry: max(side.mean for side in entry.sides))
    others = [entry.name for entry in scores if entry is not sure and min(side.mean for side in entry.sides) < bar]
    return [sure.name, *others]


@validate.takes(scores=[Score])
def alike(scores: Sequence[Score]) -> list[str]:
    """The winner of `best`, and those with the very same errors.

    Args:
        scores: of the mechanisms compared.

    Returns:
        Their names; none where there is no winner.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments import compare
        >>> from spatialldp.experiments.comparison import alike
        >>> counts = np.arange(9).reshape(3, 3) * 40  # so small a grid that the rings of HUEM make it DAM
        >>> alike(list(compare(counts, ["DAM", "HUEM", "MDSW"], 6.0, seed=4, repeats=2)))
        ['DAM', 'HUEM']
    """
    winner = next((entry for entry in scores if entry.name == best(scores)), None)
    if winner is None:
        return []
    return [entry.name for entry in scores if np.array_equal(entry.w2_cells, winner.w2_cells) and not entry.beyond] or [
        winner.name
    ]
