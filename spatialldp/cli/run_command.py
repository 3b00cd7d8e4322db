"""`python -m spatialldp run …`: what the Explore page shows, on the command line."""

from __future__ import annotations

import argparse
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spatialldp.cli.options import UsageError, add_common, add_mask, add_mechanism, mask_of, population_of
from spatialldp.cli.output import write
from spatialldp.experiments.land import mask_gain
from spatialldp.experiments.run import Run, make_mechanism, simulate
from spatialldp.formatting import metres
from spatialldp.mechanisms import MECHANISMS
from spatialldp.population import Population


def add_parser(commands: Any) -> None:
    """Add the sub-command `run`."""
    parser = commands.add_parser("run", help="randomise a population, recover its map and measure the error")
    add_common(parser)
    add_mechanism(parser)
    add_mask(
        parser, "recover the map with the outline of the city, outside which nobody can live, and say what that gains"
    )
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    population = population_of(options)
    mechanism = make_mechanism(options.mechanism, options.epsilon, options.d, options.b)
    mask = mask_of(options, population)
    if mask is not None and not mechanism.honours_mask:
        able = ", ".join(name for name, kind in MECHANISMS.items() if kind.honours_mask)
        raise UsageError(f"--mask must be left out: {options.mechanism} cannot use it, but {able} can")
    result = simulate(population.counts, mechanism, options.seed, mask)
    without = None if mask is None else simulate(population.counts, mechanism, options.seed)
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
                **({} if mask is None or without is None else _mask_fields(population, mask, without)),
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
        if mask is not None and without is not None:
            text += "\n" + _what_the_mask_gains(population, mask, result, without)
    return write(text, options.output)


def _mask_fields(population: Population, mask: NDArray[np.bool_], without: Run) -> dict[str, Any]:
    side = population.grid.cell_size_m
    return {
        "mask": True,
        "cells_ruled_out": int((~mask).sum()),
        "people_ruled_out": int(population.counts[~mask].sum()),
        "w2_cells_without_mask": without.w2_cells,
        "w2_metres_without_mask": None if side is None else without.w2_cells * side,
    }


def _what_the_mask_gains(population: Population, mask: NDArray[np.bool_], result: Run, without: Run) -> str:
    people = int(population.counts[~mask].sum())
    gain = mask_gain(result.w2_cells, without.w2_cells, population.grid.cell_size_m, people)
    return f"The outline of the city rules out {int((~mask).sum())} of {mask.size} cells. {gain}"
