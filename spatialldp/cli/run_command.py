"""`python -m spatialldp run …` and `compare …`: what the pages show, on the command line."""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path
from typing import Any

from spatialldp.cli.options import UsageError
from spatialldp.datasets import DEFAULT_DATASET
from spatialldp.experiments import comparison_sentences
from spatialldp.experiments.comparison import DEFAULT_MECHANISMS, DEFAULT_REPEATS, Score, best, compare
from spatialldp.experiments.run import make_mechanism, simulate
from spatialldp.mechanisms import MECHANISMS
from spatialldp.population import Population
from spatialldp.privacy import MEASURES
from spatialldp.privacy.protection import LOCAL_PRIVACY

DEFAULT_EPSILON, DEFAULT_D, DEFAULT_SEED = 3.5, 15, 1


def add_parser(commands: Any) -> None:
    """Add the sub-commands `run` and `compare`."""
    running = commands.add_parser("run", help="randomise a population, recover its map and measure the error")
    add_common(running)
    running.add_argument("--mechanism", default="DAM", choices=list(MECHANISMS), help="default: DAM")
    running.add_argument("--b", type=int, metavar="B", help="radius in cells (default: the best one)")
    running.set_defaults(run=_run)
    comparing = commands.add_parser("compare", help="several mechanisms on the same people, best marked")
    add_common(comparing)
    comparing.add_argument(
        "--mechanisms",
        default=",".join(DEFAULT_MECHANISMS),
        metavar="A,B,…",
        help=f"names with commas between (default: {','.join(DEFAULT_MECHANISMS)})",
    )
    comparing.add_argument("--repeats", type=int, default=DEFAULT_REPEATS, help=f"default: {DEFAULT_REPEATS}")
    add_footing(comparing)
    comparing.set_defaults(run=_compare)


def add_common(parser: argparse.ArgumentParser) -> None:
    """What every run needs to know."""
    parser.add_argument("--data", default=DEFAULT_DATASET, metavar="ID", help=f"default: {DEFAULT_DATASET}")
    parser.add_argument("--epsilon", type=float, default=DEFAULT_EPSILON, metavar="E", help="privacy budget ε")
    parser.add_argument("--d", type=int, default=DEFAULT_D, metavar="D", help="cells per side")
    parser.add_argument("--bounds", type=bounds, metavar="W,S,E,N", help="a box (default: all of the data set)")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED, metavar="S", help="of the random draw")
    parser.add_argument("--json", action="store_true", help="print everything, for programs")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write there instead of printing")


def add_footing(parser: argparse.ArgumentParser) -> None:
    """How Geo-I mechanisms are made comparable."""
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--by",
        type=lambda text: text.replace("-", " "),
        default=LOCAL_PRIVACY,
        choices=list(MEASURES),
        metavar="MEASURE",
        help="what Geo-I mechanisms have in common with DAM: "
        f"{', '.join(name.replace(' ', '-') for name in MEASURES)} (default: local-privacy, as in the paper)",
    )
    how.add_argument(
        "--same-epsilon",
        action="store_true",
        help="run Geo-I mechanisms at this ε per cell, however much that protects",
    )


