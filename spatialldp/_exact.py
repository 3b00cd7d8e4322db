"""Whole numbers and fractions for what must hold exactly: bounds of e^x, and uniform draws without a bias."""

from __future__ import annotations

import math
import os
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from spatialldp import _validation as validate

WORD_BITS = 63


def exact_budget(epsilon: float) -> Fraction:
    """ε as a fraction: the number somebody wrote or the double it is stored as, whichever is smaller.

    0.1 is stored as a little more than 1/10 and 0.7 as a little less than 7/10; a loss within the smaller of the two
    keeps the promise either way it is read.
    """
    return min(Fraction(epsilon), Fraction(repr(float(epsilon))))


@lru_cache(maxsize=4096)
def exponential_floor(x: Fraction) -> Fraction:
    """A number just below e^x, x ≥ 0: the sum of x^k/k! in fixed point, every term rounded down.

    All terms are positive, so a partial sum of rounded terms is a lower bound whatever was cut off; its error is
    below 2^−250 of the value. No float and no mathematical library is trusted.
    """
    bits = 272 + 2 * math.floor(x)
    numerator, denominator = x.as_integer_ratio()
    total, term, k = 0, 1 << bits, 0
    while term:
        total += term
        k += 1
        term = term * numerator // (denominator * k)
    return Fraction(total, 1 << bits)


def root_floor(squared: int) -> Fraction:
    """A number just below √squared, or exactly it for a square: to 128 binary places."""
    return Fraction(math.isqrt(squared << 256), 1 << 128)


def logarithm(ratio: Fraction | float) -> float:
    """ln of a ratio ≥ 1, rounded to the nearest double, so that a ratio ≤ e^ε never shows a loss above ε."""
    if isinstance(ratio, float):
        return math.log(ratio)
    with localcontext() as context:
        context.prec = 60
        return float(Decimal(ratio.numerator).ln() - Decimal(ratio.denominator).ln())


def random_words(n: int, rng: np.random.Generator | None) -> NDArray[np.int64]:
    """n uniform whole numbers below 2⁶³, from `rng` or else from the operating system.

    A real report must not be predictable from others, and NumPy's generators are: hence the system's
    cryptographic source. Whole numbers, because the gaps between floats are themselves a leak.
    """
    if rng is None:
        return np.frombuffer(os.urandom(8 * n), dtype=np.int64) & np.int64(2**WORD_BITS - 1)
    return validate.generator(rng).integers(0, 2**WORD_BITS, size=n, dtype=np.int64)


def uniform_below(total: int, n: int, rng: np.random.Generator | None) -> NDArray[np.int64]:
    """n whole numbers, each exactly uniform below `total` ≤ 2⁶³.

    From the system: as many random bits as `total` has, drawn again where they reach it; a remainder would favour
    small numbers. (`Generator.integers` rejects in the same way.)
    """
    if rng is not None:
        return validate.generator(rng).integers(0, total, size=n, dtype=np.int64)
    mask = np.int64((1 << (total - 1).bit_length()) - 1)
    drawn = random_words(n, None) & mask
    while (again := np.flatnonzero(drawn >= total)).size:
        drawn[again] = random_words(again.size, None) & mask
    return drawn


def uniform_below_each(totals: NDArray[np.int64], rng: np.random.Generator | None) -> NDArray[np.int64]:
    """As `uniform_below`, with a total of its own for each draw: an array of the same shape."""
    totals = np.asarray(totals, dtype=np.int64)
    largest = np.int64(2**WORD_BITS - 1)
    # The last, incomplete run of remainders is drawn again.
    limit = largest - (largest % totals + 1) % totals
    drawn = random_words(totals.size, rng).reshape(totals.shape)
    while (again := drawn > limit).any():
        drawn = np.where(again, random_words(totals.size, rng).reshape(totals.shape), drawn)
    return drawn % totals
