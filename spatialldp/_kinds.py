"""Arguments that are objects: whether they are of the class they must be, and how an error quotes what was given.

Callers find all of it in `_validation`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ParamSpec, TypeAlias, TypeVar

import numpy as np

#: A class, several of which one is enough, or a list of one of these for a sequence of such objects.
Kind: TypeAlias = "type | tuple[type, ...] | list[type | tuple[type, ...]]"
_WORDS: dict[Any, str] = {
    type(None): "None",
    str: "a text",
    bool: "True or False",
    Integral: "a whole number",
    Real: "a number",
    Path: "a path",
    type: "a class",
    Mapping: "a mapping",
    Callable: "a function",
}
#: For `takes`, of anything that can be called.
A_FUNCTION: Any = Callable
P = ParamSpec("P")
Result = TypeVar("Result")


def shown(value: Any) -> str:
    """`value` as an error quotes it: never so long that the sentence is lost, whatever it is."""
    try:
        text = repr(value)
    except ValueError:  # Python does not write out a whole number of more than 4,300 digits.
        return "a number of thousands of digits"
    return text if len(text) <= 80 else f"{text[:60]} …"


def goes_through(value: Any) -> bool:
    """Whether one can go through it, entry by entry; not through a text, nor an array that is a single number."""
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes)) and getattr(value, "ndim", 1) > 0


def instance(name: str, value: Any, kind: Kind) -> Any:
    """The value, if it is an object of the kind, or a list of its entries, if all of them are; see `takes`."""
    if not isinstance(kind, list):
        if not isinstance(value, _classes(kind)):
            raise ValueError(f"{name} must be {_in_words(kind)}, got {shown(value)}")
        return value
    (one,) = kind
    if not goes_through(value):
        raise ValueError(f"{name} must be a sequence with {_in_words(one)} in each place, got {shown(value)}")
    # An iterator can be gone through only once, and an empty array is neither true nor false.
    entries = list(value)
    for entry in entries:
        if not isinstance(entry, _classes(one)):
            raise ValueError(f"{name} must be a sequence with {_in_words(one)} in each place, got {shown(entry)}")
    return entries


def _classes(kind: type | tuple[type, ...]) -> tuple[type, ...]:
    """All classes that count as one of these: NumPy's True is True."""
    kinds = kind if isinstance(kind, tuple) else (kind,)
    return (*kinds, np.bool_) if bool in kinds else kinds


def _in_words(kind: type | tuple[type, ...]) -> str:
    kinds = kind if isinstance(kind, tuple) else (kind,)
    return " or ".join(_WORDS.get(one, f"an object of {one.__name__}") for one in kinds)


def takes(**kinds: Kind) -> Callable[[Callable[P, Result]], Callable[P, Result]]:
    """A decorator: the function is called only if these arguments are objects of their kinds, and says so otherwise.
    A sequence, of whatever type, reaches it as a list.

    For arguments that are objects of the package, where the first attribute asked for would fail with a riddle; numbers
    and arrays have checks of their own.
    """

    def decorate(function: Callable[P, Result]) -> Callable[P, Result]:
        order = list(inspect.signature(function).parameters)
        places = {name: order.index(name) for name in kinds}

        @functools.wraps(function)
        def checked(*arguments: P.args, **named: P.kwargs) -> Result:
            given: list[Any] = list(arguments)
            for name, kind in kinds.items():
                if name in named:
                    named[name] = instance(name, named[name], kind)
                elif places[name] < len(given):
                    given[places[name]] = instance(name, given[places[name]], kind)
            return function(*given, **named)

        return checked

    return decorate
