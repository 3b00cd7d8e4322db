"""Whatever a public function is given, it returns something sound or says in a sentence what is wrong."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.arguments import INSTANCES, strategy_of
from tests.fuzz.calls import calls
from tests.fuzz.contract import keep_to
from tests.fuzz.interface import targets

TARGETS = targets()


@pytest.mark.parametrize("name", TARGETS)
def test_every_parameter_has_values_to_be_called_with(name):
    target = TARGETS[name]
    if target.keeps_whatever_it_gets:
        return
    if target.owner is not None and not target.is_class_method:
        assert target.owner in INSTANCES
    for parameter in target.parameters:
        strategy_of(target, parameter)


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=10, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_calls(name, data):
    keep_to(data.draw(calls(TARGETS[name])))
