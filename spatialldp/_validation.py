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

# Part of this module for everybody who checks arguments.
from spatialldp._kinds import A_FUNCTION as A_FUNCTION
from spatialldp._kinds import goes_through as goes_through
from spatialldp._kinds import instance as instance
from spatialldp._kinds import shown as shown
from spatialldp._kinds import takes as takes

#: Beyond this budget a report is the truth in all but name, and e^ε stops being exact in a double.
LARGEST_EPSILON = 100.0
#: Below this budget e^ε − 1 is lost in the rounding of doubles. Devices draw in whole numbers, and keep any ε > 0.
SMALLEST_IN_DOUBLES = 1e-12
#: Cells per side of any grid: a million cells, 8 MB per array. A mechanism may set a limit of its own below it.
LARGEST_D = 1_024
#: Symbols of a frequency oracle: as many as the largest grid has cells.
LARGEST_M = LARGEST_D**2
#: What an int64 holds: people are counted in those, and a larger number would wrap around to a negative one.
LARGEST_INT64 = 2**63 - 1
#: The most people, in a cell or in all, that are simulated or recovered: beyond, a double no longer counts them one by
#: one, and sums over cells and reports may leave an int64.
MOST_PEOPLE = 2**53
#: A radius up to this is allowed on any grid: on a single cell the whole disk can be looked at.
LARGEST_RADIUS_ANYWHERE = 100
#: How often a measurement may be repeated; each repeat keeps a map.
MOST_REPEATS = 10_000
#: Reports of one person that an attacker may see; beyond, nothing is left to find out.
MOST_REPORTS = 1_000
#: Steps of an iteration that would otherwise never say that it does not converge.
MOST_ITERATIONS = 1_000_000
#: What one call may return, bytes: more is refused before it is asked of the system.
LARGEST_ARRAY = 2**31


def whole_number(name: str, value: Any, smallest: int, largest: int | None = None) -> int:
    """`value` as an int, if it is a whole number in the given range."""
    allowed = f"a whole number ≥ {smallest}" if largest is None else f"a whole number from {smallest} to {largest}"
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"{name} must be {allowed}, got {shown(value)}") from None
    if number < smallest or (largest is not None and number > largest):
        raise ValueError(f"{name} must be {allowed}, got {shown(value)}")
    return number


def limited(name: str, value: Any, smallest: int, largest: int, why: str) -> int:
    """`value` as an int, if it is a whole number that is not too large; `why` says what sets the limit, or helps."""
    number = whole_number(name, value, smallest)
    if number > largest:
        raise ValueError(f"{name} must be at most {largest:,}, got {shown(value)}: {why}")
    return number


def cells_per_side(value: Any, largest: int = LARGEST_D, who: str = "", name: str = "d") -> int:
    """A usable d; `largest` and `who` where it is a mechanism that sets the limit."""
    return limited(name, value, 1, min(largest, LARGEST_D), f"choose a coarser grid{who}")


def largest_radius(d: int) -> int:
    """Up to where a radius makes sense on d×d cells: beyond twice the map every disk holds all of it."""
    return max(2 * d, LARGEST_RADIUS_ANYWHERE)


def radius(value: Any, d: int, name: str = "b") -> int:
    """A usable radius in cells, on d×d cells."""
    why = f"a disk that large holds all of the {d}×{d} cells anyway, so choose a smaller radius"
    return limited(name, value, 0, largest_radius(d), why)


def people(name: str, value: Any) -> int:
    """A number of people, at least 1."""
    return limited(name, value, 1, MOST_PEOPLE, "let fewer people take part")


def repeats(value: Any, smallest: int = 1, name: str = "repeats") -> int:
    """How often a measurement is repeated."""
    return limited(name, value, smallest, MOST_REPEATS, "the interval hardly narrows any more")


def reports_per_person(value: Any, name: str = "reports") -> int:
    """How many reports of one person an attacker sees."""
    return limited(name, value, 1, MOST_REPORTS, "by then they give the place away")


def fits_in_memory(what: str, entries: int, bytes_each: int, instead: str) -> None:
    """Refuse to make an array of so many entries where it would be larger than `LARGEST_ARRAY`."""
    if entries * bytes_each > LARGEST_ARRAY:
        size = entries * bytes_each / 2**30
        # Just above the limit, a whole number could be the limit itself.
        stated = f"{size:,.0f}" if size >= 10 else f"{size:.2f}"
        most = f"{LARGEST_ARRAY / 2**30:g} GB"
        raise ValueError(f"{what} would take {stated} GB, and at most {most} are allowed: {instead}")


def real_number(name: str, value: Any, *, above: float, at_most: float = math.inf) -> float:
    """`value` as a float, if it is a finite number with above < value ≤ at_most."""
    limit = "a finite number" if at_most == math.inf else f"a number ≤ {at_most:g}"
    try:
        if isinstance(value, (bool, np.bool_, bytes)) or np.ndim(value) > 0 or np.iscomplexobj(value):
            raise TypeError
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not (math.isfinite(number) and above < number <= at_most):
        raise ValueError(f"{name} must be {limit} and > {above:g}, got {shown(value)}")
    return number


