"""Engines: the same results in this process and in real worker processes, which behave."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from spatialldp import engines
from spatialldp.engines import InProcess, Processes

ROOT = Path(__file__).parents[1]
#: A busy machine is slow, not wrong.
PATIENCE_S = 120


@pytest.fixture(scope="module")
def two():
    with Processes(2) as engine:
        yield engine


@pytest.fixture(params=["in process", "two processes"])
def engine(request, two):
    return InProcess() if request.param == "in process" else two


def square(number: int) -> int:
    return number * number


def square_of_what_took_long_first(number: int) -> int:
    time.sleep(0.2 if number == 0 else 0.0)
    return number * number


def refuse_three(number: int) -> int:
    if number == 3:
        raise KeyError("three")
    return number


def mark(folder_and_number: tuple[str, int]) -> int:
    folder, number = folder_and_number
    (Path(folder) / str(number)).touch()
    time.sleep(0.05)
    return number


def wait_until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def meet(folder: str) -> int:
    """The process it runs in, once another one runs the same: so two items are done by two workers."""
    (Path(folder) / str(os.getpid())).touch()
    wait_until(lambda: len(list(Path(folder).iterdir())) == 2)
    return os.getpid()


def go_on_for_ever(folder: str | None) -> None:
    """Leaves its process id in the folder and does not come to an end; without a folder nothing."""
    if folder is not None:
        (Path(folder) / str(os.getpid())).touch()
        time.sleep(PATIENCE_S)


def die(number: int) -> int:
    if number == 1:
        os._exit(9)
    return number


def own_pid(number: int) -> int:
    time.sleep(0.02)
    return os.getpid()


def four_and_no_more(number: int) -> int:
    """The first four numbers come at once, and no other ever."""
    time.sleep(0 if number < 4 else PATIENCE_S)
    return number


def thread_limits(number: int) -> tuple[int, set[str]]:
    import numba

    return numba.config.NUMBA_NUM_THREADS, {os.environ[name] for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}


def loaded_modules(number: int) -> set[str]:
    return set(sys.modules)


def matrix_of(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).random((3, 3))


def still_runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_results_come_in_the_order_of_the_items(engine):
    items = (number for number in range(20))
    assert list(engine.map(square_of_what_took_long_first, items)) == [number * number for number in range(20)]
    assert list(engine.map(square, [])) == []


def test_arrays_are_the_same_numbers_from_a_worker(two):
    for seed, found in enumerate(engines.map(matrix_of, range(4), workers=two)):
        np.testing.assert_array_equal(found, np.random.default_rng(seed).random((3, 3)))


def test_an_exception_reaches_the_caller_as_itself_after_the_results_before_it(engine):
    results = engine.map(refuse_three, range(100))
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(KeyError, match="three"):
        next(results)
    assert list(engine.map(square, [5])) == [25]


def test_nothing_starts_before_the_first_result_is_asked_for(engine):
    taken = []

    def items():
        for number in range(50):
            taken.append(number)
            yield number

    results = engine.map(square, items())
    assert taken == []
    assert next(results) == 0
    assert taken


def test_who_stops_early_stops_the_work(engine, tmp_path):
    taken = []

    def items():
        for number in range(1000):
            taken.append(number)
            yield str(tmp_path), number

    results = engine.map(mark, items())
    assert [next(results), next(results)] == [0, 1]
    results.close()
    done = len(list(tmp_path.iterdir()))
    time.sleep(0.3)
    assert len(list(tmp_path.iterdir())) == done
    assert len(taken) < 10


def test_an_item_under_way_is_broken_off_when_the_caller_stops(tmp_path):
    with Processes(2) as engine:
        results = engine.map(go_on_for_ever, [None, str(tmp_path), None, None])
        next(results)
        wait_until(lambda: list(tmp_path.iterdir()))
        results.close()
        [file] = tmp_path.iterdir()
        assert not still_runs(int(file.name))
        assert list(engine.map(square, [3])) == [9]


def test_items_still_in_line_when_the_caller_stops_do_not_keep_the_workers(tmp_path):
    def some_then_none():
        yield from [str(tmp_path)] * 3
        raise LookupError("no more items")

    with Processes(2) as engine:
        results = engine.map(go_on_for_ever, [None] * 100)
        next(results)
        # Others leave far more behind than fits into the line of two workers, and then the caller sends one more.
        for _ in range(5):
            with pytest.raises(LookupError, match="no more items"):
                next(engine.map(go_on_for_ever, some_then_none()))
        wait_until(lambda: len(list(tmp_path.iterdir())) == 2)
        next(results)
        results.close()
        assert not any(still_runs(int(file.name)) for file in tmp_path.iterdir())
        assert list(engine.map(square, [3])) == [9]


def test_stopping_one_caller_does_not_disturb_another(two):
    other = two.map(own_pid, range(40))
    next(other)
    stopped = two.map(own_pid, range(40))
    next(stopped)
    stopped.close()
    assert len(list(other)) == 39


def test_threads_share_the_workers(two):
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda start: list(two.map(square, range(start, start + 10))), range(8)))
    assert found == [[number * number for number in range(start, start + 10)] for start in range(8)]


def test_workers_are_used_again_and_are_other_processes_than_this(tmp_path):
    with Processes(2) as engine:
        first = set(engine.map(meet, [str(tmp_path)] * 2))
        assert set(engine.map(own_pid, range(12))) <= first
        assert len(first) == 2
        assert os.getpid() not in first
    assert not any(still_runs(pid) for pid in first)


def test_the_same_number_of_workers_is_the_same_processes():
    assert engines.engine(3) is engines.engine(3)
    assert engines.engine(3) is not engines.engine(2)
    assert isinstance(engines.engine(), InProcess)
    assert isinstance(engines.engine(1), InProcess)
    assert set(engines.map(own_pid, range(3))) == {os.getpid()}


def test_a_worker_that_dies_is_an_error_once():
    with Processes(2) as engine:
        with pytest.raises(BrokenProcessPool):
            list(engine.map(die, range(8)))
        assert list(engine.map(square, range(4))) == [0, 1, 4, 9]


def test_a_worker_has_one_thread_to_calculate_with(two):
    assert list(two.map(thread_limits, range(2))) == [(1, {"1"})] * 2


@pytest.mark.parametrize("workers", [0, -1, 1.5, "many", True])
def test_a_wrong_number_of_workers_is_refused_at_once(workers):
    with pytest.raises(ValueError, match="workers must be a whole number ≥ 1"):
        engines.map(square, [1], workers=workers)


def test_a_worker_does_not_load_streamlit_even_if_the_program_has(two):
    import streamlit  # noqa: F401

    assert "streamlit" in sys.modules
    for modules in two.map(loaded_modules, range(4)):
        assert "numpy" in modules
        assert not any(name.split(".")[0] == "streamlit" for name in modules)


@contextmanager
def program(code: str, **options) -> Iterator[subprocess.Popen]:
    """A program of its own. It ends with the test even if that fails: left behind, it would be found by the garbage
    collector and counted as the failure of some other test."""
    command = [sys.executable, "-W", "error", "-c", textwrap.dedent(code)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=ROOT, **pipes, **options) as process:
        try:
            yield process
        finally:
            process.kill()


def test_the_library_does_without_joblib_until_workers_are_asked_for():
    code = """
        import sys, spatialldp
        from spatialldp import engines
        from spatialldp.experiments import sweep
        assert list(engines.map(abs, [-1])) == [1]
        assert "joblib" not in sys.modules
        """
    with program(code) as process:
        assert process.communicate(timeout=PATIENCE_S) == ("", "")
        assert process.returncode == 0


@pytest.mark.parametrize("end", ["", "results.close()", "del results", "raise SystemExit(0)"])
def test_a_program_ends_quietly_and_takes_its_workers_along(end):
    code = f"""
        from spatialldp import engines
        from tests.test_engines import own_pid
        results = engines.map(own_pid, range(100), workers=2)
        print(next(results), flush=True)
        {end}
        """
    with program(code) as process:
        out, error = process.communicate(timeout=PATIENCE_S)
        assert (error, process.returncode) == ("", 0)
        assert not still_runs(int(out))


def test_an_interrupt_alone_does_not_disturb_a_worker(two, tmp_path):
    pids = set(two.map(meet, [str(tmp_path)] * 2))
    results = two.map(own_pid, range(30))
    first = next(results)
    for pid in pids:
        os.kill(pid, signal.SIGINT)
    assert {first, *results} <= pids


def test_ctrl_c_ends_the_program_and_its_workers():
    code = """
        from spatialldp import engines
        from tests.test_engines import own_pid
        try:
            for pid in engines.map(own_pid, range(100_000), workers=2):
                print(pid, flush=True)
        except KeyboardInterrupt:
            print("stopped", flush=True)
        """
    with program(code, start_new_session=True) as process:
        pids = {int(process.stdout.readline()) for _ in range(10)}
        os.killpg(process.pid, signal.SIGINT)
        out, error = process.communicate(timeout=PATIENCE_S)
        # The interrupt may fall into the middle of a line.
        assert (out[-8:], error, process.returncode) == ("stopped\n", "", 0)
        assert not any(still_runs(pid) for pid in pids)


def test_ctrl_c_does_not_wait_for_the_item_under_way(tmp_path):
    code = f"""
        from spatialldp import engines
        from tests.test_engines import go_on_for_ever
        try:
            list(engines.map(go_on_for_ever, [{str(tmp_path)!r}] * 2, workers=2))
        except KeyboardInterrupt:
            print("stopped", flush=True)
        """
    # Without a thread of NumPy's, which would take the signal in place of the main one.
    with program(code, start_new_session=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"}) as process:
        wait_until(lambda: len(list(tmp_path.iterdir())) == 2)
        os.killpg(process.pid, signal.SIGINT)
        assert process.communicate(timeout=PATIENCE_S / 2) == ("stopped\n", "")
        assert process.returncode == 0


@pytest.mark.parametrize("inside", ["submit", "wait", "shutdown"])
def test_an_interrupt_never_breaks_into_the_executor(inside):
    """It would leave locks held, and the program would hang now and then; so it is made to come right there."""
    code = f"""
        import signal, sys, threading, time, traceback
        from spatialldp import engines
        from tests.test_engines import four_and_no_more
        # Whichever thread the system gives the signal to, Python answers it in the main one.
        other = threading.Thread(target=threading.Event().wait, daemon=True)
        other.start()
        def interrupt(frame, event, argument):
            if event == "call" and frame.f_code.co_name == {inside!r}:
                if any(name in frame.f_code.co_filename for name in ("loky", "concurrent")):
                    sys.setprofile(None)
                    signal.pthread_kill(other.ident, signal.SIGINT)
                    time.sleep(0.05)
        results = engines.map(four_and_no_more, range(100), workers=2)
        next(results)
        sys.setprofile(interrupt)
        try:
            for _ in range(3):
                next(results)
            results.close()
            print("not interrupted")
        except KeyboardInterrupt as stop:
            print({inside!r} in [frame.name for frame in traceback.extract_tb(stop.__traceback__)])
        results.close()
        print(list(engines.map(abs, [-1, -2], workers=2)))
        """
    with program(code) as process:
        assert process.communicate(timeout=PATIENCE_S) == ("False\n[1, 2]\n", "")
        assert process.returncode == 0


def test_ctrl_c_while_the_workers_start_is_left_to_the_program(tmp_path):
    # Python imports this first of all; a worker then takes as long to start as the test wants.
    (tmp_path / "sitecustomize.py").write_text(
        textwrap.dedent(
            f"""
            import os, pathlib, sys, time
            folder = pathlib.Path({str(tmp_path)!r})
            if any("loky_posix" in argument for argument in sys.orig_argv):
                (folder / f"{{os.getpid()}}.starting").touch()
                end = time.monotonic() + {PATIENCE_S}
                while not (folder / "go").exists() and time.monotonic() < end:
                    time.sleep(0.01)
            """
        )
    )
    code = """
        from spatialldp import engines
        try:
            print(list(engines.map(abs, [-1, -2, -3], workers=2)), flush=True)
        except KeyboardInterrupt:
            print("stopped", flush=True)
            print(list(engines.map(abs, [-1, -2, -3], workers=2)), flush=True)
        """
    with program(code, start_new_session=True, env={**os.environ, "PYTHONPATH": str(tmp_path)}) as process:
        wait_until(lambda: len(list(tmp_path.glob("*.starting"))) == 2)
        os.killpg(process.pid, signal.SIGINT)
        assert process.stdout.readline() == "stopped\n"
        (tmp_path / "go").touch()
        assert process.communicate(timeout=PATIENCE_S) == ("[1, 2, 3]\n", "")
        assert len(list(tmp_path.glob("*.starting"))) == 4


def test_ctrl_c_while_the_last_item_runs_breaks_it_off(tmp_path):
    code = f"""
        from spatialldp import engines
        from tests.test_engines import go_on_for_ever
        try:
            list(engines.map(go_on_for_ever, [{str(tmp_path)!r}], workers=2))
        except KeyboardInterrupt:
            print("stopped", flush=True)
        """
    with program(code, start_new_session=True) as process:
        wait_until(lambda: list(tmp_path.iterdir()))
        os.killpg(process.pid, signal.SIGINT)
        assert process.communicate(timeout=PATIENCE_S) == ("stopped\n", "")
        [file] = tmp_path.iterdir()
        assert not still_runs(int(file.name))
