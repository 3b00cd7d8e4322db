"""What several reports of one person give away, against brute-force Bayes over all lists of reports."""

import itertools

import numpy as np
import pytest

from spatialldp import DAM, KRR, MDSW, SEMGeoI
from spatialldp.privacy import repeated_risk
from tests.cells import distances


def brute_force(mechanism, reports: int, prior: np.ndarray) -> tuple[float, float, float, float]:
    """Distance and hit rate of the best guess, then of a guess drawn from the posterior."""
    matrix, apart = mechanism.transition_matrix(), distances(mechanism.d)
    distance = hit = drawn_distance = drawn_hit = 0.0
    for outputs in itertools.product(range(matrix.shape[1]), repeat=reports):
        joint = prior.ravel() * np.prod(matrix[:, list(outputs)], axis=1)
        total = joint.sum()
        if total == 0:
            continue
        distance += (joint @ apart).min()
        hit += joint.max()
        drawn_distance += joint @ apart @ joint / total
        drawn_hit += joint @ joint / total
    return distance, hit, drawn_distance, drawn_hit


def figures(risk) -> tuple[float, ...]:
    return risk.guess_distance, risk.hit_rate, risk.sampling_distance, risk.sampling_hit_rate


def errors(risk) -> tuple[float, ...]:
    return (risk.guess_distance_error, risk.hit_rate_error, risk.sampling_distance_error, risk.sampling_hit_rate_error)


@pytest.mark.parametrize("mechanism", [DAM(2.0, 4), KRR(1.0, 3), MDSW(1.5, 4), SEMGeoI(0.9, 3)], ids=repr)
def test_one_report_is_exact(mechanism):
    prior = np.random.default_rng(0).dirichlet(np.ones(mechanism.d**2)).reshape(mechanism.d, mechanism.d)
    risk = repeated_risk(mechanism, 1, prior * 500)
    assert figures(risk) == pytest.approx(brute_force(mechanism, 1, prior), rel=1e-9)
    assert errors(risk) == (0, 0, 0, 0)
    assert risk.prior_hit_rate == pytest.approx(prior.max())
    assert risk.prior_distance == pytest.approx((prior.ravel() @ distances(mechanism.d)).min())


@pytest.mark.parametrize(
    ("mechanism", "reports"),
    [(KRR(1.0, 2), 2), (KRR(1.0, 2), 5), (DAM(2.0, 3), 2), (MDSW(1.5, 3), 3), (SEMGeoI(0.9, 2), 3)],
    ids=repr,
)
def test_several_reports_agree_with_brute_force_within_their_error(mechanism, reports):
    prior = np.random.default_rng(1).dirichlet(np.full(mechanism.d**2, 2.0)).reshape(mechanism.d, mechanism.d)
    risk = repeated_risk(mechanism, reports, prior, most_people=20_000, rng=np.random.default_rng(5))
    for found, error, expected in zip(figures(risk), errors(risk), brute_force(mechanism, reports, prior), strict=True):
        assert abs(found - expected) < 4.5 * error
        assert 0 < error < 0.05 * expected
    assert risk.budget == pytest.approx(reports * mechanism.epsilon)


def test_each_further_report_helps_the_attacker():
    risks = [repeated_risk(DAM(2.0, 6), reports) for reports in (1, 3, 9)]
    assert risks[0].hit_rate < risks[1].hit_rate < risks[2].hit_rate
    assert risks[0].guess_distance > risks[1].guess_distance > risks[2].guess_distance
    # Drawing a guess is never better than the best guess.
    assert all(risk.sampling_hit_rate <= risk.hit_rate for risk in risks)


def test_chance_never_says_that_reports_make_a_best_guess_worse():
    # So few people are drawn that about half of the simulated figures fall on the wrong side of the prior's.
    for seed in range(12):
        risk = repeated_risk(
            DAM(0.01, 6), 2, np.arange(36).reshape(6, 6), most_people=30, rng=np.random.default_rng(seed)
        )
        assert risk.hit_rate >= risk.prior_hit_rate
        assert risk.guess_distance <= risk.prior_distance


def test_many_reports_do_not_underflow():
    risk = repeated_risk(KRR(3.0, 3), 400, most_people=400)
    assert risk.hit_rate == pytest.approx(1.0, abs=1e-6)


def test_one_cell_has_nothing_to_hide():
    risk = repeated_risk(DAM(1.0, 1), 3)
    assert (risk.hit_rate, risk.guess_distance, risk.sampling_distance) == pytest.approx((1, 0, 0), abs=1e-9)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"reports": 1_001}, "reports must be at most 1,000, got 1001"),
        ({"reports": 0}, "reports must be a whole number ≥ 1"),
        ({"most_people": 10**9}, "most_people must be at most 10,000,000"),
        ({"relative_error": 0.0}, "relative_error must be"),
        ({"relative_error": float("nan")}, "relative_error must be"),
        ({"rng": 3}, "rng must be"),
    ],
    ids=str,
)
def test_what_would_never_end_is_refused(settings, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        repeated_risk(DAM(1.0, 3), **settings)
