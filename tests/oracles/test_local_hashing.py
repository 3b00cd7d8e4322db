"""OLH: a family of hash functions that is what it says, and reports that are k-RR on top of it."""

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from spatialldp import tables
from spatialldp.oracles import OptimizedLocalHashing, RandomizedResponse, local_hashing
from tests.chi_square import ALPHA, DRAWS, chi_square_p_value
from tests.scripted_draws import Script, telling


class TinyHashing(OptimizedLocalHashing):
    prime = 7
    largest_m = 7


def by_hand(oracle, seed: int, symbol: int) -> int:
    prime = oracle.prime
    a, b, c = seed // prime**2, seed // prime % prime, seed % prime
    return (a * symbol**2 + b * symbol + c) % prime % oracle.g


def test_the_prime_is_one_and_three_of_its_digits_fit_a_word():
    prime = OptimizedLocalHashing.prime
    assert all(prime % divisor for divisor in range(2, math.isqrt(prime) + 1))
    assert prime**3 <= 2**63
    assert OptimizedLocalHashing.largest_m == prime


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.0, 5.0, 11.5])
def test_hashing_is_the_formula_in_whole_numbers(epsilon):
    oracle = OptimizedLocalHashing(epsilon, OptimizedLocalHashing.prime)
    rng = np.random.default_rng(0)
    top, largest = oracle.prime**3 - 1, oracle.prime - 1
    seeds = np.array([0, top, top - 1, oracle.prime**2 - 1, *rng.integers(0, top + 1, 40)])
    symbols = np.array([0, 1, largest, largest - 1, *rng.integers(0, largest + 1, 40)])
    found = oracle.hashed(seeds[:, None], symbols)
    assert found.tolist() == [[by_hand(oracle, int(s), int(x)) for x in symbols] for s in seeds]


@pytest.mark.parametrize("epsilon", [0.1, 0.6, 1.1, 1.4])
def test_any_three_symbols_are_hashed_independently_and_two_collide_as_often_as_stated(epsilon):
    oracle = TinyHashing(epsilon, 7)
    table = oracle.hashed(np.arange(7**3)[:, None], np.arange(7))
    sizes = np.bincount(np.arange(7) % oracle.g, minlength=oracle.g)
    for x, y, z in combinations(range(7), 3):
        joint = np.zeros((oracle.g,) * 3, dtype=int)
        np.add.at(joint, (table[:, x], table[:, y], table[:, z]), 1)
        np.testing.assert_array_equal(joint, np.einsum("i,j,k->ijk", sizes, sizes, sizes))
    for x, y in combinations(range(7), 2):
        collisions = int((table[:, x] == table[:, y]).sum())
        assert Fraction(collisions, 7**3) == oracle.collision_probability


def test_real_seeds_collide_as_often_as_stated():
    oracle = OptimizedLocalHashing(2.0, 1000)
    seeds = np.random.default_rng(1).integers(0, oracle.prime**3, DRAWS)
    for x, y in [(0, 1), (0, 999), (500, 501)]:
        collided = int((oracle.hashed(seeds, np.array(x)) == oracle.hashed(seeds, np.array(y))).sum())
        expected = DRAWS * np.array([oracle.collision_probability, 1 - oracle.collision_probability], dtype=float)
        assert chi_square_p_value(np.array([collided, DRAWS - collided]), expected) > ALPHA


@pytest.mark.parametrize(
    ("epsilon", "g"), [(1e-3, 2), (0.3, 2), (0.5, 3), (1.0, 4), (2.0, 8), (4.0, 56), (11.0, 59875), (30.0, 65536)]
)
def test_the_number_of_values_is_the_best_one(epsilon, g):
    assert OptimizedLocalHashing(epsilon, 10).g == g


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 3.0])
def test_no_other_number_of_values_has_less_variance(epsilon):
    best = OptimizedLocalHashing(epsilon, 10)
    for g in range(2, 40):
        other = OptimizedLocalHashing(epsilon, 10)
        other.__dict__["g"] = g
        # The least is at e^ε + 1 itself; beside it the variance is flat.
        assert other.variance(1) >= best.variance(1) * (1 - 1e-3)
    far = OptimizedLocalHashing(epsilon, 10)
    far.__dict__["g"] = 3 * best.g
    assert far.variance(1) > 1.02 * best.variance(1)


