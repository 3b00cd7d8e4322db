"""Exact W2 against linear programming, and the Sinkhorn value against POT's."""

import subprocess
import sys

import numpy as np
import ot
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from spatialldp import _pot, sinkhorn_w2, transport, wasserstein2, wasserstein2_many
from tests.cells import squared_distances


def squared_by_linear_programming(a: np.ndarray, b: np.ndarray) -> float:
    """W2² with integer masses (both sides multiplied to one total), so that the program is well scaled."""
    supply, demand = a.ravel() * int(b.sum()), b.ravel() * int(a.sum())
    n = supply.size
    sums = np.vstack([np.kron(np.eye(n), np.ones(n)), np.kron(np.ones(n), np.eye(n))])
    result = linprog(
        squared_distances(a.shape).ravel(),
        A_eq=sums,
        b_eq=np.concatenate([supply, demand]),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    assert result.status == 0
    return float(result.fun) / (int(a.sum()) * int(b.sum()))


@settings(max_examples=40, deadline=None)
@given(
    shape=st.tuples(st.integers(1, 5), st.integers(1, 5)),
    zeros=st.floats(0, 0.8),
    seed=st.integers(0, 2**32 - 1),
)
def test_agrees_with_linear_programming(shape, zeros, seed):
    rng = np.random.default_rng(seed)
    a, b = (rng.integers(1, 100, shape) * (rng.random(shape) >= zeros) for _ in range(2))
    a[0, 0] += 1
    b[-1, -1] += 1
    assert wasserstein2(a, b) ** 2 == pytest.approx(squared_by_linear_programming(a, b), abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(shape=st.tuples(st.integers(1, 9), st.integers(1, 9)), seed=st.integers(0, 2**32 - 1))
def test_is_a_distance(shape, seed):
    rng = np.random.default_rng(seed)
    a, b, c = rng.random((3, *shape)) ** 3 + 1e-6
    assert wasserstein2(a, a) == 0.0
    assert wasserstein2(a, 17 * a.copy()) == pytest.approx(0.0, abs=1e-7)
    assert wasserstein2(a, b) == pytest.approx(wasserstein2(b, a), rel=1e-9)
    assert wasserstein2(a, c) <= wasserstein2(a, b) + wasserstein2(b, c) + 1e-9


@pytest.mark.parametrize("shape", [(6, 6), (20, 20), (12, 30)])
def test_a_shift_costs_its_length(shape):
    rng = np.random.default_rng(0)
    a = np.zeros(shape)
    a[1:4, 1:4] = rng.random((3, 3))
    assert wasserstein2(a, np.roll(a, 1, axis=0)) == pytest.approx(1.0, abs=1e-12)
    assert wasserstein2(a, np.roll(a, (1, 1), axis=(0, 1))) == pytest.approx(np.sqrt(2), abs=1e-12)
    b = np.zeros(shape)
    b[-1, -1] = 1
    point = np.zeros(shape)
    point[0, 0] = 3
    assert wasserstein2(point, b) == pytest.approx(np.hypot(shape[0] - 1, shape[1] - 1), rel=1e-12)


def test_common_mass_does_not_simply_cancel():
    # ½ at 0 and ½ at 1 against ½ at 1 and ½ at 2: a shift of both by 1 costs 1, moving one half by 2 costs 2.
    assert wasserstein2([[1, 1, 0]], [[0, 1, 1]]) == pytest.approx(1.0, abs=1e-12)


def test_d_40_needs_more_pivots_than_pot_allows_by_default():
    rng = np.random.default_rng(3)
    a, b = rng.random((2, 40, 40))
    value = wasserstein2(a, b)
    costs = squared_distances((40, 40))
    _, log = ot.emd(a.ravel() / a.sum(), b.ravel() / b.sum(), costs, numItermax=10**8, log=True)
    # The dual solution bounds the distance from below: the two meet only at the optimum.
    dual = float(log["u"] @ a.ravel() / a.sum() + log["v"] @ b.ravel() / b.sum())
    assert (costs - log["u"][:, None] - log["v"][None, :]).min() > -1e-9
    assert value**2 == pytest.approx(dual, rel=1e-9)


@pytest.mark.parametrize("d", [2, 5])
def test_sinkhorn_equals_pots(d):
    rng = np.random.default_rng(1)
    a, b = rng.random((2, d, d))
    costs = squared_distances((d, d))
    plan = ot.sinkhorn(a.ravel() / a.sum(), b.ravel() / b.sum(), costs, 1 / 5, numItermax=100_000, stopThr=1e-14)
    assert sinkhorn_w2(a, b) == pytest.approx(np.sqrt((plan * costs).sum()), rel=1e-5)


def test_sinkhorn_has_the_floor_that_dominates_the_papers_small_values():
    flat = np.ones((5, 5))
    assert sinkhorn_w2(flat, flat) == pytest.approx(0.145, abs=2e-3)
    assert wasserstein2(flat, flat) == 0.0


def test_sinkhorn_survives_empty_cells_and_distances_that_underflow():
    a, b = np.zeros((20, 20)), np.zeros((20, 20))
    a[0, 0] = b[19, 19] = 1
    assert sinkhorn_w2(a, b) == pytest.approx(np.hypot(19, 19), rel=1e-9)


@pytest.mark.parametrize("distance", [wasserstein2, sinkhorn_w2])
@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (np.ones((2, 2)), np.ones((2, 3)), r"b must have shape \(2, 2\) \(that of a\), got shape \(2, 3\)"),
        (-np.ones((2, 2)), np.ones((2, 2)), r"a must hold numbers ≥ 0, got -1"),
        (np.ones((2, 2)), np.zeros((2, 2)), r"b must not be all zero"),
        (np.full((2, 2), np.nan), np.ones((2, 2)), r"a must hold finite numbers"),
        (np.ones(4), np.ones(4), r"a must be a 2-D histogram, got shape \(4,\)"),
    ],
)
def test_bad_histograms_are_named(distance, a, b, message):
    with pytest.raises(ValueError, match=message):
        distance(a, b)


