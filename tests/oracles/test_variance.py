"""The exact variances, against every outcome of a small collection, many simulated ones, and values found apart."""

import math
from itertools import product

import numpy as np
import pytest

from spatialldp.oracles import (
    FrequencyOracle,
    OptimizedLocalHashing,
    OptimizedUnaryEncoding,
    RandomizedResponse,
    SquareWave,
    SupportCounts,
)


class TinyHashing(OptimizedLocalHashing):
    """With so small a prime that all hash functions can be listed; g does not divide it."""

    prime = 5
    largest_m = 5


def krr_law(oracle, value):
    """All reports of a person with this symbol, and how likely each is, by the textbook."""
    e = math.exp(oracle.epsilon)
    return [(r, (e if r == value else 1) / (e + oracle.m - 1)) for r in range(oracle.m)]


def oue_law(oracle, value):
    rare = 1 / (math.exp(oracle.epsilon) + 1)
    return [
        (bits, math.prod((0.5 if i == value else rare if bit else 1 - rare) for i, bit in enumerate(bits)))
        for bits in product((0, 1), repeat=oracle.m)
    ]


def olh_law(oracle, value):
    e, g, prime = math.exp(oracle.epsilon), oracle.g, oracle.prime
    law = []
    for a, b, c in product(range(prime), repeat=3):
        own = (a * value * value + b * value + c) % prime % g
        seed = (a * prime + b) * prime + c
        law += [((seed, r), (e if r == own else 1) / (e + g - 1) / prime**3) for r in range(g)]
    return law


def square_wave_law(oracle, value):
    b, e = oracle.b, math.exp(oracle.epsilon)
    weights = [e if abs(r - value) <= b else 1 for r in range(-b, oracle.m + b)]
    return [(r, weight / sum(weights)) for r, weight in zip(range(-b, oracle.m + b), weights, strict=True)]


LAWS = {
    RandomizedResponse: krr_law,
    OptimizedUnaryEncoding: oue_law,
    TinyHashing: olh_law,
    SquareWave: square_wave_law,
}