def test_reports_are_a_seed_and_a_value_of_the_table(monkeypatch):
    oracle = OptimizedLocalHashing(1.2, 50)
    table = oracle.response.table
    assert oracle.response.m == oracle.g
    u = telling(table)
    seeds = np.random.default_rng(0).integers(0, oracle.prime**3, u.size)
    values = np.arange(u.size) % 50
    seeding, drawing = Script(seeds), Script(u)
    monkeypatch.setattr(local_hashing, "uniform_below", seeding)
    monkeypatch.setattr(tables, "uniform_below", drawing)
    reports = oracle.randomize(values)
    assert (seeding.totals, drawing.totals) == ([oracle.prime**3], [table.total])
    expected = [
        [seed, table.decode(int(number), by_hand(oracle, seed, value))[0]]
        for seed, number, value in zip(seeds.tolist(), u, values.tolist(), strict=True)
    ]
    assert reports.tolist() == expected


def test_a_value_is_kept_as_often_as_it_should_and_others_are_alike():
    oracle = OptimizedLocalHashing(1.5, 30)
    reports = oracle.randomize(np.full(DRAWS, 17), np.random.default_rng(0))
    own = oracle.hashed(reports[:, 0], np.array(17))
    observed = np.bincount((reports[:, 1] - own) % oracle.g, minlength=oracle.g)
    e = math.exp(1.5)
    expected = DRAWS * np.array([e, *[1] * (oracle.g - 1)]) / (e + oracle.g - 1)
    assert chi_square_p_value(observed, expected) > ALPHA
    assert chi_square_p_value(observed, expected[::-1]) < ALPHA
    # Seeds do not depend on the symbol: each third of their range is as likely.
    thirds = np.bincount(reports[:, 0] // (oracle.prime**3 // 3 + 1), minlength=3)
    assert chi_square_p_value(thirds, np.full(3, DRAWS / 3)) > ALPHA


def test_symbols_in_a_row_are_supported_independently():
    # With straight lines instead of parabolas, 0, 1 and 2 would hang together.
    oracle = OptimizedLocalHashing(0.8, 6)
    reports = oracle.randomize(np.zeros(300_000, dtype=int), np.random.default_rng(3))
    support = oracle.hashed(reports[:, :1], np.arange(6)) == reports[:, 1:]
    correlation = np.corrcoef(support.T)
    assert np.abs(correlation[np.triu_indices(6, 1)]).max() < 5 / math.sqrt(len(reports))


def test_aggregate_and_likelihoods_go_through_the_reports_in_parts(monkeypatch):
    oracle = OptimizedLocalHashing(1.0, 9)
    reports = oracle.randomize(np.arange(100) % 9, np.random.default_rng(5))
    support = np.array([[by_hand(oracle, seed, x) == value for x in range(9)] for seed, value in reports.tolist()])
    monkeypatch.setattr(local_hashing, "_CHUNK", 60)
    summed = oracle.aggregate(reports)
    assert (summed.counts.tolist(), summed.users) == (support.sum(axis=0).tolist(), 100)
    likelihoods = oracle.likelihoods(reports)
    np.testing.assert_allclose(likelihoods, np.where(support, 1.0, math.exp(-1.0)))


def test_the_loss_is_that_of_krr_over_the_values():
    oracle = OptimizedLocalHashing(1.7, 5)
    assert oracle.largest_ratio() == RandomizedResponse(1.7, oracle.g).largest_ratio()
    tiny = TinyHashing(1.1, 4)
    weights = [tiny.response.device_weights(value) for value in range(tiny.g)]
    ratios = {
        Fraction(int(weights[by_hand(tiny, seed, x)][r]), int(weights[by_hand(tiny, seed, y)][r]))
        for seed in range(7**3)
        for x, y in product(range(4), repeat=2)
        for r in range(tiny.g)
    }
    assert max(ratios) == tiny.largest_ratio()


def test_too_many_symbols_are_refused():
    with pytest.raises(ValueError, match="m must be at most 2,097,143, got 2097144: choose fewer symbols"):
        OptimizedLocalHashing(1.0, 2_097_144)
