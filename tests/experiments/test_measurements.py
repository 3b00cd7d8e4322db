"""Measurements of plans: the numbers once more without the library, and nothing measured twice."""

import dataclasses
import functools
import math

import numpy as np
import pytest
from scipy import stats

from spatialldp import DAM, MDSW, MECHANISMS, engines
from spatialldp.experiments import Plan, map_error, measure, simulate
from spatialldp.experiments.map_error import COUNTS, PLACES, Ground
from spatialldp.experiments.measurements import Collection, GivenMap, Level, Local, Measurements, Risk
from spatialldp.experiments.repeats import participants, recovered
from spatialldp.population import Population
from spatialldp.privacy import local_privacy, repeated_risk
from spatialldp.wasserstein import wasserstein2
from tests.experiments.plain_transport import counted, pot_error, pot_w2, recovered_map, side_of, spread_evenly

people_on = functools.cache(Population.of)
new_haven = functools.partial(people_on, "new-haven")
PLAN = Plan(d=12, epsilon=2.0)


def coarse(people: Population, cells: int = 48) -> Measurements:
    """Measurements on a ground that POT can do."""
    found, d = Measurements(lambda _: people), people.grid.d
    on = [counted(people, n).astype(np.int64) for n in (d, cells, cells // 2)]
    found._grounds[d] = Ground(*on, side_of(people), "m")
    return found


@pytest.fixture
def quick(monkeypatch):
    """Grounds of 24 cells per side, on which transport takes next to no time."""
    monkeypatch.setattr(map_error, "quick_side", lambda: 24)


# -- the numbers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plan", "mechanism"),
    [(Plan(d=12, epsilon=2.0), DAM(2.0, 12)), (Plan("MDSW", 3.0, 6, users=900), MDSW(3.0, 6))],
    ids=["everybody", "a sample"],
)
def test_a_measurement_is_that_of_plain_numpy_and_pot(plan, mechanism):
    people = new_haven(plan.d)
    found = coarse(people).error(plan, 5, 3, exact=3)
    for number, seed in enumerate((5, 6, 7)):
        asked = people.counts
        if plan.users is not None:
            asked = participants(people.counts, plan.users, np.random.default_rng([seed, 2]))
        shares = recovered_map(asked, mechanism, np.random.default_rng(seed))
        # Against everybody, so that a sample pays for being one.
        assert found.values[number] == pytest.approx(pot_error(people, shares, 48), rel=1e-9)
        assert found.w2_cells[number] == pytest.approx(pot_w2(people.counts, shares, plan.d), rel=1e-9)
    assert found.cell == pytest.approx(pot_error(people, people.counts, 48), rel=1e-9)
    assert found.side == pytest.approx(side_of(people) / plan.d)
    assert (found.plan, found.users, found.unit, found.purpose) == (plan, plan.users or 3293, "m", PLACES)
    assert (found.epsilon_used, found.shift_error, found.jumped) == (plan.epsilon, 0.0, False)


def test_a_measurement_is_made_on_the_fine_grid_of_the_library():
    # 126 × 126 cells are too many for POT: our own solver, which is held against POT elsewhere.
    people, plan = new_haven(6), Plan(d=6)
    found = measure(people, plan, seed=1, repeats=2)
    for number, seed in enumerate((1, 2)):
        shares = recovered_map(people.counts, DAM(3.5, 6), np.random.default_rng(seed))
        error = wasserstein2(counted(people, 126), spread_evenly(shares, 21)) * side_of(people) / 126
        assert found.values[number] == pytest.approx(error, rel=1e-9)
    assert found.cell == pytest.approx(
        wasserstein2(counted(people, 126), spread_evenly(people.counts, 21)) * side_of(people) / 126, rel=1e-9
    )


def test_with_everybody_the_first_repeat_is_the_run_of_the_seed():
    people = new_haven(6)
    error = measure(people, Plan(epsilon=2.0, d=6), 3, 4)
    assert error.w2_cells[0] == simulate(people.counts, DAM(2.0, 6), 3).w2_cells
    assert error.w2 == pytest.approx(error.w2_cells.mean() * people.grid.cell_size_m)


def test_the_error_of_counts_is_that_of_the_same_collections():
    people = new_haven(6)
    found, ground = measure(people, Plan(d=6), 3, 2, purpose=COUNTS), Ground.of(people)
    for number, seed in enumerate((3, 4)):
        shares = recovered_map(people.counts, DAM(3.5, 6), np.random.default_rng(seed))
        assert found.values[number] == pytest.approx(ground.error_of_counts(shares), rel=1e-9)
    assert found.cell == pytest.approx(ground.error_of_counts(people.counts / people.users), rel=1e-9)
    assert 0 < found.cell < found.mean < 1_000
    assert (found.overstated, found.shift_error, found.length_unit) == (0.0, 0.0, "m")
    assert math.isnan(found.w2)


def test_the_two_ends_are_a_blind_guess_and_people_drawn_anew():
    people, ground = new_haven(6), Ground.of(new_haven(6))
    found = Measurements(new_haven)
    blind = pot_error(people, np.ones((6, 6)), 60)
    ends = found.baselines(6, None, 4)
    # On 126 × 126 cells it is a little less than on POT's 60 × 60.
    assert ends.uniform_guess == pytest.approx(blind, rel=2e-3)
    drawn = np.random.default_rng([4, 1]).multinomial(3293, people.counts.ravel() / 3293).reshape(6, 6)
    assert ends.no_privacy == pytest.approx(ground.error(drawn.astype(float)))
    few = found.baselines(6, 50, 4)
    assert few.uniform_guess == ends.uniform_guess
    assert few.no_privacy > 1.3 * ends.no_privacy
    counts = found.baselines(6, None, 4, COUNTS)
    assert counts.uniform_guess == pytest.approx(ground.error_of_counts(np.ones((6, 6))))
    assert counts.no_privacy == pytest.approx(ground.error_of_counts(drawn.astype(float)))


def test_the_risk_and_the_local_privacy_are_the_librarys():
    found, plan, counts = Measurements(new_haven), Plan(d=4, epsilon=2.0), new_haven(4).counts
    assert found.result(Risk(plan, 3)) == repeated_risk(DAM(2.0, 4), 3, counts)
    assert found.result(Risk(plan, 3, 50)) == repeated_risk(DAM(2.0, 4), 3, counts, most_people=50)
    assert found.result(Local(plan)) == local_privacy(DAM(2.0, 4))


# -- what is measured roughly ------------------------------------------------------------------------


@pytest.mark.parametrize("data", ["new-haven", "san-francisco"])
def test_what_is_measured_roughly_and_shifted_is_nearly_exact(data):
    on = functools.partial(people_on, data)
    measurements = Measurements(on)
    exact, shifted = measurements.error(PLAN, 1, 12, exact=12), Measurements(on).error(PLAN, 1, 12)
    # Of so few, two are measured exactly by whoever asks for no other number.
    np.testing.assert_array_equal(shifted.values[:2], exact.values[:2])
    assert (shifted.values[2:] != exact.values[2:]).all()
    np.testing.assert_allclose(shifted.values, exact.values, rtol=0.015)
    assert shifted.mean == pytest.approx(exact.mean, rel=0.005)
    np.testing.assert_array_equal(shifted.w2_cells, exact.w2_cells)
    assert shifted.cell == exact.cell
    if data == "san-francisco":
        # Without the shift they would be off by 4%; in New Haven, where people are few, by next to nothing.
        rough = [measurements.result(Collection(PLAN, seed, Level.ROUGH)).rough for seed in range(1, 13)]
        assert abs(shifted.mean - exact.mean) < 0.2 * abs(np.mean(rough) - exact.mean)
    # The shift is not known to the last digit, and the interval says so.
    assert exact.shift_error == 0
    assert 0 < shifted.shift_error < 0.02 * shifted.mean
    assert abs(shifted.mean - exact.mean) < 3 * shifted.shift_error
    plain = stats.t.interval(0.95, 11, scale=stats.sem(shifted.values))[1]
    assert shifted.half_width == pytest.approx(math.hypot(plain, stats.t.ppf(0.975, 11) * shifted.shift_error))


def test_the_shift_by_hand():
    measurements, plan = Measurements(new_haven), Plan(d=6)
    # Squares fall by 400 and by 600 where both are known, so by 500 where one is: 120² − 500 = 13,900.
    for seed, rough, exact in ((1, 110.0, 11_700), (2, 130.0, 16_300), (3, 120.0, None), (4, 100.0, None)):
        level = Level.ROUGH if exact is None else Level.EXACT
        draw = measurements.result(Collection(plan, seed, Level.COUNTED))
        known = draw._replace(rough=rough, **({} if exact is None else {"exact": math.sqrt(exact), "w2_cells": 0.5}))
        measurements._results[Collection(plan, seed, level)] = known
    found = measurements.error(plan, 1, 4, exact=2)
    np.testing.assert_allclose(found.values**2, [11_700, 16_300, 13_900, 9_500])
    # Half of the values move with the shift, which varies by 0.15 of what they do and is the mean of two.
    assert found.shift_error == pytest.approx(0.5 * 0.15 * np.std(found.values, ddof=1) / math.sqrt(2))
    # 6 × 6 cells are counted on 126 and 66: what 126 still adds is a share of what 66 adds on top of it.
    left = 500 / ((126 / 66) ** 2 - 1)
    assert found.overstated == pytest.approx(found.mean - math.sqrt(found.mean**2 - left))


def test_of_many_collections_four_are_exact_and_say_by_how_much_the_shift_varies(quick):
    people, plan = people_on("new-haven", 6), Plan(d=6)
    found = measure(people, plan, 1, 20)
    ground = Ground.of(people)
    draws = [recovered(people.counts, plan.make(), seed) for seed in range(1, 21)]
    rough, exact = (np.array([error(one) for one in draws]) for error in (ground.rough_error, ground.error))
    differences = rough[:4] ** 2 - exact[:4] ** 2
    np.testing.assert_allclose(found.values[:4], exact[:4])
    np.testing.assert_allclose(found.values[4:] ** 2, rough[4:] ** 2 - differences.mean())
    # Of a mean of four: 3.182 is Student's t of three degrees of freedom, and 16 of 20 move with the shift.
    of_errors = np.std(differences, ddof=1) / (2 * found.mean) / 2
    assert found.shift_error == pytest.approx(0.8 * 3.182 / 1.96 * of_errors, rel=1e-3)


def test_how_much_a_fine_grid_overstates_agrees_with_one_twice_as_fine(monkeypatch):
    monkeypatch.setattr(map_error, "quick_side", lambda: 60)
    people = people_on("san-francisco", 15)
    found = measure(people, Plan(d=15, epsilon=3.5), seed=1, repeats=2)
    shares = recovered_map(people.counts, DAM(3.5, 15), np.random.default_rng(1))
    twice = wasserstein2(counted(people, 120), spread_evenly(shares, 8)) * side_of(people) / 120
    assert found.values[0] > twice
    # Halving the cells takes away three quarters of what they add to the square.
    there = math.sqrt(twice**2 - (found.values[0] ** 2 - twice**2) / 3)
    assert found.overstated == pytest.approx(found.values[0] - there, rel=0.3)


def test_what_a_grid_adds_is_unknown_where_the_map_is_the_finest():
    found = measure(new_haven(66), Plan(d=66), seed=1, repeats=2)
    assert math.isnan(found.overstated)
    assert found.cell == 0
    np.testing.assert_allclose(found.values, found.w2_cells * found.side)


def test_a_first_idea_is_within_a_few_percent():
    for data in ("new-haven", "san-francisco"):
        measurements = Measurements(functools.partial(people_on, data))
        for d in (5, 15, 40):
            plan = Plan(d=d, epsilon=2.0)
            exact = measurements.error(plan, 1, 2)
            assert measurements.rough_errors(plan, 1, 2).mean() == pytest.approx(exact.mean, rel=0.03)
            # Shifted by as much as the first one differs, that one is exact.
            better = measurements.rough_errors(plan, 1, 2, as_differs=1)
            assert better == pytest.approx(exact.values, rel=0.01)
            assert better[0] == pytest.approx(exact.values[0], rel=1e-9)
            counts = measurements.error(plan, 1, 2, COUNTS)
            assert measurements.rough_errors(plan, 1, 2, COUNTS).tolist() == counts.values.tolist()


# -- nothing twice -----------------------------------------------------------------------------------


@pytest.fixture
def done(monkeypatch):
    """All that is measured in this process, in order."""
    found = []

    def watch(kind):
        plain = kind.result

        def result(self, ground):
            found.append(self)
            return plain(self, ground)

        monkeypatch.setattr(kind, "result", result)

    for kind in (Collection, GivenMap, Risk, Local):
        watch(kind)
    return found


def test_nothing_is_measured_twice(quick, done):
    measurements, plan = Measurements(new_haven), Plan(d=4)
    first = measurements.error(plan, 1, 3, exact=3)
    assert len(done) == len(set(done)) == 4  # three collections and the part from cell size
    again = measurements.error(plan, 1, 3, exact=3)
    np.testing.assert_array_equal(again.values, first.values)
    assert len(done) == 4
    measurements.error(plan, 2, 3, exact=3)  # seeds 2 to 4: one more
    assert done[4:] == [Collection(plan, 4)]
    measurements.error(plan.with_changes(epsilon=1.0), 1, 2)  # another plan on the same cells
    assert len(done) == 7
    for _ in range(2):
        measurements.baselines(4, None, 1)
        measurements.result(Risk(plan, 2))
    assert len(done) == 10


def test_what_is_exact_serves_where_less_would_do_and_not_the_reverse(quick, done):
    measurements, plan = Measurements(new_haven), Plan(d=4)
    exact = measurements.result(Collection(plan, 1))
    assert measurements.known(Collection(plan, 1, Level.ROUGH)) == exact
    measurements.rough_errors(plan, 1, 1)
    measurements.rough_errors(plan, 1, 1, COUNTS)
    assert done == [Collection(plan, 1)]
    rough = measurements.result(Collection(plan, 2, Level.ROUGH))
    assert math.isnan(rough.exact)
    assert measurements.known(Collection(plan, 2)) is None
    better = measurements.result(Collection(plan, 2))
    assert (better.rough, better.counts) == (rough.rough, rough.counts)
    assert not math.isnan(better.exact)


def numbers(error):
    """All that an error says, for comparing."""
    fields = dataclasses.asdict(error) | {"half_width": error.half_width}
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in fields.items()}


