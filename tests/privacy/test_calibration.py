"""ε′ of equal local privacy, both branches and both directions."""

import numpy as np
import pytest

from spatialldp import DAM, PlanarLaplace, SEMGeoI
from spatialldp.privacy import calibrate, local_privacy
from tests.golden import authors

#: The further values of the authors' table for d = 5.
PRINTED = [(0.7, 0.52917), (1.4, 0.88465), (2.1, 1.19037), (2.8, 1.19928), (3.5, 1.52813), (5.0, 2.6706), (9.0, 6.4233)]


@pytest.mark.parametrize("row", authors()["lp_dam_to_sem"], ids=lambda r: f"eps{r['eps']}-d{r['d']:g}")
def test_the_authors_branch_gives_the_authors_table(row):
    found = calibrate(SEMGeoI, to=DAM(row["eps"], int(row["d"])), branch="authors")
    assert found.epsilon == pytest.approx(row["epsSEM"], abs=1e-3)
    assert found.calibration.target.value == pytest.approx(row["LPlower"], abs=1e-10)


@pytest.mark.parametrize(("epsilon", "expected"), PRINTED)
def test_the_authors_branch_gives_the_printed_values(epsilon, expected):
    assert calibrate(SEMGeoI, to=DAM(epsilon, 5), branch="authors").epsilon == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize(("epsilon", "d"), [(0.7, 3), (1.4, 3), (2.1, 4), (3.5, 4), (2.8, 5), (5.0, 5)])
def test_exact_is_the_largest_epsilon_that_protects_as_much(epsilon, d):
    target = local_privacy(DAM(epsilon, d)).value
    found = calibrate(SEMGeoI, to=DAM(epsilon, d))
    assert local_privacy(found).value >= target - 1e-8
    if not found.calibration.jumped:
        assert local_privacy(found).value == pytest.approx(target, abs=1e-7)
    # Brute force: no larger ε on a fine grid protects as much.
    larger = np.arange(found.epsilon + 0.003, found.epsilon + 3, 0.01)
    assert all(local_privacy(SEMGeoI(float(e), d)).value < target for e in larger)


def test_a_jump_over_the_target_is_flagged():
    # At d = 5 the subset size drops from 2 to 1 at ε′ = 1.1976 and takes local privacy from 2.20 to 1.90.
    found = calibrate(SEMGeoI, to=DAM(2.1, 5))
    assert found.calibration.jumped
    assert found.k == 2
    assert SEMGeoI(found.epsilon + 1e-6, 5).k == 1
    assert found.calibration.reached.value > found.calibration.target.value
    assert not calibrate(SEMGeoI, to=DAM(5.0, 5)).calibration.jumped


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
    found = calibrate(SEMGeoI, to=DAM(0.7, 15))
    target, reached = found.calibration.target, found.calibration.reached
    assert reached.value > target.value * 0.99
    if not found.calibration.jumped:
        assert reached.value == pytest.approx(target.value, rel=0.01)


def test_bad_requests_are_named():
    with pytest.raises(ValueError, match=r"branch must be one of 'exact', 'authors', got 'best'"):
        calibrate(SEMGeoI, to=DAM(1.0, 3), branch="best")
    with pytest.raises(ValueError, match=r'to must have an ε from 0.30 to 10 with branch="authors", got 12'):
        calibrate(SEMGeoI, to=DAM(12.0, 3), branch="authors")
    with pytest.raises(
        ValueError, match=r"to must have a local privacy that SEMGeoI reaches with ε ≥ 0.001 on 3×3 cells"
    ):
        calibrate(SEMGeoI, to=DAM(1e-3, 3))
    assert calibrate(SEMGeoI, to=DAM(2.0, 1)).epsilon == 2.0
