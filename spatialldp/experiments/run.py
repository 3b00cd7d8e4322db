"""One run: perturb, recover, measure. The pages, the command line and the snippets all come here."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spatialldp import _validation as validate
from spatialldp.estimation import EMOptions, Estimate
from spatialldp.mechanisms import MECHANISMS, Mechanism
from spatialldp.wasserstein import wasserstein2

#: The first, rough recovery: enough steps to show the shape, a fraction of a second on any grid.
_ROUGH = EMOptions("converged", max_iterations=30)


@dataclass(frozen=True)
class Run:
    """What happened to one population.

    Attributes:
        counts: people per cell, (d, d), [ix, iy].
        reports: of all of them, summed up, as `Mechanism.perturb` returns them.
        estimate: the recovered map, and how it was found.
        w2_cells: its error, W2 in cells.
        seconds: how long it took.

    Example:
        >>> import numpy as np
        >>> from spatialldp import DAM
        >>> from spatialldp.experiments import simulate
        >>> run = simulate(np.arange(36).reshape(6, 6) * 50, DAM(epsilon=3.5, d=6), seed=1)
        >>> int(run.counts.sum()), int(run.reports.sum())  # everybody sends one report
        (31500, 31500)
    """

    counts: NDArray[np.int64]
    reports: Any
    estimate: Estimate
    w2_cells: float
    seconds: float


@dataclass(frozen=True)
class Stage:
    """A run that is not over.

    Attributes:
        counts: people per cell, (d, d), [ix, iy].
        reports: of all of them, summed up, as `Mechanism.perturb` returns them.
        rough: a first recovery; None while there are only the reports.

    Example:
        >>> import numpy as np
        >>> from spatialldp import DAM
        >>> from spatialldp.experiments import simulate_in_stages
        >>> reports, rough, result = simulate_in_stages(np.full((6, 6), 50), DAM(epsilon=3.5, d=6), seed=1)
        >>> reports.rough is None, rough.rough.stopping
        (True, 'converged')
    """

    counts: NDArray[np.int64]
    reports: Any
    rough: Estimate | None


@validate.takes(mechanism=Mechanism)
def simulate(counts: NDArray[np.int64], mechanism: Mechanism, seed: int, mask: NDArray[np.bool_] | None = None) -> Run:
    """Randomise every person, recover the map from the reports and compare it with the true one.

    Args:
        counts: people per cell, whole numbers (d, d), [ix, iy].
        mechanism: what each device does, on d×d cells.
        seed: of all draws, a whole number ≥ 0; the same seed gives the same run.
        mask: bool (d, d), False for cells that the analyst believes to be empty; None where every cell is possible. It
            changes only the recovery: people may live where the analyst does not expect them, and reports stay.

    Returns:
        The reports, the recovered map and its error.

    Raises:
        ValueError: `counts` does not have the shape of the mechanism's grid, is all zero or holds anything but whole
            numbers ≥ 0; `seed` is not such a number; `mask` has another shape or allows no cell; or the mechanism
            cannot use one (`Mechanism.honours_mask`).

    Example:
        >>> import numpy as np
        >>> from spatialldp import DAM
        >>> from spatialldp.experiments import simulate
        >>> run = simulate(np.arange(36).reshape(6, 6) * 50, DAM(epsilon=3.5, d=6), seed=1)
        >>> f"{run.w2_cells:.2f} cells"
        '0.22 cells'
    """
    *_, result = simulate_in_stages(counts, mechanism, seed, rough=False, mask=mask)
    assert isinstance(result, Run)
    return result


@validate.takes(mechanism=Mechanism, rough=bool)
def simulate_in_stages(
    counts: NDArray[np.int64],
    mechanism: Mechanism,
    seed: int,
    rough: bool = True,
    mask: NDArray[np.bool_] | None = None,
) -> Iterator[Stage | Run]:
    """The same run, with what there is to see on the way.

    Args:
        counts: people per cell, whole numbers (d, d), [ix, iy].
        mechanism: what each device does, on d×d cells.
        seed: of all draws, a whole number ≥ 0.
        rough: whether a first recovery is of interest, where the mechanism takes long.
        mask: bool (d, d), False for cells that the analyst believes to be empty; None where every cell is possible.

    Yields:
        A `Stage` with the reports, another with a first recovery, and last the `Run` of `simulate`.

    Raises:
        ValueError: as `simulate`.

    Example:
        >>> import numpy as np
        >>> from spatialldp import OUE
        >>> from spatialldp.experiments import simulate_in_stages
        >>> [type(stage).__name__ for stage in simulate_in_stages(np.full((3, 3), 9), OUE(epsilon=2.0, d=3), seed=1)]
        ['Stage', 'Run']
    """
    rng = np.random.default_rng(validate.seed(seed))
    mask = checked_mask(mechanism, mask)
    settings: dict[str, Any] = {} if mask is None else {"mask": mask}
    started = time.perf_counter()
    reports = mechanism.perturb(counts, rng)
    spent = time.perf_counter() - started
    yield Stage(counts, reports, None)
    if rough and mechanism.takes_long:
        yield Stage(counts, reports, mechanism.estimate(reports, _ROUGH, **settings))
    started = time.perf_counter()
    estimate = mechanism.estimate(reports, **settings)
    error = wasserstein2(counts, estimate.distribution)
    yield Run(counts, reports, estimate, error, spent + time.perf_counter() - started)


@validate.takes(mechanism=Mechanism)
def checked_mask(mechanism: Mechanism, mask: NDArray[np.bool_] | None) -> NDArray[np.bool_] | None:
    """`mask`, if the mechanism can use it in recovery.

    Args:
        mechanism: the one that recovers the map.
        mask: bool (d, d), False for cells that the analyst believes to be empty; None for no mask.

    Returns:
        The mask, or None.

    Raises:
        ValueError: the mask has another shape or allows no cell, or the mechanism cannot use one.

    Example:
        >>> import numpy as np
        >>> from spatialldp import DAM
        >>> from spatialldp.experiments.run import checked_mask
        >>> checked_mask(DAM(epsilon=3.5, d=2), np.array([[True, False], [True, True]])).tolist()
        [[True, False], [True, True]]
    """
    if mask is None:
        return None
    if not mechanism.honours_mask:
        raise ValueError(f"mask must be left out: {mechanism!r} recovers the map without knowing which cells are empty")
    return validate.cell_mask("mask", mask, (mechanism.d, mechanism.d))


def make_mechanism(name: str, epsilon: float, d: int, b: int | None = None) -> Mechanism:
    """The mechanism with this name.

    Args:
        name: its short name, a key of `spatialldp.MECHANISMS`.
        epsilon: privacy budget, above 0; per cell of distance for Geo-I.
        d: cells per side, at least 1.
        b: radius in cells, only where there is one to choose; None for the optimal one.

    Returns:
        The mechanism.

    Raises:
        ValueError: there is no such mechanism, it has no radius to choose, or a value is out of range.

    Example:
        >>> from spatialldp.experiments import make_mechanism
        >>> make_mechanism("DAM", epsilon=3.5, d=15)
        DAM(epsilon=3.5, d=15, b=3)
    """
    kind = MECHANISMS[validate.one_of("mechanism", name, tuple(MECHANISMS))]
    if b is None:
        return kind(epsilon, d)
    if kind.parameter("b") is None:
        raise ValueError(f"b must be left out: {name} has no radius to choose")
    return kind(epsilon, d, b=b)  # type: ignore[call-arg]
