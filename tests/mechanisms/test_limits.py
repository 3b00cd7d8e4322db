"""What a mechanism refuses, for every one in the registry: sizes, budgets, counts and reports that cannot be."""

import tracemalloc

import numpy as np
import pytest

from spatialldp import MECHANISMS
from spatialldp._validation import LARGEST_D, LARGEST_M, MOST_PEOPLE
from spatialldp.dashboard.shared.link_values import LARGEST_D as LARGEST_D_OF_PAGES
from spatialldp.dashboard.shared.link_values import LARGEST_USERS
from spatialldp.mechanisms import DAM, DAMNS, HUEM, MDSW, OUE, InclusionCounts, PlanarLaplace, SEMGeoI
from spatialldp.oracles import OptimizedLocalHashing, OptimizedUnaryEncoding, RandomizedResponse, SquareWave
from spatialldp.privacy import conclusion, posterior

EVERY = pytest.mark.parametrize("name", list(MECHANISMS))
ORACLES = (RandomizedResponse, OptimizedUnaryEncoding, OptimizedLocalHashing, SquareWave)
EVERY_ORACLE = pytest.mark.parametrize("kind", ORACLES)


# -- sizes -----------------------------------------------------------------------------------------


@EVERY
def test_the_largest_grid_is_named_before_anything_is_made(name):
    kind = MECHANISMS[name]
    assert kind(1.0, kind.largest_d).d == kind.largest_d
    assert LARGEST_D_OF_PAGES <= kind.largest_d <= LARGEST_D
    for d in (kind.largest_d + 1, 10**6, 10**30):
        tracemalloc.start()
        try:
            with pytest.raises(ValueError, match=rf"^d must be at most {kind.largest_d:,}, got {d}: choose a coarser"):
                kind(1.0, d)
            assert tracemalloc.get_traced_memory()[1] < 1_000_000
        finally:
            tracemalloc.stop()


@pytest.mark.parametrize("kind", [DAM, DAMNS, HUEM])
def test_a_large_grid_has_a_small_radius(kind):
    assert kind(3.5, 512, 512).b == 512
    for d, b in ((512, 513), (256, 513)):
        with pytest.raises(ValueError, match=rf"must be at most .*, got ({d} \+ 2·)?{b}:"):
            kind(3.5, d, b)


@EVERY
@pytest.mark.parametrize("d", [0, -1, 2.0, "3", None, True, float("nan")])
def test_a_grid_that_is_none_is_refused(name, d):
    with pytest.raises(ValueError, match=r"^d must be a whole number ≥ 1, got "):
        MECHANISMS[name](1.0, d)


@EVERY
def test_a_parameter_far_beyond_the_map_is_refused(name):
    kind = MECHANISMS[name]
    for entry in kind.parameters:
        for value in (10**9, 10**30):
            with pytest.raises(ValueError, match=rf"^{entry.name} must be .*, got {value}"):
                kind(1.0, 6, **{entry.name: value})


@EVERY_ORACLE
def test_the_most_symbols_are_named(kind):
    assert kind(1.0, kind.largest_m).m == kind.largest_m
    for m in (kind.largest_m + 1, 10**30):
        with pytest.raises(ValueError, match=rf"^m must be at most {kind.largest_m:,}, got {m}: choose fewer symbols"):
            kind(1.0, m)


def test_oracles_have_room_for_the_mechanisms_made_of_them():
    assert RandomizedResponse.largest_m == OptimizedUnaryEncoding.largest_m == LARGEST_M == LARGEST_D**2
    assert SquareWave.largest_m >= LARGEST_D


def test_reports_too_long_to_be_kept_are_refused_before_they_are_drawn():
    everybody = np.zeros(100_000, dtype=int)
    with pytest.raises(ValueError, match="reports of 1,048,576 bits would take 98 GB"):
        OUE(1.0, 1_024).randomize(everybody, everybody)
    with pytest.raises(ValueError, match=r"reports of 10,000 cells would take 7\.45 GB"):
        SEMGeoI(1.0, 100, k=10_000).randomize(everybody, everybody)
    with pytest.raises(ValueError, match=r"likelihoods of 100,000 reports from 65,536 cells would take 49 GB"):
        DAM(1.0, 256).likelihoods(np.zeros((100_000, 2), dtype=int))
    with pytest.raises(ValueError, match="offsets would take 30 GB"):
        PlanarLaplace(1.0, 4).draw_offsets(10**9, np.random.default_rng(0))


