"""Curves."""

import csv
import functools
import io
import sys

import pytest

from spatialldp import DAM, MECHANISMS, engines
from spatialldp.drawing.charts import error_chart, more_protection_note
from spatialldp.experiments import make_mechanism, map_error, measure, population, simulate
from spatialldp.experiments.map_error import COUNTS, PER_THOUSAND
from spatialldp.experiments.measurements import Measurements
from spatialldp.experiments.plan import Plan
from spatialldp.experiments.sweep import Curve, Point, sweep, to_csv
from spatialldp.privacy import risk

people_at = functools.cache(lambda d: population("new-haven", d))


@pytest.fixture(autouse=True)
def coarse(monkeypatch):
    """On grounds of 48 cells per side, where transport takes a tenth of the time."""
    monkeypatch.setattr(map_error, "quick_side", lambda: 48)


def test_a_point_is_the_run_of_the_same_seed_and_the_librarys_risk():
    points = list(sweep(people_at, Plan(d=6), "epsilon", ["DAM", "MDSW"], values=[1.0, 4.0], seed=5, repeats=2))
    assert [(point.mechanism, point.value) for point in points] == [
        ("DAM", 1.0),
        ("DAM", 4.0),
        ("MDSW", 1.0),
        ("MDSW", 4.0),
    ]
    counts = people_at(6).binned.counts
    for point in points:
        mechanism = make_mechanism(point.mechanism, point.value, 6)
        assert point.error.w2_cells[0] == simulate(counts, mechanism, 5).w2_cells
        exact = risk(mechanism, counts)
        assert point.risk.hit_rate == pytest.approx(exact.hit_rate)
        assert point.risk.guess_distance == pytest.approx(exact.expected_distance)
        assert point.error.values.tolist() == measure(people_at(6), point.error.plan, 5, 2).values.tolist()
        assert point.baselines == Measurements(people_at).baselines(6, None, 5)


def test_points_arrive_one_by_one():
    assert next(iter(sweep(people_at, Plan(d=5), "d", repeats=2))).value == 1


def test_only_mechanisms_with_a_radius_have_a_curve_over_it():
    points = list(sweep(people_at, Plan(d=5), "b", ["MDSW", "DAM"], repeats=2))
    assert {point.mechanism for point in points} == {"DAM"}
    assert [point.error.plan.b for point in points] == [0, 1, 2]


def own_point(found):
    error = found.error
    return found.mechanism, found.value, error.values.tolist(), found.risk, found.baselines, error.unit, error.cell


def test_worker_processes_measure_the_same_numbers_in_the_same_order():
    def points(workers):
        curves = ("DAM", "MDSW", "k-RR")
        return list(
            sweep(people_at, Plan(d=6), "epsilon", curves, values=[1.0, 4.0], seed=5, repeats=2, workers=workers)
        )

    assert [own_point(found) for found in points(2)] == [own_point(found) for found in points(None)]


def modules_here(number: int) -> set[str]:
    return set(sys.modules)


def test_a_worker_that_has_measured_a_point_has_not_loaded_streamlit():
    with engines.Processes(2) as workers:
        assert len(list(sweep(people_at, Plan(d=4), "epsilon", values=[1.0, 2.0], repeats=2, workers=workers))) == 2
        for modules in engines.map(modules_here, range(4), workers=workers):
            assert "spatialldp.experiments.sweep" in modules
            assert not any(name.split(".")[0] == "streamlit" for name in modules)


class SecondDAM(DAM):
    """A mechanism that a program adds by itself."""


def test_a_mechanism_of_the_programs_own_is_known_to_workers(monkeypatch):
    monkeypatch.setitem(MECHANISMS, "second DAM", SecondDAM)
    curves = sweep(people_at, Plan(d=4), "epsilon", ["DAM", "second DAM"], values=[2.0], repeats=2, workers=2)
    first, second = (found.error.w2_cells.tolist() for found in curves)
    assert first == second


@pytest.mark.parametrize(("over", "value"), [("d", 2.5), ("d", 0), ("b", -1), ("b", 0.5), ("users", 0), ("users", 1.5)])
def test_what_is_counted_must_be_a_whole_number(over, value):
    with pytest.raises(ValueError, match=f"{over} must be a whole number"):
        next(sweep(people_at, Plan(d=5), over, values=[1, value]))


def test_a_point_that_no_device_can_do_is_named_before_anything_is_computed():
    asked = []
    points = sweep(asked.append, Plan(d=512), "epsilon", ["MDSW", "DAM"], values=[3.5, 0.5], repeats=2)
    with pytest.raises(ValueError, match=r"d \+ 2·b must be at most 1,536"):
        next(points)
    assert asked == []


def test_more_people_less_error():
    few, many = sweep(people_at, Plan(d=5), "users", values=[100, 100_000], repeats=5)
    assert many.error.mean < few.error.mean
    assert many.error.cell == few.error.cell
    assert many.baselines.no_privacy < few.baselines.no_privacy


def rows_of(points):
    return list(csv.DictReader(io.StringIO(to_csv(points).decode())))


