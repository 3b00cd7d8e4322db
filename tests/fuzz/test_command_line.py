"""Whatever an option is followed by, a command shows something or says in a sentence what is wrong."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.command_line import keep_to, lines, options, temporary_folder
from tests.fuzz.same_each_time import SAME_EACH_TIME

OPTIONS = options()


@pytest.fixture(scope="module", autouse=True)
def folder():
    with temporary_folder() as made:
        yield made


def test_options_of_all_commands_are_found():
    for name in ("run --epsilon", "compare --mechanisms", "sweep --values", "report --scenario", "data fetch --file"):
        assert name in OPTIONS


@pytest.mark.parametrize("name", [name for name in OPTIONS if OPTIONS[name].takes_a_value])
def test_every_option_has_something_that_properly_follows_it(name):
    assert OPTIONS[name].proper()


@pytest.mark.parametrize("name", [name for name in OPTIONS if not name.startswith("report ")])
@SAME_EACH_TIME
@given(data=st.data())
def test_a_command_shows_something_or_says_what_is_wrong(name, data):
    keep_to(data.draw(lines(OPTIONS[name])))


@pytest.mark.parametrize("name", [name for name in OPTIONS if name.startswith("report ")])
@settings(SAME_EACH_TIME, max_examples=3)  # one that succeeds takes a second or two
@given(data=st.data())
def test_a_printable_report_is_written_or_says_what_is_wrong(name, data):
    keep_to(data.draw(lines(OPTIONS[name])))
