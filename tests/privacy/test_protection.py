"""All rulers at once, the worst case without all pairs, and the mechanism that fools local privacy."""

import numpy as np
import pytest

from spatialldp import DAM, DAMNS, HUEM, KRR, MDSW, OUE, PlanarLaplace, SEMGeoI
from spatialldp.privacy import MEASURES, privacy_loss_by_distance, protection, risk, worst_case_loss
from tests.privacy.brute_force import readings

SMALL = [
    DAM(2.1, 5),
    HUEM(3.0, 4),
    MDSW(1.5, 5),
    KRR(1.0, 4),
    PlanarLaplace(0.8, 5),
    SEMGeoI(0.9, 4),
    SEMGeoI(2.0, 3, 3),
]


@pytest.mark.parametrize("mechanism", SMALL, ids=repr)
def test_every_ruler_reads_what_the_matrix_says(mechanism):
    found = protection(mechanism)
    for by, expected in readings(mechanism.transition_matrix(), mechanism.d).items():
        # The worst case is read from the devices, whose ε of Geo-I is smaller by 2⁻²⁴.
        assert found.by(by).value == pytest.approx(expected, rel=2e-7 if by == "worst case" else 1e-9), by
        assert found.by(by).standard_error == 0, by
    assert list(MEASURES) == list(readings(mechanism.transition_matrix(), mechanism.d))


def test_the_region_is_that_of_the_risk():
    mechanism = DAM(3.5, 8)
    assert protection(mechanism).credible_cells == (pytest.approx(risk(mechanism).credible_cells), 0)


def variants(kind, epsilon: float, d: int) -> list:
    found = [kind(epsilon, d)]
    if kind in (DAM, DAMNS, HUEM):
        found += [kind(epsilon, d, b) for b in (0, 1, d, 2 * d)]
    if kind is SEMGeoI:
        found += [kind(epsilon, d, k) for k in {1, 2, d, d**2 // 2, d**2 - 1, d**2} if 1 <= k <= d**2]
    return found


@pytest.mark.parametrize("kind", [DAM, DAMNS, HUEM, KRR, MDSW, OUE, PlanarLaplace, SEMGeoI])
@pytest.mark.parametrize("d", [2, 3, 5, 6])
@pytest.mark.parametrize("epsilon", [0.05, 1.0, 3.5, 8.0])
def test_the_worst_case_is_the_largest_loss_of_all_pairs(kind, d, epsilon):
    for mechanism in variants(kind, epsilon, d):
        if mechanism.notion == "Geo-I":
            largest = privacy_loss_by_distance(mechanism)[:, 1].max()
        else:
            largest = epsilon if kind is OUE else readings(mechanism.transition_matrix(), d)["worst case"]
        # A device keeps a hair below the promise, to pay for rounding.
        assert worst_case_loss(mechanism) == pytest.approx(largest, rel=1e-5, abs=1e-9), mechanism
        assert worst_case_loss(mechanism) >= largest - 1e-9, mechanism


def test_one_cell_tells_nothing_and_a_device_is_never_quite_sure():
    assert all(worst_case_loss(kind(2.0, 1)) == 0 for kind in (DAM, KRR, MDSW, OUE, PlanarLaplace, SEMGeoI))
    # The formula would allow ε·distance = 3.5·14·√2 = 69; blind reports keep the device below.
    device = privacy_loss_by_distance(PlanarLaplace(3.5, 15))[:, 1].max()
    assert worst_case_loss(PlanarLaplace(3.5, 15)) == pytest.approx(device, rel=1e-9)
    assert device < 40


def test_the_worst_case_of_a_set_is_the_kth_largest_distance_from_a_corner():
    # On 3×3 cells the distances from a corner are 2√2, √5, √5, 2, 2, √2, 1, 1, 0.
    for k, expected in ((1, 8**0.5), (2, 5**0.5), (3, 5**0.5), (4, 2.0)):
        assert worst_case_loss(SEMGeoI(2.0, 3, k)) >= 2.0 * expected - 1e-12
    assert worst_case_loss(SEMGeoI(2.0, 3, 1)) == pytest.approx(2.0 * 8**0.5)


@pytest.mark.parametrize(
    "mechanism", [SEMGeoI(0.3, 4), SEMGeoI(1.0, 3, 4), SEMGeoI(4.0, 4, 1), SEMGeoI(0.5, 2)], ids=repr
)
def test_the_hit_rate_of_sets_without_listing_them(mechanism):
    assert mechanism.closed_form_hit_rate() == pytest.approx(
        readings(mechanism.transition_matrix(), mechanism.d)["hit rate"]
    )


def test_local_privacy_can_be_fooled():
    """Three cells named around town: more local privacy than DAM, and next to nothing hidden."""
    honest, fooling = protection(DAM(3.5, 15)), protection(SEMGeoI(3.0, 15, 3), rng=np.random.default_rng(0))
    assert honest.local_privacy == (pytest.approx(5.16, abs=0.005), 0)
    assert honest.hit_rate.value == pytest.approx(0.04, abs=0.005)
    assert honest.credible_cells.value == pytest.approx(176, abs=1)
    assert fooling.local_privacy.value == pytest.approx(5.46, rel=0.015)
    assert fooling.local_privacy.value > honest.local_privacy.value
    assert fooling.hit_rate.value == pytest.approx(0.26, abs=0.005)
    assert fooling.credible_cells.value == pytest.approx(16, abs=0.2)
    # Three cells, 15×15: the third largest distance from a corner is √(14² + 13²).
    assert fooling.worst_case == pytest.approx(3.0 * (14**2 + 13**2) ** 0.5)
    assert honest.worst_case == pytest.approx(3.5)


@pytest.mark.parametrize("mechanism", [SEMGeoI(20.0, 3, 2), SEMGeoI(18.0, 4, 3), SEMGeoI(5.0, 4, 5)], ids=repr)
def test_the_worst_case_of_sets_with_rare_nulls_is_that_of_all_pairs(mechanism):
    assert worst_case_loss(mechanism) == pytest.approx(privacy_loss_by_distance(mechanism)[:, 1].max(), rel=2e-7)
