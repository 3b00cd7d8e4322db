"""Expected distances under distributions over cells."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import scipy.fft
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: Up to this many cells per side the table of all pairs is small (8 MB) and one matrix product beats the transforms.
_LARGEST_TABLE = 32


@lru_cache(maxsize=8)
def _distance_spectrum(d: int) -> tuple[int, NDArray[np.complex128]]:
    """(transform length, spectrum) of the distances between cells whose offset is −(d−1) … d−1."""
    length = scipy.fft.next_fast_len(2 * d - 1, real=True)
    offset = np.arange(length)
    offset = np.minimum(offset, length - offset)  # wrapped, so that the origin is at 0
    offset = np.where(offset < d, offset, 0)
    return length, scipy.fft.rfft2(np.hypot.outer(offset, offset))


@lru_cache(maxsize=8)
def _distance_table(d: int) -> Array:
    """Distances between all cells, (d², d²)."""
    x, y = np.divmod(np.arange(d * d), d)
    return np.hypot(x[:, None] - x, y[:, None] - y)


def distance_maps(p: Array) -> Array:
    """Σ_i p_i·dist(i, z) for every cell z: (…, d, d) → (…, d, d), cells."""
    d = p.shape[-1]
    if d <= _LARGEST_TABLE:
        return (p.reshape(-1, d * d) @ _distance_table(d)).reshape(p.shape)
    length, spectrum = _distance_spectrum(d)
    transformed = scipy.fft.rfft2(p, s=(length, length)) * spectrum
    return scipy.fft.irfft2(transformed, s=(length, length))[..., :d, :d]


def mean_pair_distance(p: Array) -> Array:
    """Σ_ij p_i·p_j·dist(i, j): the mean distance of two independent draws from p, (…, d, d) → (…), cells."""
    return np.einsum("...ij,...ij->...", p, distance_maps(p))
