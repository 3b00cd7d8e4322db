"""Turn two non-negative histograms into integer masses with one and the same total.

Integers make the solver exact: flows never drift, equal histograms cost exactly nothing, and optimality is a
statement about integers rather than a tolerance.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spatialldp._transport.compilation import compiled

TOTAL_BITS = 58
"""Both sides are scaled to 2**58 when they have no smaller common total."""
LARGEST_TOTAL = 1 << 61
"""Flows never exceed the total, so this leaves room for sums of two flows in an int64."""
_FIXED_POINT_BITS = 60


def integer_weights(histogram: ArrayLike) -> NDArray[np.int64]:
    """Integers proportional to a histogram, in lowest terms.

    histogram: (rows, cols), non-negative, positive total, any real dtype and any unit.
    Returns (rows, cols) int64 with total at most about 2**60.

    Counts, and floats that are multiples of a common step, are represented exactly; proportional histograms
    then get identical weights.  Other floats are rounded to multiples of about 2**-60 of their total, which
    keeps all 53 bits of every entry above 1/128 of the total.
    """
    values: NDArray[Any] = np.asarray(histogram)
    if values.dtype.kind in "iub" and values.sum(dtype=np.float64) < 2.0**_FIXED_POINT_BITS:
        weights = np.array(values, np.int64, order="C").ravel()
    else:
        weights = _fixed_point(np.ascontiguousarray(values, np.float64).ravel())
    _reduce_to_lowest_terms(weights)
    return weights.reshape(values.shape)


def common_masses(
    source_weights: NDArray[np.int64], target_weights: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Integer masses of both sides, and their common total.

    source_weights, target_weights: (rows, cols) from `integer_weights`.

    If the least common multiple of the two totals is small enough nothing is rounded at all; otherwise both
    sides are apportioned to 2**58.  A cell below about 2**-59 of its total may then get mass zero; one of at
    least 1e-12 of the total keeps more than 280,000 units.
    """
    source_total = int(source_weights.sum())
    target_total = int(target_weights.sum())
    total = math.lcm(source_total, target_total)
    if total <= LARGEST_TOTAL:
        return source_weights * (total // source_total), target_weights * (total // target_total), total
    return (
        _apportion(source_weights.ravel(), source_total).reshape(source_weights.shape),
        _apportion(target_weights.ravel(), target_total).reshape(target_weights.shape),
        1 << TOTAL_BITS,
    )


@compiled
def _fixed_point(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Round non-negative values to integers with a total of about 2**59 to 2**60.

    values: (cells,).  Scales by powers of two only, which is exact; first by the maximum, so that the sum can
    neither overflow nor vanish.
    """
    largest_exponent = math.frexp(values.max())[1]
    total = 0.0
    for cell in range(values.size):
        total += math.ldexp(values[cell], -largest_exponent)
    shift = _FIXED_POINT_BITS - math.frexp(total)[1] - largest_exponent
    weights = np.empty(values.size, np.int64)
    for cell in range(values.size):
        weights[cell] = np.int64(np.rint(math.ldexp(values[cell], shift)))
    return weights


@compiled
def _reduce_to_lowest_terms(weights: NDArray[np.int64]) -> None:
    """Divide ``weights`` (cells,) by their greatest common divisor, in place."""
    divisor = np.int64(0)
    for cell in range(weights.size):
        other = weights[cell]
        while other != 0:
            divisor, other = other, divisor % other
        if divisor == 1:
            return
    for cell in range(weights.size):
        weights[cell] //= divisor


@compiled
def _apportion(weights: NDArray[np.int64], weight_total: int) -> NDArray[np.int64]:
    """Share out 2**58 units in proportion to ``weights`` (cells,) by largest remainders."""
    # ``weight * 2**58`` does not fit 64 bits, so divide in binary by hand, one bit of the quotient at a time;
    # the remainder stays below the total < 2**62 and can be doubled safely.  58 bits suffice for a quotient:
    # if a single cell had all the weight, lowest terms would make it 1 and no apportioning would be needed.
    quotients = np.zeros(weights.size, np.int64)
    remainders = np.zeros(weights.size, np.int64)
    missing = np.int64(1) << TOTAL_BITS
    for cell in range(weights.size):
        remainder = weights[cell]
        quotient = np.int64(0)
        if remainder > 0:
            for _ in range(TOTAL_BITS):
                remainder <<= 1
                quotient <<= 1
                if remainder >= weight_total:
                    remainder -= weight_total
                    quotient |= 1
        quotients[cell] = quotient
        remainders[cell] = remainder
        missing -= quotient

    # The units still missing go one each to the largest remainders: find, by bisection, the smallest bound
    # that no more than ``missing`` remainders exceed.  Those above it get a unit, and the rest of the units
    # goes to the first cells right on the bound.
    low = np.int64(0)
    high = np.int64(weight_total)
    while low < high:
        bound = (low + high) // 2
        above = 0
        for cell in range(weights.size):
            if remainders[cell] > bound:
                above += 1
        if above <= missing:
            high = bound
        else:
            low = bound + 1
    for cell in range(weights.size):
        if remainders[cell] > low:
            quotients[cell] += 1
            missing -= 1
    for cell in range(weights.size):
        if remainders[cell] == low and missing > 0:
            quotients[cell] += 1
            missing -= 1
    return quotients
