"""Maps in a grid, without a browser: their captions, and the dialog that shows one of them large."""

import pytest

from spatialldp.experiments import make_mechanism, population, simulate
from tests.dashboard.driving import component_data, started

COMPARE = "pages/compare.py"
QUICK = {"d": "6", "repeats": "1", "with": "DAM,k-RR"}


def test_captions_name_the_error_of_this_draw_in_cells_and_metres():
    cards = component_data(started(COMPARE, **QUICK), "map_cards")["cards"]
    assert [card["title"].removesuffix(" · best") for card in cards] == ["True map", "DAM", "k-RR"]
    assert [card["closer"] for card in cards] == [False, True, True]
    people = population("san-francisco", 6)
    for card, name in zip(cards[1:], ("DAM", "k-RR"), strict=True):
        error = simulate(people.binned.counts, make_mechanism(name, 3.5, 6), 1).w2_cells
        metres = error * people.grid.cell_size_m
        assert card["caption"] == f"{error:.3f} cells ({metres:,.0f} m), one draw"


def test_plain_units_have_no_metres_in_their_captions():
    cards = component_data(started(COMPARE, **QUICK, data="normal"), "map_cards")["cards"]
    assert all(card["caption"].endswith(" cells, one draw") for card in cards[1:])


def test_both_sides_of_a_jump_are_told_apart():
    cards = component_data(started(COMPARE, d="5", eps="2.2", repeats="1", **{"with": "SEM-Geo-I"}), "map_cards")[
        "cards"
    ]
    assert [card["caption"].rpartition(", ")[2] for card in cards[1:]] == ["below the jump", "above the jump"]


def test_the_map_that_is_looked_at_is_shown_beside_the_true_one_until_it_is_closed():
    app = started(COMPARE, **QUICK)
    app.session_state["looked-at"] = ("map-cards", 2)
    app.run()
    assert not app.exception
    shown = component_data(app, "swipe")
    true, recovered = shown["pictures"]
    counts = population("san-francisco", 6).binned.counts
    run = simulate(counts, make_mechanism("k-RR", 3.5, 6), 1)
    assert true["values"] == pytest.approx((counts / counts.sum()).ravel(), abs=1e-7)
    assert recovered["values"] == pytest.approx(run.estimate.distribution.ravel(), abs=1e-7)
    assert f"error W2 {run.w2_cells:.3f} cells" in recovered["note"]
    assert shown["pairs"] == [["True", "Recovered"]]
    # It stays open while the page behind it is drawn again.
    app.run()
    assert component_data(app, "swipe")["pictures"] == shown["pictures"]


def test_a_map_that_is_no_longer_there_is_not_looked_at():
    app = started(COMPARE, **QUICK)
    app.session_state["looked-at"] = ("map-cards", 7)
    app.run()
    assert not app.exception
    assert not [c for c in app.get("bidi_component") if c.proto.component_name == "spatialldp_swipe"]
    assert "looked-at" not in app.session_state


def test_leaving_the_page_closes_the_map_that_is_looked_at():
    app = started(COMPARE, **QUICK)
    app.session_state["looked-at"] = ("map-cards", 2)
    app.run()
    assert component_data(app, "swipe")
    app.switch_page("app.py").run()
    app.switch_page(COMPARE).run()
    assert not app.exception
    assert component_data(app, "map_cards")
    assert not [c for c in app.get("bidi_component") if c.proto.component_name == "spatialldp_swipe"]


@pytest.mark.parametrize(
    ("page", "query"), [(COMPARE, {"d": "5", "with": ""}), ("pages/lesson.py", {"d": "5", "step": "1"})]
)
def test_where_there_is_no_such_map_none_is_looked_at(page, query):
    app = started(page, **query)
    app.session_state["looked-at"] = ("map-cards", 1)
    app.run()
    assert not app.exception
    assert "looked-at" not in app.session_state
