"""The fuzzing itself notices what it is there for: each planted mistake is found within the calls of a test."""

import inspect
import itertools
import math
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spatialldp import DAM
from spatialldp import _validation as validate
from spatialldp.cli import run_command
from spatialldp.dashboard.shared import choices
from spatialldp.mechanisms import Mechanism
from tests.fuzz import command_line, files, links
from tests.fuzz.calls import Call, calls
from tests.fuzz.campaign import tally
from tests.fuzz.contract import BrokenContractError, answer_of, bounded, keep_to
from tests.fuzz.interface import Target, targets
from tests.fuzz.invariants import UnsoundError
from tests.fuzz.same_each_time import SAME_EACH_TIME

TARGETS = targets()


def failures_of(name, examples=60):
    return " ".join(tally(calls(TARGETS[name]), keep_to, examples, 1).failures)


def one_call(function, **arguments):
    return keep_to(Call(Target(f"spatialldp.planted.{function.__name__}", function), None, arguments, ()))


def test_a_removed_check_is_found():
    assert failures_of("spatialldp.DAM.device_weights") == ""
    with mock.patch.object(validate, "whole_number", lambda name, value, smallest, largest=None: value):
        assert "by accident" in failures_of("spatialldp.DAM.device_weights")


def test_a_function_that_changes_its_argument_is_found():
    real = DAM.perturb

    def greedy(self, counts, rng):
        reports = real(self, counts, rng)
        if isinstance(counts, np.ndarray) and counts.flags.writeable:
            counts[...] = counts[::-1].copy()
        return reports

    with mock.patch.object(DAM, "perturb", greedy):
        assert "counts was changed by the call" in failures_of("spatialldp.DAM.perturb")


def test_a_lost_report_is_found():
    real = DAM.perturb

    def careless(self, counts, rng):
        reports = real(self, counts, rng)
        reports.flat[reports.argmax()] -= 1
        return reports

    with mock.patch.object(DAM, "perturb", careless):
        assert "reports of" in failures_of("spatialldp.DAM.perturb")


def test_shares_that_do_not_add_up_are_found():
    real = Mechanism.estimate

    def generous(self, reports, options=None, **settings):
        found = real(self, reports, options, **settings)
        found.distribution[...] *= 1.01
        return found

    with mock.patch.object(Mechanism, "estimate", generous):
        assert "shares add up to 1.01" in failures_of("spatialldp.HUEM.estimate")


def test_an_option_that_ends_in_a_traceback_is_found():
    option = command_line.options()["run --seed"]
    with command_line.temporary_folder():
        assert tally(command_line.lines(option), command_line.keep_to, 40, 1).failures == {}
        with mock.patch.object(run_command, "simulate", side_effect=ZeroDivisionError):
            found = tally(command_line.lines(option), command_line.keep_to, 40, 1).failures
    assert any("ZeroDivisionError" in reason for reason in found)


def test_a_command_that_ends_without_a_word_is_found():
    line = command_line.Words(("run", "--data", "new-haven", "--d", "2"))
    with (
        command_line.temporary_folder(),
        mock.patch.object(run_command, "write", return_value=0),
        pytest.raises(BrokenContractError, match="nothing to show"),
    ):
        command_line.keep_to(line)


def test_a_link_that_does_not_open_is_found():
    readers = {**choices._SETTINGS, "d": choices._Setting("d", lambda text: {}[text], str, choices._EVERY_PAGE)}
    with mock.patch.object(choices, "_SETTINGS", readers):
        assert any("KeyError" in reason for reason in tally(links.queries("d"), links.keep_to, 30, 1).failures)


def test_a_reader_that_trips_over_a_damaged_file_is_found():
    with mock.patch.dict(files.READERS, {"read_points": lambda file: file.content.decode("ascii")}):
        assert any("by accident" in why for why in tally(files.damaged("read_points"), files.keep_to, 60, 1).failures)


def test_only_errors_that_the_library_raises_itself_count_as_answers():
    for broken in (lambda: [][1], lambda: {}["a"], lambda: None.d, lambda: int("x"), lambda: 1 // 0):
        with pytest.raises(BrokenContractError):
            answer_of(broken)
    assert answer_of(lambda: DAM(-1, 3)).kind == "refused"


def test_warnings_memory_and_loops_without_end_are_found():
    with pytest.raises(BrokenContractError, match="RuntimeWarning"):
        answer_of(lambda: np.ones(2) / np.zeros(2))
    with pytest.raises(BrokenContractError, match="MemoryError"):
        answer_of(lambda: np.ones(10**15))
    with pytest.raises(BrokenContractError, match="no end after"), bounded(seconds=1):
        max(map(abs, itertools.repeat(endless)))


class _Number(int):
    def __abs__(self):
        return 0


endless = _Number()


def test_a_result_that_is_not_finite_is_found():
    def half(counts):
        return math.nan

    with pytest.raises(UnsoundError, match="nan"):
        one_call(half, counts=np.ones(2))


def test_a_new_parameter_without_values_is_missed():
    def estimate_better(wishes):
        return wishes

    target = Target("spatialldp.planted.estimate_better", estimate_better)
    assert list(target.parameters) == list(inspect.signature(estimate_better).parameters)
    with pytest.raises(KeyError, match="wishes"):
        tally(calls(target), keep_to, 1, 1)


@settings(SAME_EACH_TIME, max_examples=100)
@given(data=st.data())
def test_proper_arguments_are_accepted_by_a_plain_function(data):
    call = data.draw(calls(TARGETS["spatialldp.wasserstein2"]))
    answer = keep_to(call)
    assert answer.kind == "returned" or call.wrong
