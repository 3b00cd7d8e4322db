"""`python -m spatialldp report …`: what the Trade-off page shows, as a printable report."""

from __future__ import annotations

import argparse
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
from spatialldp.cli.output import StatusLine, write
from spatialldp.planning.question import Question, read_pinned
from spatialldp.planning.study import Study, study


def add_parser(commands: Any) -> None:
    """Add the sub-command `report`."""
    parser = commands.add_parser("report", help="a printable report in HTML: maps, curves, risks and a recommendation")
    add_common(parser)
    add_plan(parser)
    add_footing(parser)
    parser.add_argument(
        "--target", type=float, metavar="M", help="accepted error in metres: find the smallest ε for it"
    )
    parser.add_argument("--pinned", metavar="NAME,E,D,B,N", help="a second scenario (B and N may be empty)")
    parser.set_defaults(run=_report)


def _report(options: argparse.Namespace) -> int:
    # Imported here: charts need a program of their own, which the other commands do without.
    from spatialldp.report.html import printable_report

    if options.json:
        raise UsageError("a printable report is HTML: leave out --json, or use sweep --json for the numbers")
    population_of(options)  # says what is wrong with the data or the box
    plan = plan_of(options)
    try:
        pinned = None if options.pinned is None else read_pinned(options.pinned, plan.calibrated, plan.by)
    except ValueError as error:
        raise UsageError(
            f"--pinned must be mechanism,ε,d,b,people (b and people may be empty), got {options.pinned!r}: {error}"
        ) from None
    if pinned is not None:
        budget(pinned.epsilon, "ε of --pinned")
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
    try:
        for step in study(question):
            if isinstance(step, Study):
                found = step
            else:
                line.show(step)
    finally:
        line.end()
    assert found is not None
    return write(printable_report(found).rstrip("\n"), options.output)
