"""ε′ of equal protection: every ruler, both branches, both directions, and both sides of a jump."""

import numpy as np
import pytest

from spatialldp import DAM, KRR, PlanarLaplace, SEMGeoI
from spatialldp.privacy import MEASURES, calibrate, calibration, local_privacy, risk, worst_case_loss
from spatialldp.privacy.curve import Curve
from tests.golden import authors
from tests.privacy.brute_force import protects_at_least, readings

#: The further values of the authors' table for d = 5.
PRINTED = [(0.7, 0.52917), (1.4, 0.88465), (2.1, 1.19037), (2.8, 1.19928), (3.5, 1.52813), (5.0, 2.6706), (9.0, 6.4233)]


@pytest.mark.parametrize("row", authors()["lp_dam_to_sem"], ids=lambda r: f"eps{r['eps']}-d{r['d']:g}")
def test_the_authors_branch_gives_the_authors_table(row):
    found = calibration(SEMGeoI, to=DAM(row["eps"], int(row["d"])), branch="authors")
    assert found.mechanism.epsilon == pytest.approx(row["epsSEM"], abs=1e-3)
    assert found.target.value == pytest.approx(row["LPlower"], abs=1e-10)


@pytest.mark.parametrize(("epsilon", "expected"), PRINTED)
def test_the_authors_branch_gives_the_printed_values(epsilon, expected):
    assert calibrate(SEMGeoI, to=DAM(epsilon, 5), branch="authors").epsilon == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize(("epsilon", "d"), [(0.7, 3), (1.4, 3), (2.1, 4), (3.5, 4), (2.8, 5), (5.0, 5)])
def test_exact_is_the_largest_epsilon_that_protects_as_much(epsilon, d):
    target = local_privacy(DAM(epsilon, d)).value
    record = calibration(SEMGeoI, to=DAM(epsilon, d))
    found = record.mechanism
    assert calibrate(SEMGeoI, to=DAM(epsilon, d)).epsilon == found.epsilon
    assert local_privacy(found).value >= target - 1e-8
    if not record.jumped:
        assert local_privacy(found).value == pytest.approx(target, abs=1e-7)
    # Brute force: no larger ε on a fine grid protects as much.
    larger = np.arange(found.epsilon + 0.003, found.epsilon + 3, 0.01)
    assert all(local_privacy(SEMGeoI(float(e), d)).value < target for e in larger)


def test_a_jump_over_the_target_is_flagged():
    # At d = 5 the subset size drops from 2 to 1 at ε′ = 1.1976 and takes local privacy from 2.20 to 1.90.
    found = calibration(SEMGeoI, to=DAM(2.2, 5))
    assert found.jumped
    assert found.mechanism.k == 2
    assert SEMGeoI(found.mechanism.epsilon + 1e-6, 5).k == 1
    assert found.reached.value > found.target.value
    assert not calibration(SEMGeoI, to=DAM(5.0, 5)).jumped


@pytest.mark.parametrize(("epsilon", "d"), [(0.7, 5), (3.5, 10), (9.0, 15)])
def test_planar_laplace_reaches_the_target_exactly(epsilon, d):
    found = calibrate(PlanarLaplace, to=DAM(epsilon, d))
    assert local_privacy(found).value == pytest.approx(local_privacy(DAM(epsilon, d)).value, rel=1e-8)


def test_the_inverse_direction_comes_back():
    there = calibrate(SEMGeoI, to=DAM(5.0, 5))
    back = calibrate(DAM, to=there)
    assert back.epsilon == pytest.approx(5.0, abs=1e-5)
    laplace = calibrate(DAM, to=PlanarLaplace(1.0, 6))
    assert local_privacy(laplace).value >= local_privacy(PlanarLaplace(1.0, 6)).value - 1e-8


def test_large_grids_are_calibrated_within_the_error_of_the_simulation():
    found = calibration(SEMGeoI, to=DAM(0.7, 15))
    target, reached = found.target, found.reached
    assert reached.value > target.value * 0.99
    if not found.jumped:
        assert reached.value == pytest.approx(target.value, rel=0.01)


