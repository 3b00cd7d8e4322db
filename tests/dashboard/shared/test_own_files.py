"""One file of a visitor's own after another, without a browser: nothing of the former one is left."""

import threading
import time
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from spatialldp.dashboard.shared import session
from spatialldp.dashboard.tradeoff import state
from tests.dashboard.driving import choose_place, menu_of, started, value_of


def use(app: AppTest, name: str, rows: int) -> None:
    """Upload a file of so many people, all in the same city, and use it."""
    lines = [f"{-122.4 + i % 20 / 1000:.4f},{37.7 + i * i % 23 / 1000:.4f}" for i in range(rows)]
    content = "\n".join(["lon,lat", *lines]).encode()
    app.file_uploader(key="own-file").set_value((name, content, "text/csv")).run()
    app.button(key="own-use").click().run()
    assert not app.exception
    assert name in menu_of(app).options[-1]


def buttons(app: AppTest) -> list[str]:
    return [button.key for button in app.button]


def test_the_person_of_the_former_file_does_not_move_into_the_next_one():
    app = started("pages/lesson.py", d="5")
    use(app, "first.csv", 60)
    places = app.selectbox(key="person-place")
    assert places.value.name == "The fullest cell"
    choose_place(app, "The middle of the map")
    assert app.session_state.choices.person is not None
    use(app, "second.csv", 90)
    assert app.session_state.choices.person is None
    assert app.selectbox(key="person-place").value.name == "The fullest cell"


def test_a_reset_keeps_the_own_file_and_nothing_else():
    app = started(eps="2", d="5", mech="MDSW")
    use(app, "mine.csv", 60)
    app.button(key="reset").click().run()
    assert menu_of(app).value == "upload"
    assert value_of(app, "People") == "60"
    assert (app.slider(key="eps").value, app.slider(key="d").value) == (3.5, 15)
    menu_of(app).set_value("new-haven").run()
    app.button(key="reset").click().run()
    assert menu_of(app).value == "san-francisco"


@pytest.fixture
def unfinished(monkeypatch):
    """The Trade-off page as it is while it still computes: one part of its work ends with the test, however quick the
    machine is. Only one, because the other pages need a turn, too."""
    over, listed = threading.Event(), state.parts

    def endless():
        while not over.is_set():
            time.sleep(0.01)
        yield

    def with_an_endless_part(*arguments):
        found = listed(*arguments)
        return found | {state.ASSESSMENT: replace(found[state.ASSESSMENT], work=endless)}

    monkeypatch.setattr(state, "parts", with_an_endless_part)
    monkeypatch.setattr(state, "wait", lambda shown: None)
    yield {"d": "5", "repeats": "2", "with": "DAM"}
    over.set()


def test_a_search_stopped_for_one_file_is_not_stopped_for_the_next(unfinished):
    app = started(**unfinished)
    use(app, "first.csv", 300)
    app.switch_page("pages/tradeoff.py").run()
    app.button(key="stop").click().run()
    assert "continue" in buttons(app)
    use(app, "second.csv", 300)
    assert "continue" not in buttons(app)
    app.button(key="stop").click().run()
    assert "continue" in buttons(app)


def test_what_is_being_computed_for_one_file_ends_with_the_next(unfinished):
    app = started(**unfinished)
    use(app, "first.csv", 300)
    app.switch_page("pages/tradeoff.py").run()
    jobs = app.session_state[session.TRADE_OFF_JOBS.name]
    assert not all(job.finished for job in jobs)
    app.switch_page("app.py").run()
    assert not any(job.stopped for job in jobs)
    use(app, "second.csv", 300)
    assert all(job.wait(60) for job in jobs)
    assert any(job.stopped for job in jobs)