def is_zero(value: Any) -> bool:
    """Whether it is the number 0; False, which Python takes for it, is no number."""
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool) and bool(value == 0)


def not_a_text(name: str, value: Any) -> None:
    """Refuse a number written as a text, where it is kept as it is given."""
    if isinstance(value, str):
        raise ValueError(f"{name} must be a number, got the text {shown(value)}")


def privacy_budget(value: Any, name: str = "epsilon") -> float:
    """A usable ε."""
    return real_number(name, value, above=0.0, at_most=LARGEST_EPSILON)


def enough_for_doubles(epsilon: float) -> None:
    """Refuse an ε that is too small for what is worked out in doubles: a recovered map, or the kernel of Geo-I."""
    if epsilon < SMALLEST_IN_DOUBLES:
        raise ValueError(
            f"epsilon must be at least {SMALLEST_IN_DOUBLES:g} for this, got {epsilon:g}: nothing but rounding would "
            "be left of the reports"
        )


def one_of(name: str, value: Any, allowed: Sequence[str]) -> str:
    """`value`, if it is one of the allowed words."""
    if not isinstance(value, str) or value not in allowed:
        words = ", ".join(repr(word) for word in allowed)
        raise ValueError(f"{name} must be one of {words}, got {shown(value)}")
    return str(value)


def generator(value: Any, name: str = "rng") -> np.random.Generator:
    """`value`, if it is a NumPy random generator."""
    if not isinstance(value, np.random.Generator):
        raise ValueError(
            f"{name} must be a numpy.random.Generator (numpy.random.default_rng(seed) makes one), got {shown(value)}"
        )
    return value


def non_negative_array(
    name: str, value: Any, shape: tuple[int, ...] | None = None, meaning: str = "", *, may_be_zero: bool = False
) -> NDArray[np.float64]:
    """`value` as a float array that is finite, nowhere negative, not all zero unless it may be, and of that shape."""
    try:
        # NumPy would read texts as numbers, and drop half of a complex one.
        if np.asarray(value).dtype.kind in "cSU":
            raise TypeError
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} must be an array of numbers ≥ 0{meaning}, got {type(value).__name__}") from None
    if shape is not None and array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}{meaning}, got shape {array.shape}")
    if not np.isfinite(array).all():
        bad = int(np.count_nonzero(~np.isfinite(array)))
        raise ValueError(f"{name} must hold finite numbers ≥ 0, got {bad} that are NaN or infinite")
    if array.size and array.min() < 0:
        raise ValueError(f"{name} must hold numbers ≥ 0, got {array.min():g}")
    if not may_be_zero and not array.any():
        raise ValueError(f"{name} must not be all zero: there is nobody to count (shape {array.shape})")
    return array


def shares(array: NDArray[np.float64]) -> NDArray[np.float64]:
    """A checked array scaled to total 1, also where the total is beyond a double."""
    with np.errstate(over="ignore"):
        total = array.sum()
    if not np.isfinite(total):
        array = array / array.max()
        total = array.sum()
    return array / total


def exact_total(counts: NDArray[np.int64]) -> int:
    """The sum of int64 counts, which may be larger than an int64."""
    return (int((counts >> 32).sum()) << 32) + int((counts & 0xFFFFFFFF).sum())


def refuse_overflow(name: str, array: NDArray[Any], *, largest: int = MOST_PEOPLE, with_total: bool = True) -> None:
    """Refuse counts, or a total of them, beyond `largest`; `array` holds finite numbers ≥ 0 of any type."""
    if not array.size:
        return
    # In Python's own numbers, which neither wrap around nor round.
    most = array.max().item()
    total = most
    if most <= largest and with_total:
        total = array.sum().item() if array.dtype.kind == "f" else exact_total(array.astype(np.int64))
    if max(most, total) > largest:
        raise ValueError(
            f"{name} must add up to at most {largest:,}, got {max(most, total):.4g}: count in thousands, or scale them "
            "down"
        )


def whole_counts(
    name: str, value: Any, shape: tuple[int, ...] | None, meaning: str = "", *, of_sets: bool = False
) -> NDArray[np.int64]:
    """`value` as an int64 array of people or reports per cell; neither any of them nor their total is beyond
    `MOST_PEOPLE`.

    Where reports are `of_sets` of cells, one is counted in each of its cells, so the total may be; and all reports may
    name no cell at all.
    """
    checked = non_negative_array(name, value, shape, meaning, may_be_zero=of_sets)
    given = np.asarray(value)
    # Whole numbers as they are: a double would round those beyond 2⁵³.
    array = given if given.dtype.kind in "iu" else checked
    refuse_overflow(name, array, with_total=not of_sets)
    counts = array.astype(np.int64, copy=False)
    if not np.array_equal(counts, array):
        fraction = float(array[counts != array].flat[0])
        raise ValueError(f"{name} must hold whole numbers ≥ 0 (people are counted), got {fraction:g}")
    return counts