def test_the_file_holds_every_number():
    points = list(sweep(people_at, Plan(d=4), "epsilon", values=[2.0], repeats=3, reports=2))
    [row] = rows_of(points)
    error, ends, risk = points[0].error, points[0].baselines, points[0].risk
    side = people_at(4).grid.cell_size_m
    for name, value in {
        "map_error": error.values.mean(),
        "half_width_95": error.half_width,
        "cell_part": error.cell,
        "overstated": error.overstated,
        "uniform_guess": ends.uniform_guess,
        "no_privacy": ends.no_privacy,
        "w2_cells": error.w2_cells.mean(),
        "w2": error.w2_cells.mean() * side,
        "attacker_hit_rate": risk.hit_rate,
        "attacker_distance": risk.guess_distance * side,
        "sampling_attacker_distance": risk.sampling_distance * side,
        "epsilon": 2.0,
        "epsilon_used": 2.0,
    }.items():
        assert float(row[name]) == pytest.approx(value, rel=1e-15), name
    assert (row["mechanism"], row["users"], row["repeats"], row["reports_per_person"]) == ("DAM", "3293", "3", "2")
    assert (row["over"], row["d"], row["unit"], row["error_unit"]) == ("epsilon", "4", "m", "m")
    assert (row["b"], row["equal_by"], row["protects_more_than_asked"]) == (str(DAM(2.0, 4).b), "", "0")


def test_what_is_unknown_is_empty_in_the_file():
    [row] = rows_of(sweep(people_at, Plan(d=25), "epsilon", values=[2.0], repeats=1))
    assert (row["half_width_95"], row["overstated"]) == ("", "")
    [row] = rows_of(sweep(people_at, Plan("k-RR", d=4), "epsilon", values=[2.0], repeats=2, purpose=COUNTS))
    assert (row["b"], row["w2"], row["w2_cells"]) == ("", "", "")
    assert (row["error_unit"], row["unit"]) == (PER_THOUSAND, "m")


def test_a_curve_of_counts_is_that_of_the_same_collections():
    places, counts = (
        next(iter(sweep(people_at, Plan(d=5), "epsilon", values=[2.0], repeats=2, purpose=purpose)))
        for purpose in ("places", "counts")
    )
    assert counts.error.values.tolist() == measure(people_at(5), Plan(epsilon=2.0, d=5), 1, 2, COUNTS).values.tolist()
    assert counts.baselines == Measurements(people_at).baselines(5, None, 1, COUNTS)
    assert counts.risk == places.risk
    with pytest.raises(ValueError, match="purpose must be one of"):
        next(sweep(people_at, Plan(d=5), "epsilon", purpose="fun"))


def test_a_curve_takes_an_error_that_is_known_better_and_says_what_it_does():
    measurements, own = Measurements(people_at), Plan(d=4, epsilon=2.0)
    better = measurements.error(own, 1_001, 6)
    curve = Curve("epsilon", tuple((e, Plan(d=4, epsilon=e)) for e in (1.0, 2.0)), 1, 2, 1)
    found = list(curve.points(measurements, {own: better}))
    points = [one for one in found if isinstance(one, Point)]
    assert [point.value for point in points] == [1.0, 2.0]
    assert points[1].error is better
    assert points[0].error.values.size == 2
    # Two collections of the first, the risk of each, and two ends that both have in common; the part from cell size is
    # known.
    assert len(found) - len(points) == 2 + 2 + 2
    # All of it is known now: the points come at once, and nothing is done on the way.
    assert [type(one) for one in curve.points(measurements, {own: better})] == [Point, Point]


def test_a_curve_has_all_its_points_where_somebody_else_does_the_rest(monkeypatch):
    measurements, plan = Measurements(people_at), Plan(d=4)
    curve = Curve("d", ((4.0, plan),), 1, 2, 1)
    plain = Measurements.measuring

    def overtaken(self, tasks):
        tasks = list(tasks)
        list(plain(self, tasks))
        return plain(self, tasks)

    monkeypatch.setattr(Measurements, "measuring", overtaken)
    assert [one.value for one in curve.points(measurements) if isinstance(one, Point)] == [4.0]


def test_a_point_that_protects_more_than_asked_is_marked():
    # On 5×5 cells no ε′ gives SEM-Geo-I the local privacy of DAM at ε = 2.2; at ε = 5 there is one.
    plan = Plan("SEM-Geo-I", d=5)
    points = list(sweep(people_at, plan, "epsilon", values=[2.2, 5.0], repeats=2))
    assert [point.error.jumped for point in points] == [True, False]
    assert points[0].error.epsilon_used == pytest.approx(1.1976, abs=1e-3)
    rows = list(csv.DictReader(io.StringIO(to_csv(points).decode())))
    assert [row["protects_more_than_asked"] for row in rows] == ["1", "0"]
    assert {row["equal_by"] for row in rows} == {"local privacy"}
    hollow = [
        layer
        for layer in error_chart(points, 2.2, False)["layer"]
        if layer["mark"]["type"] == "point" and not layer["mark"]["filled"]
    ]
    assert [[row["x"] for row in layer["data"]["values"]] for layer in hollow] == [[2.2]]
    assert "protect more than DAM" in more_protection_note(points)
    assert more_protection_note(points[1:]) == ""
    (same,) = sweep(people_at, plan.with_changes(calibrated=False), "epsilon", values=[2.2], repeats=2)
    assert not same.error.jumped


def test_the_risk_of_a_curve_is_that_of_as_many_reports_as_were_asked_about():
    one, three = (
        next(iter(sweep(people_at, Plan(d=4), "epsilon", ["DAM"], values=[4.0], seed=5, repeats=2, reports=reports)))
        for reports in (1, 3)
    )
    assert (one.risk.reports, one.risk.budget) == (1, 4.0)
    assert (three.risk.reports, three.risk.budget) == (3, 12.0)
    assert three.risk.hit_rate > one.risk.hit_rate + 5 * three.risk.hit_rate_error
    rows = list(csv.DictReader(io.StringIO(to_csv([one, three]).decode())))
    assert [row["reports_per_person"] for row in rows] == ["1", "3"]
