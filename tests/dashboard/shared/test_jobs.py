"""Work beside the page: in order, once, stoppable, never fatal."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from spatialldp.dashboard.shared.jobs import Job, JobStore

#: A busy machine is slow, not wrong.
PATIENCE_S = 60


def test_results_arrive_one_by_one():
    may_go_on = threading.Event()

    def work():
        yield 1
        may_go_on.wait(PATIENCE_S)
        yield 2

    job = Job(work)
    assert job.wait(PATIENCE_S, lambda: job.results)
    assert job.results == [1]
    assert not job.wait(0.01, lambda: len(job.results) > 1)
    may_go_on.set()
    assert job.wait(PATIENCE_S)
    assert job.results == [1, 2]
    assert not job.failed


def test_a_stop_ends_a_long_computation_soon_and_keeps_what_there_is():
    def work():
        yield "first"
        while True:
            sum(range(1000))

    job = Job(work)
    assert job.wait(PATIENCE_S, lambda: job.results)
    job.stop()
    assert job.wait(PATIENCE_S)
    assert job.results == ["first"]
    assert job.stopped
    assert not job.failed


def test_stopped_jobs_give_their_turn_back():
    def endless():
        while True:
            time.sleep(0.001)
        yield

    for _ in range(8):
        job = Job(endless)
        time.sleep(0.01)
        job.stop()
        assert job.wait(PATIENCE_S)
    assert Job(lambda: iter([1])).wait(PATIENCE_S)


def test_a_failure_is_kept_from_the_visitor(caplog):
    def work():
        yield 1
        raise RuntimeError("secret")

    job = Job(work)
    assert job.wait(PATIENCE_S)
    assert job.failed
    assert job.results == [1]
    assert "A computation failed" in caplog.text


def test_the_same_question_is_answered_once_and_a_stopped_one_again():
    store, runs = JobStore(2), []

    def work():
        runs.append(1)
        yield len(runs)

    first = store.start("a", work)
    first.wait(PATIENCE_S)
    assert store.start("a", work) is first
    first.stopped = True
    again = store.start("a", work)
    assert again.wait(PATIENCE_S)
    assert again.results == [2]


def test_what_is_forgotten_is_asked_anew():
    store = JobStore(2)
    first = store.start("a", lambda: iter([1]))
    store.forget("a")
    store.forget("never asked")
    assert store.find("a") is None
    assert store.start("a", lambda: iter([2])) is not first


@pytest.mark.parametrize("most", [1, 3])
def test_the_store_forgets_the_least_recently_used(most):
    store = JobStore(most)
    jobs = [store.start(number, lambda: iter([0])) for number in range(most + 1)]
    assert store.start(most, lambda: iter([])) is jobs[-1]
    assert store.start(0, lambda: iter([])) is not jobs[0]


def test_a_store_stops_all_that_is_under_way_and_keeps_what_is_done():
    def endless():
        yield "first"
        while True:
            time.sleep(0.001)

    store = JobStore(2)
    done, under_way = store.start("done", lambda: iter([1])), store.start("under way", endless)
    assert done.wait(PATIENCE_S)
    assert under_way.wait(PATIENCE_S, lambda: under_way.results)
    store.stop()
    assert under_way.wait(PATIENCE_S)
    assert (done.stopped, under_way.stopped) == (False, True)
    assert store.find("done") is done


def test_work_cut_off_by_the_end_of_the_server_is_not_reported(caplog):
    def cut_off():
        raise RuntimeError("cannot schedule new futures after interpreter shutdown")
        yield

    job = Job(cut_off)
    assert job.wait(PATIENCE_S)
    assert job.failed
    assert not caplog.records


def test_a_stop_never_hits_a_thread_that_the_work_starts():
    # Thrown from outside, the exception sometimes ended the new thread instead, and the work waited for it for ever.
    def start_threads():
        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(str, range(4)))

    def starting_threads():
        while True:
            start_threads()
        yield

    for number in range(600):
        job = Job(starting_threads)
        time.sleep(0.0003 * (number % 9))
        job.stop()
        assert job.wait(PATIENCE_S)
        assert job.stopped


def test_the_standard_library_is_never_left_half_way():
    left = []

    class Watched:
        """A context of our own that must always be closed, around a wait of the standard library's."""

        def __enter__(self):
            left.append("open")

        def __exit__(self, *_):
            left.append("closed")

    def waiting():
        condition = threading.Condition()
        while True:
            with Watched(), condition:
                condition.wait(0.0001)
        yield

    for number in range(50):
        job, before = Job(waiting), len(left)
        while len(left) < before + 2 and not job.finished:  # at work, however long it took to start
            time.sleep(0.0001)
        time.sleep(0.0001 * number)
        job.stop()
        assert job.wait(PATIENCE_S)
        assert not job.failed
    assert left.count("open") == left.count("closed") >= 50
