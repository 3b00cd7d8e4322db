"""What is kept for a visitor between two runs of a page: every name in `st.session_state` stands here.

`Kept` are values of our own. Below them are the keys of widgets that more than one place names: Streamlit keeps what a
widget shows under its key. All other keys belong to one widget and stand where it is drawn.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import RerunData, RerunException, get_script_run_ctx

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from spatialldp.dashboard.shared.choices import Choices
    from spatialldp.dashboard.shared.chosen_data import LoadedData
    from spatialldp.dashboard.shared.jobs import Job, JobStore
    from spatialldp.dashboard.shared.own_files import Reading
    from spatialldp.dashboard.shared.pages import Page
    from spatialldp.experiments.comparison import Score
    from spatialldp.experiments.measurements import Measurements
    from spatialldp.grid import Bounds

T = TypeVar("T")


class Kept(Generic[T]):
    """One value kept for a visitor."""

    def __init__(self, name: str) -> None:
        self.name = name

    def get(self) -> T | None:
        """The value; None before there is one."""
        value: T | None = st.session_state.get(self.name)
        return value

    def get_or_make(self, make: Callable[[], T]) -> T:
        """The value; the first time, a new one."""
        if self.name not in st.session_state:
            st.session_state[self.name] = make()
        value: T = st.session_state[self.name]
        return value

    def set(self, value: T) -> None:
        """Keep this value from now on."""
        st.session_state[self.name] = value

    def take(self) -> T | None:
        """The value, which is then no longer kept."""
        value: T | None = st.session_state.pop(self.name, None)
        return value


# -- the visitor's settings ------------------------------------------------------------------------

#: All settings.
CHOICES: Kept[Choices] = Kept("choices")
#: Sentences about what the link that was opened got wrong.
LINK_NOTICES: Kept[list[str]] = Kept("link-notices")
#: Why the corners that were typed are not a box.
BOX_PROBLEM: Kept[str] = Kept("box-problem")
#: The same for the rectangle in which people are counted.
COUNT_PROBLEM: Kept[str] = Kept("count-problem")
#: Trade-off: why the name that was typed is not one for a scenario.
SCENARIO_PROBLEM: Kept[str] = Kept("scenario-problem")
#: Explore: what dragging on a map does: a purpose of `components.draw_on_maps`, or None where it moves the map.
DRAWING: Kept[str | None] = Kept("drawing")

# -- what is on the screen -------------------------------------------------------------------------

#: The page that is being drawn.
PAGE: Kept[Page] = Kept("page")
#: The row of controls above a page that has no sidebar; None where it has one.
ESSENTIALS: Kept[DeltaGenerator | None] = Kept("essentials")
#: Where a story leads that is told on another page.
GOAL: Kept[Page] = Kept("goal")
#: Whether the visitor has been through the tour, or has skipped it.
TOUR_TAKEN: Kept[bool] = Kept("tour-taken")
#: Key of a widget → the page on which it was last drawn (with the same key on another page it is another widget), and
#: since when, on the clock of `time.monotonic`; minus infinity once the browser has sent something of it.
DRAWN_ON: Kept[dict[str, tuple[Page | None, float]]] = Kept("drawn-on")
#: Beginning of a key → how often the widgets with such keys have begun anew.
BEGUN_ANEW: Kept[dict[str, int]] = Kept("begun-anew")
#: Choice → the key of the widget that was last drawn for it.
WIDGETS: Kept[dict[str, str]] = Kept("widgets")
#: The map that is looked at closer in a dialog: the key of its grid of maps, and its number there.
LOOKED_AT: Kept[tuple[str, int]] = Kept("looked-at")
#: What is to be done when the visitor goes to another page.
LEAVING: Kept[set[Callable[[], None]]] = Kept("leaving")
#: The texts of every data menu that was shown, in the order in which they first were.
DATA_MENUS: Kept[list[tuple[str, ...]]] = Kept("data-menus")

# -- data ------------------------------------------------------------------------------------------

#: The visitor's own file.
OWN_DATA: Kept[LoadedData] = Kept("own-data")
#: The file that is being looked at, which need not be used yet, and what has been read of it.
OWN_READING: Kept[Reading] = Kept("own-reading")
#: How many own files there have been, the present one included.
OWN_FILES_SO_FAR: Kept[int] = Kept("own-files-so-far")
#: Everything computed from the present own file, which nobody else may see.
OWN_JOBS: Kept[JobStore] = Kept("own-jobs")
#: What has been measured of plans for areas of the present own file, by area.
OWN_MEASUREMENTS: Kept[dict[Bounds | None, Measurements]] = Kept("own-measurements")
#: The id of the official set that is being fetched.
FETCHING: Kept[str] = Kept("fetching")

# -- computations ----------------------------------------------------------------------------------

#: Explore: the run the visitor waits for.
EXPLORE_JOB: Kept[Job] = Kept("explore-job")
#: Explore: the pictures that are being computed for its player.
PLAY_JOB: Kept[Job] = Kept("play-job")
#: Explore: the search for the ε′ of equal protection that the visitor waits for.
EXPLORE_SEARCH: Kept[Job] = Kept("explore-search")
#: Explore: what the run depends on beside which others are computed, and those, to compare it with.
EXPLORE_BESIDE: Kept[tuple[Hashable, list[Job]]] = Kept("explore-beside")
#: Comparisons: scores by key.
SCORES: Kept[dict[Hashable, Score]] = Kept("scores")
#: Comparisons: the job the visitor waits for, and the keys of the scores it will have.
COMPARISON_JOB: Kept[tuple[Job, frozenset[Hashable]]] = Kept("comparison-job")
#: Comparisons: the question that was stopped.
COMPARISON_STOPPED: Kept[Hashable] = Kept("comparison-stopped")
#: Trade-off: the job the visitor waits for, and since when, on the clock of `time.monotonic`.
TRADE_OFF_JOB: Kept[tuple[Job, float]] = Kept("trade-off-job")
#: Trade-off: the question that was stopped.
TRADE_OFF_STOPPED: Kept[Hashable] = Kept("trade-off-stopped")
#: Trade-off: the question that goes on where it was stopped, and which share of it was done then.
TRADE_OFF_GOES_ON: Kept[tuple[Hashable, float]] = Kept("trade-off-goes-on")

# -- widgets that more than one place names --------------------------------------------------------

#: How the key of what works on a page without being seen begins: the style of all pages hides it.
UNSEEN = "unseen-"
AREA_MAP = "box-map"
DRAWN_ON_MAPS = f"{UNSEEN}draw-on-maps"
DRAGGING = "dragging"
AREA_PRESET = "preset"
COMPARED = "compared"
DRAWN = "drawn"
FIRST_MINUTE = "first-minute"
ARROW_KEYS = f"{UNSEEN}arrow-keys"
PERSON_MAP = "person-map"
PERSON_PLACE = "person-place"
RULER = "ruler"
TURNED = f"{UNSEEN}lesson-steps"
KIND_OF_QUESTION = "ask"
SCENARIO_NAME = "scenario-name"
OWN_SWAP = "own-swap"


def when_leaving(do: Callable[[], None]) -> None:
    """Do this, a function of a module, once the visitor has gone to another page."""
    LEAVING.get_or_make(set).add(do)


def enter(page: Page) -> None:
    """The page is being drawn. What was to be done when another one is left is done."""
    if PAGE.get() != page:
        for do in LEAVING.take() or ():
            do()
    PAGE.set(page)


def current_page() -> Page:
    """The page that is being drawn."""
    page = PAGE.get()
    assert page is not None, "a page calls setup_page first"
    return page


def corner_key(corner: str) -> str:
    """The key of a field of the area: "West", "South", "East" or "North"."""
    return f"box-{corner}"


def counted_in_key(data: str) -> str:
    """The key of the menu of places of a data set in which people can be counted."""
    return f"counted-in-{data}"


def count_key(corner: str) -> str:
    """The key of a field of the rectangle in which people are counted."""
    return f"count-{corner}"


def key_of_follower(name: str, value: Any) -> str:
    """The key of a widget that follows what another one does, and is about to show `value`.

    Whenever something else has changed its value, it is another widget. Until the browser has heard of that, it sends
    what the former one showed with every step of the one that moves, and that would pass for the visitor's choice.
    """
    begun = BEGUN_ANEW.get_or_make(dict)
    former = f"{name}-{begun.get(name, 0)}"
    if st.session_state.get(former, value) != value:
        begun[name] = begun.get(name, 0) + 1
        DRAWN_ON.get_or_make(dict).pop(former, None)
    return f"{name}-{begun.get(name, 0)}"


#: Within this time a widget that was drawn may not have reached the browser: a click that comes while a page is being
#: drawn begins a new run, and Streamlit then drops what it has not sent yet. On a busy server that takes seconds.
_ON_ITS_WAY_S = 10.0


def shown(key: str) -> Any:
    """What the widget with this key shows; for callbacks, which run when the browser has sent it."""
    DRAWN_ON.get_or_make(dict)[key] = PAGE.get(), -math.inf
    return st.session_state.get(key)


def forget(key: str) -> None:
    """Let the widget with this key begin anew; for callbacks."""
    st.session_state.pop(key, None)


def show(key: str, value: Any, moves: bool = False) -> None:
    """Let the widget `key`, which is about to be drawn, show `value`.

    The browser is told at every run: where the first time was lost on the way, a widget drawn again without a value
    would show its first or lowest one, and send that back with the next click. A widget that `moves` (a slider, a
    number that goes up and down) is told only as long as it may not be there yet, and not once the browser has sent
    something of it: telling it takes back the next step that the visitor makes meanwhile.
    """
    page, drawn_on, now = PAGE.get(), DRAWN_ON.get_or_make(dict), time.monotonic()
    drawn_here, since = drawn_on.get(key, (None, now))
    is_new = drawn_here != page or key not in st.session_state or st.session_state[key] != value
    # Where nothing is chosen, a widget that is told nothing shows the same, and takes back no choice made meanwhile.
    nothing = value is None and st.session_state.get(key) is None
    if not nothing and (is_new or not moves or now - since < _ON_ITS_WAY_S):
        st.session_state[key] = value
    drawn_on[key] = page, now if is_new else since


def let_a_click_interrupt() -> None:
    """A run of a page ends for the visitor's next click wherever it touches the page or the session: here, for one."""
    st.session_state.get(CHOICES.name)


def run_again() -> NoReturn:
    """Draw the page anew. A click that has come meanwhile is taken first, also one that leads to another page.

    `st.rerun` would not do: its request takes the place of one that is waiting, and a click on a link would be lost.
    """
    context = get_script_run_ctx()
    assert context is not None, "only a page can be drawn anew"
    raise RerunException(
        RerunData(
            query_string=context.query_string,
            page_script_hash=context.page_script_hash,
            cached_message_hashes=context.cached_message_hashes,
            context_info=context.context_info,
        )
    )
