"""What a run means: figures beside W2 that a visitor understands, and the two ends of the scale."""

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
    """`mechanism.truthful_share`, under the name that programs written for earlier versions call."""
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
    """(how many of the truly fullest cells are also among the recovered fullest, of how many)."""
    hottest = hottest_cells(true, number)
    found = hottest_cells(recovered, hottest.size)
    return int(np.isin(hottest, found).sum()), int(hottest.size)


@dataclass(frozen=True)
class Baselines:
    """W2 in cells at the two ends: `uniform_guess` knows nothing but the square; `no_privacy` asks as many people
    again for their true cell, so that only chance is left."""

    uniform_guess: float
    no_privacy: float


def baselines(counts: NDArray[np.int64], seed: int, users: int | None = None) -> Baselines:
    """Both ends of the scale for these people; `users` how many of them are asked, None for as many as there are."""
    rng = np.random.default_rng([seed, 1])
    resampled = rng.multinomial(int(counts.sum()) if users is None else users, counts.ravel() / counts.sum()).reshape(
        counts.shape
    )
    return Baselines(wasserstein2(counts, np.ones(counts.shape)), wasserstein2(counts, resampled))


class Flow(NamedTuple):
    """One arrow of the optimal plan: `share` of all people is in `target` where `source` would be right."""

    source: tuple[int, int]
    target: tuple[int, int]
    share: float
    cells: float


def largest_flows(counts: NDArray[np.int64], recovered: Array, number: int = 40) -> tuple[list[Flow], float]:
    """The flows that make up most of W2², largest first, and the share of W2² they explain."""
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
