"""Links on the pages: what each offers to copy, and that a change of page forgets nothing."""

import pytest

from spatialldp.dashboard.shared.pages import FILES, Page
from tests.dashboard.driving import link_notices, link_of, started, value_of

#: Settings at which every page is drawn in a moment.
QUICK = {"data": "new-haven", "d": "5", "repeats": "2", "with": "DAM"}


@pytest.mark.parametrize("page", Page)
def test_a_page_links_to_what_it_uses_only(page):
    extra = {"mech": "k-RR", "seed": "3", "diff": "1", "step": "1", "prior": "density", "part": "kernel", "k": "2"}
    app = started(FILES[page], **QUICK, **extra)
    common = "v=2&data=new-haven"
    assert (
        link_of(app)
        == {
            Page.EXPLORE: f"{common}&mech=k-RR&d=5&seed=3&diff=1",
            Page.COMPARE: f"{common}&d=5&seed=3&with=DAM&repeats=2",
            Page.TRADE_OFF: f"{common}&mech=k-RR&d=5&seed=3&repeats=2&k=2",
            Page.LESSON: f"{common}&d=5&seed=3&repeats=2&prior=density",
            Page.HOW_IT_WORKS: f"{common}&d=5&seed=3",
        }[page]
    )


@pytest.mark.parametrize("page", [Page.EXPLORE, Page.HOW_IT_WORKS])
def test_a_page_as_it_is_first_seen_has_a_link_without_settings(page):
    assert link_of(started(FILES[page])) == "v=2"


def test_a_change_of_page_keeps_what_the_new_page_does_not_use():
    app = started(**QUICK, mech="HUEM", b="2", diff="1")
    error = value_of(app, "Error W2")
    app.switch_page(FILES[Page.COMPARE]).run()
    assert link_of(app) == "v=2&data=new-haven&d=5&with=DAM&repeats=2"
    app.switch_page(FILES[Page.EXPLORE]).run()
    assert link_of(app) == "v=2&data=new-haven&mech=HUEM&d=5&b=2&diff=1"
    assert value_of(app, "Error W2") == error


def test_an_old_link_with_everything_written_out_shows_the_same_and_becomes_a_short_one():
    rest = {"v": "1", "eps": "3.5", "seed": "1", "geo": "equal", "pop": "100", "over": "epsilon", "k": "1"}
    app = started(**QUICK, **rest, mech="DAM", step="1", prior="uniform", part="kernel")
    assert link_notices(app) == []
    assert link_of(app) == "v=2&data=new-haven&d=5"
    assert value_of(app, "Error W2") == value_of(started(data="new-haven", d="5"), "Error W2")


#: Values beyond what the pages take, each with the words of its notice.
BEYOND = {
    "eps": (["nan", "inf", "-1", "0", "1e-17", "0.0009", "50.1", "800", "1e308"], "is not a number from 0.5 to 9"),
    "d": (["0", "1000000", "1e9", "-3", "9" * 5_000], "is not a whole number from 1 to 100"),
    "b": (["1000000000", "-1", "2.5"], "is not a whole number from 0 to 200"),
    "seed": (["-1", "9" * 30], "is not a whole number from 0 to 999,999"),
    "repeats": (["0", "1000000000"], "is not a whole number from 1 to 20"),
    "k": (["0", "1000000000"], "is not a whole number from 1 to 30"),
    "pop": (["0", "99999999999999999999"], "is not a whole number from 1 to 10,000"),
    "target": (["nan", "0", "1e308"], "is not a number from 0.0001 to 1,000,000"),
    "s": (
        [
            "A=DAM,800,5,,",
            "A=DAM,1,1000000,,",
            "A=DAM,1,5,1000000000,",
            "A=DAM,1,5,,99999999999999999999",
            "A=DAM,1,5",
            "A=OUE,1,5,2,",
        ],
        "is not a list of scenarios",
    ),
    "step": (["0", "7"], "is not a whole number from 1 to 6"),
}


@pytest.mark.parametrize("page", Page)
@pytest.mark.parametrize("number", range(3))
def test_values_out_of_bounds_are_named_and_the_page_is_drawn_without_them(page, number):
    wrong = {name: values[number % len(values)] for name, (values, _) in BEYOND.items()}
    # What is wrong is left at its default, on which a page takes its time; so d is wrong on one page only.
    if page is not Page.EXPLORE:
        del wrong["d"], wrong["repeats"]
    rest = {name: value for name, value in QUICK.items() if name not in wrong}
    app = started(FILES[page], **rest, **wrong)
    notices = link_notices(app)
    assert len(notices) == len(wrong)
    for name in wrong:
        (notice,) = [text for text in notices if text.startswith(f"Ignored {name} = ")]
        assert notice.endswith(f"in the link: it {BEYOND[name][1]}.")
    assert not app.error


@pytest.mark.parametrize("page", Page)
@pytest.mark.parametrize("box", ["-1e300,-1e300,1e300,1e300", "0,0,1e-9,1e-9", "-180,-90,180,90"])
def test_a_box_that_cannot_be_used_is_one_sentence_on_every_page(page, box):
    app = started(FILES[page], **QUICK, box=box, at="1e300,-1e300", part="recovery")
    # Of the link where that cannot be a box, of the page where nobody is in it.
    assert len([*link_notices(app), *app.warning]) == 1
    assert not app.error
