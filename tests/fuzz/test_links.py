"""Whatever a link says, it opens; what is not understood is named, and what is understood comes back in a new link."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.links import NAMES, keep_to, queries
from tests.fuzz.same_each_time import SAME_EACH_TIME


@pytest.mark.parametrize("name", NAMES)
@SAME_EACH_TIME
@given(data=st.data())
def test_a_link_opens(name, data):
    keep_to(data.draw(queries(name)))
