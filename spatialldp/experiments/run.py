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
    """

    counts: NDArray[np.int64]
    reports: Any
    rough: Estimate | None


def simulate(counts: NDArray[np.int64], mechanism: Mechanism, seed: int) -> Run:
    """Randomise every person of `counts` (d, d), recover the map and compare; one seed, one result."""
    *_, result = simulate_in_stages(counts, mechanism, seed, rough=False)
    assert isinstance(result, Run)
    return result


def simulate_in_stages(
    counts: NDArray[np.int64], mechanism: Mechanism, seed: int, rough: bool = True
) -> Iterator[Stage | Run]:
    """The same run, with what there is to see on the way: the reports, a first recovery, and the result."""
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
    """The mechanism with this name; `b` only where there is a radius to choose, None for the optimal one."""
    kind = MECHANISMS[validate.one_of("mechanism", name, tuple(MECHANISMS))]
    if b is None:
        return kind(epsilon, d)
    if kind.parameter("b") is None:
        raise ValueError(f"b must be left out: {name} has no radius to choose")
    return kind(epsilon, d, b=b)  # type: ignore[call-arg]


def has_radius(name: str) -> bool:
    """Whether the radius b of this mechanism can be chosen."""
    return MECHANISMS[name].parameter("b") is not None
