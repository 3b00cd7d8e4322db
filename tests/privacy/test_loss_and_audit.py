"""The exact loss, and the audit that bounds it from the sampler alone."""

import math

import numpy as np
import pytest

from spatialldp import DAM, DAMNS, HUEM, KRR, MDSW, OUE, PlanarLaplace, SEMGeoI
from spatialldp.privacy import audit, max_privacy_loss, privacy_loss_by_distance, privacy_loss_from
from spatialldp.privacy.audit import _bounds


@pytest.mark.parametrize(("epsilon", "d"), [(0.5, 3), (2.0, 6), (3.5, 15)])
def test_krr_loses_the_log_of_its_odds_and_oue_epsilon(epsilon, d):
    cells = d * d
    p = math.exp(epsilon) / (math.exp(epsilon) + cells - 1)
    assert max_privacy_loss(KRR(epsilon, d)) == pytest.approx(math.log(p * (cells - 1) / (1 - p)), abs=1e-12)
    assert max_privacy_loss(OUE(epsilon, d)) == pytest.approx(epsilon, abs=1e-12)


@pytest.mark.parametrize("mechanism", [DAM(3.5, 15), DAMNS(1.0, 9), HUEM(2.1, 10), MDSW(0.7, 12)], ids=repr)
def test_ldp_mechanisms_lose_epsilon(mechanism):
    assert max_privacy_loss(mechanism) == pytest.approx(mechanism.epsilon, abs=1e-12)


