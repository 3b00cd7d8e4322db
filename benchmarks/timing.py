"""How the benchmarks measure and print."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any


def best_of(function: Callable[[], Any], repeats: int = 5, at_least: float = 0.02) -> float:
    """Seconds of one call: the best of some repeats, each long enough to be measured."""
    function()
    calls = 1
    while True:
        started = time.perf_counter()
        for _ in range(calls):
            function()
        elapsed = time.perf_counter() - started
        if elapsed >= at_least:
            break
        calls *= max(2, int(at_least / max(elapsed, 1e-9)))
    best = elapsed / calls
    for _ in range(repeats - 1):
        started = time.perf_counter()
        for _ in range(calls):
            function()
        best = min(best, (time.perf_counter() - started) / calls)
    return best


def once(function: Callable[[], Any]) -> float:
    """Seconds of a single call, for work too long to repeat."""
    started = time.perf_counter()
    function()
    return time.perf_counter() - started


def milliseconds(seconds: float | None) -> str:
    return "–" if seconds is None else f"{seconds * 1e3:,.3g}"


RATIO_HEADER = ("what", "ours ms", "against", "its ms", "ratio")


def ratio_row(case: str, ours: float, name: str, theirs: float | None) -> list[str]:
    """A line of the table of ratios; a dash where the other one does not fit or takes too long."""
    ratio = "–" if theirs is None else f"{theirs / ours:,.3g}×"
    return [case, milliseconds(ours), name, milliseconds(theirs), ratio]


def print_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """One aligned table, numbers to the right."""
    widths = [max(len(str(row[i])) for row in [header, *rows]) for i in range(len(header))]
    print(f"\n{title}")
    for row in [header, ["-" * width for width in widths], *rows]:
        print("  ".join(str(value).rjust(width) for value, width in zip(row, widths, strict=True)), flush=True)
