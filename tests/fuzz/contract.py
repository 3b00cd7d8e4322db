"""What every call must do: return something sound, or say in a sentence what is wrong with its arguments.

An error counts as an answer only where the library raises it on purpose: a ValueError or TypeError with a sentence,
from a `raise` of the package itself. One that escapes from NumPy, or from an operator on the wrong type, is the library
having been taken by surprise, even where it happens to be a ValueError too. So is any warning but the one it documents.
"""

from __future__ import annotations

import copy
import linecache
import resource
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

import spatialldp
from spatialldp.grid import PointsLeftOutWarning
from tests.fuzz.calls import Call
from tests.fuzz.invariants import check_result

PACKAGE = Path(spatialldp.__file__).parent
#: A call of a few cells takes milliseconds; one that takes so long would not end.
SECONDS = 60
#: What one call may ask for beyond what the process has, bytes: far more than a few cells need.
MEMORY = 3 * 2**30
_SHORTEST_SENTENCE = 12
#: Results of an iterator that are looked at; some go on for ever.
_FIRST = 40


class BrokenContractError(Exception):
    """A call that did neither."""


class TooLongError(BaseException):
    """Not an Exception, so that no handler in the library takes it for one of its own."""


@dataclass
class Answer:
    """What a call that kept to the contract came to: "returned" or "refused", and the result or the sentence."""

    kind: str
    value: Any


def keep_to(call: Call) -> Answer:
    """Make the call and hold what happens against the contract. Raises `BrokenContractError`."""
    before = {name: _snapshot(value) for name, value in call.arguments.items()}
    answer = answer_of(call.make)
    if answer.kind == "returned":
        check_result(call, answer.value)
    for name, kept in before.items():
        if not _same(kept, call.arguments[name]):
            raise BrokenContractError(f"{name} was changed by the call")
    return answer


def answer_of(function: Callable[[], Any]) -> Answer:
    """What a function returns, or the sentence with which it refuses; `BrokenContractError` for anything else."""
    try:
        with bounded(), warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", PointsLeftOutWarning)
            result = function()
            if isinstance(result, Iterator):
                result = list(islice(result, _FIRST))
            return Answer("returned", result)
    except BrokenContractError:
        raise
    except Exception as error:
        return Answer("refused", _sentence(error))


def _sentence(error: Exception) -> str:
    """The text of an error that the library raised on purpose."""
    text = str(error)
    if not isinstance(error, (ValueError, TypeError)):
        raise BrokenContractError(f"{type(error).__name__}: {text}\n{_where(error)}") from error
    frame = traceback.extract_tb(error.__traceback__)[-1]
    meant = Path(frame.filename).is_relative_to(PACKAGE) and _raises(frame)
    if not meant:
        raise BrokenContractError(f"{type(error).__name__} by accident: {text}\n{_where(error)}") from error
    if len(text) < _SHORTEST_SENTENCE or " " not in text:
        raise BrokenContractError(f"{type(error).__name__} without a sentence: {text!r}\n{_where(error)}") from error
    return text


def _raises(frame: traceback.FrameSummary) -> bool:
    line = linecache.getline(frame.filename, frame.lineno or 0).strip()
    return line.startswith("raise")


def _where(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if Path(frame.filename).is_relative_to(PACKAGE)]
    return "\n".join(f"  {Path(frame.filename).name}:{frame.lineno} {frame.line}" for frame in inside[-3:])


# -- bounds ----------------------------------------------------------------------------------------


@contextmanager
def bounded(seconds: int = SECONDS, memory: int = MEMORY) -> Iterator[None]:
    """End what hangs, and refuse memory that would take the machine along. Where the system cannot, neither is done."""
    alarm = threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer")
    limited = sys.platform == "linux"
    if limited:
        # Of data rather than of addresses: what draws the charts reserves terabytes of the latter.
        limits = resource.getrlimit(resource.RLIMIT_DATA)
        now = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_DATA, (now + memory, limits[1]))
    if alarm:
        former = signal.signal(signal.SIGALRM, _too_long)
        signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except TooLongError:
        raise BrokenContractError(f"no end after {seconds} s") from None
    finally:
        if alarm:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, former)
        if limited:
            resource.setrlimit(resource.RLIMIT_DATA, limits)


def _too_long(number: int, frame: Any) -> None:
    raise TooLongError


# -- arguments stay as they were ---------------------------------------------------------------------


def _snapshot(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return copy.deepcopy(value)
    if isinstance(value, (list, tuple)):
        return [_snapshot(entry) for entry in value]
    if isinstance(value, dict):
        return {key: _snapshot(entry) for key, entry in value.items()}
    return value


def _same(kept: Any, now: Any) -> bool:
    if isinstance(kept, np.ndarray):
        return kept.dtype == now.dtype and kept.shape == now.shape and repr(kept) == repr(now)
    if isinstance(kept, list):
        return len(kept) == len(now) and all(map(_same, kept, now))
    if isinstance(kept, dict):
        return kept.keys() == now.keys() and all(_same(kept[key], now[key]) for key in kept)
    return kept is now
