"""Recovery: what EM promises, its stopping rules, and the errors it gives."""

import math
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from spatialldp import DAM, DAMNS, HUEM, wasserstein2
from spatialldp.acceleration import accelerated_iterates
from spatialldp.datasets import SYNTHETIC
from spatialldp.estimation import EMOptions, em_iterates, on_simplex, training_parts


def population(name: str, d: int, people: int, seed: int = 1) -> np.ndarray:
    recipe = SYNTHETIC[name]
    return recipe.grid(d).bin(*recipe.points(seed, people)).counts


@settings(max_examples=30, deadline=None)
@given(
    kind=st.sampled_from([DAM, DAMNS, HUEM]),
    epsilon=st.floats(0.1, 8),
    d=st.integers(1, 12),
    people=st.integers(1, 100_000),
    masked=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_the_likelihood_never_falls_and_the_mask_holds(kind, epsilon, d, people, masked, seed):
    rng = np.random.default_rng(seed)
    mechanism = kind(epsilon, d)
    counts = rng.multinomial(people, rng.dirichlet(np.full(d * d, 0.3))).reshape(d, d)
    reports = mechanism.perturb(counts, rng).astype(float)
    mask = (rng.random((d, d)) < 0.6) | (counts == counts.max()) if masked else None
    previous = -np.inf
    for x, expected in islice(em_iterates(mechanism.operator, reports, mask=mask), 60):
        likelihood = float((reports * np.log(expected)).sum())
        assert likelihood >= previous - 1e-10 * abs(likelihood)
        assert x.sum() == pytest.approx(1.0, abs=1e-12)
        assert x.min() >= 0
        if mask is not None:
            assert (x[~mask] == 0).all()
        previous = likelihood


def test_one_step_equals_the_textbook_formula():
    mechanism = DAM(1.4, 4)
    matrix = mechanism.transition_matrix()
    reports = mechanism.perturb(np.arange(16).reshape(4, 4) * 50, np.random.default_rng(0))
    y = reports[mechanism.output_domain]
    x = np.full(16, 1 / 16)
    for _ in range(3):
        posterior = matrix * x[:, None] / (x @ matrix)
        x = (posterior * y).sum(axis=1) / y.sum()
    third, _ = next(islice(em_iterates(mechanism.operator, reports.astype(float)), 3, None))
    np.testing.assert_allclose(third.ravel(), x, rtol=1e-12)


def test_converged_reaches_the_maximum_of_the_likelihood():
    mechanism = DAM(3.0, 3)
    reports = mechanism.perturb(np.arange(1, 10).reshape(3, 3) * 400, np.random.default_rng(4))
    matrix, y = mechanism.transition_matrix(), reports[mechanism.output_domain]

    def loss(z):  # softmax parametrisation: an optimiser that knows nothing of EM
        x = np.exp(z - z.max())
        return -float(y @ np.log(x / x.sum() @ matrix)) / y.sum()

    reference = minimize(loss, np.zeros(9), method="BFGS", options={"gtol": 1e-9})
    estimate = mechanism.estimate(reports, "converged", tolerance=1e-15, max_iterations=100_000)
    assert estimate.converged
    assert estimate.log_likelihood == pytest.approx(-reference.fun * y.sum(), abs=1e-4)


@pytest.mark.parametrize("mechanism", [DAM(3.5, 5), HUEM(3.5, 5), DAMNS(5.0, 4, 1)], ids=repr)
def test_a_known_distribution_is_recovered_as_the_crowd_grows(mechanism):
    truth = np.random.default_rng(2).dirichlet(np.full(mechanism.d**2, 0.7)).reshape(mechanism.d, mechanism.d)
    expected_reports = mechanism.operator.forward(truth)
    estimate = mechanism.estimate(expected_reports, "converged", tolerance=0, max_iterations=200_000)
    np.testing.assert_allclose(estimate.distribution, truth, atol=2e-4)
    errors = []
    for people in (10**4, 10**6, 10**8):
        counts = np.random.default_rng(3).multinomial(people, truth.ravel()).reshape(truth.shape)
        reports = mechanism.perturb(counts, np.random.default_rng(4))
        errors.append(wasserstein2(truth, mechanism.estimate(reports).distribution))
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.03


#: Six cases of the table in benchmarks/stopping.py, over all three sets, small and large budgets and crowds.
CASES = [
    ("normal", 15, 2.1, 10_000),
    ("normal", 5, 0.7, 100_000),
    ("szipf", 15, 2.1, 100_000),
    ("szipf", 5, 2.1, 10_000),
    ("mnormal", 15, 0.7, 10_000),
    ("mnormal", 15, 5.0, 100_000),
]


def test_adaptive_is_within_a_tenth_of_the_best_plain_iterate():
    ratios = []
    for name, d, epsilon, people in CASES:
        truth = population(name, d, people)
        mechanism = DAM(epsilon, d)
        reports = mechanism.perturb(truth, np.random.default_rng(5))
        estimate = mechanism.estimate(reports)
        # W2 changes little from one iterate to the next: look at every one at first, then at steps of 8%.
        wanted = {int(1.08**k) for k in range(105)} | {0}
        iterates = islice(em_iterates(mechanism.operator, reports.astype(float)), max(wanted) + 1)
        best = min(wasserstein2(truth, x) for t, (x, _) in enumerate(iterates) if t in wanted)
        ratios.append(wasserstein2(truth, estimate.distribution) / best)
    assert np.exp(np.mean(np.log(ratios))) < 1.10
    assert max(ratios) < 1.5


def test_the_same_reports_give_the_same_estimate():
    mechanism = DAM(2.1, 10)
    reports = mechanism.perturb(population("normal", 10, 20_000), np.random.default_rng(6))
    first, second = mechanism.estimate(reports), DAM(2.1, 10).estimate(reports.copy())
    np.testing.assert_array_equal(first.distribution, second.distribution)
    assert first.iterations == second.iterations
    other = mechanism.estimate(reports, rng=np.random.default_rng(1))
    assert other.distribution.sum() == pytest.approx(1.0)


def test_the_splits_of_adaptive_do_not_depend_on_the_batch():
    # The batch is a matter of speed: each fit in it must be the fit on its own.
    mechanism = HUEM(2.1, 9)
    rng = np.random.default_rng(0)
    batch = np.stack([mechanism.perturb(population(name, 9, 5_000), rng) for name in SYNTHETIC]).astype(float)
    together, _ = next(islice(em_iterates(mechanism.operator, batch), 20, None))
    for alone, row in zip(batch, together, strict=True):
        single, _ = next(islice(em_iterates(mechanism.operator, alone), 20, None))
        np.testing.assert_allclose(row, single, rtol=1e-10, atol=1e-16)


def test_an_estimate_says_whether_it_converged_and_how_likely_it_is():
    mechanism = DAM(1.0, 8)
    reports = mechanism.perturb(population("normal", 8, 30_000), np.random.default_rng(0))
    for stopping in ("adaptive", "converged", "paper"):
        estimate = mechanism.estimate(reports, stopping, max_iterations=5)
        assert (estimate.stopping, estimate.converged, estimate.iterations) == (stopping, False, 5)
        free = mechanism.estimate(reports, stopping, max_iterations=50_000)
        assert free.converged
        assert free.iterations > 5
        assert free.log_likelihood > estimate.log_likelihood
        expected = mechanism.operator.forward(free.distribution)[mechanism.output_domain]
        assert free.log_likelihood == pytest.approx(float(reports[mechanism.output_domain] @ np.log(expected)))


def test_paper_rule_stops_where_the_unweighted_sum_of_logarithms_does():
    mechanism = DAM(3.5, 5)
    reports = mechanism.perturb(population("szipf", 5, 20_000), np.random.default_rng(0))
    sums = [
        np.log(expected[mechanism.output_domain]).sum()
        for _, expected in islice(em_iterates(mechanism.operator, reports.astype(float)), 3_000)
    ]
    first = next(t for t in range(1, 3_000) if abs(sums[t] - sums[t - 1]) < 1e-6)
    assert abs(mechanism.estimate(reports, "paper").iterations - first) <= 1


def test_mask_keeps_water_empty_and_helps():
    mechanism = DAM(1.4, 10)
    mask = np.zeros((10, 10), dtype=bool)
    mask[:, 4:6] = True
    counts = np.where(mask, 500, 0)
    reports = mechanism.perturb(counts, np.random.default_rng(8))
    masked, free = mechanism.estimate(reports, mask=mask), mechanism.estimate(reports)
    assert masked.distribution[~mask].sum() == 0
    assert masked.distribution.sum() == pytest.approx(1.0)
    assert wasserstein2(counts, masked.distribution) < wasserstein2(counts, free.distribution)


def test_smoothing_averages_neighbours_and_keeps_mask_and_total():
    mechanism = DAM(9.0, 7, 0)
    reports = np.zeros((7, 7))
    reports[3, 3] = reports[0, 0] = 10_000
    first, _ = next(islice(em_iterates(mechanism.operator, reports, smoothing=True), 1, None))
    sharp, _ = next(islice(em_iterates(mechanism.operator, reports), 1, None))
    line = np.array([1, 2, 1]) / 4
    around = sharp[2:5, 2:5]
    assert first[3, 3] == pytest.approx(float(line @ around @ line), rel=1e-12)
    # Reflecting edges: what would fall off the border stays on it.
    corner = np.array([3, 1]) / 4
    assert first[0, 0] == pytest.approx(float(corner @ sharp[:2, :2] @ corner), rel=1e-12)
    assert first.sum() == pytest.approx(1.0)
    mask = np.ones((7, 7), dtype=bool)
    mask[3, 4] = False
    estimate = mechanism.estimate(reports, mask=mask, smoothing=True)
    assert estimate.distribution[3, 4] == 0
    assert estimate.distribution.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("people", [1, 2, 3])
def test_a_handful_of_reports_is_no_error(people):
    mechanism = DAM(3.5, 5)
    counts = np.zeros((5, 5), dtype=int)
    counts[2, 2] = people
    for stopping in ("adaptive", "converged", "paper"):
        estimate = mechanism.estimate(mechanism.perturb(counts, np.random.default_rng(people)), stopping)
        assert np.isfinite(estimate.distribution).all()
        assert estimate.distribution.sum() == pytest.approx(1.0)


def test_one_cell_and_huge_budgets():
    assert DAM(3.5, 1).estimate(DAM(3.5, 1).perturb([[7]], np.random.default_rng(0))).distribution.tolist() == [[1.0]]
    truth = population("mnormal", 30, 50_000)
    mechanism = DAM(100.0, 30, 4)
    reports = mechanism.perturb(truth, np.random.default_rng(0))
    assert np.isfinite(mechanism.estimate(reports).distribution).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stopping": "soon"}, r"stopping must be one of 'adaptive', 'converged', 'paper', got 'soon'"),
        ({"max_iterations": 0}, r"max_iterations must be a whole number ≥ 1, got 0"),
        ({"stopping": "converged", "tolerance": -1.0}, r"tolerance must be .* > 0, got -1.0"),
        ({"tolerance": 1e-3}, r'tolerance must be None with stopping="adaptive"'),
        ({"mask": np.ones((5, 4), dtype=bool)}, r"mask must be a boolean array .* got bool of shape \(5, 4\)"),
        ({"mask": np.ones((5, 5))}, r"mask must be a boolean array of shape \(5, 5\), got float64"),
        ({"mask": np.zeros((5, 5), dtype=bool)}, r"mask must allow at least one cell"),
        ({"rng": 3}, r"rng must be a numpy.random.Generator"),
    ],
)
def test_bad_options_are_named(options, message):
    mechanism = DAM(3.5, 5)
    reports = mechanism.perturb(np.ones((5, 5)), np.random.default_rng(0))
    with pytest.raises(ValueError, match=message):
        mechanism.estimate(reports, **options)


