"""Primal network simplex for the transportation problem, in exact integer arithmetic.

Nodes and arcs
--------------
Nodes ``0 .. S-1`` are sources, nodes ``S .. N-1`` are targets; an arc always runs from a source to a target
and has no capacity.  The basis is a spanning tree rooted at a target.  Every node but the root stands for the
basis arc that joins it to its parent: the arc points *up* (towards the root) when the node is a source and
*down* when it is a target.

Potentials
----------
``potential`` holds ``u`` of a source and ``-v`` of a target, so the reduced cost of an arc (i, j) is
``cost - potential[i] + potential[j]`` and shifting a whole subtree leaves reduced costs inside it alone.

Invariants of the tree, true before and after every pivot
---------------------------------------------------------
1. Conservation: the flows meet every node's mass exactly (integers, so there is no drift).
2. Strong feasibility: every basis arc with flow 0 points up.  Equivalently: the tree is feasible, with every
   flow strictly positive, once every node but the root is given an infinitesimal extra supply (an up arc then
   carries ``flow + size * epsilon``, a down arc ``flow - size * epsilon``).

Why it cannot cycle
-------------------
With ties broken as in `_pivot` (Cunningham's rule: the last blocking arc met when walking the cycle from its
apex in the direction of the entering arc) the leaving arc is the unique minimiser of the ratio test of the
perturbed problem.  So invariant 2 is kept and the perturbed objective falls strictly at every pivot, also at
those that move no mass.  No tree can come twice, and there are finitely many trees.

Why potentials may lag behind
-----------------------------
Shifting the potentials of the cut-off part is by far the costliest step when that part is large, while the
exact reduced cost of one arc is the sum of costs around its cycle, which a pivot has to walk anyway.
Potentials here are therefore only a guide to *which* arc to try: small shifts are made at once, large ones
are left out and made up for by recomputing all potentials after a few of them.  `_pivot` decides on the exact
reduced cost, and `improve` returns with exact potentials only.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from spatialldp._transport.compilation import compiled

NOTHING = -1
"""Stands for "no such node" in the links of a tree."""

NODE = np.dtype(
    [
        ("parent", np.int32),
        ("first_child", np.int32),
        ("next_sibling", np.int32),
        ("previous_sibling", np.int32),
        ("size", np.int32),  # number of nodes in the subtree of the node, itself included
        ("cost", np.int32),  # of the arc to the parent, in squared cells
        ("flow", np.int64),  # integer mass on the arc to the parent
    ],
    align=True,
)
"""A node of the tree: 32 bytes side by side, so a step along the tree touches a single cache line."""

ARC = np.dtype([("source", np.int32), ("target", np.int32), ("cost", np.int32)], align=True)
"""An arc of the pool: two node numbers and a cost in squared cells."""

# Measured on grids of side 20 to 100; each may be changed freely without affecting the result's exactness.
_LAPS = 8  # laps over the pool before the full problem is priced again, which finds better arcs
_MISLEADING_LIMIT = 100  # attempts that may leave potentials out of date before all are recomputed
_SHIFT_FACTOR = 4.0  # a part of at most this many times sqrt(N) nodes is shifted at once
_BLOCK_FACTOR = 0.1  # block size over the square root of the pool's size
_SMALLEST_BLOCK = 16


@compiled
def _detach(nodes: NDArray[Any], node: int) -> None:
    """Take ``node`` out of its parent's list of children."""
    following = nodes[node].next_sibling
    preceding = nodes[node].previous_sibling
    if preceding == NOTHING:
        nodes[nodes[node].parent].first_child = following
    else:
        nodes[preceding].next_sibling = following
    if following != NOTHING:
        nodes[following].previous_sibling = preceding


@compiled
def attach(nodes: NDArray[Any], node: int, parent: int) -> None:
    """Make ``node`` the first child of ``parent``."""
    following = nodes[parent].first_child
    nodes[node].parent = parent
    nodes[node].next_sibling = following
    nodes[node].previous_sibling = NOTHING
    nodes[parent].first_child = node
    if following != NOTHING:
        nodes[following].previous_sibling = node


