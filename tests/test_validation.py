"""The checks that every public call makes: what they let through, and how they say no."""

import re
import tracemalloc

import numpy as np
import pytest

from spatialldp import _validation as validate


def said(check, *arguments, **keywords) -> str:
    with pytest.raises(ValueError, match=r"must|would") as caught:
        check(*arguments, **keywords)
    return str(caught.value)


def test_an_error_quotes_what_it_was_given_in_a_few_words():
    assert validate.shown(3) == "3"
    assert validate.shown("text") == "'text'"
    assert len(validate.shown(list(range(10_000)))) < 80
    # Python refuses to write out more than 4,300 digits.
    assert validate.shown(10**5000) == "a number of thousands of digits"
    assert said(validate.whole_number, "d", 10**5000, 1, 5).endswith("got a number of thousands of digits")


@pytest.mark.parametrize("value", [True, np.True_, 2.0, "2", None, [2], float("nan"), 1j])
def test_what_is_not_a_whole_number_is_none(value):
    assert said(validate.whole_number, "d", value, 1).startswith("d must be a whole number ≥ 1, got ")


@pytest.mark.parametrize("value", [True, False, None, "x", [1.0], np.array([1.0]), 10**400, 1j, float("nan"), -1.0, 0])
def test_what_is_not_a_number_above_zero_is_none(value):
    assert said(validate.real_number, "tolerance", value, above=0.0).startswith("tolerance must be a finite number")


def test_a_number_is_let_through_at_its_limits_and_not_beyond():
    assert validate.limited("users", 7, 1, 7, "fewer") == 7
    assert said(validate.limited, "users", 8, 1, 7, "fewer") == "users must be at most 7, got 8: fewer"
    assert validate.cells_per_side(1_024) == 1_024
    assert said(validate.cells_per_side, 1_025) == "d must be at most 1,024, got 1025: choose a coarser grid"
    assert (
        said(validate.cells_per_side, 31, 30, " for X") == "d must be at most 30, got 31: choose a coarser grid for X"
    )
    # No mechanism can allow more than a grid does.
    assert said(validate.cells_per_side, 5_000, 10_000).startswith("d must be at most 1,024")


@pytest.mark.parametrize(("d", "largest"), [(1, 100), (50, 100), (51, 102), (256, 512)])
def test_a_radius_is_at_most_twice_the_map_or_a_hundred_on_small_maps(d, largest):
    assert validate.radius(largest, d) == largest
    assert said(validate.radius, largest + 1, d).startswith(f"b must be at most {largest:,}, got {largest + 1}: a disk")


def test_an_epsilon_is_above_zero_and_at_most_a_hundred_and_for_doubles_at_least_1e_12():
    assert validate.privacy_budget(5e-324) == 5e-324
    assert validate.privacy_budget(100) == 100.0
    for value in (0, -1, 100.1, 800, 1e308, 10**400, float("nan"), float("inf"), True):
        assert said(validate.privacy_budget, value).startswith("epsilon must be a number ≤ 100 and > 0, got ")
    validate.enough_for_doubles(1e-12)
    assert said(validate.enough_for_doubles, 9e-13).startswith("epsilon must be at least 1e-12 for this, got 9e-13")


@pytest.mark.parametrize("value", [["DAM"], np.array(["DAM"]), None, 3, "dam"])
def test_a_word_is_one_of_the_list(value):
    assert said(validate.one_of, "mechanism", value, ("DAM",)).startswith("mechanism must be one of 'DAM', got ")


def test_an_array_beyond_two_gigabytes_is_refused_without_being_made():
    tracemalloc.start()
    try:
        found = said(validate.fits_in_memory, "reports", 10**12, 8, "ask for fewer")
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    assert found == "reports would take 7,451 GB, and at most 2 GB are allowed: ask for fewer"
    validate.fits_in_memory("reports", 2**28, 8, "ask for fewer")


