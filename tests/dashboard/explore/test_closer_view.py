"""Explore's ways to look closer, without a browser: the choice of a view, and what the swipe shows."""

import base64
import io

import numpy as np
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from spatialldp.experiments import make_mechanism, population, simulate
from tests.dashboard.driving import component_data, decks, link_of, said, started


def pixels(uri: str) -> np.ndarray:
    """The cells of a picture, [ix, iy, band]."""
    image = Image.open(io.BytesIO(base64.b64decode(uri.partition(",")[2]))).convert("RGB")
    return np.asarray(image).astype(int)[::-1].transpose(1, 0, 2)


def swiped(app: AppTest) -> dict[str, dict]:
    return {picture["title"]: picture for picture in component_data(app, "swipe")["pictures"]}


def test_another_view_stands_in_place_of_the_three_maps_and_is_in_the_link():
    app = started(d="6")
    assert app.button_group(key="view").value == "three"
    assert len(decks(app)) == 3
    app.button_group(key="view").set_value("swipe").run()
    assert not app.exception
    assert not decks(app)
    assert link_of(app) == "v=2&d=6&view=swipe"
    app.button_group(key="view").set_value("three").run()
    assert len(decks(app)) == 3
    assert link_of(app) == "v=2&d=6"


def test_a_view_that_does_not_exist_is_said_and_ignored():
    app = started(d="6", view="four")
    assert "Ignored view" in said(app)
    assert len(decks(app)) == 3


def test_the_swipe_has_the_three_maps_of_the_run_on_the_same_cells():
    app = started(d="8", view="swipe")
    found = swiped(app)
    assert list(found) == ["True", "Perturbed", "Recovered"]
    counts = population("san-francisco", 8).binned.counts
    mechanism = make_mechanism("DAM", 3.5, 8)
    run = simulate(counts, mechanism, 1)
    assert found["True"]["values"] == pytest.approx((counts / counts.sum()).ravel(), abs=1e-7)
    assert found["Recovered"]["values"] == pytest.approx(run.estimate.distribution.ravel(), abs=1e-7)
    inside = run.reports[mechanism.b : mechanism.b + 8, mechanism.b : mechanism.b + 8]
    assert found["Perturbed"]["values"] == inside.ravel().tolist()
    outside = 1 - inside.sum() / run.reports.sum()
    assert f"{outside:.1%} of the reports fall outside the area" in found["Perturbed"]["note"]
    assert all(pixels(picture["image"]).shape == (8, 8, 3) for picture in found.values())


def test_north_is_up_and_east_is_right_in_the_pictures_of_the_swipe():
    app = started(d="8", view="swipe")
    counts = population("san-francisco", 8).binned.counts
    darkness = -pixels(swiped(app)["True"]["image"]).sum(axis=2)
    assert np.unravel_index(darkness.argmax(), (8, 8)) == np.unravel_index(counts.argmax(), (8, 8))
    assert darkness[counts == 0].max() == darkness.min()


def test_a_mechanism_whose_reports_stay_inside_says_nothing_of_an_outside():
    note = swiped(started(d="6", view="swipe", mech="k-RR"))["Perturbed"]["note"]
    assert "outside" not in note


def test_reports_that_name_cells_are_read_as_shares_of_the_reports():
    picture = swiped(started(d="6", view="swipe", mech="OUE"))["Perturbed"]
    assert picture["unit"] == "named"
    assert all(0 <= value <= 1 for value in picture["values"])


def test_plain_units_have_no_outline_and_cities_have_theirs():
    assert component_data(started(d="6", view="swipe", data="normal"), "swipe")["outline"]["path"] == ""
    path = component_data(started(d="6", view="swipe"), "swipe")["outline"]["path"]
    places = np.array([[float(n) for n in pair.split(",")] for pair in path[1:].replace("M", "L").split("L")])
    # The square is the city's own: it lies inside, but for some water, and fills it in one direction.
    assert places.min() >= -100
    assert places.max() <= 2100
    assert np.ptp(places, axis=0).max() > 1900


def test_values_of_very_many_cells_are_not_sent():
    assert all(picture["values"] is None for picture in swiped(started(d="60", eps="9", view="swipe")).values())
