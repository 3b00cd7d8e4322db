"""Whatever a public function is given, it returns something sound or says in a sentence what is wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spatialldp.planning import candidates
from tests.fuzz.arguments import INSTANCES, strategy_of
from tests.fuzz.calls import calls
from tests.fuzz.contract import keep_to
from tests.fuzz.interface import targets
from tests.fuzz.same_each_time import SAME_EACH_TIME
from tests.fuzz.substitutions import replaceable, substituted

TARGETS = targets()


@pytest.fixture(autouse=True)
def few_grids(monkeypatch):
    """Whatever is recommended, and on which grid, is beside the point; on maps of many cells it takes its time."""
    monkeypatch.setattr(candidates, "GRIDS", (5, 8))


def test_mechanisms_methods_functions_and_what_they_are_made_of_are_all_found():
    for name in (
        "spatialldp.DAM",
        "spatialldp.SEMGeoI.estimate",
        "spatialldp.Grid.from_bounds",
        "spatialldp.wasserstein2",
        "spatialldp.oracles.SquareWave (properties)",
        "spatialldp.privacy.audit",
        "spatialldp.experiments.axes.varied",
        "spatialldp.tables.WeightTable.draw",
    ):
        assert name in TARGETS
    assert TARGETS["spatialldp.privacy.audit"].open
    assert not TARGETS["spatialldp.tables.WeightTable.draw"].open


@pytest.mark.parametrize("name", TARGETS)
def test_every_parameter_has_values_to_be_called_with(name):
    target = TARGETS[name]
    if target.owner is not None and not target.is_class_method:
        assert target.owner in INSTANCES, f"say in tests/fuzz/arguments.py how a {target.owner.__name__} is made"
    if not target.keeps_whatever_it_gets:
        for parameter in target.parameters:
            assert strategy_of(target, parameter), "say in tests/fuzz/arguments.py what is proper for it"


@pytest.mark.parametrize("name", TARGETS)
@SAME_EACH_TIME
@given(data=st.data())
def test_a_call_returns_something_sound_or_says_what_is_wrong(name, data):
    keep_to(data.draw(calls(TARGETS[name])))


@pytest.mark.parametrize("name", [name for name, target in TARGETS.items() if replaceable(target)])
def test_no_odd_value_in_the_place_of_an_argument_takes_it_by_surprise(name):
    assert [keep_to(call) for call in substituted(TARGETS[name])]