def test_the_matrix_of_reports_beyond_all_counting_is_refused():
    # 2^1024 is the first power of two that is no double.
    with pytest.raises(ValueError, match=r"has 2\^1024 outputs, too many for a matrix"):
        OUE(1.0, 32).transition_matrix()
    with pytest.raises(ValueError, match=r"has 2\^1024 outputs, too many to list"):
        OUE(1.0, 32).device_weights(0, 0)
    with pytest.raises(ValueError, match=r"too large for a dense matrix \(10,000 × 2\^99"):
        SEMGeoI(1.0, 100, k=5_000).transition_matrix()


# -- budgets ---------------------------------------------------------------------------------------


@EVERY
@pytest.mark.parametrize(
    "epsilon", [0, -1, 100.1, 800, 1e308, 10**400, float("nan"), float("inf"), True, None, "much", [1.0]], ids=str
)
def test_a_budget_out_of_range_is_a_sentence_with_the_range(name, epsilon):
    with pytest.raises(ValueError, match=r"^epsilon must be a number ≤ 100 and > 0, got "):
        MECHANISMS[name](epsilon, 4)


@EVERY
@pytest.mark.parametrize("epsilon", [5e-324, 1e-300, 1e-17, 9e-13])
def test_a_map_is_not_recovered_where_nothing_but_rounding_is_left(name, epsilon):
    mechanism = MECHANISMS[name](epsilon, 4)
    reports = MECHANISMS[name](1.0, 4).perturb(np.full((4, 4), 50), np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"^epsilon must be at least 1e-12 for this, got "):
        mechanism.estimate(reports)


@EVERY
@pytest.mark.parametrize("epsilon", [5e-324, 1e-300, 1e-17, 1e-9, 1e-3, 50.0, 100.0])
@pytest.mark.parametrize("d", [1, 2, 9])
def test_a_device_draws_at_any_budget_or_says_that_it_cannot(name, epsilon, d):
    mechanism = MECHANISMS[name](epsilon, d)
    ix, iy = np.divmod(np.arange(40) % d**2, d)
    if mechanism.notion == "Geo-I" and epsilon < 1e-9:
        # Their formulas are worked out in doubles, and what that rounds off has to be paid for.
        with pytest.raises(ValueError, match=r"^epsilon must be "):
            mechanism.randomize(ix, iy, np.random.default_rng(0))
        return
    reports = mechanism.randomize(ix, iy, np.random.default_rng(0))
    assert len(reports) == 40
    mechanism.aggregate(reports)


@EVERY
@pytest.mark.parametrize("epsilon", [1e-3, 50.0])
def test_the_ends_of_the_range_of_the_pages_give_a_map(name, epsilon):
    mechanism = MECHANISMS[name](epsilon, 5)
    counts = np.random.default_rng(1).integers(0, 90, (5, 5))
    found = mechanism.estimate(mechanism.perturb(counts, np.random.default_rng(0))).distribution
    assert found.sum() == pytest.approx(1.0)
    assert found.min() >= 0


@EVERY_ORACLE
def test_an_oracle_estimates_nothing_from_rounding(kind):
    counts, rng = [50, 20, 10], np.random.default_rng(0)
    with pytest.raises(ValueError, match=r"^epsilon must be at least 1e-12 for this, got 1e-17"):
        kind(1e-17, 3).estimate(kind(1.0, 3).perturb(counts, rng))
    with pytest.raises(ValueError, match=r"^epsilon must be at least 1e-12 for this, got 1e-300"):
        kind(1e-300, 3).variance(10)


# -- counts ----------------------------------------------------------------------------------------

TOO_MANY = {
    "10^18 per cell": np.full((3, 3), 10**18),
    "one cell beyond an int64": np.diag([2**63, 0, 0]).astype(np.uint64),
    "every cell beyond an int64": np.full((3, 3), 2**64 - 1, dtype=np.uint64),
    "a sum beyond an int64": np.full((3, 3), 2**62),
    "one too many": np.diag([2**53, 1, 0]),
    "floats": np.full((3, 3), 1e19),
    "Python's own numbers": [[10**30] * 3] * 3,
    "beyond any double": [[10**400] * 3] * 3,
}


@EVERY
@pytest.mark.parametrize("counts", TOO_MANY.values(), ids=TOO_MANY)
def test_more_people_than_can_be_counted_are_refused(name, counts):
    with pytest.raises(ValueError, match=r"^counts must "):
        MECHANISMS[name](1.0, 3).perturb(counts, np.random.default_rng(0))


