"""`python -m spatialldp sweep …` and `report …`: what the Trade-off page shows, on the command line."""

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
    mechanism_names,
    plan_of,
    population_of,
)
from spatialldp.cli.output import StatusLine, write
from spatialldp.datasets import dataset
from spatialldp.experiments.sweep import Point, curve_names, sweep, to_csv
from spatialldp.planning.question import Question, read_pinned
from spatialldp.planning.study import Study, population_on_any_grid, study


def add_parser(commands: Any) -> None:
    """Add the sub-commands `sweep` and `report`."""
    sweeping = commands.add_parser("sweep", help="curves of error and risk over ε, d, b or the number of people")
    add_common(sweeping)
    add_plan(sweeping)
    add_footing(sweeping)
    sweeping.add_argument("--values", metavar="X,Y,…", help="where to measure (default: a dozen useful places)")
    sweeping.set_defaults(run=_sweep)
    reporting = commands.add_parser(
        "report", help="a printable report in HTML: maps, curves, risks and a recommendation"
    )
    add_common(reporting)
    add_plan(reporting)
    add_footing(reporting)
    reporting.add_argument("--target", type=float, metavar="M", help="an accepted error in metres: find the ε for it")
    reporting.add_argument("--pinned", metavar="NAME,E,D,B,N", help="a second scenario (B and N may be empty)")
    reporting.set_defaults(run=_report)


def _sweep(options: argparse.Namespace) -> int:
    population_of(options)  # says what is wrong with the data or the box
    plan, names = plan_of(options), mechanism_names(options.mechanisms)
    if not curve_names(options.over, names):
        raise UsageError("none of these mechanisms has a radius to vary: choose DAM, DAM-NS or HUEM")
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
        raise UsageError(f"--values or another setting is wrong: {error}") from None
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
    from spatialldp.report.html import printable_report

    if options.json:
        raise UsageError("a printable report is HTML: leave out --json, or use sweep --json for the numbers")
    population_of(options)  # says what is wrong with the data or the box
    plan = plan_of(options)
    if options.target is not None and not 0 < options.target < float("inf"):
        raise UsageError("--target must be a length above 0")
    try:
        pinned = None if options.pinned is None else read_pinned(options.pinned, plan.calibrated, plan.by)
    except (ValueError, KeyError):
        raise UsageError(
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
    line = StatusLine()
    for step in study(question):
        if isinstance(step, Study):
            found = step
        else:
            line.show(step)
    line.end()
    assert found is not None
    return write(printable_report(found).rstrip("\n"), options.output)
