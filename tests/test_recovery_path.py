"""The steps of a recovery: they end where the estimate does, and their figures are what they say."""

import numpy as np
import pytest

from spatialldp import DAM, HUEM, PlanarLaplace
from spatialldp.datasets import SYNTHETIC
from spatialldp.recovery_path import recovery_path


def reports_of(mechanism, people: int = 20_000, name: str = "mnormal"):
    recipe = SYNTHETIC[name]
    counts = recipe.grid(mechanism.d).bin(*recipe.points(1, people)).counts
    return mechanism.perturb(counts, np.random.default_rng(3))


@pytest.mark.parametrize("mechanism", [DAM(3.5, 8), DAM(0.8, 6), HUEM(2.0, 10), PlanarLaplace(0.5, 8)], ids=repr)
def test_the_chosen_step_is_the_estimate(mechanism):
    reports = reports_of(mechanism)
    path, estimate = recovery_path(mechanism, reports), mechanism.estimate(reports)
    assert path.chosen == estimate.iterations
    assert len(path.distributions) > path.chosen + 5
    np.testing.assert_allclose(path.distributions[path.chosen], estimate.distribution, rtol=1e-9)
    assert path.log_likelihood[path.chosen] * reports.sum() == pytest.approx(estimate.log_likelihood, rel=1e-12)


def test_it_starts_with_everybody_spread_evenly_and_never_fits_worse():
    mechanism = DAM(2.0, 7)
    reports = reports_of(mechanism)
    path = recovery_path(mechanism, reports)
    np.testing.assert_allclose(path.distributions[0], 1 / 49)
    # Every report is held out exactly once, so at the common start both figures are the same mean.
    seen = reports[mechanism.output_domain]
    start = float(seen @ np.log(mechanism.transition_matrix().mean(axis=0)) / seen.sum())
    assert path.log_likelihood[0] == pytest.approx(start, rel=1e-12)
    assert path.held_out[0] == pytest.approx(start, rel=1e-12)
    assert (np.diff(path.log_likelihood) >= -1e-12).all()
    assert path.held_out[path.best] == path.held_out.max()
    assert path.best <= path.chosen
    np.testing.assert_allclose(path.distributions.sum(axis=(1, 2)), 1.0)


def test_the_likelihood_of_a_step_is_that_of_its_map():
    mechanism = DAM(1.5, 5)
    reports = reports_of(mechanism)
    path = recovery_path(mechanism, reports)
    seen, matrix = reports[mechanism.output_domain], mechanism.transition_matrix()
    for step in (1, path.chosen, len(path.distributions) - 1):
        expected = float(seen @ np.log(path.distributions[step].ravel() @ matrix) / seen.sum())
        assert path.log_likelihood[step] == pytest.approx(expected, rel=1e-12)


def test_one_cell_and_a_handful_of_people():
    alone = DAM(1.0, 1)
    assert recovery_path(alone, alone.perturb([[3]], np.random.default_rng(0))).distributions[-1, 0, 0] == 1.0
    few = DAM(1.0, 4)
    path = recovery_path(few, few.perturb(np.eye(4, dtype=int), np.random.default_rng(0)))
    assert np.isfinite(path.held_out).all()
