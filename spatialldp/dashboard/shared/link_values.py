"""One value of a link: how it is read, with a reason where it cannot be, and how it is written."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from spatialldp.datasets import DATASETS
from spatialldp.grid import Bounds
from spatialldp.mechanisms import MECHANISMS
from spatialldp.planning.question import MOST_SCENARIOS, Scenario, scenario_text
from spatialldp.planning.question import read_scenario as read_named_scenario

#: The id of the visitor's own file. It never leaves the session, so a link cannot carry it.
UPLOAD = "upload"
EPSILON_RANGE = (0.5, 9.0)
EPSILON_STEP = 0.1
LARGEST_D = 100
LARGEST_USERS = 10**8
SMALLEST_TARGET, LARGEST_TARGET = 1e-4, 1e6
#: A box is kept to a tenth of a metre, so that the picture and its link agree.
_BOX_DIGITS = 6

T = TypeVar("T")


def largest_radius(d: int) -> int:
    """Up to where the radius slider goes: beyond twice the map nothing changes any more."""
    return 2 * d


def rounded_box(box: Sequence[float]) -> Bounds:
    """The box as a link carries it."""
    west, south, east, north = (round(float(value), _BOX_DIGITS) for value in box)
    return west, south, east, north


def rounded_point(x: float, y: float) -> tuple[float, float]:
    """A place as a link carries it."""
    return round(float(x), _BOX_DIGITS), round(float(y), _BOX_DIGITS)


# -- writing ---------------------------------------------------------------------------------------


def coordinates_text(values: tuple[float, ...]) -> str:
    """A box or a place."""
    return ",".join(f"{value:.{_BOX_DIGITS}f}".rstrip("0").rstrip(".") for value in values)


def counted_text(counted: Bounds | str) -> str:
    """A rectangle, or the name of a district."""
    return counted if isinstance(counted, str) else coordinates_text(counted)


def number_text(value: float) -> str:
    """A number with as many digits as it is read with."""
    return f"{value:.10g}"


def word_text(words: Mapping[str, T]) -> Callable[[T], str]:
    """The word for a meaning."""
    return {meaning: word for word, meaning in words.items()}.__getitem__


# -- reading: each raises ValueError with the end of the sentence "Ignored … in the link: it …" ----


def read_data(text: str) -> str:
    """The id of a public data set."""
    if text == UPLOAD:
        raise ValueError("stands for somebody's own file, which a link does not carry")
    if text not in DATASETS:
        raise ValueError("is not a data set")
    return text


def read_box(text: str) -> Bounds:
    """West, south, east, north."""
    # As the link will carry it: what is too small for its digits is no box.
    west, south, east, north = box = rounded_box(_numbers(text, 4, "is not four numbers"))
    if not (west < east and south < north):
        raise ValueError("is not a box (west, south, east, north)")
    return box


def read_counted(text: str) -> Bounds | str:
    """A rectangle, or what may be the name of a district; whether it is one depends on the data set."""
    try:
        _numbers(text, 4, "")
    except ValueError:
        return text
    return read_box(text)


def read_point(text: str) -> tuple[float, float]:
    """A place, x and y."""
    x, y = _numbers(text, 2, "is not two numbers")
    return rounded_point(x, y)


def _numbers(text: str, many: int, reason: str) -> list[float]:
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(reason) from None
    if len(values) != many or not all(map(math.isfinite, values)):
        raise ValueError(reason)
    return values


def read_mechanism(text: str) -> str:
    """The name of a mechanism."""
    if text not in MECHANISMS:
        raise ValueError("is not a mechanism")
    return text


def read_mechanisms(text: str) -> tuple[str, ...]:
    """Names of mechanisms, each once; none for an empty text."""
    names = tuple(dict.fromkeys(text.split(","))) if text else ()
    if not all(name in MECHANISMS for name in names):
        raise ValueError("is not a list of mechanisms")
    return names


def read_epsilon(text: str) -> float:
    """ε, to hundredths."""
    low, high = EPSILON_RANGE
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not low <= value <= high:
        raise ValueError(f"is not a number from {low:g} to {high:g}")
    return round(value, 2)


def read_target(text: str) -> float:
    """An accepted error."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not SMALLEST_TARGET <= value <= LARGEST_TARGET:
        raise ValueError(f"is not a number from {SMALLEST_TARGET:g} to {LARGEST_TARGET:,.0f}")
    return float(number_text(value))


def read_scenarios(text: str) -> tuple[str, ...]:
    """Saved scenarios, each in the form that `scenario_text` writes, separated by semicolons."""
    texts = text.split(";") if text else []
    found = [_scenario(part) for part in texts]
    if len(found) > MOST_SCENARIOS:
        raise ValueError(f"holds more than {MOST_SCENARIOS} scenarios")
    if len({scenario.name for scenario in found}) < len(found):
        raise ValueError("names two scenarios alike")
    return tuple(_written(scenario, text) for scenario, text in zip(found, texts, strict=True))


def _written(scenario: Scenario, text: str) -> str:
    """A scenario in the usual form. Older links say nothing of how a Geo-I mechanism is made comparable: there it is as
    on the rest of the page."""
    whole = scenario_text(scenario)
    return whole if whole.count(",") == text.count(",") else whole.rpartition(",")[0]


def _scenario(text: str) -> Scenario:
    try:
        found = read_named_scenario(text)
        read_epsilon(str(found.plan.epsilon))
    except (ValueError, OverflowError):
        raise ValueError("is not a list of scenarios") from None
    plan = found.plan
    if (
        plan.d > LARGEST_D
        or (plan.b or 0) > largest_radius(plan.d)
        or (plan.users is not None and not 1 <= plan.users <= LARGEST_USERS)
    ):
        raise ValueError("is not a list of scenarios")
    return found


def read_whole(low: int, high: int) -> Callable[[str], int]:
    """A reader of whole numbers."""

    def read(text: str) -> int:
        # int() would also take "1_000" and digits of other scripts.
        if not (text.isascii() and text.isdigit() and low <= int(text[:12]) <= high):
            raise ValueError(f"is not a whole number from {low} to {high:,}")
        return int(text)

    return read


def read_word(words: Mapping[str, T]) -> Callable[[str], T]:
    """A reader of words that stand for something."""

    def read(text: str) -> T:
        if text not in words:
            raise ValueError(
                f"is not one of {', '.join(words)}" if len(words) > 2 else f"is neither {' nor '.join(words)}"
            )
        return words[text]

    return read
