"""Links on the pages: what each offers to copy, and that a change of page forgets nothing."""

import pytest

from spatialldp.dashboard.shared.pages import FILES, Page
from tests.dashboard.driving import link_of, started, value_of

#: Settings at which every page is drawn in a moment.
QUICK = {"data": "new-haven", "d": "5", "repeats": "2", "with": "DAM"}


@pytest.mark.parametrize("page", Page)
def test_a_page_links_to_what_it_uses_only(page):
    extra = {"mech": "k-RR", "seed": "3", "diff": "1", "step": "1", "prior": "density", "part": "kernel", "k": "2"}
    app = started(FILES[page], **QUICK, **extra)
    common = "v=1&data=new-haven"
    assert (
        link_of(app)
        == {
            Page.EXPLORE: f"{common}&mech=k-RR&d=5&seed=3&diff=1",
            Page.COMPARE: f"{common}&d=5&seed=3&with=DAM&repeats=2",
            Page.TRADE_OFF: f"{common}&mech=k-RR&d=5&seed=3&with=DAM&repeats=2&k=2",
            Page.LESSON: f"{common}&d=5&seed=3&repeats=2&prior=density",
            Page.HOW_IT_WORKS: f"{common}&d=5&seed=3",
        }[page]
    )


@pytest.mark.parametrize("page", [Page.EXPLORE, Page.HOW_IT_WORKS])
def test_a_page_as_it_is_first_seen_has_a_link_without_settings(page):
    assert link_of(started(FILES[page])) == "v=1"


def test_a_change_of_page_keeps_what_the_new_page_does_not_use():
    app = started(**QUICK, mech="HUEM", b="2", diff="1")
    error = value_of(app, "Error W2")
    app.switch_page(FILES[Page.COMPARE]).run()
    assert link_of(app) == "v=1&data=new-haven&d=5&with=DAM&repeats=2"
    app.switch_page(FILES[Page.EXPLORE]).run()
    assert link_of(app) == "v=1&data=new-haven&mech=HUEM&d=5&b=2&diff=1"
    assert value_of(app, "Error W2") == error


def test_an_old_link_with_everything_written_out_shows_the_same_and_becomes_a_short_one():
    rest = {"v": "1", "eps": "3.5", "seed": "1", "geo": "equal", "pop": "100", "over": "epsilon", "k": "1"}
    app = started(**QUICK, **rest, mech="DAM", step="1", prior="uniform", part="kernel")
    assert not app.warning
    assert link_of(app) == "v=1&data=new-haven&d=5"
    assert value_of(app, "Error W2") == value_of(started(data="new-haven", d="5"), "Error W2")
