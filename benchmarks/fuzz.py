"""At least 10,000 fuzzed calls of the library, the command line, links and file readers: none may end in a traceback.

    python -m benchmarks.fuzz [CALLS] [SEED]    calls drawn at random
    python -m benchmarks.fuzz every             every argument of the library's, replaced by every odd value there is

The harness is that of tests/fuzz, where the contract is written down (tests/fuzz/contract.py); the calls are fresh ones
unless a seed is given. It prints how many calls each kind got, how many of them returned something, and every failure
with its call, and ends with status 1 if there was one. It takes minutes and is no measurement of speed, so
`python -m benchmarks` leaves it out.
"""

from __future__ import annotations

import math
import secrets
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.timing import print_table
from tests.fuzz import command_line, contract, files, links
from tests.fuzz.calls import calls
from tests.fuzz.campaign import Tally, attempted, tally
from tests.fuzz.interface import targets
from tests.fuzz.substitutions import replaceable, substituted

CALLS = 10_000
#: A printable report that succeeds takes a second or two, so its options get a fraction of the calls.
_SHARE_OF_REPORTS = 0.2


def kinds() -> Iterator[tuple[str, str, Any, Callable[[Any], contract.Answer], float]]:
    """(topic, name, what draws a call, what makes it, how many calls it gets beside others) of all that is called."""
    for name, target in targets().items():
        yield "library", name, calls(target), contract.keep_to, 1.0
    for name, option in command_line.options().items():
        share = _SHARE_OF_REPORTS if name.startswith("report ") else 1.0
        yield "command line", name, command_line.lines(option), command_line.keep_to, share
    for name in links.NAMES:
        yield "links", name, links.queries(name), links.keep_to, 1.0
    for name in files.READERS:
        # There are few readers, and many ways to damage a file.
        yield "files", name, files.damaged(name), files.keep_to, 10.0


def main(wanted: int = CALLS, seed: int | None = None) -> int:
    """Make the calls and print what came of them; the exit status."""
    seed = secrets.randbits(32) if seed is None else seed
    every = list(kinds())
    # What takes no argument is called once, however often it is asked for; the others make up for it.
    each = 1.4 * wanted / sum(share for *_, share in every)
    totals: dict[str, Tally] = defaultdict(Tally)
    rows, failures = [], []
    with command_line.temporary_folder():
        for topic, name, drawn, attempt, share in every:
            found = tally(drawn, attempt, math.ceil(each * share), seed)
            rows.append([name, found.calls, found.returned, found.calls - found.returned - found.failed, found.failed])
            failures += [f"{name}: {reason}\n    {call}" for reason, call in found.failures.items()]
            total = totals[topic]
            total.calls, total.returned = total.calls + found.calls, total.returned + found.returned
            total.failed += found.failed
    header = ["what", "calls", "returned", "refused", "failures"]
    print_table("Calls", header, rows)
    summary = [
        [topic, one.calls, one.returned, one.calls - one.returned - one.failed, one.failed]
        for topic, one in totals.items()
    ]
    made = sum(one.calls for one in totals.values())
    print_table(f"{made:,} calls, seed {seed}", header, summary)
    for failure in failures:
        print(f"\n{failure}")
    return 1 if failures or made < wanted else 0


def every() -> int:
    """Make every call that is proper but for one argument; the exit status."""
    found = Tally()
    for target in targets().values():
        for call in substituted(target) if replaceable(target) else ():
            attempted(call, contract.keep_to, found)
    print(f"{found.calls:,} calls, {found.returned:,} returned, {found.failed:,} failures")
    for reason, call in found.failures.items():
        print(f"\n{reason}\n    {call}")
    return 1 if found.failures else 0


if __name__ == "__main__":
    raise SystemExit(every() if sys.argv[1:] == ["every"] else main(*map(int, sys.argv[1:3])))