@pytest.mark.parametrize(
    ("reports", "message"),
    [
        (np.zeros((7, 7)), r"reports must not be all zero"),
        (np.full((7, 7), -2), r"reports must hold numbers ≥ 0, got -2"),
        (np.full((7, 7), np.inf), r"reports must hold finite numbers"),
        (
            np.full((7, 7), 0.5) * DAM(3.5, 5).output_domain,
            r"reports must hold whole numbers with stopping=\"adaptive\"",
        ),
    ],
)
def test_bad_reports_are_named(reports, message):
    with pytest.raises(ValueError, match=message):
        DAM(3.5, 5).estimate(reports)


@given(values=st.lists(st.floats(-5, 5), min_size=1, max_size=30))
def test_projection_on_the_simplex_is_the_nearest_distribution(values):
    v = np.array(values)
    p = on_simplex(v)
    assert p.min() >= 0
    assert p.sum() == pytest.approx(1.0)
    # Optimality: the gradient v − p is the same wherever p > 0, and no larger where p = 0.
    gradient = v - p
    assert np.ptp(gradient[p > 1e-12]) < 1e-9
    assert (gradient[p <= 1e-12] <= gradient[p > 1e-12].max() + 1e-9).all()


@pytest.mark.parametrize("tolerance", [False, True, np.False_, float("nan"), -1e-9, "x", [0.0], 10**400], ids=str)
def test_a_tolerance_is_a_number_and_nothing_that_python_takes_for_one(tolerance):
    with pytest.raises(ValueError, match=r"^tolerance must be "):
        EMOptions("converged", tolerance=tolerance)


