"""Waiting for work beside the page, with something to read meanwhile and free for the visitor's next click."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import streamlit as st

from spatialldp.dashboard.shared.jobs import Job
from spatialldp.dashboard.shared.session import UNSEEN, let_a_click_interrupt, run_again

#: How long the page looks at nothing but the job: a click waits no longer than this.
_GLANCE_S = 0.1


class Share(NamedTuple):
    """How far something is, for a bar: `done` from 0 to 1, and what is being done."""

    done: float
    text: str


#: What is said meanwhile: words, to which the seconds are added; or what is made anew at every glance, words or a bar.
Saying = str | Callable[[], str | Share] | None


def watch(
    jobs: Job | Sequence[Job],
    saying: Saying = None,
    *,
    until: Callable[[], object] | None = None,
    no_sooner_than_s: float = 0.0,
    failure: str = "",
    slot: Any | None = None,
    rerun: bool = False,
) -> bool:
    """Wait until the jobs are over; returns whether what was waited for is there.

    `saying` is shown in `slot` (one of its own unless given) and taken away in the end; None waits in silence.
    `until` ends the wait earlier, as soon as it is true, but `no_sooner_than_s` after the beginning: a page that is
    redrawn for every small piece of news would do nothing else. `failure` is shown where a job failed. A job that was
    shared with another visitor, who stopped it and moved on, is asked for again by rerunning the page. With `rerun`
    the page is rerun for what has come, too.
    """
    watched = [jobs] if isinstance(jobs, Job) else list(jobs)
    place = _Place(slot)
    started = time.monotonic()

    def over() -> bool:
        if all(job.finished for job in watched) or any(job.failed or job.stopped for job in watched):
            return True
        return until is not None and time.monotonic() - started >= no_sooner_than_s and bool(until())

    while not over():
        place.say(saying, time.monotonic() - started)
        pending = next((job for job in watched if not job.finished), None)
        if pending is not None:
            pending.wait(_GLANCE_S, over)
    failed = any(job.failed for job in watched)
    if not failed and (rerun or any(job.stopped for job in watched)):
        run_again()
    place.clear()
    if failed and failure:
        place.slot.error(failure)
    return not failed


class Greyed:
    """Greys parts of the page that show former results, so that no figure is taken for a new one.

    Streamlit keeps what a former run drew until the new one has drawn something else there. Used from the moment a wait
    becomes long enough to be noticed: a page that greys at every move of a slider would flicker.
    """

    def __init__(self) -> None:
        with st.container(key=f"{UNSEEN}greyed"):
            self._slot = st.empty()

    def only(self, *keys: str) -> None:
        """Grey the containers with these keys, and nothing else."""
        names = ", ".join(f".st-key-{key}" for key in keys)
        rule = f"{names} {{ opacity: 0.3; filter: grayscale(1); pointer-events: none; }}" if keys else ""
        # Beside a word, so that Streamlit puts the style where it can be replaced.
        self._slot.html(f"<span></span><style>{rule}</style>")


class _Place:
    """Where it is said. It takes no room on the page before there is something to say."""

    def __init__(self, slot: Any | None) -> None:
        self._slot = slot

    @property
    def slot(self) -> Any:
        if self._slot is None:
            self._slot = st.empty()
        return self._slot

    def say(self, saying: Saying, waited: float) -> None:
        said = f"{saying} … {waited:.0f} s" if isinstance(saying, str) else None if saying is None else saying()
        if said is None:
            let_a_click_interrupt()
        elif isinstance(said, Share):
            self.slot.progress(min(max(said.done, 0.0), 1.0), said.text)
        else:
            self.slot.caption(said)

    def clear(self) -> None:
        if self._slot is not None:
            self._slot.empty()
