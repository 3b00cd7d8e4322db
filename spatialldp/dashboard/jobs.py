"""Long work beside the page: it yields results one by one, can be stopped, and is done once for all visitors.

A Streamlit script cannot be interrupted inside a computation. So the computation runs in a thread, and the script
only waits, a moment at a time, which leaves the page free to react.
"""

from __future__ import annotations

import ctypes
import logging
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from typing import Any

Work = Callable[[], Iterator[Any]]

#: Beyond the number of processors jobs would only slow each other down; the others wait for their turn.
_TURN = threading.BoundedSemaphore(max(2, os.cpu_count() or 2))
_log = logging.getLogger(__name__)


class _StoppedError(BaseException):
    """Raised inside the thread of a job that is no longer wanted."""


class Job:
    """`results` so far; `finished` when there will be no more; `failed` when an error ended it; `stopped` on demand."""

    def __init__(self, work: Work) -> None:
        self.results: list[Any] = []
        self.finished = self.failed = self.stopped = False
        self._interruptible = False
        self._news = threading.Condition()
        self._thread = threading.Thread(target=self._run, args=(work,), daemon=True)
        self._thread.start()

    def _run(self, work: Work) -> None:
        while not _TURN.acquire(timeout=0.1):
            if self.stopped:
                break
        else:
            try:
                self._compute(work)
            finally:
                _TURN.release()
        with self._news:
            self.finished = True
            self._news.notify_all()

    def _compute(self, work: Work) -> None:
        """The only part a stop may interrupt: nothing outside it is left half done."""
        try:
            try:
                with self._news:
                    self._interruptible = not self.stopped
                if self._interruptible:
                    for result in work():
                        with self._news:
                            self.results.append(result)
                            self._news.notify_all()
            finally:
                with self._news:
                    self._interruptible = False
        except _StoppedError:
            pass
        except Exception as problem:
            self.failed = True
            # Work that is under way when the server stops can start no more threads, and nobody waits for it any more.
            if "interpreter shutdown" not in str(problem):
                _log.exception("A computation failed")

    def wait(self, seen: int, seconds: float) -> bool:
        """Wait until there are more than `seen` results or the job is over; False when the time is up."""
        with self._news:
            return self._news.wait_for(lambda: len(self.results) > seen or self.finished, seconds)

    def wait_to_finish(self, seconds: float) -> bool:
        """Wait until the job is over; False when the time is up."""
        with self._news:
            return self._news.wait_for(lambda: self.finished, seconds)

    def stop(self) -> None:
        """End it soon: at once where Python code runs, otherwise when the compiled call it is in returns."""
        with self._news:
            if self.finished or self.stopped:
                return
            self.stopped = True
            thread = self._thread.ident
            if self._interruptible and thread is not None:
                # Python has no other way to end a thread that does not look up.
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(_StoppedError))


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

    def stop(self) -> None:
        """End whatever is still being computed."""
        with self._lock:
            for job in self._jobs.values():
                job.stop()
