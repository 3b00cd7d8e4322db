"""Waiting for jobs: what is said meanwhile, when it ends, and what becomes of jobs that fail or are stopped."""

import re
import threading
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from spatialldp.dashboard.shared.jobs import Job
from spatialldp.dashboard.shared.waiting import Share, watch

#: A busy machine is slow, not wrong.
PATIENCE_S = 60


class Slot:
    """A place on a page: what stands there now, and all that stood there. `seen` is set when something is said."""

    def __init__(self) -> None:
        self.now, self.said, self.seen = None, [], threading.Event()

    def _show(self, *what) -> None:
        self.now = what
        self.said.append(what)
        self.seen.set()

    def caption(self, text: str) -> None:
        self._show("caption", text)

    def progress(self, done: float, text: str) -> None:
        self._show("progress", done, text)

    def error(self, text: str) -> None:
        self._show("error", text)

    def empty(self) -> None:
        self.now = None


def job_after(event: threading.Event, *results, then: Exception | None = None) -> Job:
    """A job that yields, one by one, after the event; then it may fail."""

    def work() -> Iterator:
        assert event.wait(PATIENCE_S)
        yield from results
        if then is not None:
            raise then

    return Job(work)


def test_words_with_seconds_are_shown_while_it_waits_and_taken_away_in_the_end():
    slot = Slot()
    job = job_after(slot.seen, 1, 2)
    assert watch(job, "Counting", slot=slot)
    assert job.results == [1, 2]
    assert slot.said
    assert all(re.fullmatch(r"Counting … \d+ s", text) for _, text in slot.said)
    assert slot.now is None


def test_a_bar_shows_how_far_it_is():
    slot = Slot()
    job = job_after(slot.seen, 1)
    assert watch(job, lambda: Share(0.25, "a quarter"), slot=slot)
    assert set(slot.said) == {("progress", 0.25, "a quarter")}


@pytest.mark.parametrize(("done", "shown"), [(1.7, 1.0), (-0.2, 0.0)])
def test_a_bar_never_leaves_its_frame(done, shown):
    slot = Slot()
    watch(job_after(slot.seen, 1), lambda: Share(done, ""), slot=slot)
    assert {entry[1] for entry in slot.said} == {shown}


def test_what_is_said_may_be_made_anew_every_time():
    slot, second = Slot(), threading.Event()
    job = job_after(second, 1)

    def saying() -> str:
        if slot.said:
            second.set()
        return f"{len(slot.said)} looks"

    assert watch(job, saying, slot=slot)
    assert slot.said[:2] == [("caption", "0 looks"), ("caption", "1 looks")]


def test_a_job_that_is_done_is_not_waited_for_and_nothing_is_said():
    slot, done = Slot(), Job(lambda: iter([1]))
    assert done.wait(PATIENCE_S)
    assert watch(done, "Counting", slot=slot)
    assert slot.said == []


def test_it_ends_before_the_job_when_what_it_waits_for_is_there():
    start, never = threading.Event(), threading.Event()

    def work() -> Iterator[int]:
        assert start.wait(PATIENCE_S)
        yield 1
        never.wait(PATIENCE_S)
        yield 2

    slot = Slot()
    job = Job(work)
    slot.seen = start
    assert watch(job, "Counting", until=lambda: len(job.results) > 0, slot=slot)
    assert job.results == [1]
    assert not job.finished
    never.set()


def test_results_that_come_too_soon_do_not_end_the_wait_before_the_jobs_are_over():
    slot = Slot()
    job = job_after(slot.seen, 1)
    assert watch(job, "Counting", until=lambda: True, no_sooner_than_s=1e9, slot=slot)
    assert job.finished


def test_all_of_several_jobs_are_waited_for():
    slot, second = Slot(), threading.Event()

    def saying() -> str:
        if first.finished:
            second.set()
        return "Counting"

    first, last = job_after(slot.seen, 1), job_after(second, 2)
    assert watch([first, last], saying, slot=slot)
    assert (first.results, last.results) == ([1], [2])


def test_a_failure_is_said_in_the_words_of_the_page_and_ends_the_wait_for_the_others(caplog):
    slot, never = Slot(), threading.Event()
    failing, other = job_after(slot.seen, 1, then=RuntimeError("secret")), job_after(never, 2)
    assert not watch([failing, other], "Counting", failure="It cannot be counted.", slot=slot)
    assert slot.now == ("error", "It cannot be counted.")
    never.set()


def test_a_failure_without_words_leaves_the_place_empty(caplog):
    slot = Slot()
    assert not watch(job_after(slot.seen, then=RuntimeError("secret")), "Counting", slot=slot)
    assert slot.now is None


PAGE = """
import streamlit as st
from spatialldp.dashboard.shared.jobs import JobStore
from spatialldp.dashboard.shared.waiting import watch

runs = st.session_state["runs"] = st.session_state.get("runs", 0) + 1
store = st.session_state.setdefault("store", JobStore(1))
"""


def page_with(*lines: str) -> AppTest:
    app = AppTest.from_string("\n".join([PAGE, *lines]), default_timeout=60).run()
    assert not app.exception
    return app


def test_a_page_that_wants_it_is_run_anew_for_what_has_come():
    app = page_with(
        "job = store.start('a', lambda: iter([7]))",
        "known = runs > 1 and job.results",
        "if not known:",
        "    watch(job, 'Counting', rerun=True)",
        "    st.write('not reached')",
        "st.write(f'found {job.results[0]} in run {runs}')",
    )
    assert [text.value for text in app.markdown] == ["found 7 in run 2"]


def test_a_job_that_somebody_else_stopped_is_asked_for_again():
    app = page_with(
        "job = store.start('a', lambda: iter([7]))",
        "if runs == 1:",
        "    job.wait(20)",
        "    job.stopped = True",
        "there = watch(job, 'Counting')",
        "st.write(f'{there} {job.results} in run {runs}')",
    )
    assert [text.value for text in app.markdown] == ["True [7] in run 2"]


def test_it_takes_no_room_on_the_page_where_nothing_is_said():
    app = page_with("job = store.start('a', lambda: iter([7]))", "job.wait(20)", "watch(job, 'Counting')")
    assert len(app.main.children) == 0


def test_a_failure_is_an_error_on_the_page():
    app = page_with(
        "def work():",
        "    yield 1",
        "    raise RuntimeError('secret')",
        "there = watch(store.start('a', work), failure='It cannot be counted.')",
        "st.write(f'there: {there}')",
    )
    assert [error.value for error in app.error] == ["It cannot be counted."]
    assert [text.value for text in app.markdown] == ["there: False"]


def test_a_click_ends_a_wait_in_silence():
    app = page_with(
        "import threading",
        "from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx",
        "said = st.session_state.setdefault('said', [])",
        "clicked = st.session_state.setdefault('clicked', threading.Event())",
        "requests = get_script_run_ctx().script_requests",
        "def work():",
        "    requests.request_rerun(RerunData())  # what a click does",
        "    yield clicked.wait(20)",
        "if runs == 1:",
        "    watch(store.start('a', work))",
        "    said.append('waited to the end')  # a list, because touching the page would let the click in",
        "clicked.set()",
    )
    assert app.session_state["runs"] == 2
    assert app.session_state["said"] == []
