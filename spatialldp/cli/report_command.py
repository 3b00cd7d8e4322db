"""`python -m spatialldp report …`: what the Trade-off page shows, as a printable report."""

from __future__ import annotations

import argparse
from typing import Any

from spatialldp import engines
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
from spatialldp.experiments.plan import Plan
from spatialldp.planning.question import (
    CURVES,
    DECIDED_FOR,
    MOST_SCENARIOS,
    PRESENT,
    RECOMMENDED,
    Question,
    Scenario,
    read_scenario,
)
from spatialldp.planning.study import Study, study


def add_parser(commands: Any) -> None:
    """Add the sub-command `report`."""
    parser = commands.add_parser(
        "report", help="write a printable report in HTML: maps, curves, risks and a recommendation"
    )
    add_common(parser)
    add_plan(parser, CURVES)
    add_footing(parser)
    parser.add_argument(
        "--target",
        type=float,
        metavar="M",
        help="accepted error in metres (or the map's own unit), or in people per 1,000 with --purpose counts: find the "
        "smallest ε that meets it",
    )
    parser.add_argument(
        "--for",
        dest="decided_for",
        choices=list(DECIDED_FOR),
        help="the plan that maps, tables and curves are about: the recommended one, or the present one as set by "
        f"--epsilon and --d (default: {RECOMMENDED} with --target, otherwise {PRESENT})",
    )
    parser.add_argument(
        "--scenario",
        action="append",
        default=[],
        metavar="NAME=MECHANISM,E,D,B,N",
        help=f"another plan to compare with (B and N may be empty); up to {MOST_SCENARIOS}",
    )
    parser.add_argument("--pinned", metavar="MECHANISM,E,D,B,N", help="the same for one scenario, called A")
    parser.add_argument("--workers", type=int, metavar="N", help="number of processes (default: one per core)")
    parser.set_defaults(run=_report)


def _report(options: argparse.Namespace) -> int:
    # Imported here: charts need a program of their own, which the other commands do without.
    from spatialldp.report.html import printable_report

    if options.json:
        raise UsageError("a printable report is HTML: leave out --json, or use sweep --json for the numbers")
    population_of(options)  # says what is wrong with the data or the box
    plan = plan_of(options)
    question = Question(
        options.data,
        plan,
        options.bounds,
        options.seed,
        options.repeats,
        options.reports,
        options.over,
        tuple(mechanism_names(options.mechanisms)),
        options.target,
        _scenarios(options, plan),
        options.purpose,
        options.decided_for or (PRESENT if options.target is None else RECOMMENDED),
    )
    found: Study | None = None
    line = StatusLine()
    try:
        for step in study(question, engines.available_cores() if options.workers is None else options.workers):
            if isinstance(step, Study):
                found = step
            else:
                line.show(step)
    finally:
        line.end()
    assert found is not None
    return write(printable_report(found).rstrip("\n"), options.output)


def _scenarios(options: argparse.Namespace, plan: Plan) -> tuple[Scenario, ...]:
    """The plans to compare with, each under a name of its own."""
    form = "mechanism,ε,d,b,people (b and people may be empty)"
    given = [("--pinned", form, options.pinned, f"A={options.pinned}")] if options.pinned is not None else []
    given += [("--scenario", f"name={form}", text, text) for text in options.scenario]
    if len(given) > MOST_SCENARIOS:
        raise UsageError(f"--scenario can be given at most {MOST_SCENARIOS} times, --pinned included, got {len(given)}")
    found: dict[str, Scenario] = {}
    for option, form, text, whole in given:
        try:
            scenario = read_scenario(whole, plan.calibrated, plan.by)
        except ValueError as error:
            raise UsageError(f"{option} must be {form}, got {text!r}: {error}") from None
        budget(scenario.plan.epsilon, f"ε of {option}")
        if scenario.name in found:
            raise UsageError(f"{option} must give every scenario a different name, got {scenario.name!r} twice")
        found[scenario.name] = scenario
    return tuple(found.values())
