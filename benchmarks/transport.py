"""Time the exact transport solver against POT's network simplex: ``python -m benchmarks.transport``.

Both start from two histograms and end with W2 squared.  POT gets the empty cells pruned; its time is that of
`ot.emd2` alone, and the time to build its cost matrix is given apart.  Times are medians in one process.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import ot
from numpy.typing import NDArray

from spatialldp._transport import solve, warm_up

SIDES = (10, 15, 20, 32, 50, 64, 100, 128)
KINDS = ("smooth", "city", "random")
POT_SECONDS = 60.0
POT_LARGEST_SIDE = 100  # beyond, POT's arrays over all pairs of cells take more than 10 GB


def histogram(kind: str, side: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """(side, side): a sum of bumps over a floor, counts of 40 * side people in 12 towns, or uniform noise."""
    if kind == "smooth":
        row, col = np.indices((side, side)) / side
        bumps = np.full((side, side), 0.05)
        for _ in range(4):
            centre = rng.random(2)
            width = 0.08 + 0.15 * rng.random()
            bumps += rng.random() * np.exp(-((row - centre[0]) ** 2 + (col - centre[1]) ** 2) / (2 * width**2))
        return bumps
    if kind == "city":
        people = 40 * side
        town = rng.integers(0, 12, people)
        spread = 0.01 + 0.05 * rng.random(12)
        place = rng.random((12, 2))[town] + spread[town][:, None] * rng.standard_normal((people, 2))
        cell = (np.clip(place, 0, 0.999) * side).astype(int)
        counts = np.zeros((side, side))
        np.add.at(counts, (cell[:, 0], cell[:, 1]), 1)
        return counts
    return rng.random((side, side))


def pot_problem(a: NDArray[np.float64], b: NDArray[np.float64]) -> tuple[Any, Any, Any]:
    """Pruned and normalised masses and their cost matrix."""
    source, target = np.argwhere(a > 0), np.argwhere(b > 0)
    cost = ((source[:, None, 0] - target[None, :, 0]) ** 2 + (source[:, None, 1] - target[None, :, 1]) ** 2).astype(
        float
    )
    return a[a > 0] / a.sum(), b[b > 0] / b.sum(), cost


def timed(call: Callable[..., Any], *arguments: Any, repeats: int) -> tuple[float, Any]:
    """Median wall time of ``repeats`` calls, in seconds, and what the last one returned."""
    times = []
    result = None
    for _ in range(repeats):
        start = time.perf_counter()
        result = call(*arguments)
        times.append(time.perf_counter() - start)
    return statistics.median(times), result


def _pot_in_child(connection: Any, a: NDArray[np.float64], b: NDArray[np.float64], repeats: int) -> None:
    """Time POT in a process of its own, which can be given up on; send (matrix, solve, squared)."""
    matrix_seconds, problem = timed(pot_problem, a, b, repeats=repeats)
    solve_seconds, squared = timed(partial(ot.emd2, numItermax=100_000_000), *problem, repeats=repeats)
    connection.send((matrix_seconds, solve_seconds, float(squared)))


def pot_times(a: NDArray[np.float64], b: NDArray[np.float64], repeats: int) -> tuple[float, float, float] | None:
    """Seconds for the cost matrix and for emd2, and W2 squared; None when POT does not end in time."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_pot_in_child, args=(sender, a, b, repeats))
    process.start()
    answer = receiver.recv() if receiver.poll(POT_SECONDS) else None
    process.kill()
    process.join()
    return answer


def main() -> None:
    """Print one line for every side and kind of histogram."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sides", type=int, nargs="*", default=SIDES)
    arguments = parser.parse_args()
    start = time.perf_counter()
    warm_up()
    print(f"warm-up (compile or load from cache): {time.perf_counter() - start:.2f} s")
    print(f"{'side':>4} {'kind':<7} {'ours s':>9} {'POT s':>9} {'+matrix s':>9} {'ratio':>7} {'difference':>10}")
    for side in arguments.sides:
        for kind in KINDS:
            rng = np.random.default_rng(side)
            a, b = histogram(kind, side, rng), histogram(kind, side, rng)
            repeats = 31 if side <= 20 else 5 if side <= 32 else 3 if side <= 64 else 1
            ours, solution = timed(solve, a, b, repeats=repeats)
            line = f"{side:>4} {kind:<7} {ours:>9.5f} "
            answer = pot_times(a, b, repeats if side <= 32 else 1) if side <= POT_LARGEST_SIDE else None
            if side > POT_LARGEST_SIDE:
                line += f"{'not run':>9}"
            elif answer is None:
                line += f"{'> ' + format(POT_SECONDS, '.0f'):>9}"
            else:
                matrix, pot, squared = answer
                line += f"{pot:>9.5f} {matrix:>9.5f} {pot / ours:>7.1f} {solution.squared - squared:>10.1e}"
            print(line, flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of this process (POT runs in others): {peak:.0f} MiB")


if __name__ == "__main__":
    main()
