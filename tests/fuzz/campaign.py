"""Many calls of one kind without stopping at the first that goes wrong."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st


@dataclass
class Tally:
    """What came of some calls.

    Attributes:
        calls: how many were made.
        returned: how many returned something.
        failed: how many broke the contract.
        failures: what went wrong, each with the call, one per reason.
    """

    calls: int = 0
    returned: int = 0
    failed: int = 0
    failures: dict[str, str] = field(default_factory=dict)


def tally(drawn: st.SearchStrategy[Any], attempt: Callable[[Any], Any], examples: int, number: int) -> Tally:
    """Draw so many calls from a seed and make each."""
    found = Tally()

    @seed(number)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(drawn)
    def one(call: Any) -> None:
        attempted(call, attempt, found)

    one()
    return found


def attempted(call: Any, attempt: Callable[[Any], Any], found: Tally) -> None:
    """Make the call and add to `found` what came of it."""
    found.calls += 1
    shown = repr(call)
    try:
        found.returned += attempt(call).kind == "returned"
    except Exception as error:
        found.failed += 1
        reason = "".join(traceback.format_exception_only(error)).strip()
        found.failures.setdefault(reason.split(": ", 1)[-1], shown)
