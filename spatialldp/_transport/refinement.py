"""From an optimal spanning tree on a coarse grid to a feasible spanning tree on the grid twice as fine.

Every coarse cell is shared out among the arcs of the tree at that cell, and every coarse arc among the fine
cells at its two ends, always by the north-west corner rule (two lists with equal totals are run through side
by side, and each step uses up the head of one of them).

Why the result is a spanning tree: at a coarse node with k fine cells and m arcs the rule yields k + m - 1
pieces, on an arc with s source and t target pieces it yields s + t - 1 fine arcs.  With n coarse nodes and
n - 1 coarse arcs this adds up to exactly N - 1 arcs for N fine nodes, and they connect all fine nodes because
the coarse tree connects all coarse ones.

Why it is strongly feasible: the rule is run on *perturbed* masses, pairs (mass, extra) compared
lexicographically, where extra counts in units of an infinitesimal epsilon: every fine node but the root
supplies one epsilon, and the root takes them all in.  A strongly feasible coarse tree is feasible for these
masses (whatever the positive weights of the perturbation), so all pieces are positive pairs.  The perturbed
flow of an arc of a spanning tree is its flow plus or minus the size of a subtree, never (0, 0), so no step of
the rule can use up both heads at once (but for the last), and an arc with mass 0 has positive extra, which
means that it points up.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spatialldp._transport.compilation import compiled
from spatialldp._transport.network_simplex import NODE, NOTHING, attach


class Level(NamedTuple):
    """The cells of one grid that hold mass, numbered: sources ``0 .. S-1``, then targets ``S .. N-1``."""

    source_of_cell: NDArray[np.int32]
    """(rows, cols): node number of the source in each cell, or NOTHING."""
    target_of_cell: NDArray[np.int32]
    """(rows, cols): node number of the target in each cell, or NOTHING."""
    row: NDArray[np.int32]
    """(N,)"""
    col: NDArray[np.int32]
    """(N,)"""
    mass: NDArray[np.int64]
    """(N,): positive integer mass."""
    source_count: int
    """S"""


@compiled
def halve(mass: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sum the mass over blocks of 2 x 2 cells: (rows, cols) to (ceil(rows / 2), ceil(cols / 2))."""
    rows, cols = mass.shape
    coarse = np.zeros(((rows + 1) // 2, (cols + 1) // 2), np.int64)
    for row in range(rows):
        for col in range(cols):
            coarse[row // 2, col // 2] += mass[row, col]
    return coarse


@compiled
def number_nodes(source_mass: NDArray[np.int64], target_mass: NDArray[np.int64]) -> Level:
    """Number the cells with positive mass, row by row; both arguments are (rows, cols) int64."""
    rows, cols = source_mass.shape
    source_of_cell = np.full((rows, cols), NOTHING, np.int32)
    target_of_cell = np.full((rows, cols), NOTHING, np.int32)
    capacity = 2 * rows * cols
    node_row = np.empty(capacity, np.int32)
    node_col = np.empty(capacity, np.int32)
    node_mass = np.empty(capacity, np.int64)
    node = 0
    source_count = 0
    for side in range(2):
        mass = source_mass if side == 0 else target_mass
        node_of_cell = source_of_cell if side == 0 else target_of_cell
        for row in range(rows):
            for col in range(cols):
                if mass[row, col] > 0:
                    node_of_cell[row, col] = node
                    node_row[node] = row
                    node_col[node] = col
                    node_mass[node] = mass[row, col]
                    node += 1
        if side == 0:
            source_count = node
    return Level(source_of_cell, target_of_cell, node_row[:node], node_col[:node], node_mass[:node], source_count)


@compiled
def empty_tree(count: int) -> NDArray[Any]:
    """``count`` unconnected nodes."""
    nodes = np.empty(count, NODE)
    for node in range(count):
        nodes[node].parent = NOTHING
        nodes[node].first_child = NOTHING
        nodes[node].next_sibling = NOTHING
        nodes[node].previous_sibling = NOTHING
        nodes[node].size = 1
        nodes[node].cost = 0
        nodes[node].flow = 0
    return nodes


@compiled
def _group_by_coarse_node(coarse: Level, fine: Level) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Fine nodes in the order of their coarse nodes: entries begin[n] .. begin[n + 1] - 1 belong to n."""
    rows, cols = fine.source_of_cell.shape
    begin = np.empty(coarse.row.size + 1, np.int32)
    member = np.empty(fine.row.size, np.int32)
    position = 0
    for node in range(coarse.row.size):
        begin[node] = position
        node_of_cell = fine.source_of_cell if node < coarse.source_count else fine.target_of_cell
        for row in range(2 * coarse.row[node], min(2 * coarse.row[node] + 2, rows)):
            for col in range(2 * coarse.col[node], min(2 * coarse.col[node] + 2, cols)):
                if node_of_cell[row, col] != NOTHING:
                    member[position] = node_of_cell[row, col]
                    position += 1
    begin[coarse.row.size] = position
    return begin, member


@compiled
def _arcs_by_node(nodes: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Arcs of a tree at every node: entries begin[n] .. begin[n + 1] - 1 belong to node n.

    An arc is named by its lower node.  The arcs of a node come in the order of their other ends, that is row
    by row, like the fine cells they will be shared out to: neighbours then go to neighbours.
    """
    begin = np.zeros(nodes.size + 1, np.int32)
    for node in range(nodes.size):
        if nodes[node].parent != NOTHING:
            begin[node + 1] += 1
            begin[nodes[node].parent + 1] += 1
    for node in range(nodes.size):
        begin[node + 1] += begin[node]
    free = begin.copy()
    arcs = np.empty(begin[nodes.size], np.int32)
    for other in range(nodes.size):
        parent = nodes[other].parent
        if parent != NOTHING:
            arcs[free[parent]] = other
            free[parent] += 1
        child = nodes[other].first_child
        while child != NOTHING:
            arcs[free[child]] = child
            free[child] += 1
            child = nodes[child].next_sibling
    return begin, arcs


@compiled
def _sum_over_subtrees(nodes: NDArray[Any], root: int, own: NDArray[np.int64]) -> NDArray[np.int64]:
    """For every node the sum of ``own`` over its subtree; own: (N,) int64."""
    order = np.empty(nodes.size, np.int32)
    order[0] = root
    found = 1
    for position in range(nodes.size):
        child = nodes[order[position]].first_child
        while child != NOTHING:
            order[found] = child
            found += 1
            child = nodes[child].next_sibling
    total = own.copy()
    for position in range(nodes.size - 1, 0, -1):
        node = order[position]
        total[nodes[node].parent] += total[node]
    return total


@compiled
def _is_less(mass: np.int64, extra: np.int64, other_mass: np.int64, other_extra: np.int64) -> bool:
    """Lexicographic comparison of two perturbed masses."""
    return bool(mass < other_mass or (mass == other_mass and extra < other_extra))


@compiled
def _share_nodes(
    coarse: Level,
    nodes: NDArray[Any],
    root: int,
    fine: Level,
    begin: NDArray[np.int32],
    member: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Share out the fine cells of every coarse node among the arcs at that node.

    begin, member: from `_group_by_coarse_node`.
    Returns ``bounds`` (2, n, 2) for n coarse nodes, and the pieces: of arc ``a`` the source pieces are
    bounds[0, a, 0] .. bounds[0, a, 1] - 1 and the target pieces bounds[1, a, 0] .. bounds[1, a, 1] - 1;
    piece p is the fine node piece_node[p] with the perturbed mass (piece_mass[p], piece_extra[p]).
    """
    coarse_count = coarse.mass.size
    count = fine.mass.size
    own = np.empty(coarse_count, np.int64)
    for node in range(coarse_count):
        own[node] = begin[node + 1] - begin[node]
    below = _sum_over_subtrees(nodes, root, own)
    arc_begin, arcs = _arcs_by_node(nodes)
    fine_root = member[begin[root]]

    piece_count = count + 2 * (coarse_count - 1) - coarse_count
    piece_node = np.empty(piece_count, np.int32)
    piece_mass = np.empty(piece_count, np.int64)
    piece_extra = np.empty(piece_count, np.int64)
    bounds = np.empty((2, coarse_count, 2), np.int32)
    piece = 0
    for node in range(coarse_count):
        side = 0 if node < coarse.source_count else 1
        position = begin[node] - 1
        cell_mass = np.int64(0)
        cell_extra = np.int64(0)
        used_up = True
        for place in range(arc_begin[node], arc_begin[node + 1]):
            arc = arcs[place]
            bounds[side, arc, 0] = piece
            arc_mass = nodes[arc].flow
            arc_extra = below[arc] if arc < coarse.source_count else -below[arc]
            arc_left = True
            while arc_left:
                if used_up:
                    position += 1
                    cell_mass = fine.mass[member[position]]
                    # A target that supplies one epsilon asks for one epsilon less; the root asks for all.
                    cell_extra = np.int64(1 if side == 0 else -1)
                    if member[position] == fine_root:
                        cell_extra = np.int64(count - 1)
                used_up = _is_less(cell_mass, cell_extra, arc_mass, arc_extra)
                piece_node[piece] = member[position]
                if used_up:
                    piece_mass[piece] = cell_mass
                    piece_extra[piece] = cell_extra
                    arc_mass -= cell_mass
                    arc_extra -= cell_extra
                else:
                    piece_mass[piece] = arc_mass
                    piece_extra[piece] = arc_extra
                    cell_mass -= arc_mass
                    cell_extra -= arc_extra
                    arc_left = False
                piece += 1
            bounds[side, arc, 1] = piece
    return bounds, piece_node, piece_mass, piece_extra


@compiled
def _join_pieces(
    root: int,
    bounds: NDArray[np.int32],
    piece_node: NDArray[np.int32],
    piece_mass: NDArray[np.int64],
    piece_extra: NDArray[np.int64],
    count: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """Fine arcs from the pieces at both ends of every coarse arc: sources, targets and flows, (N - 1,) each.

    Uses up ``piece_mass`` and ``piece_extra``.
    """
    arc_source = np.empty(count - 1, np.int32)
    arc_target = np.empty(count - 1, np.int32)
    arc_flow = np.empty(count - 1, np.int64)
    made = 0
    for arc in range(bounds.shape[1]):
        if arc == root:
            continue
        source = bounds[0, arc, 0]
        target = bounds[1, arc, 0]
        while source < bounds[0, arc, 1] and target < bounds[1, arc, 1]:
            arc_source[made] = piece_node[source]
            arc_target[made] = piece_node[target]
            if _is_less(piece_mass[source], piece_extra[source], piece_mass[target], piece_extra[target]):
                arc_flow[made] = piece_mass[source]
                piece_mass[target] -= piece_mass[source]
                piece_extra[target] -= piece_extra[source]
                source += 1
            else:
                arc_flow[made] = piece_mass[target]
                piece_mass[source] -= piece_mass[target]
                piece_extra[source] -= piece_extra[target]
                target += 1
            made += 1
    return arc_source, arc_target, arc_flow


@compiled
def _build_tree(
    level: Level,
    root: int,
    arc_source: NDArray[np.int32],
    arc_target: NDArray[np.int32],
    arc_flow: NDArray[np.int64],
) -> NDArray[Any]:
    """Root the spanning tree made of the given N - 1 arcs at ``root``, by breadth-first search."""
    count = level.mass.size
    begin = np.zeros(count + 1, np.int32)
    for arc in range(count - 1):
        begin[arc_source[arc] + 1] += 1
        begin[arc_target[arc] + 1] += 1
    for node in range(count):
        begin[node + 1] += begin[node]
    free = begin.copy()
    incident = np.empty(begin[count], np.int32)
    for arc in range(count - 1):
        for node in (arc_source[arc], arc_target[arc]):
            incident[free[node]] = arc
            free[node] += 1

    nodes = empty_tree(count)
    order = np.empty(count, np.int32)
    order[0] = root
    found = 1
    for position in range(count):
        node = order[position]
        for place in range(begin[node], begin[node + 1]):
            arc = incident[place]
            child = arc_target[arc] if arc_source[arc] == node else arc_source[arc]
            if child != nodes[node].parent:
                attach(nodes, child, node)
                nodes[child].flow = arc_flow[arc]
                nodes[child].cost = (level.row[child] - level.row[node]) ** 2 + (
                    level.col[child] - level.col[node]
                ) ** 2
                order[found] = child
                found += 1
    for position in range(count - 1, 0, -1):
        node = order[position]
        nodes[nodes[node].parent].size += nodes[node].size
    return nodes


@compiled
def refine(coarse: Level, nodes: NDArray[Any], root: int, fine: Level) -> tuple[NDArray[Any], int]:
    """Strongly feasible spanning tree of ``fine`` from one of ``coarse``: its nodes (N,) and its root.

    coarse, fine: `Level` of a grid and of the grid twice as fine.  nodes, root: a strongly feasible tree.
    """
    begin, member = _group_by_coarse_node(coarse, fine)
    bounds, piece_node, piece_mass, piece_extra = _share_nodes(coarse, nodes, root, fine, begin, member)
    arc_source, arc_target, arc_flow = _join_pieces(root, bounds, piece_node, piece_mass, piece_extra, fine.mass.size)
    fine_root = member[begin[root]]
    return _build_tree(fine, fine_root, arc_source, arc_target, arc_flow), fine_root
