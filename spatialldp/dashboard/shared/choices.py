"""Every choice of a visitor, and how it reads in a link. Knows nothing of widgets."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any
from urllib.parse import urlencode

from spatialldp.datasets import DATASETS, DEFAULT_DATASET
from spatialldp.experiments.comparison import DEFAULT_MECHANISMS, DEFAULT_REPEATS
from spatialldp.experiments.sweep import AXES
from spatialldp.grid import Bounds
from spatialldp.mechanisms import MECHANISMS
from spatialldp.planning.study import pinned_text, read_pinned
from spatialldp.privacy.protection import BEST_GUESS, HIT_RATE, LOCAL_PRIVACY, WORST_CASE

#: Of the meaning of a link; a future change of it can still read old ones.
LINK_VERSION = "1"
#: The id of the visitor's own file. It never leaves the session, so a link cannot carry it.
UPLOAD = "upload"
EPSILON_RANGE = (0.5, 9.0)
LARGEST_D = 100
LARGEST_SEED = 999_999
REPEATS_RANGE = (1, 20)
#: Who takes part, in percent of the people there are.
POPULATIONS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000)
MOST_REPORTS = 30
SMALLEST_TARGET, LARGEST_TARGET = 1e-4, 1e6
LARGEST_USERS = 10**8
#: Steps of the lesson, and parts of "How it works" as a link names them.
STEPS = 5
PARTS = ("kernel", "recovery", "paper")
#: How Geo-I mechanisms are made comparable, as a link says it: by which ruler they protect as much as DAM; None at the
#: same ε.
EQUAL = "equal"
FOOTINGS = {EQUAL: LOCAL_PRIVACY, "guess": BEST_GUESS, "hit": HIT_RATE, "worst": WORST_CASE, "same": None}
#: A box is kept to a tenth of a metre, so that the picture and its link agree.
BOX_DIGITS = 6


@dataclass(frozen=True)
class Choices:
    """`box` None: all of the data set; `b` None: the best radius, which follows ε and d.

    Of the trade-off: `target` the error that can be accepted, None where ε is offered; `people` who take part, in
    percent; `over` what the curves vary; `reports` of one person; `pinned` scenario A, as
    `spatialldp.planning.study.pinned_text` writes it.
    Of the lesson: `step`; `person` x and y of the one on the map, None for the first place of the list; `knows_city`
    whether the attacker knows where people live. `part` of "How it works".
    Of Compare: `footing`, how Geo-I mechanisms are made comparable, one of `FOOTINGS`.
    """

    data: str = DEFAULT_DATASET
    box: Bounds | None = None
    mechanism: str = "DAM"
    epsilon: float = 3.5
    d: int = 15
    b: int | None = None
    seed: int = 1
    difference: bool = False
    flows: bool = False
    compared: tuple[str, ...] = DEFAULT_MECHANISMS
    footing: str = EQUAL
    repeats: int = DEFAULT_REPEATS
    target: float | None = None
    people: int = 100
    over: str = "epsilon"
    reports: int = 1
    pinned: str | None = None
    step: int = 1
    person: tuple[float, float] | None = None
    knows_city: bool = False
    part: str = PARTS[0]

    def changed(self, **values: Any) -> Choices:
        """With some values replaced; what no longer fits is dropped (a box belongs to its data)."""
        if "data" in values and values["data"] != self.data:
            values.setdefault("box", None)
            values.setdefault("person", None)
        new = replace(self, **values)
        return new if new.b is None or new.b <= largest_radius(new.d) else replace(new, b=largest_radius(new.d))

    @property
    def calibrated(self) -> bool:
        """Whether Geo-I mechanisms run at an ε′ of their own."""
        return FOOTINGS[self.footing] is not None

    @property
    def by(self) -> str:
        """The ruler by which they then protect as much as DAM."""
        return FOOTINGS[self.footing] or LOCAL_PRIVACY

    def query(self) -> dict[str, str]:
        """All of it for a link, defaults too, so that a link means the same when a default changes."""
        values = {
            "v": LINK_VERSION,
            "data": self.data,
            "mech": self.mechanism,
            "eps": f"{self.epsilon:g}",
            "d": str(self.d),
            "seed": str(self.seed),
        }
        if self.box is not None:
            values["box"] = ",".join(_digits(value) for value in self.box)
        if self.b is not None:
            values["b"] = str(self.b)
        values |= {name: "1" for name, shown in (("diff", self.difference), ("flows", self.flows)) if shown}
        values |= {
            "with": ",".join(self.compared),
            "geo": self.footing,
            "repeats": str(self.repeats),
            "pop": str(self.people),
            "over": self.over,
            "k": str(self.reports),
            "step": str(self.step),
            "prior": "density" if self.knows_city else "uniform",
            "part": self.part,
        }
        if self.target is not None:
            values["target"] = f"{self.target:.10g}"
        if self.pinned is not None:
            values["a"] = self.pinned
        if self.person is not None:
            values["at"] = ",".join(_digits(value) for value in self.person)
        return values

    def link(self) -> str:
        """The query part of a link."""
        return urlencode(self.query(), safe=",")


def _digits(value: float) -> str:
    return f"{value:.{BOX_DIGITS}f}".rstrip("0").rstrip(".")


def largest_radius(d: int) -> int:
    """Up to where the radius slider goes: beyond twice the map nothing changes any more."""
    return 2 * d


def rounded_box(box: Bounds) -> Bounds:
    """The box as a link carries it."""
    west, south, east, north = (round(float(value), BOX_DIGITS) for value in box)
    return west, south, east, north


def rounded_point(x: float, y: float) -> tuple[float, float]:
    """A place as a link carries it."""
    return round(float(x), BOX_DIGITS), round(float(y), BOX_DIGITS)


def parse(query: Mapping[str, str]) -> tuple[Choices, list[str]]:
    """The choices of a link, and a sentence for each value that is not understood and therefore ignored."""
    notices: list[str] = []
    values: dict[str, Any] = {}
    for name, (target, read) in _READERS.items():
        text = query.get(name)
        if text is None:
            continue
        try:
            values[target] = read(text)
        except ValueError as reason:
            notices.append(f"The link has {name} = “{_short(text)}”, which {reason}; it is ignored.")
    unknown = sorted(set(query) - set(_READERS) - {"v"})
    if unknown:
        notices.append(f"The link has values that mean nothing here ({', '.join(map(_short, unknown[:5]))}).")
    if query.get("v", LINK_VERSION) != LINK_VERSION:
        notices.append("The link was made by another version of this app; it is read as well as possible.")
    if "data" not in values and "data" in query:
        # The box of a data set that does not exist would be somewhere else.
        values = {name: value for name, value in values.items() if name not in ("box", "person")}
    return Choices().changed(**values), notices


def _short(text: str) -> str:
    # Markdown of a stranger must not turn into links or pictures on our page.
    plain = "".join(letter if letter.isalnum() or letter in " .,-+_" else "·" for letter in text)
    return plain if len(plain) <= 40 else plain[:39] + "…"


def _data(text: str) -> str:
    if text == UPLOAD:
        raise ValueError("was somebody's own file; a link does not carry it")
    if text not in DATASETS:
        raise ValueError("is no data set")
    return text


def _box(text: str) -> Bounds:
    try:
        west, south, east, north = (float(part) for part in text.split(","))
    except ValueError:
        raise ValueError("is not four numbers") from None
    if not all(map(math.isfinite, (west, south, east, north))):
        raise ValueError("is not four numbers")
    if not (west < east and south < north):
        raise ValueError("is no box (west, south, east, north)")
    return rounded_box((west, south, east, north))


def _point(text: str) -> tuple[float, float]:
    try:
        x, y = (float(part) for part in text.split(","))
    except ValueError:
        raise ValueError("is not two numbers") from None
    if not (math.isfinite(x) and math.isfinite(y)):
        raise ValueError("is not two numbers")
    return rounded_point(x, y)


def _part(text: str) -> str:
    if text not in PARTS:
        raise ValueError(f"is none of {', '.join(PARTS)}")
    return text


def _footing(text: str) -> str:
    if text not in FOOTINGS:
        raise ValueError(f"is none of {', '.join(FOOTINGS)}")
    return text


def _mechanism(text: str) -> str:
    if text not in MECHANISMS:
        raise ValueError("is no mechanism")
    return text


def _mechanisms(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(text.split(","))) if text else ()
    if not all(name in MECHANISMS for name in names):
        raise ValueError("is no list of mechanisms")
    return names


def _target(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not SMALLEST_TARGET <= value <= LARGEST_TARGET:
        raise ValueError("is no length")
    return float(f"{value:.10g}")


def _axis(text: str) -> str:
    if text not in AXES:
        raise ValueError(f"is none of {', '.join(AXES)}")
    return text


def _pinned(text: str) -> str:
    try:
        plan = read_pinned(text)
    except (ValueError, KeyError, OverflowError):
        raise ValueError("is no scenario") from None
    _epsilon(str(plan.epsilon))
    if (
        plan.d > LARGEST_D
        or (plan.b or 0) > largest_radius(plan.d)
        or (plan.users is not None and not 1 <= plan.users <= LARGEST_USERS)
    ):
        raise ValueError("is no scenario")
    return pinned_text(plan)


def _epsilon(text: str) -> float:
    low, high = EPSILON_RANGE
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not low <= value <= high:
        raise ValueError(f"is no number from {low:g} to {high:g}")
    return round(value, 2)


def _whole(low: int, high: int) -> Any:
    def read(text: str) -> int:
        # int() would also take "1_000" and digits of other scripts.
        if not (text.isascii() and text.isdigit() and low <= int(text[:12]) <= high):
            raise ValueError(f"is no whole number from {low} to {high:,}")
        return int(text)

    return read


def _word(**meanings: bool) -> Any:
    def read(text: str) -> bool:
        if text not in meanings:
            raise ValueError(f"is neither {' nor '.join(meanings)}")
        return meanings[text]

    return read


_READERS: dict[str, tuple[str, Any]] = {
    "data": ("data", _data),
    "box": ("box", _box),
    "mech": ("mechanism", _mechanism),
    "eps": ("epsilon", _epsilon),
    "d": ("d", _whole(1, LARGEST_D)),
    "b": ("b", _whole(0, largest_radius(LARGEST_D))),
    "seed": ("seed", _whole(0, LARGEST_SEED)),
    "diff": ("difference", _word(**{"0": False, "1": True})),
    "flows": ("flows", _word(**{"0": False, "1": True})),
    "with": ("compared", _mechanisms),
    "geo": ("footing", _footing),
    "repeats": ("repeats", _whole(*REPEATS_RANGE)),
    "target": ("target", _target),
    "pop": ("people", _whole(1, POPULATIONS[-1])),
    "over": ("over", _axis),
    "k": ("reports", _whole(1, MOST_REPORTS)),
    "a": ("pinned", _pinned),
    "step": ("step", _whole(1, STEPS)),
    "at": ("person", _point),
    "prior": ("knows_city", _word(uniform=False, density=True)),
    "part": ("part", _part),
}
assert {target for target, _ in _READERS.values()} == {field.name for field in fields(Choices)}
