"""Every mutant and the test that kills it; ends with 1 if one survives or no longer fits."""

from __future__ import annotations

import argparse
import sys
import time

from tests.mutants.patch import mutants
from tests.mutants.running import run


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("names", nargs="*", help="the mutants to run; all unless some are named")
    parser.add_argument("--list", action="store_true", help="only say what there is")
    arguments = parser.parse_args()
    known = {mutant.name: mutant for mutant in mutants()}
    unknown = [name for name in arguments.names if name not in known]
    if unknown:
        parser.error(f"there is no mutant {unknown[0]}; --list names them")
    chosen = [known[name] for name in arguments.names or known]
    if arguments.list:
        for mutant in chosen:
            print(f"{mutant.name}: {mutant.description}")
        return 0
    started, outcomes = time.monotonic(), []
    for outcome in run(chosen):
        outcomes.append(outcome)
        print(outcome, flush=True)
    wrong = [outcome for outcome in outcomes if not outcome.is_good]
    print(
        f"{len(outcomes) - len(wrong)} of {len(chosen)} mutants killed in {time.monotonic() - started:.0f} s"
        + "".join(f"\n{outcome}" for outcome in wrong)
    )
    return 1 if wrong or len(outcomes) < len(chosen) else 0


if __name__ == "__main__":
    sys.exit(main())
