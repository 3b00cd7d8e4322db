"""Links to a view with any names and texts: what is understood is used, and the rest is named in a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from spatialldp.dashboard.shared import choices
from spatialldp.dashboard.shared.choices import Choices, Page
from tests.fuzz.command_line import PROPER, WRONG
from tests.fuzz.contract import Answer, BrokenContractError, answer_of
from tests.fuzz.values import Draw

#: The names that links have.
NAMES = tuple(choices._SETTINGS)
_TEXTS = st.one_of(
    st.sampled_from(WRONG),
    st.sampled_from([text for texts in PROPER.values() for text in texts]),
    st.integers(-3, 10**12).map(str),
    st.floats().map(str),
    st.text(max_size=8),
)


@st.composite
def queries(draw: Draw, name: str) -> dict[str, str]:
    """Links that set one choice, and a few others."""
    others = draw(st.dictionaries(st.one_of(st.sampled_from([*NAMES, "v"]), st.text(max_size=4)), _TEXTS, max_size=4))
    return {**others, name: draw(_TEXTS)}


@dataclass
class _Read:
    chosen: Choices
    notices: list[str]


def keep_to(query: dict[str, str]) -> Answer:
    """Open a link. Its choices must be ones that links can carry, so they come back from the links of all pages."""
    answer = answer_of(lambda: _Read(*choices.parse(query)))
    if answer.kind == "refused":
        raise BrokenContractError(f"a link was not opened at all: {answer.value}")
    chosen, notices = answer.value.chosen, answer.value.notices
    if not all(notice.endswith(".") and len(notice) > 20 for notice in notices):
        raise BrokenContractError(f"not a sentence: {notices}")
    again: dict[str, Any] = {}
    for page in Page:
        written = chosen.query(page)
        chosen.link(page).encode("ascii")
        if choices.parse(written)[1]:
            raise BrokenContractError(f"a link that the app wrote is not understood: {written}")
        again |= written
    if choices.parse(again)[0] != chosen:
        raise BrokenContractError(f"{chosen} came back as {choices.parse(again)[0]}")
    return answer
