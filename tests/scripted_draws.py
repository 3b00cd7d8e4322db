"""Draws put into a sampler's hands, to see what it does with each number."""

import numpy as np

from spatialldp.tables import WeightTable


class Script:
    """Stands in for `uniform_below`: hands out the given numbers and notes the totals that were asked for."""

    def __init__(self, *draws):
        self.draws, self.totals = [np.asarray(draw, dtype=np.int64) for draw in draws], []

    def __call__(self, total, n, rng):
        self.totals.append(total)
        draw = self.draws.pop(0)
        assert draw.size == n
        return draw


def telling(table: WeightTable) -> np.ndarray:
    """Numbers at and around every border of the table."""
    borders = np.concatenate([[0, table.far, table.blind, table.total], table.blind + np.cumsum(table.extras)])
    u = np.unique(np.concatenate([borders - 1, borders]))
    return u[(u >= 0) & (u < table.total)]
