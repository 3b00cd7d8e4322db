"""`python -m spatialldp teach …`: worksheets of the lesson, their key, and its notebook."""

from __future__ import annotations

import argparse
import math
from typing import Any

from spatialldp import _validation as validate
from spatialldp.cli.options import UsageError, add_common, add_repeats, population_of
from spatialldp.cli.output import write

WORKSHEET, KEY, NOTEBOOK = "worksheet", "key", "notebook"
#: How many steps the lesson has; it is imported only where it is made, because its pictures need Pillow.
_STEPS = 6


def add_parser(commands: Any) -> None:
    """Add the sub-command `teach`."""
    parser = commands.add_parser("teach", help="worksheets of the lesson, their key, or the lesson as a notebook")
    parser.add_argument(
        "kind",
        choices=(WORKSHEET, KEY, NOTEBOOK),
        help="what to make: sheets to print (HTML), the same with answers, or a Jupyter notebook of the whole lesson",
    )
    add_common(parser)
    add_repeats(parser)
    parser.add_argument("--step", type=int, metavar="N", help=f"one step of sheets, 1 to {_STEPS} (default: all)")
    parser.add_argument(
        "--at", type=place, metavar="X,Y", help="where the person is (default: the first place of the data set)"
    )
    parser.add_argument("--prior", action="store_true", help="the attacker knows where people live")
    parser.set_defaults(run=_teach)


def place(text: str) -> tuple[float, float]:
    """Two numbers out of "X,Y"."""
    try:
        x, y = (float(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be two numbers X,Y, got {text!r}") from None
    if not (math.isfinite(x) and math.isfinite(y)):
        raise argparse.ArgumentTypeError(f"must be finite numbers, got {text!r}")
    return x, y


def _teach(options: argparse.Namespace) -> int:
    if options.json:
        raise UsageError("a lesson is for people: leave out --json")
    if options.step is not None:
        if options.kind == NOTEBOOK:
            raise UsageError("a notebook holds all steps: leave out --step")
        try:
            validate.whole_number("--step", options.step, 1, _STEPS)
        except ValueError as error:
            raise UsageError(str(error)) from None
    population_of(options)  # says what is wrong with a number, the data or the box
    # Imported here: pictures need programs of their own, which the other commands do without.
    from spatialldp.teaching import Findings, Scene, notebook, worksheet
    from spatialldp.teaching.texts import STEPS

    scene = Scene.of(options.data, options.epsilon, options.d, options.bounds, options.at, options.seed, options.prior)
    if options.kind == NOTEBOOK:
        return write(notebook(scene, options.repeats), options.output)
    steps = range(1, STEPS + 1) if options.step is None else [options.step]
    sheets = worksheet(Findings(scene, options.repeats), steps, key=options.kind == KEY)
    return write(sheets.rstrip("\n"), options.output)
