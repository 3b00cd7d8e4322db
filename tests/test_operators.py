"""The matrix-free operators against the dense matrix."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spatialldp import DAM, DAMNS, HUEM
from spatialldp.mechanisms import SAM
from spatialldp.operators import DenseOperator, SeparableOperator, ShiftOperator, TransformOperator


def operators(mechanism: SAM) -> list:
    arguments = (mechanism.kernel, mechanism.q, np.expm1(mechanism.epsilon), mechanism.output_domain)
    forms = (TransformOperator, ShiftOperator, SeparableOperator)
    return [*(form(*arguments) for form in forms), mechanism.operator]


def relative_error(result: np.ndarray, oracle: np.ndarray) -> float:
    return float(np.abs(result - oracle).max() / np.abs(oracle).max())


@settings(max_examples=60, deadline=None)
@given(
    kind=st.sampled_from([DAM, DAMNS, HUEM]),
    epsilon=st.floats(0.05, 12),
    d_and_b=st.integers(1, 14).flatmap(lambda d: st.tuples(st.just(d), st.integers(0, 2 * d))),
    batch=st.sampled_from([(), (1,), (3,), (2, 3)]),
    seed=st.integers(0, 2**32 - 1),
)
def test_operators_equal_the_dense_matrix(kind, epsilon, d_and_b, batch, seed):
    mechanism = kind(epsilon, *d_and_b)
    rng = np.random.default_rng(seed)
    side = mechanism.d + 2 * mechanism.b
    matrix = np.zeros((mechanism.d**2, side**2))
    matrix[:, mechanism.output_domain.ravel()] = mechanism.transition_matrix()
    x = rng.random((*batch, mechanism.d, mechanism.d))
    r = rng.random((*batch, side, side))
    forward = (x.reshape(*batch, -1) @ matrix).reshape(*batch, side, side)
    backward = (r.reshape(*batch, -1) @ matrix.T).reshape(*batch, mechanism.d, mechanism.d)
    for operator in operators(mechanism):
        assert operator.input_shape == x.shape[-2:]
        assert operator.output_shape == r.shape[-2:]
        assert relative_error(operator.forward(x), forward) < 1e-12
        assert relative_error(operator.backward(r), backward) < 1e-12


@pytest.mark.parametrize("operator", operators(DAM(2.0, 6)), ids=lambda o: type(o).__name__)
def test_forward_is_zero_outside_the_output_domain_and_keeps_the_total(operator):
    mechanism = DAM(2.0, 6)
    x = np.random.default_rng(0).random((6, 6))
    expected = operator.forward(x)
    assert (expected[~mechanism.output_domain] == 0).all()
    assert expected.sum() == pytest.approx(x.sum(), rel=1e-13)


def test_rounding_in_the_transform_never_turns_a_probability_negative():
    # At ε = 40 the rounding of the transform is a hundred times the smallest probability.
    mechanism = DAM(40.0, 40, 5)
    assert isinstance(mechanism.operator, TransformOperator)
    x = np.zeros((40, 40))
    x[0, 0] = 1.0
    expected = mechanism.operator.forward(x)
    assert (expected[mechanism.output_domain] >= mechanism.q * (1 - 1e-12)).all()
    assert (mechanism.operator.backward(expected) > 0).all()


def test_each_size_takes_the_form_that_was_measured_faster():
    assert isinstance(DAM(3.5, 5).operator, DenseOperator)
    assert isinstance(DAM(3.5, 20).operator, SeparableOperator)
    assert isinstance(DAM(0.7, 20).operator, TransformOperator)
    assert isinstance(DAM(9.0, 20, 0).operator, ShiftOperator)
    assert isinstance(DAM(3.5, 50).operator, TransformOperator)
    assert isinstance(DAM(5.0, 50, 1).operator, ShiftOperator)