@pytest.mark.parametrize("tolerance", [0, 0.0, np.float64(0), 1e-3, "1e-3", None])
def test_a_tolerance_may_be_zero_or_left_out(tolerance):
    assert EMOptions("converged", tolerance=tolerance).tolerance in (0, 1e-3, None)


def test_the_most_steps_are_named():
    assert EMOptions(max_iterations=10**6).max_iterations == 10**6
    with pytest.raises(ValueError, match=r"^max_iterations must be at most 1,000,000, got 1000001: "):
        EMOptions(max_iterations=10**6 + 1)


@pytest.mark.parametrize("values", [[3e30, 1e30, 3e30], [1e300, -1e300, 0.0], [0.0, 0.0, 0.0], [5.0, -3.0, 0.2]])
def test_any_values_have_a_nearest_distribution(values):
    found = on_simplex(np.array(values))
    assert found.sum() == pytest.approx(1.0)
    assert found.min() >= 0
    assert found.argmax() == np.argmax(values)


def test_every_smoothed_step_is_a_distribution_even_where_a_mask_cuts_some_of_it_off():
    mechanism = DAM(3.5, 6)
    mask = np.ones((6, 6), dtype=bool)
    mask[2:4, :3] = False
    reports = mechanism.perturb(np.where(mask, 300, 0), np.random.default_rng(1)).astype(float)
    for x, _ in islice(em_iterates(mechanism.operator, reports, mask=mask, smoothing=True), 6):
        assert x.sum() == pytest.approx(1.0, rel=1e-12)
        assert x[~mask].sum() == 0


