"""Accelerated EM: it never descends, keeps the mask, climbs faster than plain EM and survives the extremes."""

import math
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spatialldp import DAM, DAMNS, HUEM, MDSW, PlanarLaplace, acceleration
from spatialldp.acceleration import accelerated_iterates, step_length
from spatialldp.datasets import SYNTHETIC
from spatialldp.estimation import em_iterates
from spatialldp.operators import DenseOperator


def crowd(name: str, d: int, people: int) -> np.ndarray:
    recipe = SYNTHETIC[name]
    return recipe.grid(d).bin(*recipe.points(1, people)).counts


def reports_of(mechanism, people: int, name: str = "normal") -> np.ndarray:
    """Report counts as floats, one fit, (1, *output shape)."""
    return mechanism.perturb(crowd(name, mechanism.d, people), np.random.default_rng(3))[None].astype(float)


def log_likelihood(reports: np.ndarray, log_expected: np.ndarray) -> float:
    return float(np.vdot(reports, log_expected))


@settings(max_examples=40, deadline=None)
@given(
    kind=st.sampled_from([DAM, DAMNS, HUEM, PlanarLaplace]),
    epsilon=st.floats(0.05, 10),
    d=st.integers(1, 12),
    people=st.integers(1, 100_000),
    masked=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_the_likelihood_never_falls_and_the_mask_holds(kind, epsilon, d, people, masked, seed):
    rng = np.random.default_rng(seed)
    mechanism = kind(epsilon, d)
    counts = rng.multinomial(people, rng.dirichlet(np.full(d * d, 0.3))).reshape(d, d)
    reports = np.stack([mechanism.perturb(counts, rng) for _ in range(3)]).astype(float)
    mask = (rng.random((d, d)) < 0.6) | (counts == counts.max()) if masked else None
    previous = np.full(3, -np.inf)
    for x, log_expected in islice(accelerated_iterates(mechanism.operator, reports, mask=mask), 80):
        likelihood = (reports * log_expected).sum(axis=(1, 2))
        assert (likelihood >= previous - 1e-11 * np.abs(likelihood)).all()
        np.testing.assert_allclose(x.sum(axis=(1, 2)), 1.0, rtol=1e-12)
        assert x.min() >= 0
        if mask is not None:
            assert (x[:, ~mask] == 0).all()
        expected = mechanism.operator.forward(x)
        # The rounding of a transform is relative to its largest value.
        np.testing.assert_allclose(np.exp(log_expected), expected, rtol=1e-11, atol=1e-15)
        previous = likelihood


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.1, 5.0])
def test_it_climbs_as_high_as_plain_em_in_far_fewer_steps(epsilon):
    mechanism = DAM(epsilon, 15)
    reports = reports_of(mechanism, 100_000)
    *_, (_, expected) = islice(em_iterates(mechanism.operator, reports), 1_001)
    *_, (_, log_expected) = islice(accelerated_iterates(mechanism.operator, reports), 201)
    assert log_likelihood(reports, log_expected) >= log_likelihood(reports, np.log(expected))


def test_it_reaches_the_maximum_plain_em_reaches():
    mechanism = DAM(3.0, 4)
    reports = reports_of(mechanism, 20_000)
    *_, (plain, expected) = islice(em_iterates(mechanism.operator, reports), 30_000)
    *_, (accelerated, log_expected) = islice(accelerated_iterates(mechanism.operator, reports), 1_500)
    assert log_likelihood(reports, log_expected) >= log_likelihood(reports, np.log(expected)) - 1e-6
    np.testing.assert_allclose(accelerated, plain, atol=1e-6)


def test_each_fit_of_a_batch_is_the_fit_on_its_own():
    mechanism = HUEM(2.1, 9)
    batch = np.concatenate([reports_of(mechanism, 5_000, name) for name in SYNTHETIC])
    *_, (together, _) = islice(accelerated_iterates(mechanism.operator, batch), 41)
    for alone, row in zip(batch, together, strict=True):
        *_, (single, _) = islice(accelerated_iterates(mechanism.operator, alone[None]), 41)
        np.testing.assert_allclose(row, single[0], rtol=1e-8, atol=1e-16)


