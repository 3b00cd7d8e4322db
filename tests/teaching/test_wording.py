"""Shares and factors in sentences."""

import pytest

from spatialldp.teaching.wording import as_many_times, in_percent, people, per_cell


@pytest.mark.parametrize(
    ("share", "decimals", "text"),
    [
        (0.0, 1, "0%"),
        (1.0, 1, "100%"),
        (1 - 1e-15, 0, "100%"),
        (0.9996, 0, "over 99%"),
        (0.9996, 1, "over 99.9%"),
        (0.9947, 0, "99%"),
        (0.146, 0, "15%"),
        (0.146, 1, "14.6%"),
        (0.0123, 1, "1.2%"),
        (0.00123, 1, "0.12%"),
        (0.000717, 1, "0.072%"),
        (0.000717, 2, "0.072%"),
        (0.0044444, 2, "0.44%"),
    ],
)
def test_a_share_keeps_two_digits_and_is_never_rounded_up_to_all(share, decimals, text):
    assert in_percent(share, decimals) == text


@pytest.mark.parametrize(
    ("factor", "text"),
    [(219.4, "220"), (812.0, "810"), (5.72, "5.7"), (1.004, "1"), (0.26, "0.26"), (0.05, "1/20"), (0.0012, "1/830")],
)
def test_a_factor_is_never_written_with_an_exponent(factor, text):
    assert as_many_times(factor) == text


def test_one_person_is_not_people():
    assert (people(1), people(2), people(261552)) == ("1 person", "2 people", "261,552 people")


def test_a_budget_has_four_digits():
    assert (per_cell(0.690406), per_cell(3.0)) == ("0.6904 per cell", "3 per cell")
