"""Where work runs: one `map(function, items)`, in this process or in worker processes, with the same results.

Results come one by one, in the order of the items, as soon as they are there; whoever stops asking stops the work. A
worker imports the module of the function it is given and what that imports, never the program that started it: keep
such functions, and what is sent to them, out of `dashboard/`, and a worker never loads Streamlit.
"""

from __future__ import annotations

import queue
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any, Protocol, TypeVar, runtime_checkable

from spatialldp import _validation as validate

Item = TypeVar("Item")
Result = TypeVar("Result")

#: Items sent ahead of the one waited for, per worker: enough to keep all of them busy, few enough to stop soon.
_AHEAD_PER_WORKER = 2
#: More than any one machine runs at once; each would start its own Python.
_MOST_WORKERS = 256
#: Workers end when they have been idle this long; the next call starts others.
_IDLE_SECONDS, _LASTING_SECONDS = 60, 600
#: Each worker has a core to itself, and more threads would only take turns on it.
_ONE_THREAD = dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "BLIS_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
        "NUMEXPR_NUM_THREADS",
        "NUMBA_NUM_THREADS",
    ),
    "1",
)
#: How long an interrupt waits at most, while a result is waited for.
_LISTEN_SECONDS = 0.1
#: More than a thread that has been told to end needs on a busy machine.
_FAREWELL_SECONDS = 5
#: Everywhere but on Windows.
_CAN_HOLD_BACK = hasattr(signal, "pthread_sigmask")


@runtime_checkable
class Engine(Protocol):
    """Something that applies a function to items. A cluster would be one more class with this method."""

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """function(item) of each item, in order. Nothing starts before the first result is asked for; an exception of
        the function is raised where its result would have been, and closing the iterator drops the rest."""
        ...


#: Who does the work: None or 1 for this process, a number of worker processes, or an engine.
Workers = int | Engine | None


@validate.takes(function=validate.A_FUNCTION)
def map(function: Callable[[Item], Result], items: Iterable[Item], *, workers: Workers = None) -> Iterator[Result]:
    """function(item) of each item, in order, as the results come.

    Args:
        function: what to do with one item. For worker processes it, the items and the results must be picklable.
        items: taken one by one, a few ahead of the result waited for.
        workers: None or 1 for this process, a number of worker processes, or an `Engine`.

    Returns:
        An iterator. Closing it, or dropping it, stops the work.

    Raises:
        ValueError: if `workers` is none of these. An exception of the function reaches the caller as itself.

    Example:
        >>> from spatialldp import engines
        >>> list(engines.map(abs, [-1, 2, -3]))
        [1, 2, 3]
    """
    if not isinstance(items, (str, bytes)) and not validate.goes_through(items):
        raise ValueError(f"items must be iterable, got {validate.shown(items)}")
    return engine(workers).map(function, items)


def engine(workers: Workers = None) -> Engine:
    """The engine meant by `workers` (see `map`). All who ask for the same number of processes share them."""
    if isinstance(workers, Engine):
        return workers
    count = 1 if workers is None else checked_workers(workers)
    return InProcess() if count == 1 else _shared_processes(count)


def checked_workers(workers: object, name: str = "workers") -> int:
    """`workers` as an int, if so many processes may be started."""
    why = "more processes than cores only wait for each other"
    return validate.limited(name, workers, 1, _MOST_WORKERS, why)


def available_cores() -> int:
    """How many processes can really run at once here, limits of a container included."""
    import joblib

    return int(joblib.cpu_count())


class InProcess:
    """This process, one item after the other."""

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """As `Engine.map`."""
        return (function(item) for item in items)


