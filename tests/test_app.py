"""The logic of the pages, without a browser."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

APP = str(Path(__file__).parents[1] / "app.py")


def started() -> AppTest:
    app = AppTest.from_file(APP, default_timeout=60).run()
    assert not app.exception
    return app


def error_of(app: AppTest) -> float:
    return float(app.metric[0].value.removesuffix(" cells"))


def test_first_page_shows_three_maps():
    app = started()
    assert len(app.get("deck_gl_json_chart")) == 3
    assert 0 < error_of(app) < 1


@pytest.mark.parametrize("mechanism", ["DAM", "HUEM", "DAM-NS"])
@pytest.mark.parametrize("data", ["normal", "szipf", "mnormal"])
def test_every_choice_works(data, mechanism):
    app = started()
    app.selectbox(key="data").set_value(data)
    app.selectbox(key="mech").set_value(mechanism).run()
    assert not app.exception
    assert error_of(app) > 0


@pytest.mark.parametrize(("epsilon", "d"), [(0.5, 2), (0.5, 40), (9.0, 2), (9.0, 40)])
def test_the_ends_of_the_sliders_work(epsilon, d):
    app = started()
    app.slider(key="eps").set_value(epsilon)
    app.slider(key="d").set_value(d).run()
    app.toggle(key="best").set_value(False).run()
    for b in (0, 2 * d):
        app.slider(key="b").set_value(b).run()
        assert not app.exception
        assert error_of(app) > 0


def test_the_radius_slider_survives_a_smaller_grid():
    app = started()
    app.toggle(key="best").set_value(False).run()
    app.slider(key="b").set_value(30).run()
    app.slider(key="d").set_value(5).run()
    assert not app.exception
    assert app.slider(key="b").value <= 10