@pytest.mark.parametrize("by", MEASURES)
@pytest.mark.parametrize(
    ("kind", "to"),
    [
        (SEMGeoI, DAM(0.7, 3)),
        (SEMGeoI, DAM(2.1, 3)),
        (SEMGeoI, DAM(3.5, 3)),
        (SEMGeoI, DAM(1.4, 4)),
        (SEMGeoI, DAM(2.8, 4)),
        (SEMGeoI, DAM(6.0, 4)),
        (SEMGeoI, DAM(1.3, 2)),
        (PlanarLaplace, DAM(2.1, 4)),
        (DAM, PlanarLaplace(0.9, 5)),
        (DAM, SEMGeoI(1.1, 4)),
        (DAM, KRR(2.0, 5)),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else repr(value),
)
def test_brute_force_finds_no_larger_epsilon_that_protects_as_much(kind, to, by):
    d = to.d
    target = readings(to.transition_matrix(), d)[by]
    found = calibration(kind, to, by=by)
    # The worst case is read from the devices, whose ε of Geo-I is smaller by 2⁻²⁴.
    precision, slack = (2e-7, 4e-7) if by == "worst case" else (1e-9, 1e-7)
    assert found.target.value == pytest.approx(target, rel=precision)

    def enough(epsilon: float) -> bool:
        return protects_at_least(readings(kind(epsilon, d).transition_matrix(), d)[by], target, by, slack)

    assert enough(found.mechanism.epsilon)
    step = 1e-5 * found.mechanism.epsilon
    larger = [
        *np.linspace(found.mechanism.epsilon + step, 1.3 * found.mechanism.epsilon, 40),
        *np.arange(0.1, 12, 0.15),
    ]
    assert not any(enough(float(epsilon)) for epsilon in larger if epsilon >= found.mechanism.epsilon + step)
    reading = readings(found.mechanism.transition_matrix(), d)[by]
    assert found.reached.value == pytest.approx(reading, rel=precision)
    if not found.jumped:
        assert found.beyond is found.beyond_reached is None
        # Met to the last digits, or before a jump that skips it by less than anybody could tell.
        if reading != pytest.approx(target, rel=1e-6):
            assert reading == pytest.approx(target, rel=5e-3)
            past = kind(found.mechanism.epsilon * (1 + 1e-9), d)
            assert repr(past)[-6:] != repr(found.mechanism)[-6:]  # another k or b
        return
    other = readings(found.beyond.transition_matrix(), d)[by]
    assert found.beyond_reached.value == pytest.approx(other, rel=1e-9)
    assert found.beyond.epsilon == pytest.approx(found.mechanism.epsilon, rel=1e-11)
    assert min(reading, other) < target < max(reading, other)


def test_every_ruler_has_a_jump_among_the_cases_above():
    """Or the test above would not test one."""
    jumped = {
        by
        for by in MEASURES
        for e, d in ((2.1, 3), (3.5, 3), (1.3, 2))
        if calibration(SEMGeoI, DAM(e, d), by=by).jumped
    }
    assert jumped == set(MEASURES)


@pytest.mark.parametrize("by", MEASURES)
def test_a_target_right_at_the_edge_of_a_jump_is_met(by):
    record = calibration(SEMGeoI, to=DAM(3.5 if by == "worst case" else 2.1, 3), by=by)
    assert record.jumped
    edge = record.mechanism
    found = calibration(SEMGeoI, to=edge, by=by)
    assert not found.jumped
    assert found.mechanism.epsilon == edge.epsilon


def test_the_papers_default_lies_in_a_jump():
    found = calibration(SEMGeoI, DAM(3.5, 15))
    assert found.jumped
    assert (found.mechanism.k, found.beyond.k) == (2, 1)
    assert found.mechanism.epsilon == pytest.approx(0.6904, abs=1e-4)
    assert found.target.value == pytest.approx(5.16, abs=0.005)
    # Both by simulation with reports drawn from the device when this was first seen: 6.32 and 4.72.
    assert found.reached.value == pytest.approx(6.32, rel=0.01)
    assert found.beyond_reached.value == pytest.approx(4.72, abs=0.01)
    assert calibration(SEMGeoI, to=DAM(3.5, 15)).beyond.k == 1
    coarse = calibration(SEMGeoI, DAM(3.5, 20))
    assert coarse.jumped
    assert (coarse.target.value, coarse.reached.value) == (
        pytest.approx(6.93, abs=0.005),
        pytest.approx(8.19, rel=0.015),
    )


def test_another_ruler_gives_another_epsilon_and_is_met():
    found = calibrate(SEMGeoI, to=DAM(3.5, 15), by="hit rate")
    assert risk(found).hit_rate == pytest.approx(risk(DAM(3.5, 15)).hit_rate, rel=1e-6)
    found = calibrate(SEMGeoI, to=DAM(3.5, 15), by="worst case")
    assert worst_case_loss(found) == pytest.approx(3.5, rel=1e-8)
    found = calibrate(PlanarLaplace, to=DAM(3.5, 15), by="best guess distance")
    assert risk(found).expected_distance == pytest.approx(risk(DAM(3.5, 15)).expected_distance, rel=1e-7)


def test_a_best_guess_that_no_report_moves_gives_the_largest_epsilon_that_moves_none():
    to = DAM(0.5, 5)
    assert risk(to).expected_distance == pytest.approx(risk(to).prior_distance, rel=1e-12)
    found = calibrate(PlanarLaplace, to=to, by="best guess distance")
    assert risk(found).expected_distance == pytest.approx(risk(to).prior_distance, rel=1e-8)
    assert risk(PlanarLaplace(found.epsilon * 1.02, 5)).expected_distance < risk(to).prior_distance - 1e-6
    assert found.epsilon > 0.2


def test_a_curve_is_shared_by_targets_and_rulers():
    curve = Curve(SEMGeoI, 4)
    for by in MEASURES:
        for epsilon in (3.5, 1.0, 2.0):
            shared = calibration(SEMGeoI, DAM(epsilon, 4), by=by, curve=curve)
            alone = calibration(SEMGeoI, DAM(epsilon, 4), by=by)
            assert shared.mechanism.epsilon == pytest.approx(alone.mechanism.epsilon, rel=1e-7)
            assert shared.jumped == alone.jumped
    with pytest.raises(ValueError, match=r"curve must be one of SEMGeoI on 5×5 cells"):
        calibration(SEMGeoI, DAM(1.0, 5), curve=curve)


def test_bad_requests_are_named():
    with pytest.raises(ValueError, match=r"branch must be one of 'exact', 'authors', got 'best'"):
        calibrate(SEMGeoI, to=DAM(1.0, 3), branch="best")
    with pytest.raises(ValueError, match=r'to must have an ε from 0.30 to 10 with branch="authors", got 12'):
        calibrate(SEMGeoI, to=DAM(12.0, 3), branch="authors")
    with pytest.raises(
        ValueError, match=r"to must have a local privacy that SEMGeoI reaches with ε ≥ 0.001 on 3×3 cells"
    ):
        calibrate(SEMGeoI, to=DAM(1e-3, 3))
    with pytest.raises(ValueError, match=r"by must be one of 'local privacy', .* got 'luck'"):
        calibrate(SEMGeoI, to=DAM(1.0, 3), by="luck")
    with pytest.raises(ValueError, match=r'by must be "local privacy" with branch="authors", .* got "hit rate"'):
        calibrate(SEMGeoI, to=DAM(1.0, 3), branch="authors", by="hit rate")
    with pytest.raises(
        ValueError, match=r"to must have a worst case that SEMGeoI reaches .* \(at least 0\.00\d+\), got"
    ):
        calibrate(SEMGeoI, to=DAM(1e-4, 3), by="worst case")
    for by in MEASURES:
        assert calibrate(SEMGeoI, to=DAM(2.0, 1), by=by).epsilon == 2.0
