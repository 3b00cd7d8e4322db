"""Figures beside W2: truthful shares, baselines and flows."""

import numpy as np
import pytest

from spatialldp import MECHANISMS, wasserstein2
from spatialldp.experiments import (
    Baselines,
    baselines,
    largest_flows,
    make_mechanism,
    range_error,
    truthful_share,
)
from spatialldp.experiments.measures import loneliest_cell

COUNTS = np.arange(25).reshape(5, 5) * 40


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


def test_baselines_are_a_uniform_guess_and_chance_alone():
    found = baselines(COUNTS * 1000, 1)
    assert found.uniform_guess == pytest.approx(wasserstein2(COUNTS, np.ones((5, 5))))
    assert 0 < found.no_privacy < 0.05 < found.uniform_guess
    assert baselines(np.full((1, 1), 50), 1) == baselines(np.full((1, 1), 50), 2)


def test_baselines_have_all_three_measures():
    found = baselines(COUNTS, 1)
    assert found.ends("W2") == (found.uniform_guess, found.no_privacy)
    assert found.ends("range error")[0] == pytest.approx(range_error(COUNTS, np.ones((5, 5))))
    assert 0 < found.ends("range error")[1] < found.ends("range error")[0] / 5
    guess, truth = found.ends("hot spots")
    assert guess == pytest.approx(1)  # five cells, each with five chances of 25
    assert guess < truth <= 5
    # One that was made from the two errors alone knows no more.
    assert Baselines(2.0, 0.1).ends("W2") == (2.0, 0.1)
    assert Baselines(2.0, 0.1).ends("hot spots") is None


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


def test_the_loneliest_cell_is_the_island():
    counts = np.zeros((9, 9), dtype=np.int64)
    counts[0:4, 0:4], counts[8, 8], counts[8, 2] = 50, 3, 1
    # (8, 2) has nobody within two cells either, but comes first; with a neighbour it is lonely no more.
    assert loneliest_cell(counts) == 8 * 9 + 2
    counts[7, 1] = 2
    assert loneliest_cell(counts) == 8 * 9 + 8
    assert loneliest_cell(np.array([[7]])) == 0


def test_the_people_asked_again_are_limited_and_counted():
    counts = np.array([[90, 10], [0, 0]])
    with pytest.raises(ValueError, match=r"^users must be at most 9,007,199,254,740,992, got "):
        baselines(counts, seed=1, users=2**70)
    with pytest.raises(ValueError, match=r"^seed must be a whole number ≥ 0, got -1"):
        baselines(counts, seed=-1)
    with pytest.raises(ValueError, match=r"^counts must add up to at most"):
        baselines(np.full((2, 2), 2**62), seed=1)