@compiled
def compute_potentials(nodes: NDArray[Any], potential: NDArray[np.int64], source_count: int, root: int) -> None:
    """Set every potential from the tree, with 0 at the root; afterwards all basis arcs have reduced cost 0.

    Walks down in preorder along the links, which needs no stack.
    """
    potential[root] = 0
    node = root
    while True:
        following = nodes[node].first_child
        while following == NOTHING:
            following = nodes[node].next_sibling
            if following == NOTHING:
                node = nodes[node].parent
                if node == NOTHING:
                    return
        node = following
        cost = nodes[node].cost
        potential[node] = potential[nodes[node].parent] + (cost if node < source_count else -cost)


@compiled
def _shift_potentials(nodes: NDArray[Any], potential: NDArray[np.int64], start: int, skipped: int, shift: int) -> None:
    """Add ``shift`` to the potentials of the subtree at ``start``, leaving out the subtree at ``skipped``."""
    node = start
    while True:
        if node != skipped:
            potential[node] += shift
            child = nodes[node].first_child
            if child != NOTHING:
                node = child
                continue
        while node != start and nodes[node].next_sibling == NOTHING:
            node = nodes[node].parent
        if node == start:
            return
        node = nodes[node].next_sibling


@compiled
def _rehang(
    nodes: NDArray[Any],
    entering_end: int,
    other_end: int,
    leaving: int,
    apex: int,
    moved: np.int64,
    entering_cost: int,
) -> None:
    """Cut the subtree at ``leaving`` off, re-root it at ``entering_end`` and hang it from ``other_end``."""
    cut_size = nodes[leaving].size
    node = nodes[leaving].parent
    while node != apex:
        nodes[node].size -= cut_size
        node = nodes[node].parent
    node = other_end
    while node != apex:
        nodes[node].size += cut_size
        node = nodes[node].parent

    # On the way from the entering end up to the leaving arc every arc changes hands: it belonged to its lower
    # node, which now becomes the upper one.
    node = entering_end
    new_parent = other_end
    new_flow = moved
    new_cost = entering_cost
    new_size = cut_size
    while True:
        old_parent = nodes[node].parent
        old_flow = nodes[node].flow
        old_cost = nodes[node].cost
        old_size = nodes[node].size
        _detach(nodes, node)
        attach(nodes, node, new_parent)
        nodes[node].flow = new_flow
        nodes[node].cost = new_cost
        nodes[node].size = new_size
        if node == leaving:
            return
        new_parent = node
        new_flow = old_flow
        new_cost = old_cost
        new_size = cut_size - old_size
        node = old_parent