TOO_MANY = [
    np.full((2, 2), 10**18),
    np.full((2, 2), 2**52),
    np.array([[2**53, 1], [0, 0]]),
    np.array([[2**63, 0], [0, 0]], dtype=np.uint64),
    np.full((2, 2), 2**64 - 1, dtype=np.uint64),
    np.array([[1e19, 0], [0, 0]]),
    np.array([[2.0**53, 2.0], [0, 0]]),
    [[2**70, 0], [0, 0]],
    [[10**400, 0], [0, 0]],
    [[1e308, 1e308], [1e308, 1e308]],
]


@pytest.mark.parametrize("counts", TOO_MANY, ids=str)
def test_more_people_than_can_be_counted_are_refused(counts):
    said(validate.whole_counts, "counts", counts, (2, 2))


def test_the_most_people_are_counted_to_the_last_one():
    counts = [[2**53 - 6, 1], [2, 3]]
    np.testing.assert_array_equal(validate.whole_counts("counts", counts, (2, 2)), counts)
    counts[1][1] += 1
    assert said(validate.whole_counts, "counts", counts, (2, 2)).startswith(
        "counts must add up to at most 9,007,199,254,740,992, got 9.007e+15"
    )
    # One report may be counted in many cells.
    np.testing.assert_array_equal(validate.whole_counts("counts", counts, (2, 2), of_sets=True), counts)


def test_a_sum_beyond_an_int64_is_exact():
    counts = np.full(1_000, 2**63 - 1)
    assert validate.exact_total(counts) == 1_000 * (2**63 - 1)


def test_people_at_points_may_fill_an_int64_and_no_more():
    assert validate.people_per_point("weights", [2**62, 2**62 - 1], 2).sum() == 2**63 - 1
    assert said(validate.people_per_point, "weights", [2**62, 2**62], 2).startswith("weights must add up to at most")
    assert said(validate.people_per_point, "weights", np.array([2**63], dtype=np.uint64), 1)


def test_shares_of_a_total_beyond_any_double():
    np.testing.assert_allclose(validate.shares(np.array([1e308, 1e308, 2e307])), [10 / 22, 10 / 22, 2 / 22])
    np.testing.assert_array_equal(validate.shares(np.array([1.0, 3.0])), [0.25, 0.75])


@pytest.mark.parametrize(
    "rows",
    [[[0, 1], [2]], [[0.0, 1.0]], [[0]], [0, 1], [[["a", "b"]]], None, np.array([[2**63, 0]], dtype=np.uint64)],
    ids=str,
)
def test_rows_of_reports_are_whole_numbers_of_one_width(rows):
    assert said(validate.whole_rows, rows, (2,), "DAM").startswith("reports must be ")


@validate.takes(place=str, number=(int, type(None)), names=[str], work=validate.A_FUNCTION)
def described(place, number=None, names=(), *, work=abs):
    """What it was given."""
    return place, number, list(names), work


def test_arguments_of_the_right_kinds_reach_the_function():
    assert described("here") == ("here", None, [], abs)
    assert described("here", 3, ("a", "b"), work=len) == ("here", 3, ["a", "b"], len)
    assert described(place="here", names=iter("ab")) == ("here", None, ["a", "b"], abs)
    assert described("here", None, np.array(["a"])) == ("here", None, ["a"], abs)
    assert described.__doc__ == "What it was given."


@pytest.mark.parametrize(
    ("given", "named", "message"),
    [
        ((3,), {}, "place must be a text, got 3"),
        (("here", "x"), {}, "number must be an object of int or None, got 'x'"),
        (("here",), {"number": 0.5}, "number must be an object of int or None, got 0.5"),
        (("here", 1, "ab"), {}, "names must be a sequence with a text in each place, got 'ab'"),
        (("here", 1, np.array(3)), {}, "names must be a sequence with a text in each place, got array(3)"),
        (("here", 1, ["a", None]), {}, "names must be a sequence with a text in each place, got None"),
        (("here",), {"work": 3}, "work must be a function, got 3"),
    ],
)
def test_an_argument_of_another_kind_is_named_with_what_was_expected(given, named, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        described(*given, **named)
