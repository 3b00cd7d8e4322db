"""Each argument of a call, one after the other, replaced by every odd value there is: nothing is left to chance."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from spatialldp.datasets import Points
from spatialldp.mechanisms.records import InclusionCounts
from spatialldp.oracles.base import SupportCounts
from tests.fuzz.calls import Call, bearable, calls, made_by_the_library
from tests.fuzz.interface import Target
from tests.fuzz.values import NUMBER_TYPES, ODD_ARRAYS, REAL_NUMBERS, TEXTS, WHOLE_NUMBERS, Odd

#: A third of them have proper arguments only.
_DRAWN = 25


def odd_values() -> Iterator[Any]:
    """Values of every type. Whatever can be changed or used up is made anew for each call."""
    yield from (*WHOLE_NUMBERS, *REAL_NUMBERS, *TEXTS)
    yield from (kind(3) for kind in NUMBER_TYPES)
    yield from (None, True, False, ..., b"", b"1", Path("no/such/file"))
    yield from (Decimal("2.5"), Fraction(5, 2), 1 + 1j, range(3))
    yield from (Odd(), Odd, int, len, np.random.default_rng(1), np.random.RandomState(1))
    yield from ([], [[]], [1, 2], [None], ["x"], ["DAM"], [[1, 2], [3]], (), {}, {"a": 1}, set(), iter([1]), iter([]))
    yield from (np.array(3), np.array(2.5))
    yield from (kind(side) for kind in ODD_ARRAYS for side in range(4))


def replaceable(target: Target) -> list[str]:
    """The parameters that must bear anything at all."""
    if not target.open or target.keeps_whatever_it_gets:
        return []
    spread = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return [
        name
        for name, parameter in target.parameters.items()
        if parameter.kind not in spread and not made_by_the_library(target, name)
    ]


def substituted(target: Target) -> Iterator[Call]:
    """Calls that are proper but for one argument."""
    call = _proper_call(target)
    for name in replaceable(target):
        for value in odd_values() if name in call.arguments else ():
            for wrong in _in_place_of(name, call.arguments[name], value):
                arguments = {
                    key: kept if callable(kept) else copy.deepcopy(kept) for key, kept in call.arguments.items()
                }
                yield Call(target, call.receiver, {**arguments, name: wrong}, (name,))


def _in_place_of(name: str, former: Any, value: Any) -> Iterator[Any]:
    """The value itself, and a record that people fill in with the value in the place of each field."""
    yield bearable(name, former, value)
    if isinstance(former, (Points, InclusionCounts, SupportCounts)):
        for field in former._fields:
            yield former._replace(**{field: copy.copy(value)})


def _proper_call(target: Target) -> Call:
    """The one with the most arguments among some."""
    found: list[Call] = []

    @seed(0)
    @settings(
        max_examples=_DRAWN,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def one(data: Any) -> None:
        call = data.draw(calls(target))
        if not call.wrong and len(call.arguments) > (len(found[0].arguments) if found else -1):
            found[:] = [call]

    one()
    return found[0]