@compiled
def _pivot(
    nodes: NDArray[Any],
    potential: NDArray[np.int64],
    source_count: int,
    root: int,
    source: int,
    target: int,
    entering_cost: int,
    shift_limit: int,
) -> bool:
    """Bring the arc (source, target) into the basis if its exact reduced cost is negative.

    Returns whether the potentials now reflect the tree as well as they did before.
    """
    # Climb from both ends to the apex of the cycle.  A node's subtree is strictly smaller than that of any
    # of its proper ancestors, so the end with the smaller subtree cannot be the apex and may climb.
    # Mass will travel apex -> source -> target -> apex.  Arcs passed against their direction lose mass: on
    # the source side those whose lower node is a source, on the target side those whose lower node is a
    # target.  Walking upwards, "last on the cycle" is the first met on the source side (hence <) and the last
    # met on the target side (hence <=); and the whole target side comes after the source side.
    # One of the two end nodes always lies below the apex, so a blocking arc always exists.
    unlimited = np.int64(np.iinfo(np.int64).max)
    source_limit = unlimited
    target_limit = unlimited
    source_leaving = source
    target_leaving = target
    reduced_cost = np.int64(entering_cost)
    source_side = source
    target_side = target
    while source_side != target_side:
        if nodes[source_side].size < nodes[target_side].size:
            if source_side < source_count:
                reduced_cost -= nodes[source_side].cost
                if nodes[source_side].flow < source_limit:
                    source_limit = nodes[source_side].flow
                    source_leaving = source_side
            else:
                reduced_cost += nodes[source_side].cost
            source_side = nodes[source_side].parent
        else:
            if target_side >= source_count:
                reduced_cost -= nodes[target_side].cost
                if nodes[target_side].flow <= target_limit:
                    target_limit = nodes[target_side].flow
                    target_leaving = target_side
            else:
                reduced_cost += nodes[target_side].cost
            target_side = nodes[target_side].parent
    apex = source_side
    if reduced_cost >= 0:
        return False  # the potentials pointed to a wrong arc: they are out of date

    moved = min(source_limit, target_limit)
    if moved > 0:
        node = source
        while node != apex:
            nodes[node].flow += -moved if node < source_count else moved
            node = nodes[node].parent
        node = target
        while node != apex:
            nodes[node].flow += moved if node < source_count else -moved
            node = nodes[node].parent

    # Shift so that the entering arc reads as tight, by its reduced cost as the potentials have it.
    shift = entering_cost - potential[source] + potential[target]
    if target_limit <= source_limit:
        leaving = target_leaving
        entering_end = target
        other_end = source
        shift = -shift
    else:
        leaving = source_leaving
        entering_end = source
        other_end = target
    cut_size = nodes[leaving].size
    _rehang(nodes, entering_end, other_end, leaving, apex, moved, entering_cost)

    # Only differences across the cut matter, so either side may be shifted.
    start = entering_end
    skipped = NOTHING
    if 2 * cut_size > nodes.size:
        start = root
        skipped = entering_end
        shift = -shift
        cut_size = nodes.size - cut_size
    if cut_size > shift_limit:
        return False
    _shift_potentials(nodes, potential, start, skipped, shift)
    return True


@compiled
def improve(
    nodes: NDArray[Any],
    potential: NDArray[np.int64],
    source_count: int,
    root: int,
    pool: NDArray[Any],
    pool_count: int,
) -> None:
    """Pivot on the first ``pool_count`` arcs of ``pool`` until none improves, or for a fixed number of laps.

    Expects exact potentials and leaves exact potentials.  The first arc tried is then truly improving, so a
    call makes progress whenever the pool has any improving arc.

    Block pricing: scan the pool in blocks and try the most promising arc of each block.
    """
    shift_limit = int(_SHIFT_FACTOR * np.sqrt(nodes.size))
    block_size = min(max(_SMALLEST_BLOCK, int(_BLOCK_FACTOR * np.sqrt(pool_count))), pool_count)
    position = 0
    misleading = 0
    for _ in range(_LAPS):
        attempts = 0
        scanned = 0
        while scanned < pool_count:
            best = np.int64(0)
            best_arc = NOTHING
            for _ in range(block_size):
                reduced_cost = pool[position].cost - potential[pool[position].source] + potential[pool[position].target]
                if reduced_cost < best:
                    best = reduced_cost
                    best_arc = position
                position += 1
                if position == pool_count:
                    position = 0
            scanned += block_size
            if best_arc == NOTHING:
                continue
            attempts += 1
            arc = pool[best_arc]
            if not _pivot(nodes, potential, source_count, root, arc.source, arc.target, arc.cost, shift_limit):
                misleading += 1
                if misleading == _MISLEADING_LIMIT:
                    compute_potentials(nodes, potential, source_count, root)
                    misleading = 0
        if attempts == 0 and misleading == 0:
            break
        if misleading > 0:
            compute_potentials(nodes, potential, source_count, root)
            misleading = 0
    compute_potentials(nodes, potential, source_count, root)  # also brings the root, which may drift, back to 0
