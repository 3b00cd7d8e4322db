"""`python -m spatialldp sweep …`: the curves of the Trade-off page, on the command line."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from spatialldp.cli.options import (
    UsageError,
    add_common,
    add_footing,
    add_plan,
    budget,
    mechanism_names,
    plan_of,
    population_of,
)
from spatialldp.cli.output import write
from spatialldp.datasets import dataset
from spatialldp.experiments.axes import checked_value, curve_names
from spatialldp.experiments.map_error import COUNTS
from spatialldp.experiments.plan import Plan
from spatialldp.experiments.sweep import Point, row, sweep, to_csv
from spatialldp.mechanisms import MECHANISMS
from spatialldp.planning.study import population_on_any_grid


def add_parser(commands: Any) -> None:
    """Add the sub-command `sweep`."""
    parser = commands.add_parser(
        "sweep", help="compute curves of the map's error and of risk over ε, d, b or the number of people"
    )
    add_common(parser)
    add_plan(parser)
    add_footing(parser)
    parser.add_argument("--values", metavar="X,Y,…", help="where to measure (default: a dozen useful values)")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="number of processes (default: 1)")
    parser.set_defaults(run=_sweep)


def _sweep(options: argparse.Namespace) -> int:
    population_of(options)  # says what is wrong with the data or the box
    plan, names = plan_of(options), mechanism_names(options.mechanisms)
    if not curve_names(options.over, names):
        others = ", ".join(curve_names(options.over, list(MECHANISMS)))
        raise UsageError(f"none of these mechanisms has a radius to vary: choose from {others}")
    values = None if options.values is None else _values(options, plan)
    entry, points = dataset(options.data), list[Point]()
    for found in sweep(
        population_on_any_grid(entry, entry.load(), options.bounds),
        plan,
        options.over,
        names,
        values=values,
        seed=options.seed,
        repeats=options.repeats,
        reports=options.reports,
        purpose=options.purpose,
        workers=options.workers,
    ):
        points.append(found)
        print(_line(found), file=sys.stderr, flush=True)
    if options.json:
        return write(json.dumps([row(entry)._asdict() for entry in points]), options.output)
    return write(to_csv(points).decode().rstrip("\n"), options.output)


def _values(options: argparse.Namespace, plan: Plan) -> list[float]:
    try:
        values = [float(part) for part in options.values.split(",")]
    except ValueError:
        raise UsageError(f"--values must be numbers separated by commas, got {options.values!r}") from None
    for value in values:
        if options.over == "epsilon":
            budget(value, "epsilon of --values")
        else:
            try:
                checked_value(options.over, value, plan.d)
            except ValueError as error:
                raise UsageError(f"--values is wrong: {error}") from None
    return values


def _line(entry: Point) -> str:
    error = entry.error
    what = "error of counts" if error.purpose == COUNTS else "error of the map"
    return (
        f"{entry.mechanism:<15} {entry.over} = {entry.value:<8g} {what} = {error.mean:,.4g} ± {error.half_width:,.3g} "
        f"{error.unit}, right cell named {entry.risk.hit_rate:.1%}"
        + (f", protects more than asked ({error.plan.by} jumps past it)" if error.jumped else "")
    )
