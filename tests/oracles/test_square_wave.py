"""The square wave on a line: the authors' matrices, its sampler, and its two estimates."""

import math

import numpy as np
import pytest

from spatialldp import tables
from spatialldp.mechanisms import radius
from spatialldp.oracles import SquareWave, square_wave_radius
from tests.chi_square import ALPHA, DRAWS, chi_square_p_value
from tests.golden import authors
from tests.scripted_draws import Script, telling


@pytest.mark.parametrize("row", authors()["mdsw"], ids=lambda r: f"eps{r['eps']}-d{r['d']}")
def test_the_matrix_equals_the_authors(row):
    oracle = SquareWave(row["eps"], row["d"])
    assert oracle.b == row["b"]
    assert oracle.q == pytest.approx(row["q"], rel=1e-12)
    np.testing.assert_allclose(oracle.matrix.T, row["matrix_out_by_in"], rtol=0, atol=1e-12)


def test_the_half_width_is_the_one_formula_wherever_it_is_imported_from():
    assert radius.square_wave_radius is square_wave_radius
    for epsilon in (0.7, 2.0, 5.0):
        e = math.exp(epsilon)
        assert square_wave_radius(epsilon) == pytest.approx(
            (epsilon * e - e + 1) / (2 * e * (e - 1 - epsilon)), rel=1e-12
        )
    assert square_wave_radius(1e-9) == pytest.approx(0.5, rel=1e-8)