class Processes:
    """`workers` processes of this machine, started when first needed, used again by later calls and ended when idle.

    Any number of threads may map at once. Stopping early stops the workers too, in the middle of what they do, unless
    they work for somebody else at that moment; then the few items already sent are finished and dropped. Workers that
    are `lasting` are left alone in any case: for short items, where starting others would take longer.
    """

    def __init__(self, workers: int, lasting: bool = False) -> None:
        self.workers = checked_workers(workers)
        self._lasting = lasting
        # Of one thread's own: collecting an abandoned iterator ends in `_leave`, and may happen at any moment.
        self._lock = threading.RLock()
        self._executor: Any = None
        self._callers = 0

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """As `Engine.map`. A worker that dies ends the call with `BrokenProcessPool`; the next one has new workers."""
        executor = self._enter()
        waiting: deque[Any] = deque()
        broken = False
        try:
            for item in items:
                with _interrupts_held_back():
                    waiting.append(executor.submit(function, item))
                if len(waiting) == _AHEAD_PER_WORKER * self.workers:
                    yield _first_result(waiting)
            while waiting:
                yield _first_result(waiting)
        except BrokenProcessPool:
            broken = True
            raise
        finally:
            self._leave(executor, all(future.done() for future in waiting), broken)

    def close(self) -> None:
        """End the workers, whatever they are doing. They start again if there is more to do."""
        with self._lock:
            executor, self._executor = self._executor, None
        if executor is not None:
            _kill_workers(executor)

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _enter(self) -> Any:
        # Imported here: whoever stays in one process does without them.
        from multiprocessing import resource_tracker

        from joblib.externals.loky import ProcessPoolExecutor

        with _interrupts_held_back(), self._lock:
            if self._executor is None:
                if _CAN_HOLD_BACK:
                    # Started later, with the first worker, it would let interrupts through again.
                    resource_tracker.ensure_running()
                self._executor = ProcessPoolExecutor(
                    self.workers,
                    timeout=_LASTING_SECONDS if self._lasting else _IDLE_SECONDS,
                    initializer=_leave_interrupts_to_the_caller,
                    env=_ONE_THREAD,
                )
            self._callers += 1
            return self._executor

    def _leave(self, executor: Any, finished: bool, broken: bool) -> None:
        """Count a caller out, and end the workers that are of no further use or work for nobody."""
        with _interrupts_held_back():
            with self._lock:
                self._callers -= 1
                idle = not finished and self._callers == 0 and not self._lasting
                if self._executor is not executor or not (broken or idle):
                    return
                self._executor = None
            _kill_workers(executor)


def _kill_workers(executor: Any) -> None:
    """End the workers in the middle of what they do, and wait until they are gone."""
    # The thread that looks after the workers fails on items that are cancelled or not yet handed on, and then may leave
    # the workers running. So nobody cancels any, and what is not yet handed on is taken away before.
    with suppress(queue.Empty):
        while True:
            executor._work_ids.get_nowait()
    calls = executor._call_queue
    executor.shutdown(wait=True, kill_workers=True)
    # The thread that hands items on to the workers is not waited for by loky. If the program ends just as this thread
    # does, it cannot give its semaphore back, and loky warns of a leak. Nobody reads any more: a full pipe lets go.
    if calls is not None and calls._thread is not None:
        calls._reader.close()
        calls._thread.join(_FAREWELL_SECONDS)


def _first_result(waiting: deque[Any]) -> Any:
    while True:
        with _interrupts_held_back():
            if wait([waiting[0]], timeout=_LISTEN_SECONDS).done:
                # Taken off only now: whoever is interrupted while waiting for the last item still stops its worker.
                return waiting.popleft().result()


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Ctrl-C is answered at the end of this block.

    Python raises KeyboardInterrupt between any two steps of the main thread. Inside the executor that leaves locks
    held, and the program hangs. The signal mask alone does not prevent it, as another thread may take the signal; but
    a worker that is started meanwhile inherits it, and is born deaf to Ctrl-C rather than becoming so once it is up.
    """
    interrupted: list[int] = []
    handler = signal.getsignal(signal.SIGINT) if threading.current_thread() is threading.main_thread() else None
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if _CAN_HOLD_BACK else None
    try:
        if callable(handler):
            signal.signal(signal.SIGINT, lambda number, _frame: interrupted.append(number))
        yield
    finally:
        if callable(handler):
            signal.signal(signal.SIGINT, handler)
        if before is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if interrupted and callable(handler):
            handler(signal.SIGINT, None)


def _leave_interrupts_to_the_caller() -> None:
    """Ctrl-C reaches every process of a terminal; the caller alone decides what becomes of the work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if _CAN_HOLD_BACK:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


@cache
def _shared_processes(workers: int) -> Processes:
    return Processes(workers)