def square_counts(name: str, value: Any) -> NDArray[np.int64]:
    """`value` as an int64 array (d, d) of people per cell, of whatever d."""
    counts = whole_counts(name, value, None)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        raise ValueError(f"{name} must be people per cell of a square grid, (d, d), got shape {counts.shape}")
    return counts


def square_map(name: str, value: Any, shape: tuple[int, ...] | None = None) -> NDArray[np.float64]:
    """`value` as a float array (d, d) of numbers ≥ 0 in any unit, not all zero; of that shape where one is given."""
    array = non_negative_array(name, value, shape)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise ValueError(f"{name} must be a map of a square grid, (d, d), got shape {array.shape}")
    return array


def report_counts(name: str, value: Any, shape: tuple[int, ...], meaning: str = "") -> NDArray[np.float64]:
    """`value` as a float array of summed reports, or of expected ones, whose total is that of people."""
    array = non_negative_array(name, value, shape, meaning)
    refuse_overflow(name, array)
    return array


def people_per_point(name: str, value: Any, size: int) -> NDArray[np.int64]:
    """`value` as an int64 array (size,) of people at each point; unlike counts it may be all zero or empty."""
    try:
        array = np.asarray(value)
    except ValueError:  # Lists of different lengths.
        array = np.empty((0, 0))
    if array.shape != (size,):
        raise ValueError(f"{name} must have one number per point, shape ({size},), got shape {array.shape}")
    whole = np.issubdtype(array.dtype, np.integer)
    if not whole or (array.size and array.min() < 0):
        wrong = f"{array.min()}" if whole else f"{array.dtype}"
        raise ValueError(f"{name} must hold whole numbers ≥ 0 (people are counted), got {wrong}")
    refuse_overflow(name, array, largest=LARGEST_INT64)
    return array.astype(np.int64)


def cell_indices(name: str, value: Any, d: int, what: str = "cell indices") -> NDArray[np.int64]:
    """`value` as a flat int64 array of cell indices (or of `what` else is numbered) 0 … d−1."""
    try:
        array = np.atleast_1d(np.asarray(value))
    except ValueError:  # Lists of different lengths.
        array = np.empty((0, 0))
    if array.ndim != 1 or not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"{name} must be one whole number or a flat array of them, got {shown(value)}")
    if array.size and (array.min() < 0 or array.max() >= d):
        wrong = int(array.min() if array.min() < 0 else array.max())
        raise ValueError(f"{name} must hold {what} from 0 to {d - 1}, got {wrong}")
    return array.astype(np.int64)


def whole_rows(value: Any, width: tuple[int, ...], of: str) -> NDArray[Any]:
    """`value` as an array (n, *width) of some integer type that fits an int64: reports as `of` sends them."""
    try:
        rows = np.asarray(value)
    except ValueError:
        raise ValueError(f"reports must be rows of one length, as randomize of {of} returns") from None
    if rows.ndim != 1 + len(width) or rows.shape[1:] != width or not np.issubdtype(rows.dtype, np.integer):
        shape = f"(n, {width[0]})" if width else "(n,)"
        raise ValueError(
            f"reports must be an integer array of shape {shape}, as randomize of {of} returns, "
            f"got {rows.dtype} of shape {rows.shape}"
        )
    if rows.size and rows.dtype.kind == "u" and int(rows.max()) > LARGEST_INT64:
        raise ValueError(f"reports must be those of {of}, got {int(rows.max())}: are they from another mechanism?")
    return rows


def cell_number(name: str, value: Any, d: int) -> int:
    """`value` as an int, if it is the number ix·d + iy of one of d×d cells."""
    return whole_number(name, value, 0, d * d - 1)


def seed(value: Any, name: str = "seed") -> int:
    """The seed of a random generator."""
    return whole_number(name, value, 0)


def real_array(name: str, value: Any) -> NDArray[np.float64]:
    """`value` as a float array of finite numbers, of any shape but empty."""
    try:
        given = np.asarray(value)
        array = given.astype(np.float64) if given.dtype.kind in "biuf" else np.array([np.nan])
    except (TypeError, ValueError, OverflowError):
        array = np.array([np.nan])
    if not array.size or not np.isfinite(array).all():
        raise ValueError(f"{name} must be an array of finite numbers, got {shown(value)}")
    return array


def share_array(name: str, value: Any) -> NDArray[np.float64]:
    """`value` as a float array of shares, 0 to 1 each, of any shape but empty."""
    array = real_array(name, value)
    if array.min() < 0 or array.max() > 1:
        raise ValueError(f"{name} must hold shares from 0 to 1, got {array.min():g} to {array.max():g}")
    return array


def cell_mask(name: str, value: Any, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """`value` as a boolean array of cells in which somebody may be."""
    try:
        array = np.asarray(value)
    except ValueError:  # Lists of different lengths.
        array = np.empty(0)
    if array.dtype != np.bool_ or array.shape != shape:
        raise ValueError(f"{name} must be a boolean array of shape {shape}, got {array.dtype} of shape {array.shape}")
    if not array.any():
        raise ValueError(f"{name} must allow at least one cell, got none")
    return array
