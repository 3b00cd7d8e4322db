"""`python -m spatialldp compare …`: what the Compare page shows, on the command line."""

from __future__ import annotations

import argparse
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spatialldp.cli.options import (
    add_common,
    add_footing,
    add_mask,
    add_repeats,
    mask_of,
    mechanism_names,
    population_of,
)
from spatialldp.cli.output import write
from spatialldp.experiments import comparison_sentences, defaults
from spatialldp.experiments.comparison import Score, best, compare, contenders
from spatialldp.experiments.measures import baselines
from spatialldp.experiments.ranges import square_in_words
from spatialldp.experiments.usefulness import HOT_SPOTS, RANGE_ERROR, USEFULNESS
from spatialldp.formatting import metres
from spatialldp.mechanisms import MECHANISMS


def add_parser(commands: Any) -> None:
    """Add the sub-command `compare`."""
    parser = commands.add_parser("compare", help="run several mechanisms on the same people and mark the best")
    add_common(parser)
    names = ",".join(defaults.COMPARED)
    parser.add_argument(
        "--mechanisms", default=names, metavar="A,B,…", help=f"names separated by commas (default: {names})"
    )
    add_repeats(parser)
    add_footing(parser)
    add_mask(parser, "use the outline of the city, outside which nobody can live, with the mechanisms that can")
    parser.set_defaults(run=_compare)


def _compare(options: argparse.Namespace) -> int:
    population = population_of(options)
    names = mechanism_names(options.mechanisms)
    mask = mask_of(options, population)
    side = population.grid.cell_size_m
    scores: list[Score] = []
    for entry in compare(
        population.counts,
        names,
        options.epsilon,
        options.seed,
        options.repeats,
        not options.same_epsilon,
        options.by,
        mask,
    ):
        scores.append(entry)
        if not options.json and options.output is None:
            print(_lines(entry, side), flush=True)
    winner = best(scores)
    tied = [] if winner else contenders(scores)
    blind = [name for name in names if mask is not None and not MECHANISMS[name].honours_mask]
    if options.json:
        text = json.dumps(
            {
                "data": options.data,
                "users": population.users,
                "epsilon": options.epsilon,
                "d": options.d,
                "seed": options.seed,
                "equal_by": None if options.same_epsilon else options.by,
                "best": winner,
                "scores": [_row(entry, side) for entry in scores],
                "tied": tied,
                "best_by_measure": {measure: best(scores, measure) for measure in USEFULNESS},
                "baselines": _baselines(population.counts, options.seed),
                **({} if mask is None else {"mask": True, "without_mask": blind}),
            }
        )
        return write(text, options.output)
    summary = [comparison_sentences.jump_sentence(entry, options.by) for entry in scores]
    summary += [comparison_sentences.winner_sentence(scores, side, measure) for measure in USEFULNESS]
    summary.append(f"range error: the mean over 1,000 random squares of {square_in_words(options.d)}")
    if mask is not None:
        unable = f"; without it: {', '.join(blind)}" if blind else ""
        summary.append(f"recovered with the outline of the city ({int((~mask).sum())} cells ruled out){unable}")
    told = f"tied: {', '.join(tied)}" if options.repeats > 1 else "best: one draw cannot tell"
    summary.append(f"best: {winner}" if winner else told)
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
        "range_error": entry.mean_of(RANGE_ERROR),
        "half_width_range_error": entry.half_width_of(RANGE_ERROR),
        "range_error_repeats": entry.usefulness.range_error.tolist(),
        "hot_spots": entry.mean_of(HOT_SPOTS),
        "half_width_hot_spots": entry.half_width_of(HOT_SPOTS),
        "hot_spots_repeats": entry.usefulness.hot_spots.tolist(),
        "hottest_cells": entry.usefulness.hottest,
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


def _lines(entry: Score, side: float | None) -> str:
    """Three lines per side: the error, what else the map is good for, and what one report hides."""
    lines = []
    for one in entry.sides:
        interval = "" if one.half_width is None else f" ± {one.half_width:.4f}"
        length = "" if side is None else f" = {metres(one.mean * side)}"
        at = comparison_sentences.side_name(one, entry)
        lines += [
            f"{one.name:<15} ε = {_budget(one):<16} W2 = {one.mean:.4f}{interval} cells{length}"
            + (f"  [{at}]" if at else ""),
            " " * 16
            + ", ".join(
                f"{words} {comparison_sentences.with_interval(one, measure)}"
                for measure, words in ((RANGE_ERROR, "range error"), (HOT_SPOTS, "top cells recovered"))
            ),
            " " * 16
            + ", ".join(
                f"{label.lower()} {text}" for label, text in comparison_sentences.figures(one.protection).items()
            ),
        ]
    return "\n".join(lines)


def _baselines(counts: NDArray[np.int64], seed: int) -> dict[str, Any]:
    """The figures of a uniform guess and without privacy, by measure."""
    found = baselines(counts, seed)
    return {
        measure: dict(zip(("uniform_guess", "no_privacy"), found.ends(measure) or (None, None), strict=True))
        for measure in USEFULNESS
    }


def _budget(entry: Score) -> str:
    return f"{entry.epsilon:.4g}" + (" per cell" if MECHANISMS[entry.name].notion == "Geo-I" else "")
