"""`python -m spatialldp run …`: what the Explore page shows, on the command line."""

from __future__ import annotations

import argparse
import json
from typing import Any

from spatialldp.cli.options import add_common, add_mechanism, population_of
from spatialldp.cli.output import write
from spatialldp.experiments.run import make_mechanism, simulate
from spatialldp.formatting import metres


def add_parser(commands: Any) -> None:
    """Add the sub-command `run`."""
    parser = commands.add_parser("run", help="randomise a population, recover its map and measure the error")
    add_common(parser)
    add_mechanism(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    population = population_of(options)
    mechanism = make_mechanism(options.mechanism, options.epsilon, options.d, options.b)
    result = simulate(population.counts, mechanism, options.seed)
    estimate, side = result.estimate, population.grid.cell_size_m
    w2_metres = None if side is None else result.w2_cells * side
    if options.json:
        text = json.dumps(
            {
                "data": options.data,
                "bounds": options.bounds,
                "mechanism": options.mechanism,
                "epsilon": mechanism.epsilon,
                "d": options.d,
                "b": mechanism.radius,
                "seed": options.seed,
                "users": population.users,
                "w2_cells": result.w2_cells,
                "w2_metres": w2_metres,
                "iterations": estimate.iterations,
                "converged": estimate.converged,
                "stopping": estimate.stopping,
                "distribution": estimate.distribution.tolist(),
                "seconds": result.seconds,
            }
        )
    else:
        length = "" if w2_metres is None else f" = {metres(w2_metres)}"
        text = (
            f"{mechanism!r} on {options.data}, seed {options.seed}\n{population.note}\n"
            f"W2 = {result.w2_cells:.4f} cells{length} after {estimate.iterations} steps "
            f"({estimate.stopping}{'' if estimate.converged else ', not converged'}), {result.seconds:.2f} s"
        )
    return write(text, options.output)
