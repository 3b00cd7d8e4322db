"""Long work beside the page: it yields results one by one, can be stopped, and is done once for all visitors.

A Streamlit script cannot be interrupted inside a computation. So the computation runs in a thread, and the script
only waits, a moment at a time, which leaves the page free to react.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from types import FrameType
from typing import Any

Work = Callable[[], Iterator[Any]]

#: Beyond the number of processors jobs would only slow each other down; the others wait for their turn.
_TURN = threading.BoundedSemaphore(max(2, os.cpu_count() or 2))
_log = logging.getLogger(__name__)


class _StoppedError(BaseException):
    """Raised inside the thread of a job that is no longer wanted, by the thread itself (`Job._look_up`).

    Not from outside: an exception thrown into a thread may hit it inside a lock of the standard library, or, while it
    starts another thread, that one, which then never says that it has started; both once stopped the whole server.
    """


class Job:
    """A computation in a thread of its own."""

    def __init__(self, work: Work, turn: threading.Semaphore = _TURN) -> None:
        """`turn` is what the work has to wait for, and others like it."""
        self._turn = turn
        #: What there is so far.
        self.results: list[Any] = []
        #: Whether there will be no more.
        self.finished = False
        #: Whether an error ended it.
        self.failed = False
        #: Whether it was told to end.
        self.stopped = False
        #: Modules whose code may be left at any call: ours and the one that the work is from.
        self._ours = ("spatialldp.", work.__module__)
        self._news = threading.Condition()
        self._thread = threading.Thread(target=self._run, args=(work,), daemon=True)
        self._thread.start()

    def _run(self, work: Work) -> None:
        while not self._turn.acquire(timeout=0.1):
            if self.stopped:
                break
        else:
            try:
                self._compute(work)
            finally:
                self._turn.release()
        with self._news:
            self.finished = True
            self._news.notify_all()

    def _look_up(self, frame: FrameType, event: str, called: Any) -> None:
        """Called by the interpreter whenever the thread calls something: the moment to see that nobody waits.

        A call of our own function, or of a compiled one from our own code, is not made then; one that tidies up is.
        """
        if not (self.stopped and event in ("call", "c_call")):
            return
        name = frame.f_code.co_name if event == "call" else getattr(called, "__name__", "")
        tidying = "__exit__" in (name, frame.f_code.co_name) or name in ("release", "close", "setprofile")
        if not tidying and frame.f_globals.get("__name__", "").startswith(self._ours):
            raise _StoppedError

    def _compute(self, work: Work) -> None:
        """The only part a stop may interrupt: nothing outside it is left half done."""
        try:
            sys.setprofile(self._look_up)
            try:
                for result in work():
                    with self._news:
                        self.results.append(result)
                        self._news.notify_all()
            finally:
                sys.setprofile(None)
        except _StoppedError:
            pass
        except Exception as problem:
            self.failed = True
            # Work that is under way when the server stops can start no more threads, and nobody waits for it any more.
            if "interpreter shutdown" not in str(problem):
                _log.exception("A computation failed")

    def wait(self, seconds: float, until: Callable[[], object] | None = None) -> bool:
        """Wait until the job is over, or until `until` is true (asked at every result); False when the time is up."""
        with self._news:
            return self._news.wait_for(lambda: self.finished or (until is not None and bool(until())), seconds)

    def stop(self) -> None:
        """End it soon: at the next call that our own code makes."""
        with self._news:
            self.stopped = self.stopped or not self.finished


class JobStore:
    """The latest jobs by key, so that the same question is answered once. Forgets the least recently used."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._jobs: OrderedDict[Hashable, Job] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, key: Hashable) -> Job | None:
        """The job with this key, whatever became of it."""
        with self._lock:
            return self._jobs.get(key)

    def start(self, key: Hashable, work: Work) -> Job:
        """The job with this key: the one there is, or a new one if there is none or it was stopped or failed."""
        with self._lock:
            job = self._jobs.get(key)
            if job is None or job.stopped or job.failed:
                job = self._jobs[key] = Job(work)
            self._jobs.move_to_end(key)
            while len(self._jobs) > self._most:
                self._jobs.popitem(last=False)[1].stop()
            return job

    def forget(self, key: Hashable) -> None:
        """Let the next question with this key be asked anew."""
        with self._lock:
            self._jobs.pop(key, None)

    def stop(self) -> None:
        """End whatever is still being computed."""
        with self._lock:
            for job in self._jobs.values():
                job.stop()