def test_bad_lambda_is_named():
    with pytest.raises(ValueError, match=r"lambda_ must be a number ≤ 1e\+300 and > 0, got 0"):
        sinkhorn_w2([[1]], [[1]], lambda_=0)


def test_the_plan_and_its_certificate():
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 50, (2, 7, 9))
    answer = transport(a, b)
    plan = answer.plan.toarray()
    np.testing.assert_allclose(plan.sum(axis=1), a.ravel() / a.sum(), atol=1e-15)
    np.testing.assert_allclose(plan.sum(axis=0), b.ravel() / b.sum(), atol=1e-15)
    assert np.sqrt((plan * squared_distances((7, 9))).sum()) == pytest.approx(answer.value, rel=1e-13)
    assert answer.relative_gap == 0
    assert answer.dual == answer.value == wasserstein2(a, b)


def test_many_estimates_give_the_numbers_of_one_by_one():
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 9, (12, 12))
    batch = rng.random((7, 12, 12))
    np.testing.assert_array_equal(wasserstein2_many(truth, batch), [wasserstein2(truth, b) for b in batch])
    assert wasserstein2_many(truth, []).shape == (0,)


@pytest.mark.parametrize(
    ("truth", "estimates", "message"),
    [
        (np.ones((2, 2)), [np.ones((2, 2)), -np.ones((2, 2))], r"^estimates\[1\] must hold numbers ≥ 0, got -1"),
        (np.ones((2, 2)), [np.ones((3, 2))], r"^estimates\[0\] must have shape \(2, 2\) \(that of truth\), got shape"),
        (np.ones((2, 2)), [np.zeros((2, 2))], r"^estimates\[0\] must not be all zero"),
        (np.zeros((2, 2)), [np.ones((2, 2))], r"^truth must not be all zero"),
        (np.ones(4), [np.ones(4)], r"^truth must be a 2-D histogram, got shape \(4,\)"),
        (-np.ones((2, 2)), [], r"^truth must hold numbers ≥ 0, got -1"),
    ],
)
def test_the_bad_one_among_many_histograms_is_named(truth, estimates, message):
    with pytest.raises(ValueError, match=message):
        wasserstein2_many(truth, estimates)


def test_pots_solver_gives_the_same_numbers_where_there_is_no_numba():
    rng = np.random.default_rng(5)
    for shape in [(1, 1), (1, 6), (5, 5), (9, 4), (35, 35)]:
        a, b = (rng.random(shape) * (rng.random(shape) < 0.7) + 1e-9 for _ in range(2))
        mine, theirs = transport(a, b), _pot.solve(a / a.sum(), b / b.sum())
        assert theirs.value == pytest.approx(mine.value, abs=1e-9)
        assert theirs.dual == pytest.approx(mine.value, abs=1e-7)
        assert abs(theirs.relative_gap) < 1e-9
        np.testing.assert_allclose(theirs.plan.sum(axis=1), a.ravel() / a.sum(), atol=1e-12)
    same = np.array([[0.25, 0.75]])
    assert _pot.solve_values(same, [same]).tolist() == [0.0]
    with pytest.raises(ValueError, match=r"too large without numba: install it"):
        _pot.solve(*rng.random((2, 90, 90)))


def test_the_library_works_without_numba():
    program = (
        "import sys; sys.modules['numba'] = None\n"
        "import importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'numba' else find(name, *rest)\n"
        "import spatialldp as s; s.wasserstein.warm_up()\n"
        "assert s.wasserstein._solver().__name__ == 'spatialldp._pot'\n"
        "print(s.wasserstein2([[3, 0, 0]], [[0, 0, 1]]), s.transport([[1, 1]], [[1, 1]]).value)"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["2.0", "0.0"]


@pytest.mark.parametrize("scale", [1e19, 1e300, 2**63])
def test_a_map_may_be_counted_in_any_unit_however_large(scale):
    a, b = np.array([[3.0, 1.0], [0.0, 0.0]]), np.array([[0.0, 0.0], [3.0, 1.0]])
    assert wasserstein2(a * scale, b) == pytest.approx(1.0)
    assert wasserstein2(np.full((2, 2), 2**63, dtype=np.uint64), np.ones((2, 2))) == 0.0
    # Their sum is beyond any double.
    assert wasserstein2(np.full((2, 2), 1.7e308), np.ones((2, 2))) == 0.0


def test_a_map_too_large_to_be_compared_is_named():
    for measured in (wasserstein2, transport, sinkhorn_w2, lambda a, b: wasserstein2_many(a, [b])):
        with pytest.raises(ValueError, match=r"must have at most 1,024 cells per side, got shape \(1, 1025\)"):
            measured(np.ones((1, 1_025)), np.ones((1, 1_025)))
    with pytest.raises(ValueError, match=r"Sinkhorn's steps on 500 cells per side would take 2\.79 GB"):
        sinkhorn_w2(np.ones((500, 500)), np.ones((500, 500)))


def test_a_plan_that_pot_did_not_finish_does_not_pass_for_the_distance(monkeypatch):
    a, b = np.random.default_rng(6).random((2, 12, 12))
    monkeypatch.setattr(_pot, "_PIVOT_LIMIT", 5)
    with pytest.raises(UserWarning, match="numItermax reached"):
        _pot.solve(a / a.sum(), b / b.sum())
