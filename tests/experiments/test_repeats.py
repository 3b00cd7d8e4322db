"""Repeated measurements: their seeds, who takes part, and Student's t."""

import math

import numpy as np
import pytest
from scipy import stats

from spatialldp import DAM, wasserstein2
from spatialldp.experiments import simulate
from spatialldp.experiments.repeats import half_width_of_mean, half_width_of_next, participants, repeated

COUNTS = np.arange(36).reshape(6, 6)


def test_every_repeat_is_the_run_of_its_seed():
    mechanism = DAM(2.0, 6)
    found = repeated(COUNTS, mechanism, 3, 4)
    runs = [simulate(COUNTS, mechanism, seed) for seed in (3, 4, 5, 6)]
    np.testing.assert_array_equal(found.w2_cells, [run.w2_cells for run in runs])
    np.testing.assert_array_equal(found.first, runs[0].estimate.distribution)


def test_a_sample_is_compared_with_everybody():
    mechanism = DAM(9.0, 6)
    found = repeated(COUNTS, mechanism, 2, 2, users=60)
    for repeat, seed in enumerate((2, 3)):
        asked = participants(COUNTS, 60, np.random.default_rng([seed, 2]))
        recovered = mechanism.estimate(mechanism.perturb(asked, np.random.default_rng(seed))).distribution
        assert asked.sum() == 60
        assert found.w2_cells[repeat] == pytest.approx(wasserstein2(COUNTS, recovered))


def test_zero_repeats_and_a_seed_below_zero_are_refused():
    with pytest.raises(ValueError, match="repeats must be a whole number ≥ 1, got 0"):
        repeated(COUNTS, DAM(2.0, 6), 1, 0)
    with pytest.raises(ValueError, match="seed must be a whole number ≥ 0, got -1"):
        repeated(COUNTS, DAM(2.0, 6), -1, 1)


def test_participants_are_a_sample_or_everybody_several_times():
    everybody = int(COUNTS.sum())
    rng = np.random.default_rng(0)
    assert participants(COUNTS, None, rng) is COUNTS
    few = participants(COUNTS, 100, rng)
    assert few.sum() == 100
    assert (few <= COUNTS).all()
    many = participants(COUNTS, 3 * everybody + 7, rng)
    assert many.sum() == 3 * everybody + 7
    assert ((many >= 3 * COUNTS) & (many <= 4 * COUNTS)).all()
    np.testing.assert_array_equal(participants(COUNTS, 5 * everybody, rng), 5 * COUNTS)
    # A fair sample: on average the shares are those of everybody.
    mean = np.mean([participants(COUNTS, 60, rng) for _ in range(2000)], axis=0)
    np.testing.assert_allclose(mean, 60 * COUNTS / everybody, atol=0.2)
    with pytest.raises(ValueError, match="users must be a whole number ≥ 1, got 0"):
        participants(COUNTS, 0, rng)


def test_the_interval_of_a_mean_is_students():
    values = np.array([300.0, 600.0, 1200.0])
    expected = stats.t.interval(0.95, 2, scale=stats.sem(values))[1]
    assert half_width_of_mean(values) == pytest.approx(expected)
    # 4.302653 is the printed value of Student's t for two degrees of freedom.
    assert half_width_of_mean(np.array([-1.0, 0.0, 1.0])) == pytest.approx(4.302653 / math.sqrt(3), rel=1e-6)


def test_the_range_of_one_further_value_holds_it_with_95_percent():
    rng = np.random.default_rng(8)
    draws = rng.normal(5.0, 2.0, (20_000, 5))
    inside = [abs(last - np.mean(first)) <= half_width_of_next(np.array(first)) for *first, last in draws]
    assert np.mean(inside) == pytest.approx(0.95, abs=0.006)


def test_the_interval_of_a_single_repeat_is_infinite():
    assert math.isinf(half_width_of_mean(np.array([1.0])))
    assert math.isinf(half_width_of_next(np.array([1.0])))


def test_numbers_that_are_too_large_are_named():
    counts, rng = np.full((3, 3), 5), np.random.default_rng(0)
    with pytest.raises(ValueError, match=r"^repeats must be at most 10,000, got 10001: "):
        repeated(counts, DAM(1.0, 3), seed=1, repeats=10_001)
    with pytest.raises(ValueError, match=r"^users must be at most 9,007,199,254,740,992, got "):
        participants(counts, 2**53 + 1, rng)
    assert participants(counts, 2**53, rng).sum() == 2**53
    for wrong in (np.full((3, 3), 10**18), np.full((3, 3), -1), np.zeros((3, 3)), np.full((3, 3), 0.5)):
        with pytest.raises(ValueError, match=r"^counts must "):
            participants(wrong, 10, rng)


def test_nobody_is_asked_twice_before_everybody_was_asked():
    everybody = int(COUNTS.sum())
    for seed in range(20):
        left_out = COUNTS - participants(COUNTS, everybody - 1, np.random.default_rng(seed))
        assert sorted(left_out.ravel().tolist()) == [0] * (COUNTS.size - 1) + [1]


def test_measurements_that_agree_by_chance_can_have_a_least_spread():
    # Student's t of two degrees of freedom: 4.302653·0.5/√3.
    assert half_width_of_mean([4.0, 4.0, 4.0], least_spread=0.5) == pytest.approx(1.242, abs=1e-3)
    assert half_width_of_mean([4.0, 4.0, 4.0]) == 0
    assert half_width_of_mean([1.0, 2.0, 3.0], least_spread=0.5) == half_width_of_mean([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"least_spread must be a number ≤ 1e\+150 and > 0, got -1"):
        half_width_of_mean([1.0, 2.0], least_spread=-1)


def test_a_mask_reaches_every_repeat():
    mask = np.ones((6, 6), dtype=bool)
    mask[:, 0] = False
    found = repeated(COUNTS, DAM(2.0, 6), 3, 2, mask=mask)
    runs = [simulate(COUNTS, DAM(2.0, 6), seed, mask) for seed in (3, 4)]
    assert found.w2_cells.tolist() == [run.w2_cells for run in runs]
    assert not found.first[:, 0].any()
