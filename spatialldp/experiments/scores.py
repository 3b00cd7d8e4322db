"""One mechanism's score over repeats, and who is best: only whoever the intervals say it of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spatialldp import _validation as validate
from spatialldp.experiments.repeats import half_width_of_mean
from spatialldp.experiments.usefulness import HOT_SPOTS, USEFULNESS, W2, Usefulness, more_is_better
from spatialldp.privacy import Measured, Protection

#: The standard deviation of a number known to half a cell.
_HALF_A_CELL = 12**-0.5


@dataclass(frozen=True)
class Score:
    """One mechanism's errors over repeats, and what one of its reports hides.

    Where no ε′ protects as much as required, because a jump skips it, there are two scores: this one lies just below
    the jump and protects more, `beyond` just above it and protects less. A claim must hold for both.

    Attributes:
        name: of the mechanism, a key of `spatialldp.MECHANISMS`.
        epsilon: the ε it ran with; per cell for Geo-I.
        usefulness: of the map of each repeat: W2, range error and hot spots.
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
    usefulness: Usefulness
    distribution: NDArray[np.float64]
    seconds: float
    protection: Protection
    beyond: Score | None = None
    asked: Measured | None = None

    @property
    def w2_cells(self) -> NDArray[np.float64]:
        """Error W2 of each repeat, (repeats,), in cells."""
        return self.usefulness.w2_cells

    @property
    def mean(self) -> float:
        """Mean W2, cells."""
        return self.mean_of(W2)

    @property
    def half_width(self) -> float | None:
        """Half the 95% interval of mean W2 (Student's t), cells; None for a single repeat."""
        return self.half_width_of(W2)

    def mean_of(self, measure: str) -> float:
        """The mean over the repeats by one of `spatialldp.experiments.USEFULNESS`, in its unit.

        Raises:
            ValueError: there is no such measure.
        """
        return float(self.usefulness.by(measure).mean())

    def half_width_of(self, measure: str) -> float | None:
        """Half the 95% interval of that mean (Student's t), in the unit of the measure; None for a single repeat.

        Hot spots are whole cells but for ties: a few repeats may all give the same number, and are not sure of it for
        that. Their interval is at least that of numbers known to half a cell.

        Raises:
            ValueError: there is no such measure.
        """
        values = self.usefulness.by(measure)
        if values.size < 2:
            return None
        return half_width_of_mean(values, _HALF_A_CELL if measure == HOT_SPOTS else 0.0)

    @property
    def sides(self) -> tuple[Score, ...]:
        """This score, and the one beyond the jump where there is one."""
        return (self,) if self.beyond is None else (self, self.beyond)


@validate.takes(scores=[Score])
def best(scores: Sequence[Score], measure: str = W2) -> str | None:
    """Who is best, if that is more than chance.

    Args:
        scores: of the mechanisms compared.
        measure: one of `spatialldp.experiments.USEFULNESS`.

    Returns:
        The name of the one whose 95% interval lies wholly on the better side of all others', on either side of every
        jump; the first of several that are one and the same mechanism. None where there is none.

    Raises:
        ValueError: there is no such measure.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments import best, compare
        >>> counts = np.arange(25).reshape(5, 5) * 40
        >>> best(list(compare(counts, ["MDSW", "DAM"], 3.5, seed=4, repeats=5)))
        'DAM'
        >>> best(list(compare(counts, ["MDSW", "DAM"], 3.5, seed=4, repeats=1))) is None  # a single draw says nothing
        True
    """
    names = alike(scores, measure)
    return names[0] if names else None


@validate.takes(scores=[Score])
def contenders(scores: Sequence[Score], measure: str = W2) -> list[str]:
    """Who may be best: the one with the best mean, and those that cannot be told apart from it.

    Args:
        scores: of the mechanisms compared.
        measure: one of `spatialldp.experiments.USEFULNESS`.

    Returns:
        Their names, that of the best mean first. Others are among them where their 95% interval, on any side of a
        jump, does not lie wholly on the worse side of its own; with a single repeat there is no interval, and all are.

    Raises:
        ValueError: there is no such measure.

    Example:
        >>> from spatialldp.experiments import compare
        >>> from spatialldp.experiments.comparison import contenders
        >>> from spatialldp.population import Population
        >>> counts = Population.of("san-francisco", d=6).counts
        >>> contenders(list(compare(counts, ["DAM", "MDSW", "SEM-Geo-I"], 2.5, seed=1, repeats=2)))
        ['DAM', 'SEM-Geo-I']
    """
    validate.one_of("measure", measure, USEFULNESS)
    if not len(scores):
        return []
    leader = min(scores, key=lambda entry: max(_loss(side, measure) for side in entry.sides))
    others = [entry for entry in scores if entry is not leader and not wholly_better(leader, entry, measure)]
    return [leader.name, *(entry.name for entry in others)]


@validate.takes(scores=[Score])
def alike(scores: Sequence[Score], measure: str = W2) -> list[str]:
    """The winner of `best`, and those with the very same figures.

    Args:
        scores: of the mechanisms compared.
        measure: one of `spatialldp.experiments.USEFULNESS`.

    Returns:
        Their names; none where there is no winner.

    Raises:
        ValueError: there is no such measure.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments import compare
        >>> from spatialldp.experiments.comparison import alike
        >>> counts = np.arange(9).reshape(3, 3) * 40  # so small a grid that the rings of HUEM make it DAM
        >>> alike(list(compare(counts, ["DAM", "HUEM", "MDSW"], 6.0, seed=4, repeats=5)))
        ['DAM', 'HUEM']
    """
    names = contenders(scores, measure)
    if len(scores) > 1 and any(side.w2_cells.size < 2 for entry in scores for side in entry.sides):
        return []
    by_name = {entry.name: entry for entry in scores}
    return names if all(_same(by_name[names[0]], by_name[name]) for name in names[1:]) else []


@validate.takes(first=Score, second=Score)
def wholly_better(first: Score, second: Score, measure: str = W2) -> bool:
    """Whether one mechanism's 95% interval lies wholly on the better side of another's, on all sides of jumps.

    Args:
        first: the one that may be better.
        second: the other.
        measure: one of `spatialldp.experiments.USEFULNESS`.

    Returns:
        False also where one of them has no interval, after a single repeat.

    Raises:
        ValueError: there is no such measure.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments import compare
        >>> from spatialldp.experiments.comparison import wholly_better
        >>> dam, mdsw = compare(np.arange(25).reshape(5, 5) * 40, ["DAM", "MDSW"], 3.5, seed=4, repeats=5)
        >>> wholly_better(dam, mdsw), wholly_better(mdsw, dam)
        (True, False)
    """
    for one in first.sides:
        for other in second.sides:
            widths = one.half_width_of(measure), other.half_width_of(measure)
            if None in widths or not _loss(one, measure) + (widths[0] or 0) < _loss(other, measure) - (widths[1] or 0):
                return False
    return True


def _loss(side: Score, measure: str) -> float:
    """The mean, turned so that less is better."""
    return -side.mean_of(measure) if more_is_better(measure) else side.mean_of(measure)


def _same(first: Score, second: Score) -> bool:
    """Whether two mechanisms are one and the same here: every figure of every repeat is equal."""
    return not (first.beyond or second.beyond) and all(
        np.array_equal(first.usefulness.by(measure), second.usefulness.by(measure)) for measure in USEFULNESS
    )
