"""How a device of SEM-Geo-I draws the other cells of its set, in whole numbers and without a bias."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spatialldp._exact import random_words, uniform_below_each

Ranks = NDArray[np.int64]

#: Words drawn at once: bounds the memory at some tens of MB.
_CHUNK = 2_000_000


def set_ranks(first: Ranks, k: int, m: int, rng: np.random.Generator | None) -> Ranks:
    """All k ranks of each user's set, (n, k), given that of its nearest cell, `first` (n,): the others are uniform
    among the m − first − 1 beyond it.
    """
    more = k - 1
    ranks = np.empty((first.size, k), dtype=np.int64)
    ranks[:, 0] = first
    if more == 0:
        return ranks
    beyond = m - first - 1
    # A few among many hardly ever collide: draw them freely and again until all differ.
    sparse = more * (more - 1) <= 2 * beyond
    pending = np.flatnonzero(sparse)
    while pending.size:
        drawn = uniform_below_each(np.repeat(beyond[pending, None], more, axis=1), rng)
        drawn.sort(axis=1)
        distinct = (np.diff(drawn, axis=1) > 0).all(axis=1)
        ranks[pending[distinct], 1:] = first[pending[distinct], None] + 1 + drawn[distinct]
        pending = pending[~distinct]
    # Otherwise shuffle: give every cell beyond a random key and keep the smallest keys.
    for users in np.array_split(np.flatnonzero(~sparse), 1 + np.count_nonzero(~sparse) * m // _CHUNK):
        while users.size:
            keys = random_words(users.size * m, rng).reshape(-1, m).copy()
            keys[np.arange(m) <= first[users, None]] = np.iinfo(np.int64).max
            order = np.argpartition(keys, (more - 1, more), axis=1)
            ranks[users, 1:] = order[:, :more]
            # Two equal keys at the border would be told apart by their order: draw those users again.
            last, next_one = np.take_along_axis(keys, order[:, more - 1 : more + 1], axis=1).T
            users = users[last == next_one]
    return ranks