@pytest.mark.parametrize("smoothing", [False, True])
def test_adaptive_ends_two_steps_after_the_best_one_stretched_to_all_reports(smoothing):
    # Four fifths of the reports are fitted best at step t: all of them at t/0.8 or, with momentum, t/√0.8.
    mechanism = DAM(2.0, 8)
    reports = mechanism.perturb(population("normal", 8, 40_000), np.random.default_rng(2)).astype(float)
    training = training_parts(reports, np.random.default_rng(7))
    fits = np.concatenate([training, reports[None]])
    if smoothing:
        path = ((x, np.log(expected)) for x, expected in em_iterates(mechanism.operator, fits, smoothing=True))
    else:
        path = accelerated_iterates(mechanism.operator, fits)
    steps = [(x[-1].copy(), logarithm[:-1].copy()) for x, logarithm in islice(path, 400)]
    best = int(np.argmax([((reports - training) * logarithm).sum() for _, logarithm in steps]))
    assert 2 < best < 200
    answer = round(best / 0.8 if smoothing else best / math.sqrt(0.8)) + 2
    found = mechanism.estimate(reports, smoothing=smoothing, rng=np.random.default_rng(7))
    assert found.iterations == answer
    np.testing.assert_allclose(found.distribution, steps[answer][0] / steps[answer][0].sum(), rtol=1e-9)
