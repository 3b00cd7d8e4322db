"""The two samplers against the matrix they claim to draw from."""

import math

import numpy as np
import pytest

from spatialldp import DAM, DAMNS, HUEM
from spatialldp.mechanisms import SAM, sam
from tests.chi_square import ALPHA, DRAWS, chi_square_p_value
from tests.goodness_of_fit import ALPHA as FRESH_ALPHA
from tests.goodness_of_fit import p_value_bound

MECHANISMS = [DAM(3.5, 5), DAM(0.7, 4), DAMNS(1.0, 4, 2), HUEM(2.1, 5), HUEM(5.0, 3, 0), DAM(9.0, 6, 2)]
CELLS = {"corner": lambda d: (0, 0), "edge": lambda d: (d - 1, d // 2), "centre": lambda d: (d // 2, d // 2)}


def row(mechanism: SAM, ix: int, iy: int) -> np.ndarray:
    return mechanism.transition_matrix()[ix * mechanism.d + iy]


def perturb_one_cell(mechanism: SAM, ix: int, iy: int, seed: int) -> np.ndarray:
    counts = np.zeros((mechanism.d, mechanism.d), dtype=int)
    counts[ix, iy] = DRAWS
    return mechanism.perturb(counts, np.random.default_rng(seed))[mechanism.output_domain]


@pytest.mark.parametrize("place", CELLS)
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_perturb_draws_from_the_matrix(mechanism, place, monkeypatch):
    ix, iy = CELLS[place](mechanism.d)
    expected = DRAWS * row(mechanism, ix, iy)
    for users_per_draw in (0, math.inf):  # all by multinomials; all user by user
        monkeypatch.setattr(sam, "_USERS_PER_DRAW", users_per_draw)
        assert chi_square_p_value(perturb_one_cell(mechanism, ix, iy, seed=7), expected) > ALPHA


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_randomize_draws_from_the_matrix(mechanism):
    rng = np.random.default_rng(11)
    cells = rng.integers(0, mechanism.d, (DRAWS, 2))
    reports = mechanism.randomize(cells[:, 0], cells[:, 1], rng)
    # Truth and report together: the joint table, so that an error for one cell cannot hide behind another.
    side = mechanism.d + 2 * mechanism.b
    truth = cells[:, 0] * mechanism.d + cells[:, 1]
    where = (reports[:, 0] + mechanism.b) * side + reports[:, 1] + mechanism.b
    joint = np.bincount(truth * side**2 + where, minlength=mechanism.d**2 * side**2).reshape(-1, side**2)
    assert joint[:, ~mechanism.output_domain.ravel()].sum() == 0
    people = joint.sum(axis=1, keepdims=True)
    expected = people * mechanism.transition_matrix()
    observed = joint[:, mechanism.output_domain.ravel()]
    for i in range(0, mechanism.d**2, 5):
        assert chi_square_p_value(observed[i], expected[i]) > ALPHA
    assert chi_square_p_value(observed.ravel(), expected.ravel()) > ALPHA


def test_randomize_from_system_entropy_draws_from_the_matrix():
    mechanism = DAM(3.5, 5)
    reports = mechanism.randomize(np.full(DRAWS, 1), np.full(DRAWS, 2))
    observed = mechanism.aggregate(reports)[mechanism.output_domain]
    # Not seeded, so that it is the real source.
    assert p_value_bound(observed, DRAWS * row(mechanism, 1, 2)) > FRESH_ALPHA


@pytest.mark.parametrize("sampler", ["perturb", "randomize"])
def test_a_sampler_with_a_larger_budget_is_rejected(sampler):
    claimed, mutant = DAM(3.5, 5, 1), DAM(3.5 * 1.175, 5, 1)
    if sampler == "perturb":
        observed = perturb_one_cell(mutant, 2, 2, seed=3)
    else:
        reports = mutant.randomize(np.full(DRAWS, 2), np.full(DRAWS, 2), np.random.default_rng(3))
        observed = mutant.aggregate(reports)[mutant.output_domain]
    assert chi_square_p_value(observed, DRAWS * row(claimed, 2, 2)) < ALPHA


def test_aggregate_counts_the_reports_of_randomize():
    mechanism = DAM(1.0, 6)
    rng = np.random.default_rng(5)
    reports = mechanism.randomize(rng.integers(0, 6, 500), rng.integers(0, 6, 500), rng)
    counted = mechanism.aggregate(reports)
    expected = np.zeros_like(counted)
    for ix, iy in reports:
        expected[ix + mechanism.b, iy + mechanism.b] += 1
    np.testing.assert_array_equal(counted, expected)
    assert mechanism.estimate(counted).distribution.shape == (6, 6)


@pytest.mark.parametrize("people", [1, 37, 100_000])
def test_perturb_keeps_everybody_inside_the_domain(people):
    mechanism = HUEM(1.4, 9)
    rng = np.random.default_rng(0)
    counts = rng.multinomial(people, np.full(81, 1 / 81)).reshape(9, 9)
    reports = mechanism.perturb(counts, rng)
    assert reports.sum() == people
    assert reports.shape == (9 + 2 * mechanism.b,) * 2
    assert reports[~mechanism.output_domain].sum() == 0
    assert np.issubdtype(reports.dtype, np.integer)


def test_perturb_moves_people_by_the_expected_amounts_from_every_cell():
    # A population over the whole grid, both ways of drawing: the sum of the rows, cell by cell.
    mechanism = DAM(2.1, 6)
    counts = np.random.default_rng(1).integers(0, 40_000, (6, 6))
    matrix = mechanism.transition_matrix()
    expected = counts.ravel() @ matrix
    deviation = np.sqrt(counts.ravel() @ (matrix * (1 - matrix)))
    reports = mechanism.perturb(counts, np.random.default_rng(2))[mechanism.output_domain]
    assert np.abs((reports - expected) / deviation).max() < 5.5


def test_the_same_seed_gives_the_same_reports_and_the_system_never_does():
    mechanism = DAM(3.5, 5)
    counts = np.full((5, 5), 100)
    first, second = (mechanism.perturb(counts, np.random.default_rng(9)) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    cells = np.zeros(200, dtype=int)
    assert not np.array_equal(mechanism.randomize(cells, cells), mechanism.randomize(cells, cells))


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        (np.full((5, 5), -1), r"counts must hold numbers ≥ 0, got -1"),
        (np.zeros((5, 5)), r"counts must not be all zero"),
        (np.ones((4, 5)), r"counts must have shape \(5, 5\).*, got shape \(4, 5\)"),
        (np.full((5, 5), np.nan), r"counts must hold finite numbers ≥ 0, got 25 that are NaN or infinite"),
        (np.full((5, 5), 0.5), r"counts must hold whole numbers ≥ 0 .* got 0.5"),
        ("people", r"counts must be an array of numbers"),
    ],
)
def test_bad_counts_are_named(counts, message):
    with pytest.raises(ValueError, match=message):
        DAM(3.5, 5).perturb(counts, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("ix", "iy", "message"),
    [
        (5, 0, r"ix must hold cell indices from 0 to 4, got 5"),
        (0, -1, r"iy must hold cell indices from 0 to 4, got -1"),
        (0.5, 0, r"ix must be one whole number or a flat array of them, got 0.5"),
        ([0, 1], [0], r"ix and iy must have one length, got 2 and 1"),
        ([[0]], [[0]], r"ix must be one whole number or a flat array"),
    ],
)
def test_bad_cells_are_named(ix, iy, message):
    with pytest.raises(ValueError, match=message):
        DAM(3.5, 5).randomize(ix, iy)


def test_bad_generators_and_reports_are_named():
    mechanism = DAM(3.5, 5)
    with pytest.raises(ValueError, match=r"rng must be a numpy.random.Generator .* got 42"):
        mechanism.perturb(np.ones((5, 5)), 42)
    with pytest.raises(
        ValueError, match=r"reports must be an integer array of shape \(n, 2\).* got float64 of shape \(3, 2\)"
    ):
        mechanism.aggregate(np.zeros((3, 2)))
    with pytest.raises(
        ValueError, match=r"reports must be in the output domain .* for DAM\(.*got \(0, 9\).*another mechanism"
    ):
        mechanism.aggregate(np.array([[0, 0], [0, 9]]))
    with pytest.raises(ValueError, match=r"reports must have shape \(7, 7\) \(d\+2b .* got shape \(5, 5\)"):
        mechanism.estimate(np.ones((5, 5)))
    wide = DAM(0.7, 5)
    outside = np.ones(wide.output_domain.shape)
    with pytest.raises(ValueError, match=r"reports must be zero outside the output domain"):
        wide.estimate(outside)
