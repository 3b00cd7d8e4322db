"""The defaults are the same everywhere: in the library, on the command line and on the pages."""

import argparse
import inspect

import pytest

from spatialldp.cli import compare_command, report_command, run_command
from spatialldp.dashboard.shared.choices import Choices
from spatialldp.experiments import defaults
from spatialldp.experiments.axes import AXES
from spatialldp.experiments.comparison import compare, score
from spatialldp.experiments.plan import Plan
from spatialldp.experiments.sweep import sweep
from spatialldp.mechanisms import MECHANISMS
from spatialldp.planning import Question


def test_a_plan_and_a_question_have_the_common_defaults():
    plan = Plan()
    assert (plan.mechanism, plan.epsilon, plan.d) == (defaults.MECHANISM, defaults.EPSILON, defaults.D)
    question = Question("normal", plan)
    asked = (question.seed, question.repeats, question.reports, question.over, question.names)
    assert asked == (defaults.SEED, defaults.REPEATS, defaults.REPORTS, defaults.OVER, (defaults.MECHANISM,))


@pytest.mark.parametrize("function", [score, compare, sweep])
def test_library_calls_have_the_common_defaults(function):
    known = {"seed": defaults.SEED, "repeats": defaults.REPEATS, "reports": defaults.REPORTS}
    found = {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if name in known and parameter.default is not inspect.Parameter.empty
    }
    assert found
    assert found == {name: known[name] for name in found}


@pytest.mark.parametrize("command", ["run", "compare", "report"])
def test_the_command_line_has_the_common_defaults(command):
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers()
    for module in (run_command, compare_command, report_command):
        module.add_parser(commands)
    options = vars(parser.parse_args([command]))
    expected = {
        "data": defaults.DATA,
        "mechanism": defaults.MECHANISM,
        "mechanisms": ",".join(defaults.COMPARED),
        "epsilon": defaults.EPSILON,
        "d": defaults.D,
        "seed": defaults.SEED,
        "repeats": defaults.REPEATS,
        "reports": defaults.REPORTS,
        "over": defaults.OVER,
    }
    found = {name: value for name, value in options.items() if name in expected}
    assert len(found) >= 5
    assert found == {name: expected[name] for name in found}


def test_the_pages_have_the_common_defaults():
    chosen = Choices()
    assert (chosen.data, chosen.mechanism, chosen.compared) == (defaults.DATA, defaults.MECHANISM, defaults.COMPARED)
    assert (chosen.epsilon, chosen.d, chosen.seed) == (defaults.EPSILON, defaults.D, defaults.SEED)
    assert (chosen.repeats, chosen.reports, chosen.over) == (defaults.REPEATS, defaults.REPORTS, defaults.OVER)


def test_the_defaults_are_allowed_values():
    assert defaults.OVER in AXES
    assert {defaults.MECHANISM, *defaults.COMPARED} <= MECHANISMS.keys()
    assert Plan().make().epsilon == 3.5
