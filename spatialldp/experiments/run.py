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
        >>> from spatialldp import DAM
        >>> from spatialldp.experiments import simulate
        >>> from spatialldp.population import Population
        >>> run = simulate(Population.of("new-haven", d=6).counts, DAM(epsilon=3.5, d=6), seed=1)
        >>> int(run.counts.sum()), int(run.reports.sum())  # everybody sends one report
        (3293, 3293)
        >>> run.estimate.distribution.shape, run.estimate.converged
        ((6, 6), True)
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
        >>> from spatialldp import DAM
        >>> from spatialldp.experiments import simulate_in_stages
        >>> from spatialldp.population import Population
        >>> first, *_ = simulate_in_stages(Population.of("new-haven", d=6).counts, DAM(epsilon=3.5, d=6), seed=1)
        >>> first.reports.shape, first.rough
        ((8, 8), None)
    """

    counts: NDArray[np.int64]
    reports: Any
    rough: Estimate | None


def simulate(counts: NDArray[np.int64], mechanism: Mechanism, seed: int) -> Run:
    """Randomise everybody, recover the map and compare it with the true one; one seed, one result.

    Args:
        counts: people per cell, (d, d), [ix, iy].
        mechanism: what their devices run; it must have the same d.
        seed: of all randomness; a whole number ≥ 0.

    Returns:
        The reports, the recovered map and its error.

    Raises:
        ValueError: the counts do not fit the mechanism, there is nobody, or the seed is not a whole number ≥ 0.

    Example:
        >>> from spatialldp import DAM
        >>> from spatialldp.experiments import simulate
        >>> from spatialldp.population import Population
        >>> run = simulate(Population.of("new-haven", d=6).counts, DAM(epsilon=3.5, d=6), seed=1)
        >>> round(run.w2_cells, 3)
        0.401
    """
    *_, result = simulate_in_stages(counts, mechanism, seed, rough=False)
    assert isinstance(result, Run)
    return result


def simulate_in_stages(
    counts: NDArray[np.int64], mechanism: Mechanism, seed: int, rough: bool = True
) -> Iterator[Stage | Run]:
    """The run of `simulate`, with what there is to see on the way.

    Args:
        counts: people per cell, (d, d), [ix, iy].
        mechanism: what their devices run; it must have the same d.
        seed: of all randomness; a whole number ≥ 0.
        rough: whether to recover the map roughly first, where recovering it takes long.

    Yields:
        A `Stage` as soon as there are reports, perhaps a second one with a rough map, and last the `Run`.

    Raises:
        ValueError: as `simulate`.

    Example:
        >>> from spatialldp import DAM
        >>> from spatialldp.experiments import simulate_in_stages
        >>> from spatialldp.population import Population
        >>> counts = Population.of("new-haven", d=6).counts
        >>> for stage in simulate_in_stages(counts, DAM(epsilon=3.5, d=6), seed=1):
        ...     print(type(stage).__name__)
        Stage
        Stage
        Run
    """
    rng = np.random.default_rng(validate.whole_number("seed", seed, 0))
    started = time.perf_counter()
    reports = mechanism.perturb(counts, rng)
    spent = time.perf_counter() - started
    yield Stage(counts, reports, None)
    if rough and mechanism.takes_long:
        yield Stage(counts, reports, mechanism.estimate(reports, _ROUGH))
    started = time.perf_counter()
    estimate = mechanism.estimate(reports)
    error = wasserstein2(counts, estimate.distribution)
    yield Run(counts, reports, estimate, error, spent + time.perf_counter() - started)


def make_mechanism(name: str, epsilon: float, d: int, b: int | None = None) -> Mechanism:
    """A mechanism by its name.

    Args:
        name: a key of `spatialldp.MECHANISMS`.
        epsilon: privacy budget; per cell for Geo-I.
        d: cells per side.
        b: radius in cells, only where there is one to choose; None for the best one.

    Returns:
        The mechanism.

    Raises:
        ValueError: there is no such mechanism, it has no radius to choose, or a number is out of range.

    Example:
        >>> from spatialldp.experiments import make_mechanism
        >>> make_mechanism("DAM", epsilon=3.5, d=15)
        DAM(epsilon=3.5, d=15, b=3)
        >>> make_mechanism("DAM", epsilon=3.5, d=15, b=5)
        DAM(epsilon=3.5, d=15, b=5)
    """
    kind = MECHANISMS[validate.one_of("mechanism", name, tuple(MECHANISMS))]
    if b is None:
        return kind(epsilon, d)
    if kind.parameter("b") is None:
        raise ValueError(f"b must be left out: {name} has no radius to choose")
    return kind(epsilon, d, b=b)  # type: ignore[call-arg]