@EVERY
def test_the_most_people_are_all_simulated_and_one_more_is_refused(name):
    kind = MECHANISMS[name]
    mechanism = kind(2.0, 3)
    if kind.most_people == MOST_PEOPLE:
        counts = np.diag([MOST_PEOPLE - 7, 4, 3])
        reports = mechanism.perturb(counts, np.random.default_rng(0))
        if isinstance(reports, InclusionCounts):
            assert reports.users == MOST_PEOPLE
            assert 0 <= reports.counts.min() <= reports.counts.max() <= MOST_PEOPLE
        else:
            assert reports.min() >= 0
            assert sum(reports.ravel().tolist()) == MOST_PEOPLE
        assert np.isfinite(mechanism.estimate(reports).distribution).all()
    assert kind.most_people >= LARGEST_USERS
    assert kind.checked_people(kind.most_people) == kind.most_people
    with pytest.raises(ValueError, match=rf"^users must be at most {kind.most_people:,}, got {kind.most_people + 1}: "):
        kind.checked_people(kind.most_people + 1)
    with pytest.raises(ValueError, match="must "):
        mechanism.perturb(np.diag([kind.most_people - 1, 1, 1]), np.random.default_rng(0))


@EVERY
def test_more_reports_than_people_can_send_are_refused(name):
    mechanism = MECHANISMS[name](1.0, 3)
    reports = mechanism.perturb(np.full((3, 3), 50), np.random.default_rng(0))
    if isinstance(reports, InclusionCounts):
        wrong = [
            InclusionCounts(reports.counts.astype(float) * 1e19, 10**30),
            InclusionCounts(reports.counts, 10**30),
            InclusionCounts(reports.counts.astype(np.uint64) * np.uint64(2**57), reports.users),
            InclusionCounts(np.full((3, 3), np.nan), reports.users),
            InclusionCounts(None, reports.users),
        ]
    else:
        wrong = [
            reports * 1e17,
            reports.astype(np.uint64) * np.uint64(2**56),
            [[10**400]],
            np.full_like(reports, 2**62),
        ]
    for one in wrong:
        for taken in (mechanism.estimate, mechanism.report_map):
            with pytest.raises(ValueError, match="must "):
                taken(one)


@EVERY_ORACLE
@pytest.mark.parametrize("counts", [[10**18] * 3, [2**53, 1, 0], [1e19, 0, 0], [2**70, 0, 0]], ids=str)
def test_an_oracle_refuses_more_people_than_can_be_counted(kind, counts):
    with pytest.raises(ValueError, match=r"^counts must "):
        kind(1.0, 3).perturb(counts, np.random.default_rng(0))


# -- reports ---------------------------------------------------------------------------------------


def impossible(reports: np.ndarray) -> list:
    """Reports that no device sends, made of some that one does, (n, …) whole numbers."""
    far, low = reports.astype(np.int64), reports.astype(np.int64)
    far[-1, ..., -1], low[-1, ..., -1] = 10**6, -(10**6)
    wrapped = reports.astype(np.uint64)
    wrapped[-1, ..., -1] = 2**64 - 1  # −1, were it taken for an int64
    return [
        far,
        low,
        wrapped,
        reports.astype(float),
        np.full(reports.shape, np.nan),
        reports.astype(str),
        reports.astype(bool),
        reports[..., None],
        np.concatenate([reports, reports], axis=-1) if reports.ndim > 1 else np.stack([reports, reports], axis=1),
        reports[..., :-1] if reports.ndim > 1 and reports.shape[1] > 1 else reports.sum(),
        None,
        "report",
        [[0, 1], [0]],
    ]


@EVERY
@pytest.mark.parametrize("number", range(13))
def test_an_impossible_report_is_refused_by_everything_that_takes_one(name, number):
    mechanism = MECHANISMS[name](1.0, 4)
    good = mechanism.randomize([0, 1, 3], [3, 1, 0], np.random.default_rng(0))
    wrong = impossible(good)[number]
    assert np.isfinite(mechanism.likelihoods(good)).all()
    for taken in (mechanism.likelihoods, mechanism.aggregate, mechanism.named_cells):
        with pytest.raises(ValueError, match=r"^reports must "):
            taken(wrong)


