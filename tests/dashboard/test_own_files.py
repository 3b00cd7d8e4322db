"""One file of a visitor's own after another, without a browser: nothing of the former one is left."""

from streamlit.testing.v1 import AppTest

from tests.test_app import menu_of, started, value_of


def use(app: AppTest, name: str, rows: int) -> None:
    """Upload a file of so many people, all in the same city, and use it."""
    lines = [f"{-122.4 + i % 20 / 1000:.4f},{37.7 + i * i % 23 / 1000:.4f}" for i in range(rows)]
    content = "\n".join(["lon,lat", *lines]).encode()
    app.file_uploader(key="own-file").set_value((name, content, "text/csv")).run()
    app.button(key="own-use").click().run()
    assert not app.exception
    assert name in menu_of(app).options[-1]


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