@pytest.mark.parametrize("purpose", [PLACES, COUNTS])
def test_an_error_does_not_depend_on_what_was_measured_before(quick, purpose):
    plan = Plan(d=5, epsilon=1.0)
    fresh, used = Measurements(new_haven), Measurements(new_haven)
    used.error(plan, 1, 8, exact=8)
    first = numbers(fresh.error(plan, 1, 12, purpose, exact=3))
    assert numbers(used.error(plan, 1, 12, purpose, exact=3)) == first
    # The other way round, too: what was measured roughly is measured again where it must be exact.
    assert numbers(fresh.error(plan, 1, 8, exact=8)) == numbers(used.error(plan, 1, 8, exact=8))


def test_worker_processes_measure_the_same_numbers(quick, done):
    plans = [Plan(d=4), Plan("MDSW", 2.0, 5), Plan(d=4, users=500)]
    here = Measurements(new_haven)
    expected = [numbers(here.error(plan, 3, 3, exact=2)) for plan in plans]
    ends, risk = here.baselines(4, 500, 3), here.result(Risk(plans[0], 2))
    assert len(done) == 14
    with engines.Processes(2) as workers:
        elsewhere = Measurements(new_haven, workers)
        assert [numbers(elsewhere.error(plan, 3, 3, exact=2)) for plan in plans] == expected
        assert elsewhere.baselines(4, 500, 3) == ends
        assert elsewhere.result(Risk(plans[0], 2)) == risk
    assert len(done) == 14  # none of it here