def test_one_fit_falling_back_does_not_disturb_the_others():
    # The fits fall back at different steps; each must do so as it would alone.
    mechanism = DAM(5.0, 6)
    batch = np.concatenate([reports_of(mechanism, people) for people in (200, 5_000, 100_000)])
    together = [x.copy() for x, _ in islice(accelerated_iterates(mechanism.operator, batch), 300)]
    for fit, alone in enumerate(batch):
        single = [x.copy() for x, _ in islice(accelerated_iterates(mechanism.operator, alone[None]), 300)]
        np.testing.assert_allclose(together[-1][fit], single[-1][0], atol=1e-5)


def test_steps_that_would_descend_are_replaced_by_plain_em(monkeypatch):
    # Steps so long that every one of them ends on a single cell, where this crowd is not.
    monkeypatch.setattr(acceleration, "step_length", lambda _: 1e9)
    mechanism = DAM(2.1, 8)
    reports = reports_of(mechanism, 50_000, "szipf")
    paths = (accelerated_iterates(mechanism.operator, reports), em_iterates(mechanism.operator, reports))
    for (accelerated, log_expected), (plain, expected) in zip(*(islice(path, 20) for path in paths), strict=True):
        np.testing.assert_allclose(accelerated, plain, rtol=1e-9)
        possible = mechanism.output_domain
        np.testing.assert_allclose(log_expected[:, possible], np.log(expected[:, possible]), rtol=1e-9)


def test_the_less_reports_say_the_longer_the_step():
    assert step_length(1.0) == 1.0
    assert step_length(0.5) == 4.0
    assert math.isfinite(step_length(0.0))


def test_operators_know_the_share_of_reports_that_depends_on_the_cell():
    for mechanism in (DAM(1.3, 3), DAM(1.3, 15), DAM(0.2, 9), DAMNS(2.0, 12, 1), HUEM(2.1, 7)):
        shared_by_all = mechanism.transition_matrix().min(axis=0).sum()
        share = mechanism.operator.informative_share
        # Where the kernels of all cells overlap, still less depends on the cell: then it is a bound.
        assert share >= 1 - shared_by_all - 1e-12
        if 2 * mechanism.b < mechanism.d:
            assert share == pytest.approx(1 - shared_by_all)
    uneven = DenseOperator(np.array([[0.5, 0.5, 0.0], [0.2, 0.8, 0.0]]), (2,), (3,))
    assert uneven.informative_share == pytest.approx(0.3)
    assert DenseOperator(np.eye(2), (2,), (2,)).informative_share == 1.0


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 40.0, 100.0])
@pytest.mark.parametrize("people", [1, 2, 10**9])
@pytest.mark.parametrize("d", [5, 24])
def test_extreme_budgets_and_crowds_stay_finite(epsilon, people, d):
    rng = np.random.default_rng(0)
    counts = rng.multinomial(people, rng.dirichlet(np.full(d * d, 0.3))).reshape(d, d)
    for mechanism in (DAM(epsilon, d), DAM(epsilon, d, 2), HUEM(epsilon, d), MDSW(epsilon, d)):
        estimate = mechanism.estimate(mechanism.perturb(counts, rng), max_iterations=200)
        assert np.isfinite(estimate.distribution).all()
        assert estimate.distribution.min() >= 0
        assert estimate.distribution.sum() == pytest.approx(1.0, abs=1e-12)
        assert np.isfinite(estimate.log_likelihood)


@pytest.mark.parametrize("mechanism", [DAM(0.7, 20), DAM(5.0, 20), PlanarLaplace(0.5, 12)], ids=repr)
def test_the_same_reports_give_the_same_answer_with_and_without_a_mask(mechanism):
    counts = crowd("mnormal", mechanism.d, 20_000)
    reports = mechanism.perturb(counts, np.random.default_rng(0))
    for mask in (None, counts > 0):
        first, second = (mechanism.estimate(reports.copy(), mask=mask) for _ in range(2))
        np.testing.assert_array_equal(first.distribution, second.distribution)
        assert (first.iterations, first.log_likelihood) == (second.iterations, second.log_likelihood)
        if mask is not None:
            assert (first.distribution[~mask] == 0).all()