@pytest.mark.parametrize("oracle", [SquareWave(1.2, 8), SquareWave(4.0, 5)], ids=repr)
def test_both_samplers_draw_from_the_matrix(oracle):
    for place in (0, oracle.m // 2):
        expected = DRAWS * oracle.matrix[place]
        reports = oracle.randomize(np.full(DRAWS, place), np.random.default_rng(0))
        assert chi_square_p_value(oracle.aggregate(reports), expected) > ALPHA
        people = np.bincount([place] * DRAWS, minlength=oracle.m)
        assert chi_square_p_value(oracle.perturb(people, np.random.default_rng(1)), expected) > ALPHA
    mutant = SquareWave(oracle.epsilon * 1.05, oracle.m)
    assert mutant.b == oracle.b
    assert chi_square_p_value(mutant.perturb(people, np.random.default_rng(1)), expected) < ALPHA


def test_reports_are_what_the_table_makes_of_the_numbers(monkeypatch):
    oracle = SquareWave(1.4, 6)
    u = telling(oracle.table)
    values = np.arange(u.size) % 6
    script = Script(u)
    monkeypatch.setattr(tables, "uniform_below", script)
    reports = oracle.randomize(values)
    assert script.totals == [oracle.table.total]
    assert reports.tolist() == [oracle.table.decode(int(n), int(v))[0] for n, v in zip(u, values, strict=True)]
    for place in range(6):
        weights = oracle.device_weights(place)
        np.testing.assert_allclose(weights / weights.sum(), oracle.matrix[place], rtol=1e-11)


def test_likelihoods_are_the_columns_of_the_matrix():
    oracle = SquareWave(1.0, 5)
    every = np.arange(-oracle.b, 5 + oracle.b)
    np.testing.assert_array_equal(oracle.likelihoods(every), oracle.matrix.T)
    np.testing.assert_array_equal(oracle.likelihoods(every, [3, 1]), oracle.matrix.T[:, [3, 1]])


@pytest.mark.parametrize("epsilon", [0.01, 0.7, 2.0, 9.0])
@pytest.mark.parametrize("m", [1, 2, 5, 16, 60])
def test_the_linear_estimate_turns_expected_reports_into_the_truth(epsilon, m):
    oracle = SquareWave(epsilon, m)
    truth = np.random.default_rng(m).dirichlet(np.ones(m))
    found = oracle.estimate(truth @ oracle.matrix)
    np.testing.assert_allclose(found, truth, atol=1e-7 if epsilon < 0.1 else 1e-10)
    # Any reports give frequencies that add up to 1.
    noisy = oracle.estimate(np.random.default_rng(0).integers(1, 100, oracle.n_outputs))
    assert noisy.sum() == pytest.approx(1.0, abs=1e-7)


@pytest.mark.parametrize("oracle", [SquareWave(1.0, 8), SquareWave(0.7, 5)], ids=repr)
def test_no_other_linear_estimate_without_bias_has_less_variance_on_even_people(oracle):
    assert oracle.b > 0
    shares = oracle.matrix.mean(axis=0)
    ours = oracle.variance(1)

    def variances(inverse):
        np.testing.assert_allclose(inverse @ oracle.matrix.T, np.eye(oracle.m), atol=1e-8)
        return np.einsum("ij,j,ij->i", inverse, shares, inverse) - 1 / oracle.m

    plain = np.linalg.pinv(oracle.matrix.T)
    np.testing.assert_array_less(ours, variances(plain) * (1 + 1e-9))
    assert ours.sum() < variances(plain).sum()
    # Whatever else is without bias differs by rows that the matrix sends to nothing.
    _, _, rows = np.linalg.svd(oracle.matrix)
    nothing = rows[oracle.m :]
    rng = np.random.default_rng(0)
    for size in (1e-2, 1.0, 10.0):
        other = plain + size * rng.standard_normal((oracle.m, len(nothing))) @ nothing
        np.testing.assert_array_less(ours, variances(other) * (1 + 1e-9))


def test_covariance_is_symmetric_and_knows_the_sum_is_certain():
    oracle = SquareWave(1.0, 6)
    truth = np.random.default_rng(2).dirichlet(np.ones(6))
    covariance = oracle.covariance(100, truth)
    np.testing.assert_allclose(covariance, covariance.T, rtol=1e-12)
    np.testing.assert_allclose(covariance.sum(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(oracle.covariance(200, truth), covariance / 2, rtol=1e-12)
    np.testing.assert_allclose(oracle.variance(100), np.diagonal(oracle.covariance(100, np.full(6, 1 / 6))))
    with pytest.raises(ValueError, match=r"frequency must be given for each of the 6 places, got shape \(\)"):
        oracle.variance(100, 0.5)


def test_em_is_a_distribution_and_steadier_than_the_linear_estimate():
    oracle = SquareWave(1.0, 12)
    people = np.array([0, 0, 500, 900, 1500, 2600, 2000, 1200, 800, 500, 0, 0])
    truth, rng = people / people.sum(), np.random.default_rng(0)
    errors = []
    for _ in range(20):
        summed = oracle.perturb(people, rng)
        smooth, plain = oracle.estimate_em(summed), oracle.estimate_em(summed, smoothing=False)
        for estimate in (smooth, plain):
            assert estimate.stopping == "adaptive"
            assert estimate.distribution.min() >= 0
            assert estimate.distribution.sum() == pytest.approx(1.0)
        linear = oracle.estimate(summed)
        errors.append([np.square(found - truth).sum() for found in (plain.distribution, linear)])
    by_em, by_linear = np.mean(errors, axis=0)
    assert by_em < by_linear / 2
    assert by_linear == pytest.approx(oracle.variance(people.sum(), truth).sum(), rel=0.5)


def test_summed_reports_of_another_length_are_refused():
    oracle = SquareWave(1.0, 5)
    for estimate in (oracle.estimate, oracle.estimate_em):
        with pytest.raises(ValueError, match=r"summed must have shape \(7,\) \(places from −b on"):
            estimate(np.ones(5))


def test_everybody_reports_the_only_place_there_is_at_any_budget():
    # At some budgets, 0.03 among them, the probability of the only report is 1 and a rounding.
    for epsilon in (0.03, *np.linspace(0.01, 9.0, 400)):
        wave = SquareWave(float(epsilon), 1)
        assert wave.perturb([7], np.random.default_rng(1)).sum() == 7, epsilon