class OwnDAM(DAM):
    """A mechanism that a program adds by itself."""


def test_workers_know_a_mechanism_of_the_programs_own(quick, monkeypatch):
    monkeypatch.setitem(MECHANISMS, "own DAM", OwnDAM)
    found = Measurements(new_haven, 2).error(Plan("own DAM", d=4), 1, 3)
    assert found.values.tolist() == Measurements(new_haven).error(Plan(d=4), 1, 3).values.tolist()


def test_work_that_was_stopped_goes_on_where_it_stood(quick, done):
    measurements, plan = Measurements(new_haven), Plan(d=4)
    tasks = measurements.tasks(plan, 1, 5)
    work = measurements.measuring(tasks)
    assert [next(work), next(work)] == tasks[:2]
    work.close()
    assert done == tasks[:2]
    assert list(measurements.measuring(tasks)) == tasks[2:]
    assert done == tasks
    assert list(measurements.measuring(tasks)) == []


def test_people_are_counted_once_per_grid(quick):
    asked = []

    def on(d):
        asked.append(d)
        return new_haven(d)

    measurements = Measurements(on)
    for d in (4, 5, 4, 5):
        measurements.error(Plan(d=d), 1, 2)
        assert measurements.ground(d) is measurements.ground(d)
    assert asked == [4, 5]
    assert measurements.population(4) is new_haven(4)


