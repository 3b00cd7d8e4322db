"""Every choice of a visitor, and how it reads in a link. Knows nothing of widgets.

A link carries its version, and what its page uses where that differs from the defaults. Older links, which wrote out
every value, are read the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any
from urllib.parse import urlencode

from spatialldp.dashboard.shared import link_values as values
from spatialldp.dashboard.shared.link_values import EPSILON_RANGE, EPSILON_STEP, LARGEST_D, UPLOAD, largest_radius
from spatialldp.dashboard.shared.pages import Page
from spatialldp.dashboard.shared.stories import STORIES
from spatialldp.datasets import dataset
from spatialldp.experiments import PURPOSES, defaults, districts
from spatialldp.grid import Bounds
from spatialldp.mechanisms import MECHANISMS
from spatialldp.planning.question import CURVES, DECIDED_FOR
from spatialldp.privacy.protection import BEST_GUESS, HIT_RATE, LOCAL_PRIVACY, WORST_CASE

__all__ = ["EPSILON_RANGE", "EPSILON_STEP", "LARGEST_D", "UPLOAD", "Choices", "largest_radius", "parse"]

LARGEST_SEED = 999_999
#: Corners of rectangles in plain units; number fields take no numbers that a browser cannot tell apart.
_FARTHEST_PLAIN = 1e6
REPEATS_RANGE = (1, 20)
#: How many take part, in percent of the people there are.
POPULATIONS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000)
MOST_REPORTS = 30
#: On finer grids the search for an ε′ of equal protection takes up to minutes, in which other visitors would wait.
LARGEST_EQUAL_D = 60
#: Steps of the lesson, and parts of "How it works" as a link names them.
STEPS = 6
PARTS = ("kernel", "recovery", "paper")
#: How Explore shows a run, and what its player varies, as a link names them.
VIEWS = ("three", "swipe", "play", "columns")
PLAYED = ("eps", "d")
#: How Geo-I mechanisms are made comparable, as a link says it: by which ruler they protect as much as DAM; None at the
#: same ε.
EQUAL = "equal"
FOOTINGS = {EQUAL: LOCAL_PRIVACY, "guess": BEST_GUESS, "hit": HIT_RATE, "worst": WORST_CASE, "same": None}


@dataclass(frozen=True)
class Choices:
    """All settings of a visitor, for all pages together."""

    data: str = defaults.DATA
    """The id of a data set, or `UPLOAD`."""
    box: Bounds | None = None
    """The area, in the units of the data set; None for all of it."""
    mechanism: str = defaults.MECHANISM
    """The one mechanism of Explore and the Trade-off."""
    epsilon: float = defaults.EPSILON
    """The privacy budget ε."""
    d: int = defaults.D
    """Cells per side."""
    b: int | None = None
    """The radius in cells; None for the optimal one, which follows ε and d."""
    seed: int = defaults.SEED
    """Of the random draws."""
    difference: bool = False
    """Explore: whether the fourth map, recovered − true, is shown."""
    flows: bool = False
    """Explore: whether arrows show where the error is."""
    mask: bool = False
    """Explore: whether the recovery knows where nobody can live."""
    equal: bool = False
    """Explore: whether a Geo-I mechanism runs at the ε′ at which it protects as much as DAM does at ε."""
    view: str = VIEWS[0]
    """Explore: three maps, or one way to look closer, one of `VIEWS`."""
    play: str = PLAYED[0]
    """Explore: what changes from picture to picture while it plays, one of `PLAYED`."""
    counted: Bounds | str | None = None
    """Explore: where people are counted, a rectangle or the name of a district; None for nowhere."""
    compared: tuple[str, ...] = defaults.COMPARED
    """Compare: whose results stand side by side."""
    drawn: tuple[str, ...] = ()
    """Trade-off: whose curves are drawn beside that of the plan's own mechanism."""
    footing: str = EQUAL
    """How Geo-I mechanisms are made comparable, one of `FOOTINGS`."""
    repeats: int = defaults.REPEATS
    """How often each mechanism runs."""
    target: float | None = None
    """Trade-off: the error that can be accepted, in metres or the map's units, or in people per thousand; None where
    ε is offered."""
    purpose: str = PURPOSES[0]
    """Trade-off: what the map is for, one of `PURPOSES`."""
    decided_for: str = DECIDED_FOR[0]
    """Trade-off: which plan the curves and the printable report are about, one of `DECIDED_FOR`."""
    people: int = 100
    """Trade-off: who takes part, in percent of the people there are."""
    over: str = defaults.OVER
    """Trade-off: what the curves vary, one of `CURVES`."""
    reports: int = defaults.REPORTS
    """Trade-off: how many reports one person sends."""
    scenarios: tuple[str, ...] = ()
    """Trade-off: saved scenarios, as `spatialldp.planning.question.scenario_text` writes them."""
    step: int = 1
    """Lesson: which step."""
    person: tuple[float, float] | None = None
    """Lesson: x and y of the person on the map; None for the first place of the list."""
    knows_city: bool = False
    """Lesson: whether the attacker knows where people live."""
    part: str = PARTS[0]
    """How it works: which part, one of `PARTS`."""
    story: str | None = None
    """The story that is being told, one of `STORIES`; None for none."""
    present: bool = False
    """Whether the pages are shown for a projector: no sidebar, larger type."""
    bare: bool = False
    """Whether the pages are shown inside another one: without menu and sidebar."""

    def changed(self, **values: Any) -> Choices:
        """With some values replaced; what no longer fits is dropped (a box belongs to its data)."""
        if "data" in values and values["data"] != self.data:
            values.setdefault("box", None)
            values.setdefault("person", None)
            values.setdefault("counted", None)
        new = replace(self, **values)
        return new if new.b is None or new.b <= largest_radius(new.d) else replace(new, b=largest_radius(new.d))

    @property
    def radius(self) -> int | None:
        """The chosen radius, where the mechanism has one to choose, in its range; None for the optimal one."""
        parameter = MECHANISMS[self.mechanism].parameter("b")
        if parameter is None or self.b is None:
            return None
        return min(max(self.b, parameter.lowest(self.d)), parameter.highest(self.d))

    @property
    def runs_as_dam(self) -> bool:
        """Whether Explore's mechanism runs at an ε′ of its own, at which it protects as much as DAM does at ε: where
        that is wanted, and found in reasonable time."""
        return self.equal and MECHANISMS[self.mechanism].notion == "Geo-I" and self.d <= LARGEST_EQUAL_D

    @property
    def calibrated(self) -> bool:
        """Whether Geo-I mechanisms run at an ε′ of their own."""
        return FOOTINGS[self.footing] is not None

    @property
    def by(self) -> str:
        """The ruler by which they then protect as much as DAM."""
        return FOOTINGS[self.footing] or LOCAL_PRIVACY

    def query(self, page: Page) -> dict[str, str]:
        """The values of a link to this page, by name: the version, and what the page uses that is not the default.

        A value that is left out means the default of that version, or that of the story that is told. So whoever
        changes a default raises `LINK_VERSION` and keeps the former defaults in `_DEFAULTS_OF`, so that links already
        in circulation keep their meaning.
        """
        told = self if self.told_on(page) else replace(self, story=None)
        default = replace(opened(told.story, LINK_VERSION), story=None)
        found = {"v": LINK_VERSION}
        for name, setting in _SETTINGS.items():
            value = getattr(told, setting.field)
            if value is None and getattr(default, setting.field) is not None:
                # A link has no word for "none": without its story it needs none.
                return replace(told, story=None).query(page)
            if page in setting.pages and value != getattr(default, setting.field):
                found[name] = setting.write(value)
        return found

    def link(self, page: Page) -> str:
        """The same as the query part of an address."""
        return urlencode(self.query(page), safe=",")

    def told_on(self, page: Page) -> bool:
        """Whether a story is being told on this page."""
        return self.story is not None and STORIES[self.story].page is page

    @property
    def as_told(self) -> bool:
        """Whether the view is still the one that the story tells about; how it is looked at does not matter."""
        told = opened(self.story, LINK_VERSION)
        settings = {setting.field for setting in _SETTINGS.values()} - _LOOKS
        watched = settings | STORIES[self.story].values.keys() if self.story else settings
        return all(getattr(self, field) == getattr(told, field) for field in watched)


