"""Exact optimal transport on a grid, coarse to fine.

The masses are summed over blocks of 2 x 2 cells until a single cell is left, where the problem is trivial.
Going back, the optimal tree of each grid is refined to a feasible tree of the next finer one (`refinement`)
and made optimal there (`network_simplex`), on a small pool of arcs which the c-transform (`pricing`) fills
with the most violated arcs of the *full* problem until there are none.  The coarse grids only provide a good
start; the optimum on the finest grid does not rely on them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spatialldp._transport.compilation import compiled
from spatialldp._transport.network_simplex import ARC, attach, compute_potentials, improve
from spatialldp._transport.pricing import append_neighbours, append_violated
from spatialldp._transport.refinement import Level, empty_tree, halve, number_nodes, refine

SIZE_LIMIT = 1 << 42
"""Bound on (number of nodes) * (largest cost), hence on all potentials of any tree: no 64-bit sum overflows.

Square grids of up to 1,000 cells per side are within it.
"""


class Optimum(NamedTuple):
    """An optimal spanning tree."""

    level: Level
    """The N numbered sources and targets of the finest grid."""
    nodes: NDArray[Any]
    """(N,) of dtype `network_simplex.NODE`."""
    root: int
    potential: NDArray[np.int64]
    """(N,): ``u`` of a source, ``-v`` of a target, in squared cells; no arc has a negative reduced cost."""


@compiled
def _optimise(level: Level, nodes: NDArray[Any], root: int) -> NDArray[np.int64]:
    """Pivot until no arc of the full problem has a negative reduced cost; return the exact potentials (N,).

    Every round adds a violated arc and then makes at least one pivot, each of which lowers the perturbed
    objective (see `network_simplex`), so the rounds come to an end.
    """
    count = nodes.size
    potential = np.empty(count, np.int64)
    compute_potentials(nodes, potential, level.source_count, root)
    pool = np.empty(8 * count, ARC)
    pool_count = append_neighbours(level, nodes, pool)
    is_first = True
    while True:
        improve(nodes, potential, level.source_count, root, pool, pool_count)
        if is_first:  # the neighbours have served their purpose, and a smaller pool is faster to scan
            pool_count = 0
            is_first = False
        if pool_count + count > pool.size:  # a round appends at most one arc for every node
            larger = np.empty(2 * pool.size, ARC)
            for arc in range(pool_count):
                larger[arc] = pool[arc]
            pool = larger
        for for_sources in (True, False):  # an arc violated for its source is violated for its target too
            priced = append_violated(level, potential, for_sources, pool, pool_count)
            if priced == pool_count:
                return potential
            pool_count = priced


@compiled
def _single_arc(mass: int) -> NDArray[Any]:
    """The tree of one source (node 0) below one target (node 1, the root)."""
    nodes = empty_tree(2)
    attach(nodes, 0, 1)
    nodes[0].flow = mass
    nodes[1].size = 2
    return nodes


def optimal_tree(source_mass: NDArray[np.int64], target_mass: NDArray[np.int64]) -> Optimum:
    """Solve the transport problem between two integer histograms exactly.

    source_mass, target_mass: (rows, cols) int64, C-contiguous, non-negative, with the same positive total of
    at most 2**61.  The cost is the squared distance between cell centres, in squared cells.
    Raises ValueError on a grid so large that 64-bit integers could overflow.
    """
    rows, cols = source_mass.shape
    largest_cost = (rows - 1) ** 2 + (cols - 1) ** 2
    if 2 * source_mass.size * largest_cost >= SIZE_LIMIT or largest_cost > np.iinfo(np.int32).max:
        raise ValueError(f"a grid of {rows} x {cols} cells is too large for exact integer transport")
    grids = [(source_mass, target_mass)]
    while grids[-1][0].size > 1:
        grids.append((halve(grids[-1][0]), halve(grids[-1][1])))
    level = number_nodes(*grids.pop())
    nodes = _single_arc(level.mass[0])
    root = 1
    potential = np.zeros(2, np.int64)
    for grid in reversed(grids):
        coarse = level
        level = number_nodes(*grid)
        nodes, root = refine(coarse, nodes, root, level)
        potential = _optimise(level, nodes, root)
    return Optimum(level, nodes, root, potential)
