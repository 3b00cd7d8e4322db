"""The error of a map, held against plain NumPy and POT."""

import dataclasses
import functools
import math

import numpy as np
import pytest
from scipy import stats

from spatialldp import DAM, wasserstein
from spatialldp.experiments import Plan
from spatialldp.experiments.map_error import (
    COUNTS,
    PER_THOUSAND,
    PLACES,
    Ground,
    MapBaselines,
    MapError,
    fineness,
    spread,
)
from spatialldp.population import Population
from tests.experiments.plain_transport import counted, pot_w2, recovered_map, side_of, spread_evenly

people_on = functools.cache(Population.of)


def ground_on(people: Population, fine: int, half: int | None = None) -> Ground:
    """People counted by NumPy on grids that POT can do, instead of those that the library would choose."""
    d = people.grid.d
    on = {cells: counted(people, cells).astype(np.int64) for cells in (d, fine, half or d)}
    unit = "map units" if people.grid.crs is None else "m"
    return Ground(on[d], on[fine], on[half or d], side_of(people), unit)


# -- grounds -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [1, 2, 5, 6, 8, 12, 15, 40, 43, 60, 64, 65, 100, 128, 129, 1024])
def test_people_are_counted_as_finely_as_128_cells_per_side_allow(d):
    times = fineness(d)
    assert times == 1 if d > 64 else (times * d <= 128 < (times + 1) * d)


def test_without_numba_people_are_counted_less_finely(monkeypatch):
    # POT alone takes seconds on 60 × 60 cells.
    monkeypatch.setattr(wasserstein, "_has_numba", lambda: False)
    assert [fineness(d) for d in (6, 12, 24, 25)] == [8, 4, 2, 1]


