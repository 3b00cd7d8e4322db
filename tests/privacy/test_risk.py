"""An attacker's posterior, guess and success against brute-force Bayes."""

import numpy as np
import pytest

from spatialldp import DAM, KRR, MDSW, OUE, PlanarLaplace, SEMGeoI
from spatialldp.privacy import credible_region, posterior, risk
from tests.cells import distances

MECHANISMS = [DAM(2.1, 5), KRR(1.0, 4), MDSW(1.5, 5), PlanarLaplace(0.8, 5), SEMGeoI(0.9, 3)]


def brute_force(mechanism, prior: np.ndarray) -> tuple[float, float, float]:
    """Σ_out min_z Σ_i π_i P(out|i) dist(i,z); Σ_out max_i π_i P(out|i); mean size of the 95% region."""
    error = hit = size = 0.0
    for column in mechanism.transition_matrix().T:
        joint = prior.ravel() * column
        total = joint.sum()
        if total == 0:
            continue
        error += (joint @ distances(mechanism.d)).min()
        hit += joint.max()
        held = np.cumsum(np.sort(joint / total)[::-1])
        size += total * (1 + np.count_nonzero(held < 0.95 - 1e-12))
    return error, hit, size


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
@pytest.mark.parametrize("flat", [True, False])
def test_risk_equals_brute_force(mechanism, flat):
    d = mechanism.d
    prior = np.full((d, d), 1 / d**2) if flat else np.random.default_rng(0).dirichlet(np.full(d * d, 0.4)).reshape(d, d)
    result = risk(mechanism, None if flat else prior * 1000)
    expected = brute_force(mechanism, prior)
    assert (result.expected_distance, result.hit_rate, result.credible_cells) == pytest.approx(expected, rel=1e-9)
    assert result.expected_distance_error == result.hit_rate_error == 0
    assert result.prior_distance == pytest.approx((prior.ravel() @ distances(d)).min())
    assert result.prior_hit_rate == pytest.approx(prior.max())
    # A report can only help.
    assert result.expected_distance <= result.prior_distance + 1e-12
    assert result.hit_rate >= result.prior_hit_rate - 1e-12


@pytest.mark.parametrize("mechanism", [DAM(2.1, 6), SEMGeoI(0.9, 4)], ids=repr)
def test_simulation_agrees_with_the_exact_risk(mechanism):
    prior = np.random.default_rng(1).dirichlet(np.ones(mechanism.d**2)).reshape(mechanism.d, mechanism.d)
    exact, simulated = risk(mechanism, prior), risk(mechanism, prior, exact=False)
    assert abs(simulated.expected_distance - exact.expected_distance) < 5 * simulated.expected_distance_error
    assert abs(simulated.hit_rate - exact.hit_rate) < 5 * simulated.hit_rate_error
    assert abs(simulated.credible_cells - exact.credible_cells) < 5 * simulated.credible_cells_error


def test_oue_and_large_grids_are_simulated():
    for mechanism in (OUE(2.0, 6), SEMGeoI(0.5, 12)):
        result = risk(mechanism)
        assert 0 < result.expected_distance_error <= 0.01 * result.expected_distance
        assert result.hit_rate_error <= 0.01 * result.hit_rate
        assert 0 < result.expected_distance < result.prior_distance


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_the_posterior_is_bayes(mechanism):
    prior = np.random.default_rng(2).dirichlet(np.ones(mechanism.d**2)).reshape(mechanism.d, mechanism.d)
    report = mechanism.randomize(1, 2, np.random.default_rng(3))
    belief = posterior(mechanism, report[0], prior)
    joint = prior.ravel() * mechanism.likelihoods(report)[0]
    np.testing.assert_allclose(belief.ravel(), joint / joint.sum(), rtol=1e-12)
    assert belief.sum() == pytest.approx(1.0)


def test_the_posterior_of_one_dam_report_by_hand():
    # k-RR on 2×2 cells at e^ε = 3: the reported cell is three times as likely as each other, half in all.
    belief = posterior(KRR(np.log(3.0), 2), [0, 1])
    np.testing.assert_allclose(belief, [[1 / 6, 1 / 2], [1 / 6, 1 / 6]])


def test_the_credible_region_is_the_smallest():
    belief = np.array([[0.5, 0.2], [0.25, 0.05]])
    assert credible_region(belief, 0.95).tolist() == [[True, True], [True, False]]
    assert credible_region(belief, 0.5).tolist() == [[True, False], [False, False]]
    assert credible_region(belief, 1.0).all()
    assert credible_region(np.ones((3, 3)), 0.95).sum() == 9


def test_bad_requests_are_named():
    with pytest.raises(ValueError, match=r"prior must have shape \(5, 5\) .* got shape \(4, 4\)"):
        risk(DAM(1.0, 5), np.ones((4, 4)))
    with pytest.raises(ValueError, match=r"level must be .* got 1.5"):
        credible_region(np.ones((2, 2)), 1.5)
    empty = np.zeros((3, 3))
    with pytest.raises(ValueError, match=r"prior must not be all zero"):
        posterior(DAM(1.0, 3), [0, 0], empty)
