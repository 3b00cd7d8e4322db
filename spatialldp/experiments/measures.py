"""What a run means: figures beside W2 that a visitor understands, and the baselines it lies between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import convolve

from spatialldp.mechanisms import MDSW, OUE, SAM, Mechanism, SEMGeoI
from spatialldp.wasserstein import transport, wasserstein2

Array = NDArray[np.float64]

HOTTEST = 5
_CHUNK = 64


class TruthfulShare(NamedTuple):
    """How many reports tell the truth."""

    share: float
    """Expected share of such reports."""
    meaning: str
    """What they do, in words."""


def truthful_share(mechanism: Mechanism, counts: NDArray[np.int64]) -> TruthfulShare:
    """The share of these people whose report names their own cell, in expectation."""
    if isinstance(mechanism, SAM):
        return TruthfulShare(mechanism.q * float(np.exp(mechanism.epsilon)), "name their own cell")
    if isinstance(mechanism, MDSW):
        return TruthfulShare(mechanism.q * float(np.exp(mechanism.epsilon)), "name their own row/column")
    if isinstance(mechanism, OUE):
        return TruthfulShare(mechanism.p, "own cell, among many named")
    if isinstance(mechanism, SEMGeoI):
        # A set that holds the true cell has it as its nearest one, which is rank 0.
        share = mechanism.k / mechanism.d**2 / mechanism.omega
        meaning = "name their own cell" if mechanism.k == 1 else f"own cell, among {mechanism.k} named"
        return TruthfulShare(share, meaning)
    cells = np.flatnonzero(counts)
    own = np.empty(cells.size)
    for start in range(0, cells.size, _CHUNK):
        part = cells[start : start + _CHUNK]
        places = np.stack(np.divmod(part, mechanism.d), axis=1)
        own[start : start + _CHUNK] = np.diagonal(mechanism.likelihoods(places, part))
    return TruthfulShare(float(np.average(own, weights=counts.flat[cells])), "name their own cell")


def hottest_cells(values: Array, number: int = HOTTEST) -> NDArray[np.int64]:
    """Flat numbers of the fullest cells, the fullest first; empty cells are never among them."""
    flat = values.ravel()
    order = np.argsort(-flat, kind="stable")[:number]
    return order[flat[order] > 0]


def loneliest_cell(counts: NDArray[np.int64]) -> int:
    """Flat number of the inhabited cell with the fewest people in the cells around it, two each way."""
    around = convolve(counts.astype(np.float64), np.ones((5, 5)), mode="constant") - counts
    return int(np.where(counts > 0, around, np.inf).argmin())


def surviving_hotspots(true: Array, recovered: Array, number: int = HOTTEST) -> tuple[int, int]:
    """(how many of the truly fullest cells are also among the recovered fullest, of how many)."""
    hottest = hottest_cells(true, number)
    found = hottest_cells(recovered, hottest.size)
    return int(np.isin(hottest, found).sum()), int(hottest.size)


@dataclass(frozen=True)
class Baselines:
    """Between what the error of a map lies: W2 in cells of two maps made without a mechanism."""

    uniform_guess: float
    """Of a map that knows nothing but the square: everybody spread evenly."""
    no_privacy: float
    """Of as many people asked again for their true cell, so that only chance is left."""


def baselines(counts: NDArray[np.int64], seed: int, users: int | None = None) -> Baselines:
    """Both baselines for these people (d, d); `users` how many are asked, None for as many as there are."""
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