@pytest.mark.parametrize(("data", "d"), [("new-haven", 6), ("san-francisco", 8), ("normal", 12), ("szipf", 40)])
def test_a_ground_holds_the_people_on_three_grids_and_the_side_of_the_square(data, d):
    people = people_on(data, d)
    ground = Ground.of(people)
    assert ground.d == d
    assert len(ground.fine) == d * fineness(d)
    assert len(ground.half) == d * ((fineness(d) + 1) // 2)
    for counts in (ground.counts, ground.fine, ground.half):
        theirs = counted(people, len(counts))
        assert counts.sum() == theirs.sum() == people.users
        # A few of the points of San Francisco lie on an edge, where two roundings may differ.
        assert np.abs(counts - theirs).sum() <= 1e-3 * people.users
    np.testing.assert_array_equal(ground.fine.reshape(d, fineness(d), d, -1).sum(axis=(1, 3)), ground.counts)
    assert ground.side == pytest.approx(side_of(people), rel=1e-12)
    assert ground.unit == ("map units" if data in ("normal", "szipf") else "m")


def test_people_known_by_their_cells_alone_have_no_ground_unless_the_map_is_the_finest_grid():
    with pytest.raises(ValueError, match="known by its cells alone"):
        Ground.of(dataclasses.replace(people_on("new-haven", 6), points=None))
    fine = dataclasses.replace(people_on("new-haven", 70), points=None)
    assert Ground.of(fine).fine.shape == (70, 70)


def test_a_map_is_spread_evenly_over_its_cells():
    shares = np.arange(6.0).reshape(2, 3)
    found = spread(shares, 4)
    np.testing.assert_allclose(found, spread_evenly(shares, 4))
    np.testing.assert_allclose(found.reshape(2, 4, 3, 4).sum(axis=(1, 3)), shares)
    np.testing.assert_array_equal(spread(shares, 1), shares)


# -- errors ------------------------------------------------------------------------------------------


def some_maps(people: Population) -> dict[str, np.ndarray]:
    """Maps (d, d) of all kinds: true, recovered, of one cell, of noise."""
    d, rng = people.grid.d, np.random.default_rng(11)
    corner = np.zeros((d, d))
    corner[0, -1] = 1.0
    return {
        "true": people.counts.astype(np.float64),
        "recovered": recovered_map(people.counts, DAM(1.5, d), rng),
        "uniform": np.ones((d, d)),
        "corner": corner,
        "noise": rng.exponential(size=(d, d)),
    }


@pytest.mark.parametrize(
    ("data", "d", "fine", "half"), [("new-haven", 6, 48, 24), ("san-francisco", 12, 48, 24), ("normal", 8, 40, 24)]
)
def test_the_error_is_pots_w2_between_the_people_and_the_map_spread_evenly(data, d, fine, half):
    people = people_on(data, d)
    ground = ground_on(people, fine, half)
    for name, shares in some_maps(people).items():
        expected = pot_w2(counted(people, fine), spread_evenly(shares, fine // d), side_of(people))
        assert ground.error(shares) == pytest.approx(expected, rel=1e-9), name
        rough = pot_w2(counted(people, half), spread_evenly(shares, half // d), side_of(people))
        assert ground.rough_error(shares) == pytest.approx(rough, rel=1e-9), name
    np.testing.assert_array_equal(ground.uniform, np.ones((d, d)))


def test_the_error_is_pots_on_the_finest_grid_that_it_can_do():
    people = people_on("new-haven", 12)
    shares = recovered_map(people.counts, DAM(2.5, 12), np.random.default_rng(4))
    expected = pot_w2(counted(people, 60), spread_evenly(shares, 5), side_of(people))
    assert ground_on(people, 60).error(shares) == pytest.approx(expected, rel=1e-9)


def test_the_part_from_cell_size_by_hand():
    # Everybody in the middle of one of 2 × 2 cells of side 1, counted on 6 × 6: of the nine parts of a cell the map
    # says a ninth each, at squared distances 0, 4 × 1/9 and 4 × 2/9 from the middle one. The mean is 4/27.
    fine = np.zeros((6, 6), dtype=np.int64)
    fine[1, 4] = 50
    counts = np.array([[0, 50], [0, 0]])
    ground = Ground(counts, fine, fine, 2.0, "map units")
    assert ground.error(counts.astype(float)) == pytest.approx(math.sqrt(4 / 27))


def test_people_spread_evenly_over_the_cells_leave_nothing_to_the_size_of_cells():
    counts = np.array([[1, 3], [0, 2]])
    ground = Ground(9 * counts, np.kron(counts, np.ones((3, 3), dtype=np.int64)), 9 * counts, 1.0, "m")
    assert ground.error(counts.astype(float)) == pytest.approx(0.0, abs=1e-9)
    assert ground.error_of_counts(counts.astype(float)) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("data", ["new-haven", "san-francisco"])
@pytest.mark.parametrize(("d", "epsilon"), [(5, 1.0), (8, 3.5), (12, 0.7), (15, 2.0), (20, 5.0)])
def test_an_error_is_at_most_that_of_the_cells_and_w2_between_the_grids(data, d, epsilon):
    people = people_on(data, d)
    ground = Ground.of(people)
    shares = recovered_map(people.counts, DAM(epsilon, d), np.random.default_rng(d))
    between = pot_w2(people.counts, shares, side_of(people))
    error, cell = ground.error(shares), ground.error(people.counts.astype(np.float64))
    # W2 is a distance, and spreading two maps evenly brings them no farther apart.
    assert error <= (cell + between) * (1 + 1e-9)
    # On these maps the former sum, in which the cells have the error of a single point in the middle, is larger still.
    assert cell < side_of(people) / d / math.sqrt(6)
    assert error < between + side_of(people) / d / math.sqrt(6)


def squares_everywhere(values: np.ndarray, side: int) -> np.ndarray:
    """Sums over all squares of side × side cells."""
    windows = np.lib.stride_tricks.sliding_window_view(values, (side, side))
    return windows.sum(axis=(2, 3))


@pytest.mark.parametrize(("data", "d"), [("new-haven", 12), ("normal", 8)])
def test_the_error_of_counts_is_that_of_squares_wherever_they_lie(data, d):
    people = people_on(data, d)
    ground = Ground.of(people)
    fine = len(ground.fine)
    for shares in (
        ground.counts / ground.counts.sum(),
        recovered_map(people.counts, DAM(1.0, d), np.random.default_rng(2)),
    ):
        difference = ground.fine / people.users - spread_evenly(shares, fine // d) / shares.sum()
        everywhere = np.abs(squares_everywhere(difference, round(0.3 * fine)))
        # The mean of a thousand squares at random is that of all of them, give or take three standard errors.
        allowed = 3 * 1_000 * everywhere.std() / math.sqrt(1_000)
        assert ground.error_of_counts(shares) == pytest.approx(1_000 * everywhere.mean(), abs=allowed)
        assert allowed < 0.1 * 1_000 * everywhere.mean() + 0.5


# -- records -----------------------------------------------------------------------------------------


def error_of(values: list[float], **changes) -> MapError:
    settings = {"cell": 150.0, "side": 900.0} | changes
    return MapError(Plan(), 900, 3.5, np.array(values), **settings)


def test_the_mean_its_parts_and_its_interval_by_hand():
    values = [300.0, 600.0, 1200.0]
    error = error_of(values)
    assert (error.mean, error.noise, error.spread) == (700.0, 550.0, pytest.approx(np.std(values, ddof=1)))
    half = stats.t.interval(0.95, 2, scale=stats.sem(values))[1]
    assert error.half_width == pytest.approx(half)
    assert (error.high, error.low) == (pytest.approx(700 + half), 0.0)  # no error is below 0
    assert error.one_collection == pytest.approx(2 * half)  # √(1 + 1/3) instead of √(1/3)
    assert error_of([700.0, 701.0]).low == pytest.approx(700.5 - stats.t.ppf(0.975, 1) * 0.5)


def test_a_single_collection_says_nothing_about_the_next():
    error = error_of([240.0])
    assert math.isinf(error.half_width)
    assert math.isinf(error.spread)
    assert math.isinf(error.one_collection)
    assert (error.low, error.high) == (0.0, math.inf)


def test_what_is_not_sure_about_the_shift_widens_the_interval():
    w2_cells, values = np.array([0.4, 0.5, 0.6]), [240.0, 250.0, 260.0, 255.0]
    plain, shifted = error_of(values, w2_cells=w2_cells), error_of(values, w2_cells=w2_cells, shift_error=2.0)
    # Student's t for the three degrees of freedom of four collections.
    more = 3.182446 * 2.0
    assert shifted.half_width == pytest.approx(math.hypot(plain.half_width, more), rel=1e-6)
    assert shifted.one_collection == pytest.approx(math.hypot(plain.one_collection, more), rel=1e-6)
    assert shifted.high > plain.high


def test_w2_between_the_grids_is_a_length():
    assert error_of([240.0], w2_cells=np.array([0.4, 0.6])).w2 == pytest.approx(450.0)
    assert math.isnan(error_of([240.0]).w2)
    assert math.isnan(error_of([240.0], w2_cells=np.array([])).w2)


def test_the_unit_is_that_of_the_purpose():
    assert error_of([1.0]).unit == "m"
    assert error_of([1.0], length_unit="map units", purpose=PLACES).unit == "map units"
    assert error_of([1.0], length_unit="map units", purpose=COUNTS).unit == PER_THOUSAND
    assert MapBaselines(3.0, 1.0).uniform_guess == 3.0
