"""What widgets are told to show, and what is kept for a visitor."""

import pytest
from streamlit.testing.v1 import AppTest

from spatialldp.dashboard.shared import session
from tests.dashboard.driving import started

QUICK = {"data": "new-haven", "d": "5"}


def is_told(app: AppTest, key: str) -> bool:
    """Whether the browser is told what to show: otherwise it keeps what it shows, or takes the lowest value."""
    return app.slider(key=key).proto.set_value


@pytest.fixture
def settled(monkeypatch):
    """As if every widget had been drawn long ago."""
    monkeypatch.setattr(session, "_ON_ITS_WAY_S", 0.0)


def test_a_widget_that_may_not_have_reached_the_browser_is_told_again():
    app = started(**QUICK)
    assert is_told(app, "d")
    app.run()
    assert is_told(app, "d")
    assert app.slider(key="d").value == 5


def test_a_widget_that_the_visitor_moved_is_left_alone():
    app = started(**QUICK)
    app.slider(key="eps").set_value(2.0).run()
    assert not is_told(app, "eps")
    assert is_told(app, "d")
    assert app.session_state.choices.epsilon == 2.0


def test_a_widget_that_has_long_been_there_is_left_alone(settled):
    app = started(**QUICK)
    app.run()
    assert not is_told(app, "d")


def test_a_widget_that_shows_something_else_is_told(settled):
    app = started(**QUICK)
    app.run()
    app.button(key="reset").click().run()
    assert is_told(app, "d")
    assert app.slider(key="d").value == 15


def test_a_widget_on_another_page_is_told(monkeypatch):
    app = started(**QUICK)
    app.slider(key="eps").set_value(2.0).run()
    app.switch_page("pages/how_it_works.py").run()
    assert is_told(app, "eps")
    assert app.slider(key="eps").value == 2.0


def test_names_in_the_session_are_different():
    kept = [value.name for value in vars(session).values() if isinstance(value, session.Kept)]
    widgets = [value for name, value in vars(session).items() if name.isupper() and isinstance(value, str)]
    assert len(kept) > 10
    assert len({*kept, *widgets}) == len(kept) + len(widgets)


def test_a_menu_is_told_at_every_run_because_telling_it_takes_nothing_back(settled):
    app = started(**QUICK)
    for _ in range(2):
        app.run()
        assert app.selectbox(key="data").proto.set_value
        assert app.selectbox(key="data").value == "new-haven"


def test_a_slider_that_was_set_for_the_visitor_is_told_again_even_if_they_had_moved_it():
    app = started(**QUICK)
    app.slider(key="d").set_value(9).run()
    assert not is_told(app, "d")
    app.button(key="reset").click().run()
    for _ in range(2):
        assert is_told(app, "d")
        assert app.slider(key="d").value == 15
        app.run()


def test_what_a_replaced_widget_still_sends_changes_no_choice():
    def page():
        import streamlit as st

        from spatialldp.dashboard.shared import controls, session
        from spatialldp.dashboard.shared.pages import Page

        session.PAGE.set(Page.EXPLORE)
        st.session_state["late"], st.session_state["now"] = "new-haven", "normal"
        replaced = controls.bound("data", "late", "new-haven")["on_change"]
        present = controls.bound("data", "now", "normal")["on_change"]
        replaced()
        st.text(controls.choices().data)
        present()
        st.text(controls.choices().data)

    app = AppTest.from_function(page).run()
    assert not app.exception
    assert [text.value for text in app.text] == ["san-francisco", "normal"]
