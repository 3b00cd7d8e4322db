"""What a run means: figures beside W2 that a visitor understands, and the baselines it lies between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spatialldp.mechanisms import Mechanism, TruthfulShare
from spatialldp.wasserstein import transport, wasserstein2

Array = NDArray[np.float64]

HOTTEST = 5


def truthful_share(mechanism: Mechanism, counts: NDArray[np.int64]) -> TruthfulShare:
    """`mechanism.truthful_share`, under the name that programs written for earlier versions call.

    >>> from spatialldp import DAM
    >>> truthful_share(DAM(3.5, 6), np.ones((6, 6), int))
    TruthfulShare(share=0.134278, meaning='name their own cell')
    """
    return mechanism.truthful_share(counts)


def hottest_cells(values: Array, number: int = HOTTEST) -> NDArray[np.int64]:
    """Flat numbers of the fullest cells, the fullest first; empty cells are never among them."""
    flat = values.ravel()
    order = np.argsort(-flat, kind="stable")[:number]
    return order[flat[order] > 0]


def loneliest_cell(counts: NDArray[np.int64]) -> int:
    """Flat number of the inhabited cell with the fewest people in the cells around it, two each way."""
    from scipy.ndimage import convolve  # imported here: it costs a tenth of a second

    around = convolve(counts.astype(np.float64), np.ones((5, 5)), mode="constant") - counts
    return int(np.where(counts > 0, around, np.inf).argmin())


def surviving_hotspots(true: Array, recovered: Array, number: int = HOTTEST) -> tuple[int, int]:
    """How many of the truly fullest cells are also among the recovered fullest, and of how many.

    `true` and `recovered` (d, d) in any unit; `number` of cells looked at, fewer where fewer are inhabited.

    >>> true, recovered = np.array([[5.0, 4.0], [3.0, 0.0]]), np.array([[0.0, 4.0], [3.0, 5.0]])
    >>> surviving_hotspots(true, recovered)
    (2, 3)
    """
    hottest = hottest_cells(true, number)
    found = hottest_cells(recovered, hottest.size)
    return int(np.isin(hottest, found).sum()), int(hottest.size)


@dataclass(frozen=True)
class Baselines:
    """The two ends between which the error of a map lies: W2 in cells of two maps made without a mechanism.

    >>> found = baselines(np.array([[90, 10], [0, 0]]), seed=1)
    >>> found.uniform_guess, found.no_privacy
    (0.9487, 0.1)
    """

    uniform_guess: float
    """Of a map that knows nothing but the square: everybody spread evenly."""
    no_privacy: float
    """Of as many people asked again for their true cell, so that only chance is left."""


def baselines(counts: NDArray[np.int64], seed: int, users: int | None = None) -> Baselines:
    """Both baselines for these people (d, d); `users` how many are asked, None for as many as there are.

    >>> baselines(np.array([[90, 10], [0, 0]]), seed=1, users=1_000_000).no_privacy  # chance vanishes
    0.01
    """
    rng = np.random.default_rng([seed, 1])
    resampled = rng.multinomial(int(counts.sum()) if users is None else users, counts.ravel() / counts.sum()).reshape(
        counts.shape
    )
    return Baselines(wasserstein2(counts, np.ones(counts.shape)), wasserstein2(counts, resampled))


class Flow(NamedTuple):
    """One arrow of the optimal transport: people who are shown in the wrong cell."""

    source: tuple[int, int]
    """(ix, iy) of the cell where they are."""
    target: tuple[int, int]
    """(ix, iy) of the cell where the recovered map shows them."""
    share: float
    """Their share of all people."""
    cells: float
    """How far apart the two are, cells."""


def largest_flows(counts: NDArray[np.int64], recovered: Array, number: int = 40) -> tuple[list[Flow], float]:
    """The flows that make up most of W2², largest first, and the share of W2² they explain.

    `counts` (d, d) the truth; `recovered` (d, d); `number` of flows at most.

    >>> flows, explained = largest_flows(np.array([[4, 0], [0, 4]]), np.array([[0.5, 0.25], [0.0, 0.25]]))
    >>> flows, explained
    ([Flow(source=(1, 1), target=(0, 1), share=0.25, cells=1.0)], 1.0)
    """
    plan = transport(counts, recovered).plan
    source, target = (np.stack(np.divmod(side, counts.shape[1]), axis=1) for side in (plan.row, plan.col))
    squared = ((source - target) ** 2).sum(axis=1)
    cost = plan.data * squared
    order = np.argsort(-cost, kind="stable")[:number]
    order = order[cost[order] > 0]
    flows = [
        Flow(
            (int(source[i, 0]), int(source[i, 1])),
            (int(target[i, 0]), int(target[i, 1])),
            float(plan.data[i]),
            float(np.sqrt(squared[i])),
        )
        for i in order
    ]
    return flows, float(cost[order].sum() / cost.sum()) if cost.any() else 1.0
