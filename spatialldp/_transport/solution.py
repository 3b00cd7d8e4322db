"""From histograms to the 2-Wasserstein distance, its certificate and its plan."""

from __future__ import annotations

import math
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numba import config
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array  # type: ignore[import-untyped,unused-ignore]

from spatialldp._transport.integer_masses import common_masses, integer_weights
from spatialldp._transport.multiscale import Optimum, optimal_tree
from spatialldp._transport.pricing import transform

_PIECE_BITS = 21
#: numba's own limit counts too: a worker process has a single core.
_THREADS = min(2, config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Solution:
    """Optimal transport between two histograms on a grid of shape (rows, cols), normalised to total 1."""

    squared: float
    """W2 squared, in squared cells: the least sum of plan * cost, rounded once from an exact fraction."""
    value: float
    """W2, in cells."""
    dual: float
    """Square root of the dual objective, in cells like `value`.  Equals `value` at an optimum."""
    relative_gap: float
    """(primal - dual) / primal of the squared objectives, from exact integers: 0.0 exactly at an optimum."""
    source_potential: NDArray[np.int64]
    """(rows, cols) ``u`` in squared cells.  u_i + v_j <= cost_ij for *all* pairs of cells, empty ones too."""
    target_potential: NDArray[np.int64]
    """(rows, cols) ``v`` in squared cells.  u_i + v_j == cost_ij wherever the plan has mass."""
    _optimum: Optimum = field(repr=False, compare=False)
    _total: int = field(repr=False, compare=False)

    @cached_property
    def plan(self) -> coo_array:
        """(rows * cols, rows * cols) sparse: mass moved from cell i to cell j (row-major numbers); sums to 1.

        Built when first asked for, because on small grids that takes as long as finding it.
        """
        return _plan(self._optimum, self._total)


def solve(a: ArrayLike, b: ArrayLike) -> Solution:
    """Exact optimal transport from ``a`` to ``b`` for the squared Euclidean distance in cells.

    a, b: (rows, cols) non-negative with positive totals (not checked), of any unit: both are normalised.
    Cells without mass take no part, so a mask is simply zeros.
    """
    source_mass, target_mass, total = common_masses(integer_weights(a), integer_weights(b))
    optimum = optimal_tree(source_mass, target_mass)
    primal = _primal_objective(optimum)
    source_potential, target_potential = _potentials_on_grid(optimum)
    dual = _exact_dot(source_mass, source_potential) + _exact_dot(target_mass, target_potential)
    squared = primal / total
    return Solution(
        squared=squared,
        value=math.sqrt(squared),
        dual=math.sqrt(max(dual, 0) / total),
        relative_gap=(primal - dual) / primal if primal else float(-dual),
        source_potential=source_potential,
        target_potential=target_potential,
        _optimum=optimum,
        _total=total,
    )


def solve_values(a: ArrayLike, batch: Iterable[ArrayLike]) -> NDArray[np.float64]:
    """W2 in cells from ``a`` to every histogram of ``batch``: (len(batch),), each equal to solve(a, b).value.

    Runs on two threads (the compiled parts release the GIL) and builds no plans.
    """
    source_weights = integer_weights(a)

    def value(b: ArrayLike) -> float:
        source_mass, target_mass, total = common_masses(source_weights, integer_weights(b))
        return math.sqrt(_primal_objective(optimal_tree(source_mass, target_mass)) / total)

    with ThreadPoolExecutor(max_workers=_THREADS) as executor:
        return np.array(list(executor.map(value, batch)), dtype=np.float64)


def warm_up() -> None:
    """Compile every function (or load it from numba's cache) by solving a tiny problem."""
    # Totals without a small common multiple, so that the apportionment to 2**58 is compiled as well.
    solve([[0.1], [0.2], [0.4]], [[0.7], [0.1], [0.1]])


def _exact_dot(masses: NDArray[np.int64], factors: NDArray[np.int64]) -> int:
    """Exact sum of masses (below 2**62) times costs or optimal potentials, which overflows 64 bits.

    The masses are taken apart into pieces of 21 bits.  There are at most N of them and factors are at most
    the largest cost C in size, so no partial sum reaches 2**21 * N * C < 2**63 (`multiscale.SIZE_LIMIT`).
    """
    mask = (1 << _PIECE_BITS) - 1
    flat_masses = masses.ravel()
    flat_factors = factors.ravel()
    total = 0
    for shift in range(0, 63, _PIECE_BITS):
        total += int(np.dot((flat_masses >> shift) & mask, flat_factors)) << shift
    return total


def _primal_objective(optimum: Optimum) -> int:
    """Sum of flow * cost over the tree, exact; the root has neither."""
    return _exact_dot(optimum.nodes["flow"], optimum.nodes["cost"].astype(np.int64))


def _plan(optimum: Optimum, total: int) -> coo_array:
    """The flows of the tree as a sparse matrix over cells."""
    level = optimum.level
    cols = level.source_of_cell.shape[1]
    node = np.flatnonzero(optimum.nodes["flow"])
    parent = optimum.nodes["parent"][node]
    cell = level.row.astype(np.int64) * cols + level.col
    below = cell[node]
    above = cell[parent]
    is_source = node < level.source_count
    source_cell = np.where(is_source, below, above)
    target_cell = np.where(is_source, above, below)
    cell_count = level.source_of_cell.size
    return coo_array((optimum.nodes["flow"][node] / total, (source_cell, target_cell)), shape=(cell_count, cell_count))


def _potentials_on_grid(optimum: Optimum) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Potentials ``u`` and ``v`` of all cells, (rows, cols) each.

    First u is extended to all cells by the c-transform of v over the targets, then v by that of u over all
    cells.  Neither changes the potential of a cell with mass: it was feasible, and tight on a basis arc.
    """
    level = optimum.level
    weight = np.zeros(level.source_of_cell.shape, np.int64)
    targets = slice(level.source_count, None)
    weight[level.row[targets], level.col[targets]] = optimum.potential[targets]
    source_potential = transform(weight, level.target_of_cell)[0]
    everywhere = np.zeros_like(level.source_of_cell)
    target_potential = transform(-source_potential, everywhere)[0]
    return source_potential, target_potential
