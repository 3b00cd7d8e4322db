"""OUE: its bits, the whole numbers behind them, and the most telling report."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from spatialldp._exact import exact_budget, exponential_floor
from spatialldp.oracles import OptimizedUnaryEncoding, unary_encoding
from tests.chi_square import ALPHA, DRAWS, chi_square_p_value


def probability(bits, value, own, rare):
    """Of a row of bits, from the chances of a 1, as fractions."""
    chances = [own if symbol == value else rare for symbol in range(len(bits))]
    return math.prod((chance if bit else 1 - chance for bit, chance in zip(bits, chances, strict=True)), start=1)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
def test_the_largest_ratio_is_that_of_the_most_telling_row(epsilon):
    oracle = OptimizedUnaryEncoding(epsilon, 3)
    own, rare = (Fraction(number, 2**63) for number in oracle.device_bits)
    ratios = [
        probability(bits, first, own, rare) / probability(bits, second, own, rare)
        for bits in product((0, 1), repeat=3)
        for first, second in product(range(3), repeat=2)
    ]
    assert oracle.largest_ratio() == max(ratios)
    # One word fewer for the rare 1 is too many for the budget.
    rarer = rare - Fraction(1, 2**63)
    assert own / rarer * (1 - rarer) / (1 - own) > exponential_floor(exact_budget(epsilon))


def test_a_bit_is_one_exactly_below_its_number(monkeypatch):
    oracle = OptimizedUnaryEncoding(1.3, 4)
    fair, rare = oracle.device_bits
    words = np.array([[rare - 1, rare, fair - 1, 0], [rare, rare - 1, fair, rare - 1]])
    monkeypatch.setattr(unary_encoding, "random_words", lambda n, rng: words.ravel())
    assert oracle.randomize([2, 2]).tolist() == [[1, 0, 1, 1], [0, 1, 0, 1]]


def test_every_row_of_bits_comes_as_often_as_it_should(monkeypatch):
    oracle = OptimizedUnaryEncoding(0.9, 3)
    monkeypatch.setattr(unary_encoding, "_CHUNK", 300_000)  # several parts, the last one shorter
    reports = oracle.randomize(np.full(DRAWS, 1), np.random.default_rng(0))
    observed = np.bincount(reports @ (4, 2, 1), minlength=8)
    rare = 1 / (math.exp(0.9) + 1)
    expected = [DRAWS * probability(bits, 1, 0.5, rare) for bits in product((0, 1), repeat=3)]
    assert chi_square_p_value(observed, np.array(expected)) > ALPHA
    assert chi_square_p_value(observed, np.array(expected)[::-1]) < ALPHA
    summed = oracle.aggregate(reports)
    assert summed.users == DRAWS
    np.testing.assert_array_equal(summed.counts, reports.astype(int).sum(axis=0))


def test_likelihoods_compare_the_bits_of_the_symbols():
    oracle = OptimizedUnaryEncoding(1.5, 3)
    rare = 1 / (math.exp(1.5) + 1)
    for bits in product((0, 1), repeat=3):
        exact = np.array([probability(bits, value, 0.5, rare) for value in range(3)])
        found = oracle.likelihoods([bits])[0]
        np.testing.assert_allclose(found / found.sum(), exact / exact.sum(), rtol=1e-12)


def test_bits_must_be_bits():
    with pytest.raises(ValueError, match="reports must hold bits 0 and 1, got values from 0 to 2"):
        OptimizedUnaryEncoding(1.0, 3).aggregate([[0, 1, 2]])
