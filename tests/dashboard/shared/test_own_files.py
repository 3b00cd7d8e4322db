"""One file of a visitor's own after another, without a browser: nothing of the former one is left."""

import threading
import time

import pytest
from streamlit.testing.v1 import AppTest

from spatialldp.dashboard.shared import own_files, session
from spatialldp.dashboard.shared.jobs import Job
from spatialldp.dashboard.tradeoff import state
from spatialldp.datasets import Columns, read_points
from tests.dashboard.driving import choose_place, menu_of, said, started, value_of


def use(app: AppTest, name: str, rows: int) -> None:
    """Upload a file of so many people, all in the same city, and use it."""
    lines = [f"{-122.4 + i % 20 / 1000:.4f},{37.7 + i * i % 23 / 1000:.4f}" for i in range(rows)]
    content = "\n".join(["lon,lat", *lines]).encode()
    app.file_uploader(key="own-file").set_value((name, content, "text/csv")).run()
    app.button(key="own-use").click().run()
    assert not app.exception
    # Before the entry behind which those are that need a download.
    assert name in menu_of(app).options[-2]


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


# -- reading it once -------------------------------------------------------------------------------


@pytest.fixture
def readings(monkeypatch):
    """How each file was read, in order; by the real thing."""
    asked = []

    def noted(content, name, columns, swap, **options):
        asked.append((name, str(columns), swap))
        return read_points(content, name, columns, swap, **options)

    monkeypatch.setattr(own_files, "read_points", noted)
    return asked


def upload(app: AppTest, name: str, content: bytes) -> None:
    app.file_uploader(key="own-file").set_value((name, content, "text/csv")).run()
    assert not app.exception


def menu(app: AppTest, name: str):
    """A menu of the columns; its key holds the file it belongs to."""
    [found] = [box for box in app.selectbox if (box.key or "").startswith(f"own-{name}-")]
    return found


def test_a_file_is_parsed_once_however_often_the_page_is_drawn(readings):
    app = started(d="5")
    use(app, "mine.csv", 60)
    app.slider(key="eps").set_value(2.0).run()
    app.slider(key="d").set_value(6).run()
    app.run()
    app.switch_page("pages/compare.py").run()
    app.slider(key="eps").set_value(3.0).run()
    app.switch_page("app.py").run()
    assert value_of(app, "People") == "60"
    assert readings == [("mine.csv", "None", False)]


def test_a_file_is_parsed_again_only_where_it_is_to_be_read_in_another_way(readings):
    app = started(d="5")
    upload(app, "trips.csv", b"a_lon,a_lat,b_lon,b_lat\n" + b"-122.4,37.7,-122.41,37.71\n" * 9)
    columns = menu(app, "columns")
    assert readings == [("trips.csv", "None", False)]
    columns.set_value(Columns("a_lon", "a_lat")).run()
    app.run()
    assert len(readings) == 1
    columns.set_value(Columns("b_lon", "b_lat")).run()
    assert readings[1:] == [("trips.csv", "b_lon, b_lat", False)]
    app.run()
    app.toggle(key="own-swap").set_value(True).run()
    assert readings[2:] == [("trips.csv", "b_lon, b_lat", True)]
    app.run()
    assert len(readings) == 3


def test_the_next_file_is_not_swapped_because_the_former_was(readings):
    app = started(d="5")
    upload(app, "first.csv", b"lon,lat\n" + b"10.1,50.2\n10.3,50.4\n" * 10)
    app.toggle(key=session.OWN_SWAP).set_value(True).run()
    upload(app, "second.csv", b"lon,lat\n" + b"2.3,48.8\n2.4,48.9\n" * 10)
    assert app.toggle(key=session.OWN_SWAP).value is False
    assert readings[-1] == ("second.csv", "None", False)


def test_a_button_left_over_from_an_earlier_reading_uses_nothing():
    app = started(d="5")
    upload(app, "mine.csv", b"lon,lat\n" + b"10.1,50.2\n10.3,50.4\n" * 10)
    # Two clicks that reach the server together: the switch, and the button of the reading before it.
    app.toggle(key=session.OWN_SWAP).set_value(True)
    app.button(key="own-use").click().run()
    assert menu_of(app).value == "san-francisco"
    app.button(key="own-use").click().run()
    assert menu_of(app).value == "upload"
    app.session_state[session.OWN_READING.name] = None
    menu_of(app).set_value("new-haven")
    app.button(key="own-use").click().run()
    assert menu_of(app).value == "new-haven"


def test_a_button_left_over_from_other_columns_uses_nothing():
    app = started(d="5")
    upload(app, "trips.csv", b"a_lon,a_lat,b_lon,b_lat\n" + b"-122.4,37.7,-72.91,41.31\n" * 9)
    # Again two clicks that reach the server together.
    menu(app, "columns").set_value(Columns("b_lon", "b_lat"))
    app.button(key="own-use").click().run()
    assert menu_of(app).value == "san-francisco"
    app.button(key="own-use").click().run()
    assert menu_of(app).value == "upload"
    kept = app.session_state[session.OWN_READING.name].outcome
    assert set(kept.points.x) == {-72.91}


