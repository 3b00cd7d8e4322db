"""Options that several commands share."""

import argparse
from collections.abc import Mapping

import pytest

from spatialldp.cli.options import (
    UsageError,
    add_common,
    add_footing,
    add_plan,
    bounds,
    mechanism_names,
    plan_of,
    population_of,
)
from spatialldp.datasets import DataError
from spatialldp.experiments.axes import AXES
from spatialldp.experiments.plan import Plan


def options(*arguments: str, curves: Mapping[str, str] = AXES) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_common(parser)
    add_plan(parser, curves)
    add_footing(parser)
    return parser.parse_args(arguments)


def test_a_plan_out_of_options():
    assert plan_of(options()) == Plan()
    given = options(
        "--mechanism", "HUEM", "--epsilon", "2", "--d", "7", "--b", "1", "--users", "50", "--by", "hit-rate"
    )
    assert plan_of(given) == Plan("HUEM", 2.0, 7, 1, 50, True, "hit rate")
    assert not plan_of(options("--same-epsilon")).calibrated


def test_what_a_map_is_for_and_what_curves_vary_are_chosen_from_a_list(capsys):
    assert (options().purpose, options().over) == ("places", "epsilon")
    assert options("--purpose", "counts").purpose == "counts"
    assert options("--over", "moods", curves={"moods": "moods of people"}).over == "moods"
    for wrong in (["--purpose", "lunch"], ["--over", "moods"]):
        with pytest.raises(SystemExit):
            options(*wrong)
        assert f"argument {wrong[0]}: invalid choice: '{wrong[1]}'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--users", "0"], "--users must be a whole number ≥ 1, got 0"),
        (["--repeats", "1"], "--repeats must be a whole number ≥ 2, got 1"),
        (["--reports", "0"], "--reports must be a whole number ≥ 1, got 0"),
        (["--epsilon", "-1"], "--epsilon must be from 0.001 to 50, got -1"),
        (["--b", "-1"], "b must be"),
    ],
)
def test_a_senseless_option_is_a_usage_error_and_not_a_data_error(arguments, said):
    with pytest.raises(UsageError, match=said) as caught:
        plan_of(options(*arguments))
    assert not isinstance(caught.value, DataError)


def test_an_empty_box_is_a_data_error():
    with pytest.raises(DataError, match="nobody"):
        population_of(options("--bounds=-123.5,37,-123.4,37.1"))
    with pytest.raises(UsageError, match="--d must be a whole number ≥ 1, got 0"):
        population_of(options("--d", "0"))
    assert population_of(options("--data", "new-haven", "--d", "3")).users == 3293


def test_mechanism_names_and_bounds_are_parsed_or_refused():
    assert mechanism_names("DAM, Planar Laplace") == ["DAM", "Planar Laplace"]
    with pytest.raises(UsageError, match="'XYZ': choose from DAM"):
        mechanism_names("DAM,XYZ")
    assert bounds("1,2,3.5,-4") == (1.0, 2.0, 3.5, -4.0)
    for text in ("1,2,3", "1,2,3,x", "1,2,3,inf"):
        with pytest.raises(argparse.ArgumentTypeError):
            bounds(text)
