"""Runs, measures and comparisons."""

import numpy as np
import pytest

from spatialldp import DAM, MECHANISMS, wasserstein2
from spatialldp.experiments import (
    Run,
    Stage,
    baselines,
    compare,
    largest_flows,
    make_mechanism,
    simulate,
    simulate_in_stages,
    surviving_hotspots,
    truthful_share,
)
from spatialldp.experiments.comparison import best
from spatialldp.experiments.measures import loneliest_cell

COUNTS = np.arange(25).reshape(5, 5) * 40


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_stages_end_in_the_run(name):
    mechanism = make_mechanism(name, 2.0, 5)
    *stages, last = simulate_in_stages(COUNTS, mechanism, 7)
    assert all(isinstance(stage, Stage) for stage in stages)
    assert isinstance(last, Run)
    run = simulate(COUNTS, mechanism, 7)
    assert np.array_equal(run.estimate.distribution, last.estimate.distribution)
    assert run.w2_cells == last.w2_cells == wasserstein2(COUNTS, run.estimate.distribution)
    assert simulate(COUNTS, mechanism, 8).w2_cells != run.w2_cells


def test_a_radius_only_where_there_is_one():
    assert make_mechanism("DAM", 3.5, 15).b == 3
    assert make_mechanism("DAM", 3.5, 15, 0).b == 0
    with pytest.raises(ValueError, match="no radius"):
        make_mechanism("MDSW", 3.5, 15, 2)
    with pytest.raises(ValueError, match="must be one of"):
        make_mechanism("nothing", 3.5, 15)


@pytest.mark.parametrize("name", [name for name in MECHANISMS if name != "MDSW"])
def test_the_truthful_share_is_that_of_many_reports(name):
    mechanism = make_mechanism(name, 1.5, 4)
    counts = np.zeros((4, 4), int)
    counts[1, 2] = counts[0, 0] = 1
    expected = truthful_share(mechanism, counts).share
    rng, found = np.random.default_rng(0), 0
    for ix, iy in ((1, 2), (0, 0)):
        reports = mechanism.randomize(np.full(20_000, ix), np.full(20_000, iy), rng)
        if name == "OUE":
            found += reports[:, ix * 4 + iy].sum()
        elif name == "SEM-Geo-I":
            found += (reports == ix * 4 + iy).any(axis=1).sum()
        else:
            found += (reports == (ix, iy)).all(axis=1).sum()
    assert found / 40_000 == pytest.approx(expected, abs=0.012)


def test_the_truthful_share_of_one_coordinate():
    mechanism = make_mechanism("MDSW", 1.5, 4)
    reports = mechanism.randomize(np.full(20_000, 1), np.full(20_000, 3), np.random.default_rng(0))
    true = np.where(reports[:, 0] == 0, 1, 3)
    assert (reports[:, 1] == true).mean() == pytest.approx(truthful_share(mechanism, COUNTS[:4, :4]).share, abs=0.012)


def test_hot_spots():
    true = np.array([[5.0, 4.0], [3.0, 0.0]])
    assert surviving_hotspots(true, true) == (3, 3)
    assert surviving_hotspots(true, np.array([[0.0, 4.0], [3.0, 5.0]])) == (2, 3)
    assert surviving_hotspots(np.eye(1), np.eye(1)) == (1, 1)


def test_baselines_are_the_two_ends():
    ends = baselines(COUNTS * 1000, 1)
    assert ends.uniform_guess == pytest.approx(wasserstein2(COUNTS, np.ones((5, 5))))
    assert 0 < ends.no_privacy < 0.05 < ends.uniform_guess
    assert baselines(np.full((1, 1), 50), 1) == baselines(np.full((1, 1), 50), 2)


def test_the_flows_explain_the_error():
    recovered = np.roll(COUNTS, 1, axis=0) / COUNTS.sum()
    flows, explained = largest_flows(COUNTS, recovered, number=10_000)
    assert explained == pytest.approx(1.0)
    total = sum(flow.share * flow.cells**2 for flow in flows)
    assert total**0.5 == pytest.approx(wasserstein2(COUNTS, recovered))
    costs = [flow.share * flow.cells**2 for flow in flows]
    assert costs == sorted(costs, reverse=True)
    few, part = largest_flows(COUNTS, recovered, number=2)
    assert len(few) == 2
    assert 0 < part < 1
    assert largest_flows(COUNTS, COUNTS / COUNTS.sum()) == ([], 1.0)


def test_a_comparison_begins_with_the_run_of_the_same_seed():
    first, second = compare(COUNTS, ["DAM", "SEM-Geo-I"], 3.5, seed=4, repeats=3)
    assert first.w2_cells[0] == simulate(COUNTS, DAM(3.5, 5), 4).w2_cells
    assert first.w2_cells.size == 3
    assert first.mean == pytest.approx(first.w2_cells.mean())
    # Student's t of two degrees of freedom.
    assert first.half_width == pytest.approx(4.302653 * first.w2_cells.std(ddof=1) / 3**0.5)
    assert second.epsilon == pytest.approx(1.52813, abs=1e-5)
    assert best([first, second]) in ("DAM", "SEM-Geo-I")
    (same,) = compare(COUNTS, ["SEM-Geo-I"], 3.5, seed=4, repeats=1, calibrated=False)
    assert same.epsilon == 3.5
    assert same.half_width is None


def test_the_loneliest_cell_is_the_island():
    counts = np.zeros((9, 9), dtype=np.int64)
    counts[0:4, 0:4], counts[8, 8], counts[8, 2] = 50, 3, 1
    # (8, 2) has nobody within two cells either, but comes first; with a neighbour it is lonely no more.
    assert loneliest_cell(counts) == 8 * 9 + 2
    counts[7, 1] = 2
    assert loneliest_cell(counts) == 8 * 9 + 8
    assert loneliest_cell(np.array([[7]])) == 0
