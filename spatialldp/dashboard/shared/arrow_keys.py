"""Arrow keys that move ε while a page is shown on a projector."""

from __future__ import annotations

from spatialldp.dashboard.shared import components, session
from spatialldp.dashboard.shared.choices import EPSILON_RANGE, EPSILON_STEP
from spatialldp.dashboard.shared.choosing import choices, choose
from spatialldp.dashboard.shared.pages import Page

_SIGNS = {"ArrowLeft": "←", "ArrowRight": "→", "ArrowDown": "↓", "ArrowUp": "↑"}


def _keys() -> tuple[str, str]:
    """The key that lowers ε and the one that raises it. Left and right turn the pages of the lesson."""
    return ("ArrowDown", "ArrowUp") if session.current_page() is Page.LESSON else ("ArrowLeft", "ArrowRight")


def signs() -> tuple[str, str]:
    """The same as they are printed on a keyboard."""
    lower, raise_ = _keys()
    return _SIGNS[lower], _SIGNS[raise_]


def move_epsilon() -> None:
    """Let the arrow keys move ε, and Escape leave the presenter mode."""
    components.arrow_keys(choices().epsilon, EPSILON_RANGE, EPSILON_STEP, _keys(), _moved, session.ARROW_KEYS)


def _moved() -> None:
    wanted = session.shown(session.ARROW_KEYS).get("epsilon")
    if wanted is not None:
        low, high = EPSILON_RANGE
        choose(epsilon=round(min(max(float(wanted), low), high), 2))
