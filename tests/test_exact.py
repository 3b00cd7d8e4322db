"""Bounds of e^x and of roots by whole numbers, and uniform draws without a bias."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from spatialldp import _exact
from spatialldp._exact import (
    exact_budget,
    exponential_floor,
    random_words,
    root_floor,
    uniform_below,
    uniform_below_each,
)
from tests.chi_square import DRAWS
from tests.goodness_of_fit import ALPHA, p_value_bound, smallest_binomial_p_value


@pytest.mark.parametrize("text", ["0", "1e-17", "0.001", "0.5", "0.7", "1", "3.5", "9", "36", "100", "637.25"])
def test_the_bound_of_an_exponential_is_below_it_and_close(text):
    x = Fraction(text)
    bound = exponential_floor(x)
    with localcontext() as context:
        context.prec = 400
        # e^x by halving the argument eight hundred times: nothing of the series under test.
        true = 1 + Decimal(x.numerator) / Decimal(x.denominator) / Decimal(2) ** 800
        for _ in range(800):
            true *= true
        # (1 + x/N)^N is itself a little below e^x: by a share of at most x²/N.
        true *= 1 + (Decimal(x.numerator) / x.denominator) ** 2 / Decimal(2) ** 800
        value = Decimal(bound.numerator) / Decimal(bound.denominator)
        assert value <= true
        assert true - value < true * Decimal(10) ** -70


@pytest.mark.parametrize("squared", [0, 1, 2, 4, 5, 98, 144, 9801, 19602])
def test_the_bound_of_a_root_is_below_it_and_close(squared):
    root = root_floor(squared)
    assert root**2 <= squared < (root + Fraction(1, 2**127)) ** 2
    if math.isqrt(squared) ** 2 == squared:
        assert root == math.isqrt(squared)


def test_a_budget_is_read_in_favour_of_the_person():
    assert exact_budget(0.1) == Fraction(1, 10) < Fraction(0.1)
    assert exact_budget(0.7) == Fraction(0.7) < Fraction(7, 10)
    assert exact_budget(3.5) == Fraction(7, 2)
    assert exact_budget(1) == 1


@pytest.mark.parametrize("source", ["system", "generator"])
def test_every_number_below_the_total_is_equally_likely(source):
    rng = np.random.default_rng(3) if source == "generator" else None
    assert p_value_bound(np.bincount(uniform_below(6, DRAWS, rng), minlength=6), np.full(6, DRAWS / 6)) > ALPHA
    drawn = uniform_below_each(np.tile([6, 1], DRAWS // 2).reshape(-1, 2), rng)
    assert p_value_bound(np.bincount(drawn[:, 0], minlength=6), np.full(6, DRAWS / 12)) > ALPHA
    assert (drawn[:, 1] == 0).all()


def share_in_the_first_third(draw) -> float:
    """P-value of how many draws below 3·2⁶¹ lie below 2⁶¹: a third of them, or half after a remainder of 63 bits."""
    total = 3 * 2**61
    below = int(np.count_nonzero(draw(total) < 2**61))
    return float(2 * min(binom.cdf(below, 30_000, 1 / 3), binom.sf(below - 1, 30_000, 1 / 3)))


@pytest.mark.parametrize("source", ["system", "generator"])
def test_large_totals_are_not_reached_by_a_remainder(source):
    rng = np.random.default_rng(3) if source == "generator" else None
    assert share_in_the_first_third(lambda total: uniform_below(total, 30_000, rng)) > ALPHA
    assert share_in_the_first_third(lambda total: uniform_below_each(np.full(30_000, total), rng)) > ALPHA
    # The remainder of a word, the mistake that this is about, is seen.
    assert share_in_the_first_third(lambda total: random_words(30_000, rng) % total) < ALPHA


def test_the_first_word_of_an_incomplete_run_is_drawn_again(monkeypatch):
    total = 3 * 2**61
    words = [np.array([total - 1, total]), np.array([0, 5])]
    monkeypatch.setattr(_exact, "random_words", lambda n, rng: words.pop(0))
    assert uniform_below_each(np.array([total, total]), None).tolist() == [total - 1, 5]


def test_a_device_asks_the_operating_system(monkeypatch):
    asked = []

    def bytes_of_ones(n: int) -> bytes:
        asked.append(n)
        return b"\xff" * n if len(asked) == 1 else b"\x01" * n

    monkeypatch.setattr(_exact.os, "urandom", bytes_of_ones)
    # 2⁴¹ − 1 reaches the total and is drawn again; 0x01010101 01 is what the next 41 bits are.
    assert uniform_below(2**41 - 1, 2, None).tolist() == [0x10101010101 & (2**41 - 1)] * 2
    assert asked == [16, 16]


def test_random_words_fill_their_range():
    for rng in (None, np.random.default_rng(0)):
        words = random_words(100_000, rng)
        assert words.min() >= 0
        # Every bit is a fair coin, the lowest and the highest too.
        ones = ((words[:, None] >> np.arange(63)) & 1).sum(axis=0)
        assert smallest_binomial_p_value(ones, 100_000, np.full(63, 0.5)) > ALPHA
