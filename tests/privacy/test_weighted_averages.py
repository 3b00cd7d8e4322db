"""Averages over evenly drawn, weighted reports against those over a list of all reports."""

import math

import numpy as np
import pytest

from spatialldp import SEMGeoI
from spatialldp.privacy import local_privacy, risk


@pytest.mark.parametrize("mechanism", [SEMGeoI(0.2, 4), SEMGeoI(0.9, 5), SEMGeoI(3.0, 4, 2), SEMGeoI(2.0, 8)], ids=repr)
def test_weighted_sets_give_the_averages_over_all_reports(mechanism):
    exact, exact_risk = local_privacy(mechanism, exact=True), risk(mechanism, exact=True)
    simulated = local_privacy(mechanism, exact=False, relative_error=0.002, rng=np.random.default_rng(5))
    assert 0 < simulated.standard_error <= 0.002 * simulated.value
    assert abs(simulated.value - exact.value) < 5 * simulated.standard_error
    drawn = risk(mechanism, exact=False, relative_error=0.005, rng=np.random.default_rng(6))
    assert abs(drawn.expected_distance - exact_risk.expected_distance) < 5 * drawn.expected_distance_error + 1e-9
    assert abs(drawn.credible_cells - exact_risk.credible_cells) < 5 * drawn.credible_cells_error + 1e-9
    # Every set gives its cells the same likelihood, so the hit rate has no variance at all.
    assert drawn.hit_rate == pytest.approx(exact_risk.hit_rate, rel=1e-10)


def test_the_error_it_states_is_the_error_it_makes():
    mechanism = SEMGeoI(0.9, 5)
    exact = local_privacy(mechanism, exact=True).value
    off = []
    for seed in range(60):
        found = local_privacy(mechanism, exact=False, relative_error=0.01, rng=np.random.default_rng(seed))
        off.append((found.value - exact) / found.standard_error)
    # The mean square of 60 standard normals is 1 ± 0.18.
    assert 0.4 < np.mean(np.square(off)) < 1.8
    assert abs(np.mean(off)) < 5 / math.sqrt(60)


def test_a_report_that_says_nothing_leaves_no_noise():
    # At a tiny ε the best guess stays in the middle: the known sums then explain everything.
    found = risk(SEMGeoI(0.01, 7), exact=False)
    assert found.expected_distance == pytest.approx(found.prior_distance, rel=1e-9)
    assert found.expected_distance_error < 1e-9
