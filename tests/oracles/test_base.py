"""What all frequency oracles have in common: exact privacy, the system's randomness, errors that say what is wrong."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from spatialldp._exact import exact_budget, exponential_floor
from spatialldp.oracles import (
    OptimizedLocalHashing,
    OptimizedUnaryEncoding,
    RandomizedResponse,
    SquareWave,
    SupportCounts,
)

KINDS = [RandomizedResponse, OptimizedUnaryEncoding, OptimizedLocalHashing, SquareWave]


def exponential(epsilon: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = 80
        return (Decimal(epsilon.numerator) / Decimal(epsilon.denominator)).exp()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("epsilon", [1e-17, 1e-3, 0.1, 0.7, 1.0, 3.5, 9.0, 20.0, 36.0, 100.0])
def test_no_device_loses_more_than_epsilon_and_hardly_less(kind, epsilon):
    for m in (2, 3, 8, 50):
        oracle = kind(epsilon, m)
        ratio = oracle.largest_ratio()
        assert isinstance(ratio, Fraction)
        assert ratio <= exponential_floor(exact_budget(epsilon))
        with localcontext() as context:
            context.prec = 80
            assert Decimal(ratio.numerator) / Decimal(ratio.denominator) <= exponential(exact_budget(epsilon))
        if epsilon <= 20 and not (kind is SquareWave and 2 * oracle.b + 1 >= 2 * m - 1):
            assert math.log(ratio) > epsilon - 1e-9


@pytest.mark.parametrize("kind", KINDS)
def test_a_single_symbol_tells_nothing(kind):
    oracle = kind(2.0, 1)
    assert oracle.largest_ratio() == 1
    reports = oracle.randomize([0, 0, 0], np.random.default_rng(0))
    assert oracle.likelihoods(reports).shape == (3, 1)
    assert oracle.estimate(oracle.perturb([5], np.random.default_rng(0))).shape == (1,)


@pytest.mark.parametrize("kind", KINDS)
def test_devices_take_the_systems_randomness_unless_a_generator_is_given(kind):
    oracle, values = kind(1.0, 6), np.arange(600) % 6
    assert not np.array_equal(oracle.randomize(values), oracle.randomize(values))
    first, again = (oracle.randomize(values, np.random.default_rng(4)) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    # Reports of the system's randomness are reports like any others.
    summed = oracle.aggregate(oracle.randomize(values))
    assert oracle.estimate(summed).shape == (6,)


@pytest.mark.parametrize("kind", KINDS)
def test_a_single_report_is_one_of_many(kind):
    oracle = kind(1.0, 6)
    one = oracle.randomize(3, np.random.default_rng(0))
    assert one.shape == oracle.randomize([3, 3], np.random.default_rng(0))[:1].shape
    assert oracle.likelihoods(one, [3, 4]).shape == (1, 2)
    np.testing.assert_array_equal(oracle.likelihoods(one, [3, 4]), oracle.likelihoods(one)[:, [3, 4]])


@pytest.mark.parametrize("kind", KINDS)
def test_wrong_arguments_are_named(kind):
    with pytest.raises(ValueError, match="epsilon must be"):
        kind(0.0, 4)
    with pytest.raises(ValueError, match="m must be a whole number"):
        kind(1.0, 0)
    oracle = kind(1.0, 4)
    with pytest.raises(ValueError, match="values must hold symbols from 0 to 3, got 4"):
        oracle.randomize([0, 4])
    with pytest.raises(ValueError, match=r"counts must have shape \(4,\) \(people per symbol\)"):
        oracle.perturb([1, 2, 3], np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"rng must be a numpy\.random\.Generator"):
        oracle.perturb([1, 2, 3, 4], 7)
    with pytest.raises(ValueError, match="reports must be an integer array of shape"):
        oracle.aggregate(np.zeros((2, 3, 4)))
    with pytest.raises(ValueError, match="n must be a whole number ≥ 1, got 0"):
        oracle.variance(0)
    assert repr(oracle) == f"{kind.__name__}(epsilon=1, m=4)"


@pytest.mark.parametrize("oracle", [RandomizedResponse(1.0, 4), OptimizedLocalHashing(1.0, 4), SquareWave(1.0, 4)])
def test_reports_of_another_oracle_are_refused(oracle):
    reports = np.array(oracle.randomize([0, 1, 2], np.random.default_rng(0)))
    for wrong in (99, -99):
        reports.reshape(3, -1)[1, -1] = wrong
        with pytest.raises(
            ValueError, match=rf"reports must be whole numbers from .*got {wrong}: are they from another"
        ):
            oracle.aggregate(reports)


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ([1, 2, 3], r"counts must have shape \(4,\)"),
        ([1, 2, 3, 11], "counts must be at most users = 10 for each symbol, got up to 11: are they from another"),
        ([-1, 2, 3, 4], "counts must hold numbers ≥ 0, got -1"),
    ],
)
def test_impossible_support_counts_are_refused(counts, said):
    with pytest.raises(ValueError, match=said):
        RandomizedResponse(1.0, 4).estimate(SupportCounts(np.array(counts), 10))


@pytest.mark.parametrize("kind", KINDS)
def test_nobody_in_particular_sends_no_reports(kind):
    # For likelihoods None means all symbols; a device must be told its own.
    with pytest.raises(ValueError, match="values must be one whole number or a flat array of them, got None"):
        kind(1.0, 4).randomize(None)
    assert kind(1.0, 4).likelihoods(kind(1.0, 4).randomize([0]), None).shape == (1, 4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("frequency", ["x", [2.0] * 4, [-0.1] * 4, [np.nan] * 4])
def test_a_variance_needs_frequencies_from_0_to_1(kind, frequency):
    with pytest.raises(ValueError, match="frequency must"):
        kind(1.0, 4).variance(10, frequency)
