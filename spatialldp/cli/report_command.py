"""`python -m spatialldp sweep …` and `report …`: what the Trade-off page shows, on the command line."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from spatialldp.cli.run_command import add_common, add_footing, mechanism_names, population_of, write
from spatialldp.datasets import DataError, dataset
from spatialldp.experiments.comparison import DEFAULT_MECHANISMS
from spatialldp.experiments.plan import Plan
from spatialldp.experiments.sweep import AXES, Point, curve_names, sweep, to_csv
from spatialldp.mechanisms import MECHANISMS
from spatialldp.planning.study import DEFAULT_REPEATS, Question, Study, population_on_any_grid, read_pinned, study


def add_parser(commands: Any) -> None:
    """Add the sub-commands `sweep` and `report`."""
    sweeping = commands.add_parser("sweep", help="curves of error and risk over ε, d, b or the number of people")
    _add_plan(sweeping)
    sweeping.add_argument("--values", metavar="X,Y,…", help="where to measure (default: a dozen useful places)")
    sweeping.set_defaults(run=_sweep)
    reporting = commands.add_parser("report", help="one HTML file with maps, curves, risks and a recommendation")
    _add_plan(reporting)
    reporting.add_argument("--target", type=float, metavar="M", help="an accepted error in metres: find the ε for it")
    reporting.add_argument("--pinned", metavar="NAME,E,D,B,N", help="a second scenario (B and N may be empty)")
    reporting.set_defaults(run=_report)


def _add_plan(parser: argparse.ArgumentParser) -> None:
    add_common(parser)
    parser.add_argument("--mechanism", default="DAM", choices=list(MECHANISMS), help="default: DAM")
    parser.add_argument("--b", type=int, metavar="B", help="radius in cells (default: the best one)")
    parser.add_argument("--users", type=int, metavar="N", help="people who take part (default: everybody)")
    parser.add_argument("--over", default="epsilon", choices=list(AXES), help="what the curves vary (default: epsilon)")
    parser.add_argument(
        "--mechanisms", default=",".join(DEFAULT_MECHANISMS), metavar="A,B,…", help="whose curves, with commas between"
    )
    parser.add_argument("--repeats", type=int, default=DEFAULT_REPEATS, help=f"default: {DEFAULT_REPEATS}")
    parser.add_argument("--reports", type=int, default=1, metavar="K", help="reports of one person (default: 1)")
    add_footing(parser)


def _plan(options: argparse.Namespace) -> Plan:
    population_of(options)  # says what is wrong with the data or the box
    plan = Plan(
        options.mechanism,
        options.epsilon,
        options.d,
        options.b,
        options.users,
        not options.same_epsilon,
        options.by,
    )
    if options.users is not None and options.users < 1:
        raise DataError("--users must be at least 1")
    if options.repeats < 2 or options.reports < 1:
        raise DataError("--repeats must be at least 2 and --reports at least 1")
    try:
        plan.make()
    except ValueError as error:
        raise DataError(str(error)) from None
    return plan


def _sweep(options: argparse.Namespace) -> int:
    plan, names = _plan(options), mechanism_names(options.mechanisms)
    if not curve_names(options.over, names):
        raise DataError("none of these mechanisms has a radius to vary: choose DAM, DAM-NS or HUEM")
    entry, points = dataset(options.data), list[Point]()
    try:
        values = None if options.values is None else [float(value) for value in options.values.split(",")]
        for found in sweep(
            population_on_any_grid(entry, entry.load(), options.bounds),
            plan,
            options.over,
            names,
            values=values,
            seed=options.seed,
            repeats=options.repeats,
            reports=options.reports,
        ):
            points.append(found)
            print(_line(found), file=sys.stderr, flush=True)
    except ValueError as error:
        raise DataError(f"--values or another setting is wrong: {error}") from None
    text = to_csv(points).decode().rstrip("\n")
    if options.json:
        head, *rows = (line.split(",") for line in text.splitlines())
        text = json.dumps([dict(zip(head, row, strict=True)) for row in rows])
    return write(text, options.output)


def _line(entry: Point) -> str:
    error = entry.error
    return (
        f"{entry.mechanism:<15} {entry.over} = {entry.value:<8g} W2 = {error.transport:,.4g} ± {error.half_width:,.3g} "
        f"{error.unit}, right cell named {entry.risk.hit_rate:.1%}"
        + (f", protects more than asked ({error.plan.by} jumps past it)" if error.jumped else "")
    )


def _report(options: argparse.Namespace) -> int:
    # Imported here: charts need a program of their own, which the other commands do without.
    from spatialldp.report.html import report_html

    if options.json:
        raise DataError("a report is HTML: leave out --json, or use sweep --json for the numbers")
    plan = _plan(options)
    if options.target is not None and not 0 < options.target < float("inf"):
        raise DataError("--target must be a length above 0")
    try:
        pinned = None if options.pinned is None else read_pinned(options.pinned, plan.calibrated, plan.by)
    except (ValueError, KeyError):
        raise DataError(
            f"--pinned must be mechanism,ε,d,b,people (b and people may be empty), got {options.pinned!r}"
        ) from None
    names = tuple(mechanism_names(options.mechanisms))
    question = Question(
        options.data,
        plan,
        options.bounds,
        options.seed,
        options.repeats,
        options.reports,
        options.over,
        names,
        options.target,
        pinned,
    )
    found: Study | None = None
    for step in study(question):
        if isinstance(step, Study):
            found = step
        else:
            print(f"\r{step:<70}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    assert found is not None
    return write(report_html(found).rstrip("\n"), options.output)
