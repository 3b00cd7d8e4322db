"""Exact pricing of all arcs of the full problem at once, by a separable c-transform.

For weights ``w`` on the cells of a grid the transform is, at every cell (r, c),

    min over (r', c') of  (r - r')**2 + (c - c')**2 + w[r', c'].

The cost is a sum over the two axes, so the minimum is taken along the columns first and along the rows
next: O(rows * cols * (rows + cols)) steps instead of (rows * cols)**2, with the arg-minimum at no extra cost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spatialldp._transport.compilation import compiled
from spatialldp._transport.network_simplex import NOTHING

if TYPE_CHECKING:
    from spatialldp._transport.refinement import Level

# A weight and the index that achieves it travel in one integer, ``weight << 16 | index``, so that one `min`
# finds both and the inner loops stay free of branches (the compiler vectorises them).  Ties go to the
# smallest index, hence the answer does not depend on the machine.  `multiscale.SIZE_LIMIT` keeps weights
# below 2**42 and sides below 2**16, so there is room for both.
_INDEX_BITS = 16
_INDEX_MASK = (1 << _INDEX_BITS) - 1
_ABSENT = 1 << 62  # packed weight of a cell that takes no part; a packed cost can be added without overflow

# The four neighbours of a cell.
_ROW_STEPS = (-1, 1, 0, 0)
_COL_STEPS = (0, 0, -1, 1)


@compiled
def _packed_squares(length: int) -> NDArray[np.int64]:
    """Squared distances, packed: entry ``length - 1 + k`` holds k**2 for -length < k < length."""
    table = np.empty(2 * length - 1, np.int64)
    for offset in range(1 - length, length):
        table[length - 1 + offset] = np.int64(offset * offset) << _INDEX_BITS
    return table


@compiled
def transform(
    weight: NDArray[np.int64], node_of_cell: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """c-transform of ``weight`` over the cells that hold a node.

    weight: (rows, cols) int64 in squared cells, read only where ``node_of_cell`` >= 0.
    node_of_cell: (rows, cols) int32, negative at cells that take no part.

    Returns ``best`` (rows, cols), the minimum; ``row_choice`` (rows, cols), the row that achieves it; and
    ``column_choice`` (rows, cols), where entry [r', c] is the best column of row r' as seen from column c.
    So the minimum at (r, c) is achieved at row r' = row_choice[r, c] and column column_choice[r', c].
    """
    rows, cols = weight.shape
    column_square = _packed_squares(cols)
    row_square = _packed_squares(rows)
    column_best = np.empty((rows, cols), np.int64)
    column_choice = np.empty((rows, cols), np.int32)
    best = np.empty((rows, cols), np.int64)
    row_choice = np.empty((rows, cols), np.int32)
    for row in range(rows):
        line = column_best[row]
        for col in range(cols):
            line[col] = _ABSENT
        for other in range(cols):
            if node_of_cell[row, other] >= 0:
                packed = (weight[row, other] << _INDEX_BITS) + other
                squares = column_square[cols - 1 - other :]
                for col in range(cols):
                    line[col] = min(line[col], packed + squares[col])
        if line[0] != _ABSENT:
            for col in range(cols):
                column_choice[row, col] = line[col] & _INDEX_MASK
                line[col] = (line[col] & ~_INDEX_MASK) + row
    for row in range(rows):
        line = best[row]
        for col in range(cols):
            line[col] = _ABSENT
        for other in range(rows):
            candidates = column_best[other]
            if candidates[0] != _ABSENT:
                square = row_square[rows - 1 + row - other]
                for col in range(cols):
                    line[col] = min(line[col], candidates[col] + square)
        for col in range(cols):
            row_choice[row, col] = line[col] & _INDEX_MASK
            line[col] >>= _INDEX_BITS
    return best, row_choice, column_choice


@compiled
def append_violated(
    level: Level, potential: NDArray[np.int64], for_sources: bool, pool: NDArray[Any], pool_count: int
) -> int:
    """Append to ``pool`` the most violated arc of every source (or else of every target) that has one.

    A source i has a violated arc iff  min_j (c_ij + potential_j) < potential_i; a target j has one iff
    min_i (c_ij - potential_i) < -potential_j.  The two differ by signs and the roles of the grids only.
    Returns the new number of arcs in the pool; nothing appended means that no arc of the full problem has
    a negative reduced cost.
    """
    source_count = level.source_count
    count = potential.size
    sign = 1 if for_sources else -1
    others = level.target_of_cell if for_sources else level.source_of_cell
    own_begin, own_end = (0, source_count) if for_sources else (source_count, count)
    other_begin, other_end = (source_count, count) if for_sources else (0, source_count)

    weight = np.empty(others.shape, np.int64)
    for node in range(other_begin, other_end):
        weight[level.row[node], level.col[node]] = sign * potential[node]
    best, row_choice, column_choice = transform(weight, others)
    for node in range(own_begin, own_end):
        row = level.row[node]
        col = level.col[node]
        if best[row, col] < sign * potential[node]:
            other_row = row_choice[row, col]
            other_col = column_choice[other_row, col]
            other = others[other_row, other_col]
            pool[pool_count].source = node if for_sources else other
            pool[pool_count].target = other if for_sources else node
            pool[pool_count].cost = (row - other_row) ** 2 + (col - other_col) ** 2
            pool_count += 1
    return pool_count


@compiled
def append_neighbours(level: Level, nodes: NDArray[Any], pool: NDArray[Any]) -> int:
    """Fill ``pool`` with the basis arcs moved by one cell at either end: at most 8 * N arcs.

    On a tree that was just refined from a good coarse one most improvements are of this kind.
    Returns the number of arcs.
    """
    rows, cols = level.source_of_cell.shape
    pool_count = 0
    for lower in range(nodes.size):
        upper = nodes[lower].parent
        if upper == NOTHING:
            continue
        for side in range(2):
            end = lower if side == 0 else upper
            fixed_end = upper if side == 0 else lower
            moves_source = end < level.source_count
            node_of_cell = level.source_of_cell if moves_source else level.target_of_cell
            for step in range(4):
                row = level.row[end] + _ROW_STEPS[step]
                col = level.col[end] + _COL_STEPS[step]
                if row < 0 or row >= rows or col < 0 or col >= cols or node_of_cell[row, col] == NOTHING:
                    continue
                pool[pool_count].source = node_of_cell[row, col] if moves_source else fixed_end
                pool[pool_count].target = fixed_end if moves_source else node_of_cell[row, col]
                pool[pool_count].cost = (row - level.row[fixed_end]) ** 2 + (col - level.col[fixed_end]) ** 2
                pool_count += 1
    return pool_count