#: The meaning of a link.
LINK_VERSION = "2"
#: What values that a link leaves out mean, by its version. In the first one the Trade-off drew what Compare compares.
_DEFAULTS_OF = {"1": Choices(drawn=defaults.COMPARED), "2": Choices()}


def opened(story: str | None, version: str = LINK_VERSION) -> Choices:
    """The choices with which a story begins; without one, the defaults of a version."""
    values = STORIES[story].values if story is not None else {}
    return _DEFAULTS_OF.get(version, Choices()).changed(**values, story=story)


@dataclass(frozen=True)
class _Setting:
    """A choice in a link."""

    field: str
    """Which field of `Choices` it is."""
    read: Callable[[str], Any]
    """The value of a text; raises ValueError with a reason."""
    write: Callable[[Any], str]
    """The text of a value."""
    pages: frozenset[Page]
    """The pages that use it."""


_EVERY_PAGE = frozenset(Page)
_EXPLORE, _TRADE_OFF, _LESSON = frozenset({Page.EXPLORE}), frozenset({Page.TRADE_OFF}), frozenset({Page.LESSON})
_HOW = frozenset({Page.HOW_IT_WORKS})
_SIDE_BY_SIDE = frozenset({Page.COMPARE, Page.TRADE_OFF})
_ON_OFF = {"0": False, "1": True}
_PRIORS = {"uniform": False, "density": True}
_PART_NAMES, _FOOTING_NAMES, _AXIS_NAMES = ({name: name for name in names} for names in (PARTS, FOOTINGS, CURVES))
_PURPOSE_NAMES, _DECIDED_FOR_NAMES = ({name: name for name in names} for names in (PURPOSES, DECIDED_FOR))
_VIEW_NAMES, _PLAYED_NAMES, _STORY_NAMES = ({name: name for name in names} for names in (VIEWS, PLAYED, STORIES))