def test_the_columns_chosen_for_a_file_say_nothing_about_the_next(readings):
    app = started(d="5")
    rows = b"a_lon,a_lat,b_lon,b_lat\n" + b"-122.4,37.7,-72.91,41.31\n" * 9
    upload(app, "first.csv", rows)
    menu(app, "columns").set_value(Columns("b_lon", "b_lat")).run()
    upload(app, "second.csv", rows)
    assert menu(app, "columns").value == Columns("a_lon", "a_lat")
    assert readings[-1] == ("second.csv", "None", False)


def test_a_file_without_the_usual_names_is_read_by_the_columns_that_are_chosen(readings):
    app = started(d="5")
    upload(app, "odd.csv", b"east,north,more\n" + b"-122.4,37.7,1\n" * 7)
    assert "7 of 7 rows can be used." in said(app)
    menu(app, "latitude").set_value("more").run()
    assert [columns for _, columns, _ in readings] == ["None", "east, north", "east, more"]


def test_a_file_that_cannot_be_used_is_refused_once_in_one_sentence(readings):
    app = started(d="5")
    upload(app, "bomb.json", b"[" + b"[]," * 4_000_000 + b"[]]")
    for _ in range(3):
        assert [error.value for error in app.error] == [
            "'bomb.json' has more than 4,000,000 lists and objects, far more than points need\\: keep only the points."
        ]
        app.run()
    assert len(readings) == 1
    assert "own-use" not in buttons(app)
    use(app, "mine.csv", 60)


def test_nobody_else_sees_a_file_or_its_reading():
    mine, other = started(d="5"), started(d="5")
    upload(mine, "secret.csv", b"lon,lat\n" + b"-122.4,37.7\n" * 60)
    other.run()
    assert session.OWN_READING.name in mine.session_state
    assert session.OWN_READING.name not in other.session_state
    assert "60 of 60 rows" in said(mine)
    assert "60 of 60 rows" not in said(other)
    assert "secret" not in str(other.main) + str(other.sidebar)


class Uploaded:
    """What the server gives a page of a file."""

    def __init__(self, file_id: str, name: str, content: bytes) -> None:
        self.file_id, self.name, self._content = file_id, name, content

    def getvalue(self) -> bytes:
        return self._content


def test_a_file_waits_for_the_one_before_it_and_keeps_no_computation_waiting():
    rows = b"lon,lat\n" + b"-122.4,37.7\n" * 200_000
    with own_files._TURN:
        waiting = [own_files.Reading(Uploaded(str(n), "a.csv", rows), None, False) for n in range(4)]
        # More files wait than there are turns for computations.
        assert Job(lambda: iter([1])).wait(60)
        assert not any(reading.job.wait(0.2) for reading in waiting)
        assert {reading.progress().text for reading in waiting} == {"'a.csv' is waiting: another file is being read …"}
    assert all(reading.job.wait(60) for reading in waiting)
    assert [reading.outcome.points.people for reading in waiting] == [200_000] * 4
    assert waiting[0].progress().done > 0.5
    assert waiting[0].progress().text.startswith("Reading 'a.csv': ")


def test_a_file_that_is_taken_away_or_replaced_is_read_no_further(monkeypatch):
    app = started(d="5")
    with own_files._TURN:
        first = own_files.Reading(Uploaded("1", "a.csv", b"lon,lat\n1,2\n"), None, False)
        app.session_state[session.OWN_READING.name] = first
        app.run()
        assert first.job.wait(60)
    assert first.job.stopped
    assert first.outcome is None
    assert session.OWN_READING.name not in app.session_state


def test_a_fetched_set_that_is_damaged_is_named_and_can_be_fetched_again(tmp_path, monkeypatch):
    monkeypatch.setenv("SPATIALLDP_CACHE", str(tmp_path))
    (tmp_path / "chicago-crimes-2022.parquet").write_bytes(b"PAR1 and then nothing")
    app = started(data="chicago-crimes-2022")
    assert any("chicago-crimes-2022.parquet is damaged" in error.value for error in app.error)
    assert "can be downloaded again from https://data.cityofchicago.org" in said(app)
    assert "fetch" in buttons(app)


# -- one file after another ------------------------------------------------------------------------


@pytest.fixture
def unfinished(monkeypatch):
    """The Trade-off page as it is while it still computes: its work ends with the test, however quick it is."""
    over = threading.Event()

    def endless(question, measurements):
        while not over.is_set():
            time.sleep(0.01)
            # A job looks up, and may be stopped, at calls of the library's own functions.
            session.corner_key("West")
        yield from ()

    monkeypatch.setattr(state, "answering", endless)
    monkeypatch.setattr(state, "wait", lambda shown, slot: None)
    yield {"d": "5", "repeats": "2"}
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
    first, _ = app.session_state[session.TRADE_OFF_JOB.name]
    assert not first.finished
    use(app, "second.csv", 300)
    second, _ = app.session_state[session.TRADE_OFF_JOB.name]
    assert first.wait(60)
    assert first.stopped
    assert not second.stopped
    # Nobody waits for it on another page.
    app.switch_page("app.py").run()
    assert second.wait(60)
    assert second.stopped
