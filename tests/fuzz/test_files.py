"""However a file is damaged, whatever reads it counts its points or says in a sentence what is wrong."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.command_line import temporary_folder
from tests.fuzz.files import READERS, damaged, keep_to
from tests.fuzz.same_each_time import SAME_EACH_TIME


@pytest.fixture(scope="module", autouse=True)
def folder():
    with temporary_folder() as made:
        yield made


@pytest.mark.parametrize("reader", READERS)
@settings(SAME_EACH_TIME, max_examples=60)
@given(data=st.data())
def test_a_damaged_file_is_read_or_refused(reader, data):
    keep_to(data.draw(damaged(reader)))
