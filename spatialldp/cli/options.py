"""Options that several commands share, and what they mean in the library's terms."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spatialldp import _validation as validate
from spatialldp.engines import checked_workers
from spatialldp.experiments import defaults
from spatialldp.experiments.axes import AXES, on_curve
from spatialldp.experiments.land import land_mask
from spatialldp.experiments.map_error import COUNTS, PLACES, PURPOSES
from spatialldp.experiments.plan import Plan
from spatialldp.mechanisms import MECHANISMS
from spatialldp.population import Population
from spatialldp.privacy import MEASURES
from spatialldp.privacy.curve import HIGHEST, LOWEST
from spatialldp.privacy.protection import LOCAL_PRIVACY


class UsageError(Exception):
    """An option, or a combination of options, that makes no sense: one line for whoever typed it."""


#: How a ruler is written on the command line.
_MEASURE_WORDS = {name.replace(" ", "-"): name for name in MEASURES}


def add_common(parser: argparse.ArgumentParser) -> None:
    """What every run needs to know."""
    parser.add_argument("--data", default=defaults.DATA, metavar="ID", help=f"data set (default: {defaults.DATA})")
    parser.add_argument(
        "--epsilon",
        type=float,
        default=defaults.EPSILON,
        metavar="E",
        help=f"privacy budget ε, {LOWEST:g} to {HIGHEST:g}",
    )
    parser.add_argument(
        "--d", type=int, default=defaults.D, metavar="D", help=f"cells per side, 1 to {validate.LARGEST_D:,}"
    )
    parser.add_argument(
        "--bounds",
        type=bounds,
        metavar="W,S,E,N",
        help="the area: west, south, east, north (default: the whole data set)",
    )
    parser.add_argument("--seed", type=int, default=defaults.SEED, metavar="S", help="seed of the random draw")
    parser.add_argument("--json", action="store_true", help="print everything as JSON, for programs")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write to this file instead of printing")


def add_mechanism(parser: argparse.ArgumentParser) -> None:
    """One mechanism and its radius."""
    parser.add_argument(
        "--mechanism",
        default=defaults.MECHANISM,
        choices=list(MECHANISMS),
        help=f"what each device does (default: {defaults.MECHANISM})",
    )
    parser.add_argument(
        "--b",
        type=int,
        metavar="B",
        help="radius in cells, 0 to 2·d, or 100 on small grids (default: the optimum)",
    )


def add_mask(parser: argparse.ArgumentParser, help: str) -> None:
    """What the analyst knows about the city."""
    parser.add_argument("--mask", action="store_true", help=help)


def add_footing(parser: argparse.ArgumentParser) -> None:
    """How Geo-I mechanisms are made comparable."""
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--by",
        type=measure,
        default=LOCAL_PRIVACY,
        metavar="MEASURE",
        help="the ruler by which Geo-I mechanisms protect as much as DAM: "
        f"{', '.join(_MEASURE_WORDS)} (default: local-privacy, as in the paper)",
    )
    how.add_argument(
        "--same-epsilon",
        action="store_true",
        help="run Geo-I mechanisms at this ε per cell, whatever protection that gives",
    )


def add_repeats(parser: argparse.ArgumentParser) -> None:
    """How often everything runs."""
    parser.add_argument(
        "--repeats", type=int, default=defaults.REPEATS, help=f"simulated runs of each (default: {defaults.REPEATS})"
    )


def add_plan(parser: argparse.ArgumentParser, curves: Mapping[str, str] = AXES) -> None:
    """What a plan and its curves consist of, on top of what every run needs to know.

    `curves` is what they can vary, each with what an axis calls it.
    """
    add_mechanism(parser)
    parser.add_argument("--users", type=int, metavar="N", help="people who take part (default: everybody)")
    listed = ", ".join(f"{name} ({words})" for name, words in curves.items())
    parser.add_argument(
        "--over",
        default=defaults.OVER,
        choices=list(curves),
        help=f"what the curves vary: {listed} (default: {defaults.OVER})",
    )
    parser.add_argument(
        "--mechanisms",
        default=",".join(defaults.COMPARED),
        metavar="A,B,…",
        help="mechanisms to draw curves for, separated by commas",
    )
    add_repeats(parser)
    parser.add_argument(
        "--reports",
        type=int,
        default=defaults.REPORTS,
        metavar="K",
        help=f"reports per person (default: {defaults.REPORTS})",
    )
    parser.add_argument(
        "--purpose",
        default=PLACES,
        choices=list(PURPOSES),
        help=f"what the map is for, which decides how its error is measured: {PLACES} (where people are) or {COUNTS} "
        f"(how many are in an area); default: {PLACES}",
    )


def measure(text: str) -> str:
    """The ruler that a word stands for; with a space in place of the hyphen it is understood too."""
    word = text.replace(" ", "-")
    if word not in _MEASURE_WORDS:
        raise argparse.ArgumentTypeError(f"must be one of {', '.join(_MEASURE_WORDS)}, got {text!r}")
    return _MEASURE_WORDS[word]


def bounds(text: str) -> tuple[float, float, float, float]:
    """Four numbers out of "W,S,E,N"."""
    try:
        west, south, east, north = (float(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be four numbers W,S,E,N, got {text!r}") from None
    if not all(map(math.isfinite, (west, south, east, north))):
        raise argparse.ArgumentTypeError(f"must be finite numbers, got {text!r}")
    return west, south, east, north


def mechanism_names(text: str) -> list[str]:
    """The mechanisms of a list separated by commas."""
    names = [name.strip() for name in text.split(",")]
    unknown = [name for name in names if name not in MECHANISMS]
    if unknown:
        raise UsageError(f"there is no mechanism {unknown[0]!r}: choose from {', '.join(MECHANISMS)}")
    return names


def budget(value: float, name: str = "--epsilon") -> float:
    """An ε in the range that the pages and the search for equal protection cover too."""
    if not LOWEST <= value <= HIGHEST:
        raise UsageError(f"{name} must be from {LOWEST:g} to {HIGHEST:g}, got {value:g}")
    return value


def check_numbers(options: argparse.Namespace) -> None:
    """Raise UsageError for the first number that is out of its range, before anything is computed with it."""
    fewest = 2 if "reports" in options else 1  # A curve has intervals.
    checks: dict[str, Callable[[Any], Any]] = {
        "epsilon": budget,
        "d": lambda d: validate.cells_per_side(d, name="--d"),
        "b": lambda b: validate.radius(b, options.d, "--b"),
        "seed": lambda seed: validate.seed(seed, "--seed"),
        "users": lambda users: validate.people("--users", users),
        "repeats": lambda repeats: validate.repeats(repeats, fewest, "--repeats"),
        "reports": lambda reports: validate.reports_per_person(reports, "--reports"),
        "workers": lambda workers: checked_workers(workers, "--workers"),
        "target": lambda target: validate.real_number("--target", target, above=0.0),
    }
    for name, check in checks.items():
        value = getattr(options, name, None)
        if value is not None:
            try:
                check(value)
            except ValueError as error:
                raise UsageError(str(error)) from None


def population_of(options: argparse.Namespace) -> Population:
    """The people the options mean."""
    check_numbers(options)
    return Population.of(options.data, options.d, options.bounds)


def mask_of(options: argparse.Namespace, population: Population) -> NDArray[np.bool_] | None:
    """The cells where somebody may be, if --mask asks for them. Raises UsageError where there is no outline."""
    if not options.mask:
        return None
    mask = land_mask(options.data, population.grid)
    if mask is None:
        raise UsageError(f"--mask must be left out: there is no outline of a city for this area of {options.data}")
    return mask


def plan_of(options: argparse.Namespace) -> Plan:
    """The plan that the options mean. Raises UsageError for one that cannot be run."""
    check_numbers(options)
    try:
        plan = Plan(
            options.mechanism,
            options.epsilon,
            options.d,
            options.b,
            options.users,
            not options.same_epsilon,
            options.by,
        ).check_fits()
        for name in mechanism_names(options.mechanisms):
            on_curve(plan, name).check_fits()
    except ValueError as error:
        raise UsageError(str(error)) from None
    return plan
