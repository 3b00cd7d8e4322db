"""The checks every public call makes on its arguments.

Each error names the argument, the value it was given and the values it may take, so that the
reader can repair the call without opening the source.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Beyond this budget a report is the truth in all but name, and e^ε stops being exact in a double.
LARGEST_EPSILON = 100.0


def whole_number(name: str, value: Any, smallest: int, largest: int | None = None) -> int:
    """`value` as an int, if it is a whole number in the given range."""
    allowed = f"a whole number ≥ {smallest}" if largest is None else f"a whole number from {smallest} to {largest}"
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"{name} must be {allowed}, got {value!r}") from None
    if number < smallest or (largest is not None and number > largest):
        raise ValueError(f"{name} must be {allowed}, got {value!r}")
    return number


def real_number(name: str, value: Any, *, above: float, at_most: float = math.inf) -> float:
    """`value` as a float, if it is a finite number with above < value ≤ at_most."""
    limit = "a finite number" if at_most == math.inf else f"a number ≤ {at_most:g}"
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not (math.isfinite(number) and above < number <= at_most):
        raise ValueError(f"{name} must be {limit} and > {above:g}, got {value!r}")
    return number


def privacy_budget(value: Any, name: str = "epsilon") -> float:
    """A usable ε."""
    return real_number(name, value, above=0.0, at_most=LARGEST_EPSILON)


def one_of(name: str, value: Any, allowed: Sequence[str]) -> str:
    """`value`, if it is one of the allowed words."""
    if value not in allowed:
        words = ", ".join(repr(word) for word in allowed)
        raise ValueError(f"{name} must be one of {words}, got {value!r}")
    return str(value)


def generator(value: Any, name: str = "rng") -> np.random.Generator:
    """`value`, if it is a NumPy random generator."""
    if not isinstance(value, np.random.Generator):
        raise ValueError(
            f"{name} must be a numpy.random.Generator (numpy.random.default_rng(seed) makes one), got {value!r}"
        )
    return value


def non_negative_array(
    name: str, value: Any, shape: tuple[int, ...] | None = None, meaning: str = ""
) -> NDArray[np.float64]:
    """`value` as a float array that is finite, nowhere negative, not all zero and of the given shape."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be an array of numbers ≥ 0{meaning}, got {type(value).__name__}") from None
    if shape is not None and array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}{meaning}, got shape {array.shape}")
    if not np.isfinite(array).all():
        bad = int(np.count_nonzero(~np.isfinite(array)))
        raise ValueError(f"{name} must hold finite numbers ≥ 0, got {bad} that are NaN or infinite")
    if array.size and array.min() < 0:
        raise ValueError(f"{name} must hold numbers ≥ 0, got {array.min():g}")
    if not array.any():
        raise ValueError(f"{name} must not be all zero: there is nobody to count (shape {array.shape})")
    return array


def whole_counts(name: str, value: Any, shape: tuple[int, ...], meaning: str = "") -> NDArray[np.int64]:
    """`value` as an int64 array of people or reports per cell."""
    array = non_negative_array(name, value, shape, meaning)
    counts = array.astype(np.int64)
    if not np.array_equal(counts, array):
        fraction = float(array[counts != array].flat[0])
        raise ValueError(f"{name} must hold whole numbers ≥ 0 (people are counted), got {fraction:g}")
    return counts


def people_per_point(name: str, value: Any, size: int) -> NDArray[np.int64]:
    """`value` as an int64 array (size,) of people at each point; unlike counts it may be all zero or empty."""
    array = np.asarray(value)
    if array.shape != (size,):
        raise ValueError(f"{name} must have one number per point, shape ({size},), got shape {array.shape}")
    whole = np.issubdtype(array.dtype, np.integer)
    if not whole or (array.size and array.min() < 0):
        wrong = f"{array.min()}" if whole else f"{array.dtype}"
        raise ValueError(f"{name} must hold whole numbers ≥ 0 (people are counted), got {wrong}")
    return array.astype(np.int64)


def cell_indices(name: str, value: Any, d: int, what: str = "cell indices") -> NDArray[np.int64]:
    """`value` as a flat int64 array of cell indices (or of `what` else is numbered) 0 … d−1."""
    array = np.atleast_1d(np.asarray(value))
    if array.ndim != 1 or not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"{name} must be one whole number or a flat array of them, got {value!r}")
    if array.size and (array.min() < 0 or array.max() >= d):
        wrong = int(array.min() if array.min() < 0 else array.max())
        raise ValueError(f"{name} must hold {what} from 0 to {d - 1}, got {wrong}")
    return array.astype(np.int64)


def cell_mask(name: str, value: Any, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """`value` as a boolean array of cells in which somebody may be."""
    array = np.asarray(value)
    if array.dtype != np.bool_ or array.shape != shape:
        raise ValueError(f"{name} must be a boolean array of shape {shape}, got {array.dtype} of shape {array.shape}")
    if not array.any():
        raise ValueError(f"{name} must allow at least one cell, got none")
    return array
