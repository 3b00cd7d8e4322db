"""The paper's slips: each figure against the reference, by hand or by counting."""

import math

import numpy as np
import pytest

from spatialldp import DAM
from spatialldp.experiments import population
from spatialldp.mechanisms import mutual_information_bound, optimal_radius
from spatialldp.paper import (
    SLIPS,
    Setting,
    border_cells_in_quarter,
    kernel_loss,
    printed_area,
    printed_kernel,
    slips,
    szipf_formula,
)


@pytest.fixture(scope="module")
def found():
    counts = population("new-haven", 6).binned.counts
    return dict(slips(Setting(counts, 3.5, 3, 1)))


def figures(found, name: str) -> list[tuple]:
    return [(row.printed, row.right) for row in found[name].rows]


def test_the_printed_kernel_breaks_its_promise_at_the_papers_default():
    # Reference: −0.0025 at offset (3, 2), b = 3; loss 3.585 at ε = 3.5.
    assert printed_area(3, 2, 3) == pytest.approx(-0.0025, abs=5e-5)
    assert printed_kernel(3)[6, 5] == printed_kernel(3)[0, 1] == pytest.approx(-0.0025, abs=5e-5)
    assert kernel_loss(printed_kernel(3), 3.5) == pytest.approx(3.585, abs=5e-4)
    # Where nothing is negative it is the kernel of the library, whose sums the reference gives.
    for b, total in ((1, 5.6863), (2, 16.6458)):
        assert printed_kernel(b).sum() == pytest.approx(total, abs=5e-5)
        np.testing.assert_allclose(printed_kernel(b), DAM(1.0, 1, b).kernel, atol=1e-15)
    # A weight below zero is not a probability: at a large ε the printed kernel is not a mechanism at all.
    assert kernel_loss(printed_kernel(3), 9.0) == math.inf


def test_border_cells():
    assert printed_area(5, 3, 6) == pytest.approx(1.51, abs=5e-3)
    # Reference: 13 at b = 7 by the paper's own drawing. Here counted again by the corners of every cell.
    assert border_cells_in_quarter(7) == 13
    for b in (1, 2, 5, 7, 9):
        corners = [
            [math.hypot(x + sx, y + sy) for sx in (-0.5, 0.5) for sy in (-0.5, 0.5)]
            for x in range(1, b + 2)
            for y in range(1, b + 2)
        ]
        assert border_cells_in_quarter(b) == sum(min(cell) < b < max(cell) for cell in corners)


def test_szipf_is_a_density():
    assert szipf_formula(0.0) == pytest.approx(1 / math.log(2))
    x = (np.arange(100_000) + 0.5) / 100_000
    assert szipf_formula(x).mean() == pytest.approx(1.0, abs=1e-9)


def test_every_slip_has_figures_and_a_source(found):
    assert list(found) == list(SLIPS)
    for slip in found.values():
        assert slip.rows
        assert slip.source
        assert slip.title
        assert all(row.printed is not None or row.right is not None for row in slip.rows)


def test_figures_are_those_of_the_reference(found):
    (area, clipped), (loss, kept), (yours, _) = figures(found, "unclipped")
    assert (area, clipped) == (pytest.approx(-0.0025, abs=5e-5), 0.0)
    assert (loss, kept) == (pytest.approx(3.585, abs=5e-4), pytest.approx(3.5))
    assert yours == loss
    assert figures(found, "missing-epsilon") == [
        (pytest.approx(1.0), pytest.approx(3.5)),
        (pytest.approx(1.0), pytest.approx(0.5)),
    ]
    assert figures(found, "sinkhorn") == [(pytest.approx(0.145, abs=5e-4), 0.0)]
    assert figures(found, "count") == [(17, 13)]
    assert figures(found, "too-large") == [(pytest.approx(1.51, abs=5e-3), 1.0)]
    assert figures(found, "same-class") == [(pytest.approx(33.9685, abs=5e-5), 29.0)]
    assert figures(found, "crime") == [(459_215, None), (105_453, None)]
    assert figures(found, "trajectories") == [(300.0, 1.5), (1.5, 0.0075)]
    ((exponential, gamma), (near, truly_near)) = figures(found, "laplace-radius")
    assert (exponential, gamma) == (1.0, pytest.approx(2.0, rel=0.02))
    # P(r < 0.1) of Gamma(2, 1) is 1 − 1.1·e^−0.1.
    assert (near, truly_near) == (pytest.approx(1 - math.exp(-0.1)), pytest.approx(1 - 1.1 * math.exp(-0.1), rel=0.2))
    ((digits, _), _) = figures(found, "infeasible")
    assert digits == len(str(math.comb(400, 28)))
    ((printed, ours),) = figures(found, "mnormal")
    assert printed < 10 < ours
    ((dice, best),) = figures(found, "overstated")
    assert best < dice


def test_held_out_reports_stop_better_than_the_authors_rule_on_a_smooth_map(found):
    (smooth, steps, _) = figures(found, "stopping")
    assert smooth[0] > 1.5 * smooth[1]
    assert steps[0] > steps[1]


@pytest.mark.parametrize(("epsilon", "d", "b"), [(0.5, 1, 0), (9.0, 20, 40), (9.0, 6, 3)])
def test_demonstrations_work_at_the_ends_of_the_sliders(epsilon, d, b):
    counts = population("new-haven", d).binned.counts
    for _, slip in slips(Setting(counts, epsilon, b, 1)):
        assert all(y == y and math.isfinite(y) for points in slip.curves.values() for _, y in points)


def test_the_optimal_radius_maximises_the_bound():
    def literally(epsilon: float, b: float) -> float:
        disk, e = math.pi * b**2, math.exp(epsilon)
        rest = disk * e + 4 * b + 1
        return math.log((disk + 4 * b + 1) / rest) + epsilon * disk * e / rest

    for epsilon, best in ((3.5, 0.233247), (0.7, 0.997669)):
        b = np.linspace(0.001, 3, 3000)
        np.testing.assert_allclose(mutual_information_bound(epsilon, b), [literally(epsilon, v) for v in b], rtol=1e-9)
        assert b[mutual_information_bound(epsilon, b).argmax()] == pytest.approx(best, abs=1e-3)
        assert optimal_radius(epsilon) == pytest.approx(best, abs=1e-6)
    assert np.isfinite(mutual_information_bound(90.0, b)).all()
    assert mutual_information_bound(2.0, 0.0) == 0.0
