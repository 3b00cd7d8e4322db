"""The probabilities of the SAM family: against the authors' numbers, the reference values and the privacy claim."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spatialldp import DAM, DAMNS, HUEM, MECHANISMS
from spatialldp.mechanisms import SAM, optimal_radius
from tests.golden import authors

FAMILY = [DAM, DAMNS, HUEM]


def identify(row: dict) -> str:
    return f"eps{row.get('eps', 1.0)}-d{row['d']}-b{row['b']}"


def assert_rows_equal(mechanism: SAM, row: dict) -> None:
    assert mechanism.output_cells.tolist() == row["out_cells"]
    assert mechanism.n_outputs == row["n_out"]
    assert mechanism.q == pytest.approx(row["q"], abs=1e-12)
    matrix = mechanism.transition_matrix()
    for place in ("corner", "centre"):
        ix, iy = row[f"{place}_cell"]
        np.testing.assert_allclose(matrix[ix * mechanism.d + iy], row[f"row_{place}"], rtol=0, atol=1e-12)


@pytest.mark.parametrize("row", authors()["dam"], ids=identify)
def test_dam_equals_the_authors_rows(row):
    assert_rows_equal(DAM(row["eps"], row["d"], row["b"]), row)


@pytest.mark.parametrize("row", authors()["huem_at_eps_1"], ids=identify)
def test_huem_equals_the_authors_rows_at_epsilon_one(row):
    # Their program leaves ε out of the ring weights, so it agrees with the defined mechanism at ε = 1 only.
    assert_rows_equal(HUEM(1.0, row["d"], row["b"]), row)


@pytest.mark.parametrize("row", authors()["radius"], ids=lambda r: f"eps{r['eps']}-d{r['d']}")
def test_radius_equals_the_authors(row):
    assert row["d"] * optimal_radius(row["eps"]) == pytest.approx(row["b_real"], rel=1e-12)
    for mechanism in FAMILY:
        assert mechanism(row["eps"], row["d"]).b == row["b_hat"]


def radius_in_exact_arithmetic(epsilon: Fraction) -> float:
    """The printed formula with e^ε as a rational number of 60 digits, so that nothing cancels."""
    exponential = sum((epsilon**k / math.factorial(k) for k in range(160)), Fraction(0))
    m1 = exponential - 1 - epsilon
    m2 = 1 - exponential + epsilon * exponential
    pi = Fraction("3.14159265358979323846264338327950288419716939937510582097494")
    scale = 10**80
    root = Fraction(math.isqrt(int((4 * m2**2 + pi * exponential * m1 * m2) * scale**2)), scale)
    return float((2 * m2 + root) / (pi * exponential * m1))


@pytest.mark.parametrize("epsilon", ["0.001", "0.01", "0.1", "0.4999", "0.5", "0.7", "1", "3.5", "9", "20"])
def test_radius_is_stable_from_tiny_to_huge_budgets(epsilon):
    assert optimal_radius(float(epsilon)) == pytest.approx(radius_in_exact_arithmetic(Fraction(epsilon)), rel=1e-13)


def test_radius_limit_and_printed_examples():
    assert optimal_radius(1e-9) == pytest.approx((2 + math.sqrt(4 + math.pi)) / math.pi, rel=1e-8)
    assert optimal_radius(3.5) == pytest.approx(0.233247, abs=5e-7)
    assert optimal_radius(0.7) == pytest.approx(0.997669, abs=5e-7)
    assert [DAM(3.5, d).b for d in (5, 10, 15, 20)] == [1, 2, 3, 4]


@pytest.mark.parametrize(("b", "total"), [(1, 5.6863), (2, 16.6458), (3, 33.9685), (5, 88.8427), (7, 166.0694)])
def test_high_area_of_dam(b, total):
    assert DAM(3.5, 5, b).kernel.sum() == pytest.approx(total, abs=5e-5)


@pytest.mark.parametrize("b", range(21))
def test_output_domain_has_the_size_of_the_formula(b):
    offsets = np.arange(-b, b + 1)
    near = np.maximum(np.abs(offsets) - 0.5, 0)
    reach = 1 if b == 0 else int(np.count_nonzero(np.add.outer(near**2, near**2) < b**2))
    for d in range(1, 31):
        mechanism = DAM(1.0, d, b)
        assert mechanism.n_outputs == d * d + 4 * b * d - 4 * b - 1 + reach
        assert mechanism.output_cells.shape == (mechanism.n_outputs, 2)
        assert mechanism.output_cells.tolist() == sorted(mechanism.output_cells.tolist())


@pytest.mark.parametrize("b", [0, 1, 2, 5])
def test_output_domain_is_the_union_of_the_reach_sets(b):
    d = 4
    union = set()
    for ix in range(d):
        for iy in range(d):
            for dx in range(-b, b + 1):
                for dy in range(-b, b + 1):
                    near = math.hypot(max(abs(dx) - 0.5, 0), max(abs(dy) - 0.5, 0)) < b or (dx == dy == 0)
                    if near:
                        union.add((ix + dx, iy + dy))
    assert {tuple(cell) for cell in DAM(1.0, d, b).output_cells.tolist()} == union


def worst_log_ratio(matrix: np.ndarray) -> float:
    logarithms = np.log(matrix)
    return float((logarithms.max(axis=0) - logarithms.min(axis=0)).max())


@settings(max_examples=60, deadline=None)
@given(
    mechanism=st.sampled_from(FAMILY),
    epsilon=st.floats(0.05, 12),
    d_and_b=st.integers(1, 25).flatmap(lambda d: st.tuples(st.just(d), st.integers(0, d))),
)
def test_every_mechanism_is_a_distribution_and_epsilon_private(mechanism, epsilon, d_and_b):
    matrix = mechanism(epsilon, *d_and_b).transition_matrix()
    assert matrix.min() > 0
    np.testing.assert_allclose(matrix.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    assert worst_log_ratio(matrix) <= epsilon + 1e-12


@pytest.mark.parametrize("mechanism", FAMILY)
@pytest.mark.parametrize("epsilon", [1e-3, 20.0, 100.0])
@pytest.mark.parametrize("b", [None, 0, 3, 8])
def test_extreme_budgets_stay_private_and_normalised(mechanism, epsilon, b):
    matrix = mechanism(epsilon, 4, b).transition_matrix()
    assert matrix.min() > 0
    np.testing.assert_allclose(matrix.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    assert worst_log_ratio(matrix) <= epsilon + 1e-12


class UnclippedDAM(DAM):
    """The kernel as printed, without the clipping: a mutant that must be caught."""

    def _shape(self, x, y):
        inside = x**2 + y**2 <= self.b**2
        shrink = self.b / np.where(inside, 1.0, np.hypot(x, y)) - 1.0
        reach = np.hypot(np.maximum(x - 0.5, 0), np.maximum(y - 0.5, 0)) < self.b
        return np.where(inside, 1.0, np.where(reach, 4 * (shrink * x + 0.5) * (shrink * y + 0.5), 0.0))


def test_the_printed_kernel_breaks_privacy_at_the_papers_own_default():
    assert UnclippedDAM(3.5, 15, 3).kernel.min() == pytest.approx(-0.0025, abs=5e-5)
    assert worst_log_ratio(UnclippedDAM(3.5, 15, 3).transition_matrix()) == pytest.approx(3.585, abs=5e-4)
    assert worst_log_ratio(DAM(3.5, 15, 3).transition_matrix()) == pytest.approx(3.5, abs=1e-12)


def test_radius_zero_is_randomised_response():
    cells, epsilon = 16, 2.0
    expected = np.full((cells, cells), 1 / (math.exp(epsilon) + cells - 1))
    np.fill_diagonal(expected, math.exp(epsilon) / (math.exp(epsilon) + cells - 1))
    for mechanism in FAMILY:
        np.testing.assert_allclose(mechanism(epsilon, 4, 0).transition_matrix(), expected, rtol=1e-14)


def test_dam_ns_counts_cells_by_their_centre():
    kernel = DAMNS(1.0, 3, 5).kernel
    assert kernel[5 + 3, 5 + 4] == 1  # 3² + 4² = 5²
    assert kernel[5 + 4, 5 + 4] == 0
    assert set(np.unique(kernel)) == {0.0, 1.0}


def test_registry_names_the_family():
    assert [MECHANISMS[name] for name in ("DAM", "DAM-NS", "HUEM")] == [DAM, DAMNS, HUEM]


def test_a_dense_matrix_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match=r"DAM\(.* d=128.* too large for a dense matrix .*operator"):
        DAM(3.5, 128).transition_matrix()


@pytest.mark.parametrize("mechanism", FAMILY)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"epsilon": 0, "d": 5}, r"epsilon must be a number ≤ 100 and > 0, got 0"),
        ({"epsilon": -1, "d": 5}, r"epsilon must be .* got -1"),
        ({"epsilon": float("nan"), "d": 5}, r"epsilon must be .* got nan"),
        ({"epsilon": float("inf"), "d": 5}, r"epsilon must be .* got inf"),
        ({"epsilon": "much", "d": 5}, r"epsilon must be .* got 'much'"),
        ({"epsilon": None, "d": 5}, r"epsilon must be .* got None"),
        ({"epsilon": 1, "d": 0}, r"d must be a whole number ≥ 1, got 0"),
        ({"epsilon": 1, "d": 2.5}, r"d must be a whole number ≥ 1, got 2.5"),
        ({"epsilon": 1, "d": True}, r"d must be a whole number ≥ 1, got True"),
        ({"epsilon": 1, "d": 5, "b": -1}, r"b must be a whole number ≥ 0, got -1"),
        ({"epsilon": 1, "d": 5, "b": 1.0}, r"b must be a whole number ≥ 0, got 1.0"),
    ],
)
def test_bad_arguments_are_named(mechanism, arguments, message):
    with pytest.raises(ValueError, match=message):
        mechanism(**arguments)


def test_the_repr_is_the_call_that_makes_it():
    assert repr(DAM(3.5, 15)) == "DAM(epsilon=3.5, d=15, b=3)"
    assert repr(eval(repr(HUEM(0.7, 5)))) == repr(HUEM(0.7, 5))
