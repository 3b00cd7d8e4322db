"""The choices of the visitor: what they are now, and how they change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from spatialldp.dashboard.shared import session
from spatialldp.dashboard.shared.choices import Choices, parse


def choices() -> Choices:
    """What is chosen now; the first time, what the link says, with a notice for each value it gets wrong."""
    chosen = session.CHOICES.get()
    if chosen is None:
        chosen, notices = parse(st.query_params.to_dict())
        session.CHOICES.set(chosen)
        session.LINK_NOTICES.set(notices)
    return chosen


def choose(**values: Any) -> None:
    """Change some choices; what the link got wrong is then no longer of interest."""
    decide(choices().changed(**values))


def decide(chosen: Choices) -> None:
    """Choose all of this."""
    session.CHOICES.set(chosen)
    session.LINK_NOTICES.take()


def bound(
    name: str,
    key: str,
    value: Any,
    moves: bool = False,
    place: str = "",
    meaning: Callable[[Any], Any] = lambda shown: shown,
) -> dict[str, Any]:
    """Arguments that tie the widget `key` to the choice `name`: it shows `value` and changes the choice to the
    `meaning` of what it shows then. `moves` for sliders and numbers that go up and down; `place` tells widgets apart
    that are drawn for one choice together."""
    session.show(key, value, moves)
    widgets = session.WIDGETS.get_or_make(dict)
    widgets[name + place] = key

    def changed() -> None:
        # The browser may still send what a widget showed that another one has replaced, such as the menu of data before
        # an own file was in it. That is no choice of the visitor's.
        if widgets[name + place] == key:
            choose(**{name: meaning(session.shown(key))})

    return {"key": key, "on_change": changed}