#: Everything about links: the name of a choice in a link, its field, how it is read and written, and which pages use
#: it.
_SETTINGS: dict[str, _Setting] = {
    "data": _Setting("data", values.read_data, str, _EVERY_PAGE),
    "mech": _Setting("mechanism", values.read_mechanism, str, _EXPLORE | _TRADE_OFF),
    "eps": _Setting("epsilon", values.read_epsilon, values.number_text, _EVERY_PAGE),
    "d": _Setting("d", values.read_whole(1, LARGEST_D), str, _EVERY_PAGE),
    "seed": _Setting("seed", values.read_whole(0, LARGEST_SEED), str, _EVERY_PAGE),
    "box": _Setting("box", values.read_box, values.coordinates_text, _EVERY_PAGE),
    "b": _Setting("b", values.read_whole(0, largest_radius(LARGEST_D)), str, _EXPLORE | _TRADE_OFF | _HOW),
    "diff": _Setting("difference", values.read_word(_ON_OFF), values.word_text(_ON_OFF), _EXPLORE),
    "flows": _Setting("flows", values.read_word(_ON_OFF), values.word_text(_ON_OFF), _EXPLORE),
    "mask": _Setting("mask", values.read_word(_ON_OFF), values.word_text(_ON_OFF), _EXPLORE),
    "equal": _Setting("equal", values.read_word(_ON_OFF), values.word_text(_ON_OFF), _EXPLORE),
    "view": _Setting("view", values.read_word(_VIEW_NAMES), str, _EXPLORE),
    "play": _Setting("play", values.read_word(_PLAYED_NAMES), str, _EXPLORE),
    "count": _Setting("counted", values.read_counted, values.counted_text, _EXPLORE),
    "with": _Setting("compared", values.read_mechanisms, ",".join, frozenset({Page.COMPARE})),
    "draw": _Setting("drawn", values.read_mechanisms, ",".join, _TRADE_OFF),
    "geo": _Setting("footing", values.read_word(_FOOTING_NAMES), str, _SIDE_BY_SIDE),
    # A step of the lesson is a comparison.
    "repeats": _Setting("repeats", values.read_whole(*REPEATS_RANGE), str, _SIDE_BY_SIDE | _LESSON),
    "target": _Setting("target", values.read_target, values.number_text, _TRADE_OFF),
    "purpose": _Setting("purpose", values.read_word(_PURPOSE_NAMES), str, _TRADE_OFF),
    "plan": _Setting("decided_for", values.read_word(_DECIDED_FOR_NAMES), str, _TRADE_OFF),
    "pop": _Setting("people", values.read_whole(1, POPULATIONS[-1]), str, _TRADE_OFF),
    "over": _Setting("over", values.read_word(_AXIS_NAMES), str, _TRADE_OFF),
    "k": _Setting("reports", values.read_whole(1, MOST_REPORTS), str, _TRADE_OFF),
    "s": _Setting("scenarios", values.read_scenarios, ";".join, _TRADE_OFF),
    "step": _Setting("step", values.read_whole(1, STEPS), str, _LESSON),
    "at": _Setting("person", values.read_point, values.coordinates_text, _LESSON),
    "prior": _Setting("knows_city", values.read_word(_PRIORS), values.word_text(_PRIORS), _LESSON),
    "part": _Setting("part", values.read_word(_PART_NAMES), str, _HOW),
    "story": _Setting("story", values.read_word(_STORY_NAMES), str, frozenset(told.page for told in STORIES.values())),
    "present": _Setting("present", values.read_word(_ON_OFF), values.word_text(_ON_OFF), _EVERY_PAGE),
    "bare": _Setting("bare", values.read_word(_ON_OFF), values.word_text(_ON_OFF), _EVERY_PAGE),
}
#: Choices that change how the page of a story is looked at, or another page, but no number of the story.
_LOOKS = {
    *(
        "difference",
        "flows",
        "view",
        "play",
        "counted",
        "compared",
        "drawn",
        "footing",
        "repeats",
        "decided_for",
        "over",
    ),
    *("scenarios", "step", "person", "knows_city", "part", "present", "bare"),
}
assert {setting.field for setting in _SETTINGS.values()} == {field.name for field in fields(Choices)}