@EVERY
@pytest.mark.parametrize("number", [0, 1, 3, 4, 5])
def test_an_attacker_cannot_conclude_from_an_impossible_report(name, number):
    mechanism = MECHANISMS[name](1.0, 4)
    good = mechanism.randomize([1], [2], np.random.default_rng(0))
    assert posterior(mechanism, good[0]).sum() == pytest.approx(1.0)
    wrong = impossible(good)[number][0]
    for taken in (posterior, conclusion):
        with pytest.raises(ValueError, match=r"^reports must "):
            taken(mechanism, wrong)
        with pytest.raises(ValueError, match=r"^report must be one row"):
            taken(mechanism, np.concatenate([good, good]))


@pytest.mark.parametrize("name", ["k-RR", "Planar Laplace", "DAM", "DAM-NS", "HUEM"])
def test_the_first_cell_beyond_those_of_the_reports_is_no_report(name):
    mechanism = MECHANISMS[name](2.0, 4)
    first, last, middle = -mechanism.reports_outside, 3 + mechanism.reports_outside, 2
    assert mechanism.aggregate([[middle, first], [middle, last]]).sum() == 2
    for row in ([first - 1, middle], [last + 1, middle], [middle, first - 1], [middle, last + 1]):
        with pytest.raises(ValueError, match=r"^reports must "):
            mechanism.aggregate([row])


def test_a_corner_that_no_disk_reaches_is_no_report():
    mechanism = DAM(1.0, 4, b=2)
    assert not mechanism.output_domain[0, 0]
    for taken in (mechanism.likelihoods, mechanism.aggregate, mechanism.named_cells):
        with pytest.raises(ValueError, match=r"must be in the output domain .* got \(-2, -2\)"):
            taken([[0, 0], [-2, -2]])


@pytest.mark.parametrize("row", [[0, 0], [-1, 3], [5, -1], [16, 2], [-2, -2]])
def test_a_set_holds_different_cells_or_nothing(row):
    mechanism = SEMGeoI(1.0, 4, k=2)
    # In any order, and a null.
    assert mechanism.aggregate([[0, 5], [5, 0], [-1, -1]]).counts.sum() == 4
    for taken in (mechanism.likelihoods, mechanism.aggregate, mechanism.named_cells):
        with pytest.raises(ValueError, match=r"^reports must be 2 different cell numbers 0 to 15, or −1 throughout"):
            taken([[0, 1], row])


@pytest.mark.parametrize("row", [[2, 0], [-1, 0], [0, 6], [1, -3]])
def test_one_coordinate_is_an_axis_and_a_value(row):
    mechanism = MDSW(1.0, 4)
    assert mechanism.b == 1
    for taken in (mechanism.likelihoods, mechanism.aggregate, mechanism.named_cells):
        with pytest.raises(ValueError, match=r"^reports must be \(axis 0 or 1, value -1 to 4\) for MDSW"):
            taken([[0, 0], row])


@pytest.mark.parametrize("bit", [2, -1])
def test_a_bit_is_zero_or_one(bit):
    mechanism = OUE(1.0, 2)
    for taken in (mechanism.likelihoods, mechanism.aggregate, mechanism.named_cells, mechanism.oracle.likelihoods):
        with pytest.raises(ValueError, match=r"^reports must hold bits 0 and 1"):
            taken([[0, 1, 0, bit]])


@EVERY_ORACLE
@pytest.mark.parametrize("number", range(13))
def test_an_oracle_refuses_an_impossible_report(kind, number):
    oracle = kind(1.0, 4)
    good = np.asarray(oracle.randomize([0, 1, 3], np.random.default_rng(0)))
    if good.ndim == 1:
        good = good[:, None]
        wrong = impossible(good)[number]
        if isinstance(wrong, np.ndarray) and wrong.ndim == 2 and wrong.shape[1] == 1:
            wrong = wrong[:, 0]
        good = good[:, 0]
    else:
        wrong = impossible(good)[number]
    assert np.isfinite(oracle.likelihoods(good)).all()
    for taken in (oracle.likelihoods, oracle.aggregate):
        with pytest.raises(ValueError, match=r"^reports must "):
            taken(wrong)


@EVERY
def test_sets_and_bits_of_nobody_are_still_a_map_of_reports(name):
    mechanism = MECHANISMS[name](1.0, 3)
    if mechanism.map_shows == "share of reports":
        nothing = InclusionCounts(np.zeros((3, 3), dtype=int), 5)
        shown = mechanism.comparable(mechanism.report_map(nothing).values)
        assert not shown.any()
        assert mechanism.estimate(nothing).distribution.sum() == pytest.approx(1.0)
