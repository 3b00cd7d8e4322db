"""The exact transport solver against POT, against its own certificate, and on special cases."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import ot
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from spatialldp._transport import Solution, solve, solve_values, warm_up
from spatialldp._transport.integer_masses import common_masses, integer_weights
from spatialldp._transport.network_simplex import NOTHING

TOLERANCE = 1e-12
CASES = 2000
LARGEST_SIDE = 16


def cost_matrix(shape, source_cells, target_cells):
    """Squared distances in cells, (S, T) int64, between cells given by their row-major numbers."""
    cols = shape[1]
    rows_apart = (source_cells // cols)[:, None] - (target_cells // cols)[None, :]
    cols_apart = (source_cells % cols)[:, None] - (target_cells % cols)[None, :]
    return rows_apart.astype(np.int64) ** 2 + cols_apart.astype(np.int64) ** 2


def pot_squared(a, b):
    """W2 squared by POT, empty cells pruned."""
    source_cells = np.flatnonzero(a)
    target_cells = np.flatnonzero(b)
    cost = cost_matrix(a.shape, source_cells, target_cells).astype(float)
    source = a.ravel()[source_cells] / a.sum()
    target = b.ravel()[target_cells] / b.sum()
    target = target * (source.sum() / target.sum())
    return ot.emd2(source, target, cost, numItermax=100_000_000)


def assert_certificate(a, b, solution: Solution):
    """Check optimality from scratch, in integers, without the c-transform or the tree.

    Primal: the integer flows meet the integer masses exactly.  Dual: *all* reduced costs, also those of
    empty cells, are >= 0, computed densely.  Slackness: reduced cost 0 wherever there is flow.
    """
    shape = a.shape
    source_mass, target_mass, total = common_masses(integer_weights(a), integer_weights(b))
    assert int(source_mass.sum()) == int(target_mass.sum()) == total
    cells = np.arange(a.size)
    cost = cost_matrix(shape, cells, cells)
    reduced = cost - solution.source_potential.reshape(-1, 1) - solution.target_potential.reshape(1, -1)
    assert solution.source_potential.dtype == solution.target_potential.dtype == np.int64
    assert reduced.min() >= 0

    level, nodes = solution._optimum.level, solution._optimum.nodes
    lower = np.array([node for node in range(nodes.size) if nodes["parent"][node] != NOTHING])
    upper = nodes["parent"][lower]
    cell = level.row.astype(np.int64) * shape[1] + level.col
    lower_is_source = lower < level.source_count
    assert (lower_is_source != (upper < level.source_count)).all()
    source_cell = np.where(lower_is_source, cell[lower], cell[upper])
    target_cell = np.where(lower_is_source, cell[upper], cell[lower])
    flow = nodes["flow"][lower]
    assert (flow >= 0).all()
    assert (lower_is_source | (flow > 0)).all()  # strongly feasible: arcs without flow point up
    assert (nodes["cost"][lower] == cost[source_cell, target_cell]).all()
    assert (reduced[source_cell, target_cell] == 0).all()  # on every basis arc, hence wherever there is flow
    shipped = np.zeros(a.size, np.int64)
    received = np.zeros(a.size, np.int64)
    np.add.at(shipped, source_cell, flow)
    np.add.at(received, target_cell, flow)
    assert (shipped == source_mass.ravel()).all()
    assert (received == target_mass.ravel()).all()
    exact = sum(int(f) * int(c) for f, c in zip(flow, cost[source_cell, target_cell], strict=True))
    assert solution.squared == exact / total
    assert solution.value == np.sqrt(solution.squared)
    assert solution.relative_gap == 0.0
    assert solution.dual == solution.value

    plan = solution.plan
    assert plan.shape == (a.size, a.size)
    assert abs(plan.sum() - 1) < 1e-12
    assert np.abs(plan.sum(axis=1) - a.ravel() / a.sum()).max() < 1e-14
    assert np.abs(plan.sum(axis=0) - b.ravel() / b.sum()).max() < 1e-14
    assert (reduced[plan.coords] == 0).all()


def point_mass(rng, shape):
    histogram = np.zeros(shape)
    histogram[rng.integers(shape[0]), rng.integers(shape[1])] = rng.random() + 0.1
    return histogram


def checkerboard(rng, shape):
    histogram = (np.indices(shape).sum(axis=0) + rng.integers(2)) % 2
    return histogram if histogram.any() else histogram + 1


def extreme_ratios(rng, shape):
    return 10.0 ** rng.uniform(-12, 0, shape) if rng.random() < 0.5 else rng.choice([1e-12, 1.0], shape)


def many_zeros(rng, shape):
    histogram = rng.random(shape) * (rng.random(shape) < 0.15)
    return histogram if histogram.any() else point_mass(rng, shape)


def smooth(rng, shape):
    rows, cols = np.indices(shape)
    centre = rng.random(2) * shape
    width = rng.uniform(1, 6)
    return 0.01 + np.exp(-((rows - centre[0]) ** 2 + (cols - centre[1]) ** 2) / (2 * width**2))


def uniform(rng, shape):
    return rng.random(shape)


def tied_integers(rng, shape):
    histogram = rng.integers(0, 4, shape)
    return histogram if histogram.any() else histogram + 1


def constant(rng, shape):
    return np.full(shape, rng.integers(1, 5))


KINDS = [
    point_mass,
    checkerboard,
    extreme_ratios,
    many_zeros,
    smooth,
    uniform,
    tied_integers,
    constant,
]


def random_shape(rng):
    rows, cols = rng.integers(1, LARGEST_SIDE + 1, 2)
    if rng.random() < 0.15:
        return (1, int(cols)) if rng.random() < 0.5 else (int(rows), 1)
    return int(rows), int(cols)


@pytest.mark.parametrize("part", range(8))
def test_small_grids_agree_with_pot_and_are_certified(part):
    """2,000 mixed pairs of histograms; both sides are drawn from independent kinds."""
    rng = np.random.default_rng(1000 + part)
    for _ in range(CASES // 8):
        shape = random_shape(rng)
        a = KINDS[rng.integers(len(KINDS))](rng, shape)
        b = a.copy() if rng.random() < 0.05 else KINDS[rng.integers(len(KINDS))](rng, shape)
        solution = solve(a, b)
        reference = pot_squared(a, b)
        assert abs(solution.squared - reference) <= TOLERANCE * (1 + reference), (shape, a, b)
        assert_certificate(a, b, solution)
        if np.array_equal(a, b):
            assert solution.value == 0.0


@pytest.mark.parametrize("side", [20, 32])
@pytest.mark.parametrize("kind", [smooth, many_zeros, uniform, tied_integers, extreme_ratios])
def test_medium_grids_agree_with_pot_and_are_certified(side, kind):
    rng = np.random.default_rng(side)
    a = kind(rng, (side, side))
    b = kind(rng, (side, side))
    solution = solve(a, b)
    reference = pot_squared(a, b)
    assert abs(solution.squared - reference) <= TOLERANCE * (1 + reference)
    assert_certificate(a, b, solution)


@pytest.mark.parametrize("kind", [smooth, many_zeros, uniform])
def test_side_50_agrees_with_pot(kind):
    rng = np.random.default_rng(50)
    a = kind(rng, (50, 50))
    b = kind(rng, (50, 50))
    solution = solve(a, b)
    reference = pot_squared(a, b)
    assert abs(solution.squared - reference) <= TOLERANCE * (1 + reference)
    assert_certificate(a, b, solution)


def test_large_rectangle_with_a_mask():
    """Sides that are not powers of two, a masked half on both sides; primal equals dual in exact integers."""
    rng = np.random.default_rng(3)
    mask = np.add.outer(np.arange(90), np.arange(61)) < 75
    solution = solve(rng.random(mask.shape) * mask, rng.random(mask.shape) * mask)
    assert solution.relative_gap == 0.0
    assert solution.dual == solution.value > 0


@given(
    hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=6).flatmap(
        lambda shape: st.tuples(
            hnp.arrays(np.int64, shape, elements=st.integers(0, 3)),
            hnp.arrays(np.int64, shape, elements=st.integers(0, 3)),
        )
    )
)
@settings(max_examples=150, deadline=None)
def test_degenerate_integers_are_certified(pair):
    """Small integers tie all the time: the hardest inputs for a simplex that could cycle."""
    a, b = (histogram if histogram.any() else histogram + 1 for histogram in pair)
    assert_certificate(a, b, solve(a, b))


def test_translated_point_mass():
    a = np.zeros((7, 9))
    b = np.zeros((7, 9))
    a[1, 2] = 5.0
    b[4, 6] = 0.1
    solution = solve(a, b)
    assert solution.squared == 25.0
    assert solution.value == 5.0
    assert solution.plan.toarray()[1 * 9 + 2, 4 * 9 + 6] == 1.0


def test_single_cell():
    solution = solve([[3]], [[7.5]])
    assert (solution.squared, solution.value, solution.dual, solution.relative_gap) == (0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("factor", [1, 3, 0.5, 2.0**-40])
def test_proportional_histograms_are_at_distance_zero(factor):
    counts = np.random.default_rng(0).integers(0, 1000, (12, 12))
    assert solve(counts, counts * factor).value == 0.0


def test_equal_floats_are_at_distance_zero():
    histogram = np.random.default_rng(0).random((30, 30))
    assert solve(histogram, histogram.copy()).squared == 0.0


def test_common_mass_matters():
    """Removing mass common to both sides would give 2 here; for a squared cost it is cheaper to shift all."""
    solution = solve([[1, 1, 0]], [[0, 1, 1]])
    assert solution.squared == 1.0


def test_symmetry_and_invariance_under_flips():
    rng = np.random.default_rng(5)
    a = rng.random((13, 8))
    b = rng.random((13, 8))
    forward = solve(a, b).squared
    for other in (solve(b, a), solve(a.T, b.T), solve(a[::-1], b[::-1]), solve(a[:, ::-1], b[:, ::-1])):
        assert abs(other.squared - forward) <= TOLERANCE


def test_values_of_a_batch_equal_single_calls():
    rng = np.random.default_rng(6)
    a = rng.random((15, 11))
    batch = [rng.random((15, 11)) for _ in range(20)] + [a]
    values = solve_values(a, batch)
    assert values.tolist() == [solve(a, b).value for b in batch]
    assert values[-1] == 0.0
    assert solve_values(a, []).shape == (0,)


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_masses_are_proportional_and_never_vanish(scale):
    rng = np.random.default_rng(7)
    a = 10.0 ** rng.uniform(-12, 0, (10, 10))
    a[0, 0] = 1.0
    b = rng.random((10, 10))
    source_mass, target_mass, total = common_masses(integer_weights(a * scale), integer_weights(b))
    assert int(source_mass.sum()) == int(target_mass.sum()) == total
    assert (source_mass > 0).all()
    exact_total = sum(map(Fraction, (a * scale).ravel()))
    for value, mass in zip((a * scale).ravel(), source_mass.ravel(), strict=True):
        assert abs(Fraction(value) / exact_total * total - int(mass)) <= 2


def test_counts_are_not_rounded():
    a = np.array([[3, 4], [0, 0]])
    b = np.array([[1.0, 0.0], [1.0, 3.0]])
    source_mass, target_mass, total = common_masses(integer_weights(a), integer_weights(b))
    assert total == 35
    assert source_mass.tolist() == [[15, 20], [0, 0]]
    assert target_mass.tolist() == [[7, 0], [7, 21]]


def test_grids_beyond_exact_arithmetic_are_refused():
    with pytest.raises(ValueError, match="too large"):
        solve(np.ones((1, 40_000)), np.ones((1, 40_000)))


def test_long_row_agrees_with_the_closed_form():
    """In one dimension the optimal plan matches quantiles; costs here reach 9 million."""
    rng = np.random.default_rng(8)
    a = rng.integers(0, 50, 3000)
    b = np.roll(rng.permutation(a), 7)
    squared = np.mean((np.repeat(np.arange(3000), a) - np.repeat(np.arange(3000), b)) ** 2.0)
    assert solve(a[None, :], b[None, :]).squared == pytest.approx(squared, rel=1e-14)


def test_warm_up_is_idempotent():
    warm_up()
    warm_up()


def test_cached_code_follows_changes_in_other_modules(tmp_path):
    """`_single_arc` calls a function of another module; numba alone would not notice that that one changed."""
    project = Path(__file__).resolve().parents[1]
    package = tmp_path / "spatialldp"
    shutil.copytree(project / "spatialldp" / "_transport", package / "_transport")
    (package / "__init__.py").touch()
    program = "from spatialldp._transport.multiscale import _single_arc; print(_single_arc(5)['size'][0])"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-c", program]
    first = subprocess.run(command, check=True, env=environment, cwd=tmp_path, capture_output=True, text=True)
    module = package / "_transport" / "refinement.py"
    module.write_text(module.read_text().replace("nodes[node].size = 1", "nodes[node].size = 7"))
    second = subprocess.run(command, check=True, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert (first.stdout.strip(), second.stdout.strip()) == ("1", "7")


def test_import_without_a_writable_cache_directory(tmp_path):
    """numba refuses to decorate with cache=True when no directory is writable; the package must still load."""
    program = (
        "import numba.core.caching as caching\n"
        "caching.CacheImpl._locator_classes = []\n"
        "import spatialldp._transport.solution as solution\n"
        "from spatialldp._transport.refinement import halve\n"
        "import numpy\n"
        "assert halve(numpy.ones((3, 3), numpy.int64)).tolist() == [[4, 2], [2, 1]]\n"
    )
    project = Path(__file__).resolve().parents[1]
    environment = {**os.environ, "PYTHONPATH": str(project)}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment, cwd=tmp_path)