def test_only_so_much_is_kept(quick, monkeypatch, done):
    monkeypatch.setattr("spatialldp.experiments.measurements._MOST_RESULTS", 3)
    monkeypatch.setattr("spatialldp.experiments.measurements._MOST_GROUNDS", 1)
    measurements = Measurements(new_haven)
    expected = numbers(Measurements(new_haven).error(Plan(d=4), 1, 5))
    assert numbers(measurements.error(Plan(d=4), 1, 5)) == expected
    measurements.error(Plan(d=5), 1, 2)
    assert len(measurements._results) == 3
    assert list(measurements._grounds) == [5]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"plan": Plan(d=5)}, "population must be on the 5×5 cells of the plan, got d = 4"),
        ({"repeats": 0}, "repeats must be a whole number ≥ 1, got 0"),
        ({"seed": -1}, "seed must be a whole number ≥ 0, got -1"),
        ({"purpose": "fun"}, "purpose must be one of"),
        ({"population": 3}, "population must be an object of Population"),
        ({"population": dataclasses.replace(new_haven(4), points=None)}, "known by its cells alone"),
    ],
    ids=["grid", "repeats", "seed", "purpose", "people", "points"],
)
def test_what_cannot_be_measured_is_refused(changes, message):
    settings = {"population": new_haven(4), "plan": Plan(d=4), "seed": 1, "repeats": 2} | changes
    with pytest.raises(ValueError, match=message):
        measure(**settings)
