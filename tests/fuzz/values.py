"""Values that nobody should hand to a function, and a few that look odd and are fine."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

Draw = Callable[[st.SearchStrategy[Any]], Any]

#: Every kind of number that NumPy has.
NUMBER_TYPES = tuple(np.dtype(code).type for code in np.typecodes["AllInteger"] + np.typecodes["AllFloat"] + "?")

WHOLE_NUMBERS = (0, 1, 2, 3, 7, -1, -2, 2**31, -(2**31), 2**53 + 1, 2**63 - 1, 2**63, -(2**63) - 1, 2**64, 10**30)
REAL_NUMBERS = (
    0.0,
    -0.0,
    1.0,
    0.5,
    -0.5,
    1 + 1e-12,
    5e-324,
    2.2e-308,
    1e-300,
    1e-17,
    1e-9,
    1e-3,
    50.0,
    100.0,
    1e9,
    1e18,
    1.7e308,
    -1e300,
    math.nan,
    math.inf,
    -math.inf,
)
TEXTS = ("", " ", "0", "1", "nan", "1e400", "DAM", "-", "d", "\0", "ü" * 3, "'; --", "a" * 300, "٣", "\ud800")


class Odd:
    """An object that the library knows nothing of."""

    def __repr__(self) -> str:
        return "Odd()"


def numpy_scalars() -> st.SearchStrategy[Any]:
    """A number of any NumPy type, in its range."""
    return st.builds(lambda kind, value: kind(value), st.sampled_from(NUMBER_TYPES), st.sampled_from((0, 1, 3, 100)))


def nonsense() -> st.SearchStrategy[Any]:
    """Something of any type at all. Whatever can be changed is made anew for each call."""
    small = st.sampled_from([*WHOLE_NUMBERS, *REAL_NUMBERS])
    return st.one_of(
        small,
        st.sampled_from([None, True, False, ..., NotImplemented]),
        st.sampled_from(TEXTS),
        numpy_scalars(),
        st.builds(bytes, st.sampled_from([b"", b"1", b"\xff\xfe"])),
        st.builds(lambda: Odd()),
        st.sampled_from([Odd, int, len, Path("no/such/file"), Decimal("2.5"), Fraction(5, 2), 1 + 1j, range(3)]),
        st.lists(small, max_size=3),
        st.lists(st.lists(small, max_size=3), max_size=3),
        st.builds(tuple, st.lists(small, max_size=5)),
        st.dictionaries(st.sampled_from(["a", "d", 1]), small, max_size=2),
        st.builds(set),
        st.builds(odd_array, st.sampled_from(ODD_ARRAYS), st.integers(0, 3)),
        st.builds(lambda value: np.array(value), small.filter(lambda value: abs(value) < 2**63)),
        st.builds(lambda: np.random.default_rng(1)),
        st.builds(lambda: np.random.RandomState(1)),
    )


#: Arrays by kind, for a side 0 … 3.
ODD_ARRAYS: tuple[Callable[[int], Any], ...] = (
    lambda side: np.zeros((side, side)),
    lambda side: np.ones((side, side), dtype=np.int64),
    lambda side: np.ones((side, side), dtype=bool),
    lambda side: np.ones((side, side, side)),
    lambda side: np.full((side, side), np.nan),
    lambda side: np.full((side, side), -1),
    lambda side: np.full((side, side), 10**18),
    lambda side: np.full((side, side), 2**64 - 1, dtype=np.uint64),
    lambda side: np.full((side, side), "x"),
    lambda side: np.full((side, side), None, dtype=object),
    lambda side: np.full((side, side), 10**30, dtype=object),
    lambda side: np.ones((side, side), dtype=complex),
    lambda side: np.zeros((side, side), dtype="datetime64[s]"),
    lambda side: np.zeros(side, dtype=[("a", float)]),
    lambda side: np.ma.masked_equal(np.arange(side), 1),
)


def odd_array(kind: Callable[[int], Any], side: int) -> Any:
    """One of `ODD_ARRAYS`."""
    return kind(side)


# -- the same value in another form, and the value made wrong -------------------------------------


def dressed(draw: Draw, value: Any) -> Any:
    """An array with the same numbers that lies differently in memory, cannot be written to, or is a list."""
    if not isinstance(value, np.ndarray):
        return value
    return draw(st.sampled_from(_DRESSES))(value)


def _read_only(array: np.ndarray) -> np.ndarray:
    locked = array.copy()
    locked.flags.writeable = False
    return locked


def _spread(array: np.ndarray) -> np.ndarray:
    return np.repeat(array, 2, axis=-1)[..., ::2] if array.ndim else array


_DRESSES: tuple[Callable[[np.ndarray], Any], ...] = (
    lambda array: array,
    _read_only,
    _spread,
    lambda array: array[::-1][::-1] if array.ndim else array,
    lambda array: np.asfortranarray(array),
    lambda array: array.astype(array.dtype.newbyteorder(">")),
    lambda array: array.tolist(),
)


def spoiled(draw: Draw, value: Any) -> Any:
    """Something like the value that is wrong in one respect, or anything at all."""
    if draw(st.integers(0, 2)) == 0:
        return draw(nonsense())
    if isinstance(value, np.ndarray):
        return _spoiled_array(draw, value)
    if isinstance(value, (bool, np.bool_)) or value is None:
        return draw(nonsense())
    if isinstance(value, (int, float, np.number)):
        return _spoiled_number(draw, value)
    if isinstance(value, str):
        return draw(st.sampled_from([value + "x", value.upper(), value[:-1], value.encode(), [value], f" {value}"]))
    if isinstance(value, (tuple, list)) and len(value) and not _is_a_result(value):
        return _spoiled_sequence(draw, value)
    return draw(nonsense())


def _is_a_result(value: Any) -> bool:
    """Whether it is a record that the library fills in; people fill in points and sums of reports too."""
    return hasattr(value, "_fields") and type(value).__name__ not in ("Points", "InclusionCounts", "SupportCounts")


def _spoiled_number(draw: Draw, value: Any) -> Any:
    changes: tuple[Callable[[Any], Any], ...] = (
        lambda number: -number,
        lambda number: number + 0.5,
        lambda number: number * 1e30,
        lambda number: str(number),
        lambda number: [number],
        lambda number: np.array(number),
        lambda number: np.array([number]),
        lambda number: complex(number),
        lambda number: np.float16(number),
        lambda number: np.float32(number),
        lambda number: Decimal(str(number)),
        lambda number: Fraction(str(number)) if math.isfinite(number) else number,
        lambda number: bool(number),
    )
    # A small float may not hold the number.
    with np.errstate(all="ignore"):
        return draw(
            st.one_of(st.sampled_from(changes).map(lambda change: change(value)), st.sampled_from(REAL_NUMBERS))
        )


def _spoiled_sequence(draw: Draw, value: Any) -> Any:
    kind = type(value) if type(value) in (tuple, list) else tuple
    at, rest = draw(st.integers(0, len(value) - 1)), list(value)
    change = draw(st.sampled_from(["shorter", "longer", "reversed", "element", "none"]))
    if change == "shorter":
        return kind(rest[:at])
    if change == "longer":
        return kind([*rest, rest[at]])
    if change == "reversed":
        return kind(rest[::-1])
    if change == "none":
        return kind([None] * len(rest))
    rest[at] = spoiled(draw, rest[at])
    return type(value)(*rest) if hasattr(value, "_fields") else kind(rest)


def _spoiled_array(draw: Draw, array: np.ndarray) -> Any:
    change = draw(st.sampled_from(["type", "shape", "entry", "all"]))
    if change == "type":
        kinds = [np.float16, np.float32, np.complex128, np.uint64, np.int8, bool, object, str]
        # Names are no numbers.
        kind = draw(st.sampled_from(kinds if array.dtype.kind in "biufc" else [object, str]))
        with np.errstate(all="ignore"):
            return array.astype(kind)
    if change == "shape":
        return draw(st.sampled_from(_SHAPES))(array)
    if change == "all":
        return np.full(array.shape, draw(st.sampled_from([0, -1, 0.5, math.nan, 10**18, 1e300, None, "x", 10**30])))
    if array.size == 0:
        return array
    entry = draw(st.sampled_from([-1, -0.0, 0.5, math.nan, math.inf, 1e300, 2**62, 10**18, 2**63, 10**30, None, "x"]))
    changed = array.astype(object)
    changed.flat[draw(st.integers(0, array.size - 1))] = entry
    return draw(st.sampled_from([_plain, lambda rows: rows, lambda rows: rows.tolist()]))(changed)


def _plain(array: np.ndarray) -> Any:
    """Of the type that NumPy would choose for these entries."""
    try:
        return np.array(array.tolist())
    except (OverflowError, ValueError):
        return array


_SHAPES: tuple[Callable[[np.ndarray], Any], ...] = (
    lambda array: array[None],
    lambda array: array.ravel(),
    lambda array: array[:0],
    lambda array: array[:-1] if array.ndim else array,
    lambda array: np.concatenate([array, array]) if array.ndim else array,
    lambda array: array.reshape(-1, 1),
    lambda array: [array.tolist(), [1]],
    lambda array: array.flat[0] if array.size else array,
)