def worst_ratio_per_distance(matrix: np.ndarray, d: int) -> dict[float, float]:
    worst: dict[float, float] = {}
    for i in range(d * d):
        for j in range(d * d):
            distance = round(math.hypot(i // d - j // d, i % d - j % d), 9)
            ratio = float(np.log(matrix[i] / matrix[j]).max())
            worst[distance] = max(worst.get(distance, 0.0), ratio)
    worst.pop(0.0)
    return worst


@pytest.mark.parametrize(
    "mechanism",
    [SEMGeoI(0.6, 3), SEMGeoI(0.3, 3, 5), SEMGeoI(1.5, 4), SEMGeoI(0.5, 4, 9), PlanarLaplace(0.8, 5)],
    ids=repr,
)
def test_geo_indistinguishable_mechanisms_give_the_worst_ratio_of_each_distance(mechanism):
    table = privacy_loss_by_distance(mechanism)
    expected = worst_ratio_per_distance(np.maximum(mechanism.transition_matrix(), 1e-300), mechanism.d)
    assert {round(float(distance), 9) for distance in table[:, 0]} == set(expected)
    for distance, loss in table:
        # Devices draw at an ε that is smaller by 2⁻²⁴, which pays for their rounding.
        assert loss == pytest.approx(expected[round(float(distance), 9)], abs=2e-6)
    assert (table[:, 1] <= mechanism.epsilon * table[:, 0]).all()
    assert (np.diff(table[:, 0]) > 0).all()


def test_a_large_subset_cannot_use_up_the_whole_allowance():
    # With 9 of 16 cells in every report no set stays clear of the other cell far enough.
    table = privacy_loss_by_distance(SEMGeoI(0.5, 4, 9))
    assert table[-1, 1] < 0.5 * table[-1, 0]


@pytest.mark.parametrize(
    "mechanism",
    [
        DAM(3.5, 15),
        DAM(0.7, 10),
        DAMNS(2.0, 8),
        HUEM(2.0, 10),
        MDSW(3.5, 10),
        KRR(3.5, 10),
        OUE(2.0, 6),
        SEMGeoI(1.5, 10),
        SEMGeoI(0.6, 6),
        PlanarLaplace(0.7, 9),
    ],
    ids=repr,
)
def test_the_audit_comes_close_to_the_claim_and_never_above(mechanism):
    result = audit(mechanism, 300_000, np.random.default_rng(0))
    assert result.lower_bound <= result.claimed
    assert result.lower_bound > 0.85 * result.claimed
    assert result.trials == 300_000


def test_a_sampler_that_breaks_its_promise_is_caught():
    honest = DAM(2.0, 6, 1)

    class Leaky(DAM):
        """Promises ε = 2 and samples with ε = 2.6."""

        def randomize(self, ix, iy, rng=None):
            return DAM(2.6, 6, 1).randomize(ix, iy, rng)

    assert audit(honest, 300_000, np.random.default_rng(0)).lower_bound <= 2.0
    assert audit(Leaky(2.0, 6, 1), 300_000, np.random.default_rng(0)).lower_bound > 2.4


def test_the_bound_of_the_audit_is_clopper_and_pearsons():
    # 95% limits from printed tables: 10 of 20 at least 0.27196, 0 of 20 at most 0.16843, 20 of 20 at most 1.
    bounds = _bounds(np.array([10, 10, 0]), np.array([0, 20, 0]), 20, 0.95)
    assert bounds == pytest.approx([math.log(0.27196 / 0.16843), 0.0, 0.0], abs=1e-4)


class TruthfulCorner(KRR):
    """One corner always sends the truth."""

    def randomize(self, ix, iy, rng=None):
        reports = super().randomize(ix, iy, rng)
        there = (np.atleast_1d(ix) == self.d - 1) & (np.atleast_1d(iy) == 0)
        reports[there] = (self.d - 1, 0)
        return reports


@pytest.mark.parametrize("d", [20, 40])
def test_one_broken_corner_is_found(d):
    broken = TruthfulCorner(2.0, d)
    result = audit(broken, 20_000, np.random.default_rng(1))
    assert result.lower_bound > 1.5 * result.claimed
    assert (d - 1, 0) in result.cells


def test_one_cell_has_nothing_to_lose_and_bad_requests_are_named():
    assert audit(DAM(1.0, 1), 1_000).lower_bound == 0
    assert max_privacy_loss(OUE(1.0, 1)) == 0
    with pytest.raises(ValueError, match=r"trials must be a whole number ≥ 1000, got 10"):
        audit(DAM(1.0, 3), 10)
    with pytest.raises(ValueError, match=r"confidence must be .* got 1"):
        audit(DAM(1.0, 3), 1_000, confidence=1.0)


@pytest.mark.parametrize(
    "mechanism",
    [
        DAM(3.5, 6, 1),
        DAM(1.2, 5),
        HUEM(2.0, 6),
        DAMNS(1.0, 1),
        KRR(2.0, 4),
        MDSW(1.3, 4),
        PlanarLaplace(0.7, 5),
        SEMGeoI(0.6, 3),
        SEMGeoI(0.3, 3, 5),
        SEMGeoI(1.5, 4),
        SEMGeoI(0.5, 4, 3),
    ],
    ids=repr,
)
def test_the_loss_from_one_cell_is_the_worst_ratio_of_any_report_either_way(mechanism):
    d, matrix = mechanism.d, np.log(np.maximum(mechanism.transition_matrix(), 1e-300))
    for cell in {0, d * d // 2, d * d - 1}:
        expected = [np.abs(matrix[cell] - matrix[other]).max() for other in range(d * d)]
        found = privacy_loss_from(mechanism, *divmod(cell, d))
        np.testing.assert_allclose(found.ravel(), expected, rtol=0, atol=2e-6)


def test_the_loss_from_one_cell_keeps_the_promise_of_its_notion():
    d = 12
    x, y = np.meshgrid(np.arange(d) - 2, np.arange(d) - 5, indexing="ij")
    away = np.hypot(x, y)
    assert (privacy_loss_from(DAM(3.5, d), 2, 5) <= 3.5).all()
    for mechanism in (SEMGeoI(0.6, d), PlanarLaplace(0.4, d)):
        loss = privacy_loss_from(mechanism, 2, 5)
        assert (loss <= mechanism.epsilon * away).all()
        assert loss.max() > 0.8 * mechanism.epsilon * away.max()


def test_bits_lose_epsilon_between_any_two_cells():
    loss = privacy_loss_from(OUE(1.3, 3), 1, 1)
    assert loss[1, 1] == 0
    assert np.delete(loss.ravel(), 4) == pytest.approx(1.3, abs=1e-12)


def test_a_cell_outside_the_grid_is_named():
    with pytest.raises(ValueError, match=r"ix must be a whole number from 0 to 3, got 4"):
        privacy_loss_from(DAM(1.0, 4), 4, 0)


def test_the_bound_of_the_audit_is_wrong_no_more_often_than_it_says():
    # At so small an ε nearly all that the first look sees is chance, and the pair is picked for it.
    audits = [audit(KRR(0.05, 3), 2_000, np.random.default_rng(seed), confidence=0.9) for seed in range(40)]
    # Four of forty are allowed on average; nine or more have a probability of 2%, and the seeds are fixed.
    assert sum(found.lower_bound > found.claimed for found in audits) < 9


class TruthfulDiagonal(PlanarLaplace):
    """Two opposite corners always send the truth."""

    def randomize(self, ix, iy, rng=None):
        reports = super().randomize(ix, iy, rng)
        there = np.atleast_1d(ix) == np.atleast_1d(iy)
        reports[there] = np.stack([np.atleast_1d(ix), np.atleast_1d(iy)], axis=1)[there]
        return reports


def test_the_claim_of_a_geo_i_audit_is_epsilon_per_cell_of_distance():
    result = audit(TruthfulDiagonal(0.5, 2), 2_000, np.random.default_rng(0))
    assert set(result.cells) == {(0, 0), (1, 1)}
    assert result.claimed == pytest.approx(0.5 * math.sqrt(2))
    assert result.lower_bound > 3