def moments(oracle: FrequencyOracle, people: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of the estimate over every outcome when these people report."""
    laws = [LAWS[type(oracle)](oracle, value) for value in people]
    summed, chance = None, np.ones(1)
    for law in laws:
        # What one person's report adds to the sum, for each of their reports.
        singles = [oracle.aggregate([report]) for report, _ in law]
        one = np.array([single.counts if isinstance(single, SupportCounts) else single for single in singles])
        summed = one if summed is None else (summed[:, None] + one[None]).reshape(-1, one.shape[1])
        chance = np.outer(chance, [probability for _, probability in law]).ravel()
    assert chance.sum() == pytest.approx(1.0, abs=1e-12)
    support = isinstance(oracle.aggregate([laws[0][0][0]]), SupportCounts)
    estimates = np.array(
        [oracle.estimate(SupportCounts(row, len(people)) if support else row) for row in np.unique(summed, axis=0)]
    )
    _, which = np.unique(summed, axis=0, return_inverse=True)
    weights = np.bincount(which.ravel(), weights=chance)
    mean = weights @ estimates
    centred = estimates - mean
    return mean, (weights[:, None] * centred).T @ centred


@pytest.mark.parametrize(
    "oracle",
    [
        RandomizedResponse(1.0, 3),
        RandomizedResponse(0.2, 4),
        OptimizedUnaryEncoding(1.0, 3),
        OptimizedUnaryEncoding(3.0, 3),
        TinyHashing(1.0, 4),
        TinyHashing(0.3, 3),
    ],
    ids=repr,
)
@pytest.mark.parametrize("people", [[1], [0, 2], [0, 0, 1]], ids=str)
def test_every_outcome_of_a_small_collection_gives_the_mean_and_the_variance(oracle, people):
    if isinstance(oracle, TinyHashing) and len(people) > 2:
        people = people[1:]  # a hundred million outcomes otherwise
    truth = np.bincount(people, minlength=oracle.m) / len(people)
    mean, covariance = moments(oracle, people)
    np.testing.assert_allclose(mean, truth, atol=1e-10)
    np.testing.assert_allclose(oracle.variance(len(people), truth), np.diagonal(covariance), rtol=1e-9)


@pytest.mark.parametrize("oracle", [SquareWave(1.0, 4), SquareWave(2.5, 3), SquareWave(0.5, 3)], ids=repr)
@pytest.mark.parametrize("people", [[1], [0, 2], [0, 0, 1]], ids=str)
def test_every_outcome_gives_the_covariance_of_the_square_wave(oracle, people):
    truth = np.bincount(people, minlength=oracle.m) / len(people)
    mean, covariance = moments(oracle, people)
    np.testing.assert_allclose(mean, truth, atol=1e-10)
    scale = np.abs(covariance).max()
    np.testing.assert_allclose(oracle.covariance(len(people), truth), covariance, rtol=0, atol=1e-10 * scale)
    np.testing.assert_allclose(oracle.variance(len(people), truth), np.diagonal(covariance), rtol=1e-9)


COUNTS = np.array([600, 250, 0, 100, 50])
ORACLES = [
    RandomizedResponse(0.7, 5),
    RandomizedResponse(2.0, 5),
    OptimizedUnaryEncoding(0.7, 5),
    OptimizedUnaryEncoding(2.0, 5),
    OptimizedLocalHashing(0.7, 5),
    OptimizedLocalHashing(2.0, 5),
    SquareWave(0.7, 5),
    SquareWave(2.0, 5),
]


def check(oracle: FrequencyOracle, collections: list) -> None:
    """Each estimate has the right mean and variance, within five standard errors."""
    truth = COUNTS / COUNTS.sum()
    variance = oracle.variance(int(COUNTS.sum()), truth)
    scores = (np.array([oracle.estimate(summed) for summed in collections]) - truth) / np.sqrt(variance)
    assert np.abs(scores.mean(axis=0)).max() < 5 / math.sqrt(len(scores))
    assert np.abs((scores**2).mean(axis=0) - 1).max() < 5 * math.sqrt(2 / len(scores))


@pytest.mark.parametrize("oracle", ORACLES, ids=repr)
def test_simulated_populations_have_the_mean_and_the_variance(oracle):
    rng = np.random.default_rng(1)
    check(oracle, [oracle.perturb(COUNTS, rng) for _ in range(10_000)])


@pytest.mark.parametrize("oracle", ORACLES, ids=repr)
def test_reports_of_devices_have_the_mean_and_the_variance(oracle):
    rng, values = np.random.default_rng(2), np.repeat(np.arange(5), COUNTS)
    together = [oracle.randomize(np.tile(values, 100), rng).reshape(100, values.size, -1) for _ in range(20)]
    collections = [one[:, 0] if one.shape[1] == 1 else one for some in together for one in some]
    check(oracle, [oracle.aggregate(reports) for reports in collections])


def test_variances_are_those_worked_out_apart():
    # Times the number of people; ε, OUE at f = 0 and ¼, g and OLH at f = 0 and ¼, k-RR on 16 symbols at f = 0.
    for epsilon, oue, oue_quarter, g, olh, olh_quarter, krr in [
        (0.5, 15.67079236, 15.92079236, 3, 15.81740028, 16.27046056, 37.18455418),
        (1.0, 3.682694377, 3.932694377, 4, 3.691654617, 3.996305755, 5.662430017),
        (2.0, 0.724061661, 0.974061661, 8, 0.7245913891, 0.9571930624, 0.5239842301),
        (4.0, 0.07602182984, 0.3260218298, 56, 0.07602285187, 0.3279312961, 0.0238788168),
    ]:
        unary, hashing = OptimizedUnaryEncoding(epsilon, 16), OptimizedLocalHashing(epsilon, 16)
        np.testing.assert_allclose(1000 * unary.variance(1000, [0, 0.25]), [oue, oue_quarter], rtol=1e-9)
        assert hashing.g == g
        np.testing.assert_allclose(1000 * hashing.variance(1000, [0, 0.25]), [olh, olh_quarter], rtol=1e-8)
        assert 1000 * RandomizedResponse(epsilon, 16).variance(1000) == pytest.approx(krr, rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.5])
def test_krr_is_better_than_oue_for_few_symbols_only(epsilon):
    border = 3 * math.exp(epsilon) + 2
    unary = OptimizedUnaryEncoding(epsilon, 2).variance(1)
    assert RandomizedResponse(epsilon, math.floor(border)).variance(1) < unary
    assert RandomizedResponse(epsilon, math.ceil(border)).variance(1) > unary
