"""Which of Explore's computations are ended when the visitor moves on."""

import threading

import pytest

from spatialldp.dashboard.explore import state
from spatialldp.dashboard.shared import session
from spatialldp.dashboard.shared.jobs import Job


@pytest.fixture
def running(monkeypatch):
    """Three jobs that run until the test is over, and a session without a browser."""
    monkeypatch.setattr("streamlit.session_state", {})
    over = threading.Event()

    def work():
        over.wait(30)
        yield 1

    yield [Job(work, threading.Semaphore()) for _ in range(3)]
    over.set()


def test_a_run_that_stood_beside_goes_on_when_it_is_chosen_and_the_others_end(running):
    former, chosen, unwanted = running
    session.EXPLORE_JOB.set(former)
    session.EXPLORE_BESIDE.set(("the former run", [chosen, unwanted]))
    state._stop_previous(chosen, "the new run")
    assert [job.stopped for job in running] == [True, False, True]


def test_what_stands_beside_goes_on_as_long_as_the_run_is_the_same(running):
    main, beside, _ = running
    session.EXPLORE_JOB.set(main)
    session.EXPLORE_BESIDE.set(("this run", [beside]))
    state._stop_previous(main, "this run")
    assert not main.stopped
    assert not beside.stopped