def bounds(text: str) -> tuple[float, float, float, float]:
    """Four numbers out of "W,S,E,N"."""
    try:
        west, south, east, north = (float(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be four numbers W,S,E,N, got {text!r}") from None
    if not all(map(math.isfinite, (west, south, east, north))):
        raise argparse.ArgumentTypeError(f"must be finite numbers, got {text!r}")
    return west, south, east, north


def population_of(options: argparse.Namespace) -> Population:
    """The people the options mean."""
    if options.d < 1 or options.seed < 0:
        raise UsageError("--d must be at least 1 and --seed at least 0")
    return Population.of(options.data, options.d, options.bounds)


def _run(options: argparse.Namespace) -> int:
    population = population_of(options)
    try:
        mechanism = make_mechanism(options.mechanism, options.epsilon, options.d, options.b)
    except ValueError as error:
        raise UsageError(str(error)) from None
    result = simulate(population.counts, mechanism, options.seed)
    estimate, side = result.estimate, population.grid.cell_size_m
    metres = None if side is None else result.w2_cells * side
    if options.json:
        text = json.dumps(
            {
                "data": options.data,
                "bounds": options.bounds,
                "mechanism": options.mechanism,
                "epsilon": mechanism.epsilon,
                "d": options.d,
                "b": getattr(mechanism, "b", None),
                "seed": options.seed,
                "users": population.users,
                "w2_cells": result.w2_cells,
                "w2_metres": metres,
                "iterations": estimate.iterations,
                "converged": estimate.converged,
                "stopping": estimate.stopping,
                "distribution": estimate.distribution.tolist(),
                "seconds": result.seconds,
            }
        )
    else:
        length = "" if metres is None else f" = {metres:,.0f} m"
        text = (
            f"{mechanism!r} on {options.data}, seed {options.seed}\n{population.note}\n"
            f"W2 = {result.w2_cells:.4f} cells{length} after {estimate.iterations} steps "
            f"({estimate.stopping}{'' if estimate.converged else ', not converged'}), {result.seconds:.2f} s"
        )
    return write(text, options.output)


def _compare(options: argparse.Namespace) -> int:
    population = population_of(options)
    names = mechanism_names(options.mechanisms)
    side = population.grid.cell_size_m
    scores: list[Score] = []
    try:
        for entry in compare(
            population.counts,
            names,
            options.epsilon,
            options.seed,
            options.repeats,
            not options.same_epsilon,
            options.by,
        ):
            scores.append(entry)
            if not options.json and options.output is None:
                print(_lines(entry, side), flush=True)
    except ValueError as error:
        raise UsageError(str(error)) from None
    if options.json:
        text = json.dumps(
            {
                "data": options.data,
                "users": population.users,
                "epsilon": options.epsilon,
                "d": options.d,
                "seed": options.seed,
                "equal_by": None if options.same_epsilon else options.by,
                "best": best(scores),
                "scores": [_row(entry, side) for entry in scores],
            }
        )
        return write(text, options.output)
    summary = [comparison_sentences.jump_sentence(entry, options.by) for entry in scores]
    summary += [
        comparison_sentences.winner_sentence(scores, side),
        f"best: {best(scores) or 'depends on the side of the jump'}",
    ]
    if options.output is not None:
        summary = [*(_lines(entry, side) for entry in scores), *summary]
    return write("\n".join(line for line in summary if line), options.output)


def _row(entry: Score, side: float | None) -> dict[str, Any]:
    """A score for programs; `beyond` is the row of the other side of a jump, or None."""
    hidden = entry.protection
    return {
        "mechanism": entry.name,
        "epsilon": entry.epsilon,
        "w2_cells": entry.mean,
        "half_width_cells": entry.half_width,
        "w2_metres": None if side is None else entry.mean * side,
        "repeats": entry.w2_cells.tolist(),
        "local_privacy_cells": hidden.local_privacy.value,
        "best_guess_distance_cells": hidden.guess_distance.value,
        "hit_rate": hidden.hit_rate.value,
        "credible_region_cells": hidden.credible_cells.value,
        "worst_case_loss": hidden.worst_case,
        "protects_more_than_asked": entry.beyond is not None,
        "asked": None if entry.asked is None else entry.asked.value,
        "beyond": None if entry.beyond is None else _row(entry.beyond, side),
        "seconds": entry.seconds,
    }


def mechanism_names(text: str) -> list[str]:
    """The mechanisms of a list with commas."""
    names = [name.strip() for name in text.split(",")]
    unknown = [name for name in names if name not in MECHANISMS]
    if unknown:
        raise UsageError(f"there is no mechanism {unknown[0]!r}: choose from {', '.join(MECHANISMS)}")
    return names


def _budget(entry: Score) -> str:
    return f"{entry.epsilon:.4g}" + (" per cell" if MECHANISMS[entry.name].notion == "Geo-I" else "")


def _lines(entry: Score, side: float | None) -> str:
    """Two lines per side: the error, and what one report hides."""
    lines = []
    for one in entry.sides:
        interval = "" if one.half_width is None else f" ± {one.half_width:.4f}"
        metres = "" if side is None else f" = {one.mean * side:,.0f} m"
        at = comparison_sentences.side_name(one, entry)
        lines += [
            f"{one.name:<15} ε = {_budget(one):<16} W2 = {one.mean:.4f}{interval} cells{metres}"
            + (f"  [{at}]" if at else ""),
            " " * 16
            + ", ".join(
                f"{label.lower()} {text}" for label, text in comparison_sentences.figures(one.protection).items()
            ),
        ]
    return "\n".join(lines)


def write(text: str, output: Path | None) -> int:
    """Print, or write to a file and say so."""
    if output is None:
        print(text)
        return 0
    try:
        output.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {output} ({error.strerror}): choose another --output") from None
    print(f"wrote {output}", file=sys.stderr)
    return 0
