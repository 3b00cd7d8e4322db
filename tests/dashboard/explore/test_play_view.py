"""Explore's player, without a browser: its pictures and figures are those that Explore shows at the same settings."""

import re
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from spatialldp.dashboard.shared.jobs import Job
from spatialldp.experiments import make_mechanism, population, simulate
from tests.dashboard.driving import component_data, error_of, link_of, said, started


def played(**query: str) -> tuple[AppTest, dict]:
    """The page when all pictures are ready, and what the browser is told."""
    app = started(view="play", **query)
    assert "pictures are ready." in said(app)
    return app, component_data(app, "player")


def test_over_epsilon_every_picture_is_the_run_that_explore_shows_there():
    app, player = played(d="6")
    values = player["axis"]["values"]
    assert (values[0], values[-1], len(values)) == (0.5, 9.0, 18)
    counts, side = population("san-francisco", 6).binned.counts, population("san-francisco", 6).grid.cell_size_m
    for step in (0, 9, 17):
        run = simulate(counts, make_mechanism("DAM", values[step], 6), 1)
        text = f"ε = {values[step]:g}: off by {run.w2_cells:.2f} cells ({run.w2_cells * side:,.0f} m)"
        assert player["frames"][step]["text"] == text
        assert player["charts"][0]["values"][step] == pytest.approx(run.w2_cells * side, rel=1e-6)
    assert player["charts"][0]["unit"] == "metres"
    assert not player["more"]
    assert error_of(started(d="6", eps="9")) == pytest.approx(
        float(re.search(r"by ([\d.]+) cells", player["frames"][-1]["text"])[1]), abs=5.1e-3
    )
    assert "has its own optimal radius" in said(app)


def test_over_d_every_picture_has_a_true_map_of_its_own_and_metres_compare():
    app, player = played(play="d", eps="5", mech="k-RR")
    sides = player["axis"]["values"]
    assert (sides[0], sides[-1]) == (2, 60)
    assert 15 <= len(sides) <= 24
    assert len({frame["truth"] for frame in player["frames"]}) == len(sides)
    step = sides.index(10)
    people = population("san-francisco", 10)
    run = simulate(people.binned.counts, make_mechanism("k-RR", 5.0, 10), 1)
    metres = run.w2_cells * people.grid.cell_size_m
    assert player["charts"][0]["values"][step] == pytest.approx(metres, rel=1e-6)
    assert player["frames"][step]["text"] == f"d = 10: off by {run.w2_cells:.2f} cells ({metres:,.0f} m)"
    assert "compare errors in metres, not in cells" in said(app)
    assert "radius" not in said(app).lower()
    assert link_of(app) == "v=2&mech=k-RR&eps=5&view=play&play=d"


def test_a_radius_of_the_visitors_own_stays_the_same_and_is_said():
    app, player = played(d="6", b="1")
    assert "b = 1" in said(app)
    run = simulate(population("san-francisco", 6).binned.counts, make_mechanism("DAM", 0.5, 6, 1), 1)
    assert player["frames"][0]["text"].startswith(f"ε = 0.5: off by {run.w2_cells:.2f} cells")


def test_plain_units_are_played_in_cells_over_epsilon_and_in_their_own_units_over_d():
    _, player = played(d="5", data="normal", mech="k-RR")
    assert player["charts"][0]["unit"] == "cells"
    assert " m)" not in player["frames"][0]["text"]
    _, player = played(play="d", data="normal", mech="k-RR", eps="9")
    assert player["charts"][0]["unit"] == "map units"
    people = population("normal", 2)
    run = simulate(people.binned.counts, make_mechanism("k-RR", 9.0, 2), 1)
    west, _, east, _ = people.grid.bounds
    assert player["charts"][0]["values"][0] == pytest.approx(run.w2_cells * (east - west) / 2, rel=1e-5)


def test_the_visitors_own_value_is_marked_where_it_is_on_the_axis():
    _, player = played(d="5", mech="k-RR", eps="2.3")
    assert [(stop["step"], stop["label"]) for stop in player["stops"]] == [(2.3, "yours: 2.3")]
    _, player = played(play="d", d="70", mech="k-RR", eps="9")
    assert player["stops"] == []


def endless() -> Iterator[int]:
    while True:
        yield sum(range(1000))


@pytest.mark.parametrize("leave", ["another view", "another page", "another question"])
def test_what_nobody_looks_at_any_more_is_computed_no_further(leave):
    app = started(d="5", mech="k-RR", view="play")
    job = Job(endless)
    app.session_state["play-job"] = job
    if leave == "another view":
        app.button_group(key="view").set_value("swipe").run()
    elif leave == "another page":
        app.switch_page("pages/how_it_works.py").run()
    else:
        app.button_group(key="play").set_value("d").run()
    assert not app.exception
    assert job.wait(20)
    assert job.stopped