def parse(query: Mapping[str, str]) -> tuple[Choices, list[str]]:
    """The choices of a link, and a sentence for each value that is not understood and therefore ignored.

    A link to any page is read on every page, and so is one that writes out values the page does not use.
    """
    notices: list[str] = []
    found: dict[str, Any] = {}
    query = _as_now(query)
    for name, setting in _SETTINGS.items():
        text = query.get(name)
        if text is None:
            continue
        try:
            found[setting.field] = setting.read(text)
        except ValueError as reason:
            notices.append(f"Ignored {name} = “{_short(text)}” in the link: it {reason}.")
    unknown = sorted(set(query) - set(_SETTINGS) - {"v"})
    if unknown:
        notices.append(f"The link has values this app does not know ({', '.join(map(_short, unknown[:5]))}).")
    version = query.get("v", LINK_VERSION)
    if version not in _DEFAULTS_OF:
        notices.append("This link comes from another version of the app. What could be read was used.")
    begun = opened(found.get("story"), version)
    if "data" not in found and "data" in query:
        # The box of a data set that does not exist would be somewhere else.
        found = {field: value for field, value in found.items() if field not in ("box", "person", "counted")}
    elif "counted" in found and (problem := _cannot_be_counted(found["counted"], found.get("data", begun.data))):
        del found["counted"]
        notices.append(f"Ignored count = “{_short(query['count'])}” in the link: it {problem}.")
    return begun.changed(**found), notices


def _as_now(query: Mapping[str, str]) -> Mapping[str, str]:
    """The values of a link under their present names. In the first version the one scenario was called "a", and the
    Trade-off drew the curves of what Compare compares."""
    former = {"a": "s"} | ({"with": "draw"} if query.get("v") == "1" else {})
    added = {now: query[then] for then, now in former.items() if then in query and now not in query}
    return {name: text for name, text in query.items() if name != "a"} | added


def _cannot_be_counted(place: Bounds | str, data: str) -> str | None:
    """Why people cannot be counted there; None where they can."""
    if isinstance(place, str):
        known = place in districts(data)
        return None if known else "is neither a box (west, south, east, north) nor a district of this data set"
    longitude, latitude = (180.0, 90.0) if dataset(data).is_geographic else (_FARTHEST_PLAIN, _FARTHEST_PLAIN)
    on_the_map = all(abs(value) <= most for value, most in zip(place, (longitude, latitude) * 2, strict=True))
    return None if on_the_map else "is too far away for this data set"


def _short(text: str) -> str:
    # Markdown of a stranger must not turn into links or pictures on our page.
    plain = "".join(letter if letter.isalnum() or letter in " .,-+_" else "·" for letter in text)
    return plain if len(plain) <= 40 else plain[:39] + "…"
