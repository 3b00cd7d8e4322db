"""What several commands ask for, and the error that says an option is wrong."""

from __future__ import annotations

import argparse

from spatialldp.experiments.comparison import DEFAULT_MECHANISMS
from spatialldp.experiments.plan import Plan
from spatialldp.experiments.sweep import AXES
from spatialldp.mechanisms import MECHANISMS
from spatialldp.planning.study import DEFAULT_REPEATS


class UsageError(Exception):
    """An option, or two of them together, that cannot be meant: one line for whoever typed it."""


def add_plan(parser: argparse.ArgumentParser) -> None:
    """What a plan and its curves consist of, on top of what every run needs to know."""
    parser.add_argument("--mechanism", default="DAM", choices=list(MECHANISMS), help="default: DAM")
    parser.add_argument("--b", type=int, metavar="B", help="radius in cells (default: the best one)")
    parser.add_argument("--users", type=int, metavar="N", help="people who take part (default: everybody)")
    parser.add_argument("--over", default="epsilon", choices=list(AXES), help="what the curves vary (default: epsilon)")
    parser.add_argument(
        "--mechanisms", default=",".join(DEFAULT_MECHANISMS), metavar="A,B,…", help="whose curves, with commas between"
    )
    parser.add_argument("--repeats", type=int, default=DEFAULT_REPEATS, help=f"default: {DEFAULT_REPEATS}")
    parser.add_argument("--reports", type=int, default=1, metavar="K", help="reports of one person (default: 1)")


def plan_of(options: argparse.Namespace) -> Plan:
    """The plan that the options mean. Raises UsageError for one that cannot be run."""
    if options.users is not None and options.users < 1:
        raise UsageError("--users must be at least 1")
    if options.repeats < 2 or options.reports < 1:
        raise UsageError("--repeats must be at least 2 and --reports at least 1")
    plan = Plan(
        options.mechanism,
        options.epsilon,
        options.d,
        options.b,
        options.users,
        not options.same_epsilon,
        options.by,
    )
    try:
        plan.make()
    except ValueError as error:
        raise UsageError(str(error)) from None
    return plan
