"""Mechanisms side by side on the same people, each several times."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from spatialldp import _validation as validate
from spatialldp.experiments import defaults
from spatialldp.experiments.calibrated import equal_protection
from spatialldp.experiments.repeats import repeated
from spatialldp.experiments.run import make_mechanism
from spatialldp.experiments.scores import Score, alike, best, contenders, wholly_better
from spatialldp.mechanisms import MECHANISMS, Mechanism
from spatialldp.privacy import MEASURES, protection
from spatialldp.privacy.protection import LOCAL_PRIVACY

#: Of simulated figures of protection.
_RELATIVE_ERROR = 0.0025

__all__ = [
    "Score",
    "alike",
    "best",
    "both_sides",
    "compare",
    "contenders",
    "equal_footing",
    "score",
    "score_of",
    "wholly_better",
]


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
    mask: NDArray[np.bool_] | None = None,
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
        mask: bool (d, d), False for cells that the analyst believes to be empty, for a mechanism that can use it
            (`Mechanism.honours_mask`); None where every cell is possible.

    Returns:
        Its errors, and what one of its reports hides.

    Raises:
        ValueError: the mechanism or the ruler is unknown, a number is out of range, or the mask does not fit.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments import score
        >>> found = score(np.arange(25).reshape(5, 5) * 40, "DAM", 3.5, seed=4, repeats=3)
        >>> round(found.mean, 2), round(found.half_width, 2)  # cells
        (0.25, 0.04)
    """
    counts = validate.square_counts("counts", counts)
    here, *past = (
        score_of(counts, name, mechanism, seed, repeats, mask)
        for mechanism in both_sides(name, epsilon, counts.shape[0], calibrated, by)
    )
    if not past:
        return here
    asked = protection(make_mechanism("DAM", epsilon, counts.shape[0]), relative_error=_RELATIVE_ERROR).by(by)
    return replace(here, beyond=past[0], asked=asked)


@validate.takes(mechanism=Mechanism)
def score_of(
    counts: NDArray[np.int64],
    name: str,
    mechanism: Mechanism,
    seed: int,
    repeats: int,
    mask: NDArray[np.bool_] | None = None,
) -> Score:
    """The score of a mechanism as it is.

    Args:
        counts: people per cell, (d, d).
        name: under which it is listed.
        mechanism: the one to run.
        seed: of the first repeat.
        repeats: how often it runs.
        mask: as in `score`.

    Returns:
        Its errors, and what one of its reports hides.

    Raises:
        ValueError: the counts or the mask do not fit the mechanism, or a number is out of range.

    Example:
        >>> import numpy as np
        >>> from spatialldp import DAM
        >>> from spatialldp.experiments.comparison import score_of
        >>> found = score_of(np.arange(25).reshape(5, 5) * 40, "DAM, b = 3", DAM(3.5, 5, b=3), seed=4, repeats=2)
        >>> found.name, round(found.mean, 2)  # cells
        ('DAM, b = 3', 0.25)
    """
    started = time.perf_counter()
    if mask is not None:
        mask = validate.cell_mask("mask", mask, (mechanism.d, mechanism.d))
    found = repeated(counts, mechanism, seed, repeats, mask=mask if mechanism.honours_mask else None)
    seconds = time.perf_counter() - started
    hidden = protection(mechanism, relative_error=_RELATIVE_ERROR)
    return Score(name, mechanism.epsilon, found.usefulness, found.first, seconds, hidden)


@validate.takes(names=[str])
def compare(
    counts: NDArray[np.int64],
    names: Sequence[str],
    epsilon: float,
    seed: int,
    repeats: int = defaults.REPEATS,
    calibrated: bool = True,
    by: str = LOCAL_PRIVACY,
    mask: NDArray[np.bool_] | None = None,
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
        mask: bool (d, d), False for cells that the analyst believes to be empty; those that can use it do.

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
        yield score(counts, name, epsilon, seed, repeats, calibrated, by, mask)
