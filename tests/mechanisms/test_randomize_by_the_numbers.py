"""What `randomize` does with the numbers it draws: exactly what the tables say, for numbers put into its hands.

The exact check reads tables; these tests tie the draws to them, number by number, where statistics would need billions.
"""

import numpy as np
import pytest

from spatialldp import DAM, DAMNS, HUEM, KRR, MDSW, OUE, PlanarLaplace, SEMGeoI, tables
from spatialldp.mechanisms import mdsw
from spatialldp.mechanisms.subsets import first_rank, set_ranks
from spatialldp.mechanisms.subsets.first_rank import FirstRank, Level
from spatialldp.oracles import unary_encoding
from tests.scripted_draws import Script, telling


@pytest.mark.parametrize("mechanism", [DAM(3.5, 7), DAMNS(1.0, 4), HUEM(2.1, 6), PlanarLaplace(0.8, 6)], ids=repr)
def test_cells_are_reported_as_the_table_decodes_the_numbers(mechanism, monkeypatch):
    u = telling(mechanism.table)
    cells = np.random.default_rng(0).integers(0, mechanism.d, (u.size, 2))
    script = Script(u)
    monkeypatch.setattr(tables, "uniform_below", script)
    reports = mechanism.randomize(cells[:, 0], cells[:, 1])
    assert script.totals == [mechanism.table.total]
    expected = [mechanism.table.decode(int(number), *cell) for number, cell in zip(u, cells.tolist(), strict=True)]
    assert reports.tolist() == [list(report) for report in expected]
    # One at a time it is decode itself.
    for number, cell in list(zip(u, cells.tolist(), strict=True))[:5]:
        monkeypatch.setattr(tables, "uniform_below", Script([number]))
        assert mechanism.randomize(*cell).tolist() == [list(mechanism.table.decode(int(number), *cell))]


def test_krr_numbers_the_cells_and_decodes_one_of_them(monkeypatch):
    mechanism = KRR(2.0, 5)
    table = mechanism.oracle.table
    u = telling(table)
    ix, iy = np.random.default_rng(0).integers(0, 5, (2, u.size))
    script = Script(u)
    monkeypatch.setattr(tables, "uniform_below", script)
    reports = mechanism.randomize(ix, iy)
    assert script.totals == [table.total]
    assert (reports @ (5, 1)).tolist() == [
        table.decode(int(v), 5 * x + y)[0] for v, x, y in zip(u, ix, iy, strict=True)
    ]


def test_mdsw_throws_a_fair_coin_and_decodes_one_coordinate(monkeypatch):
    mechanism = MDSW(1.4, 6)
    u = telling(mechanism.table)
    coin, value = Script(np.arange(u.size) % 2), Script(u)
    monkeypatch.setattr(mdsw, "uniform_below", coin)
    monkeypatch.setattr(tables, "uniform_below", value)
    reports = mechanism.randomize(np.full(u.size, 1), np.full(u.size, 4))
    assert (coin.totals, value.totals) == ([2], [mechanism.table.total])
    for i, (axis, reported) in enumerate(reports.tolist()):
        assert axis == i % 2
        assert (reported,) == mechanism.table.decode(int(u[i]), (1, 4)[axis])


def test_oue_says_yes_exactly_below_its_two_numbers(monkeypatch):
    mechanism = OUE(1.3, 2)
    fair, rare = mechanism.device_bits
    words = np.array([[rare - 1, rare, fair - 1, 0], [rare, rare - 1, fair, rare - 1]])
    monkeypatch.setattr(unary_encoding, "random_words", lambda n, rng: words.ravel())
    # The third cell is the true one of both.
    assert mechanism.randomize([1, 1], [0, 0]).tolist() == [[1, 0, 1, 1], [0, 1, 0, 1]]


def levels(table: FirstRank) -> list[Level]:
    found = [table.top]
    while not found[-1].final:
        found.append(found[-1].onward)
    return found


@pytest.mark.parametrize("mechanism", [SEMGeoI(3.0, 6), SEMGeoI(0.3, 5), SEMGeoI(30.0, 3), SEMGeoI(9.0, 25)], ids=repr)
def test_the_first_rank_walks_down_the_levels_by_its_thresholds(mechanism, monkeypatch):
    table = mechanism.first_rank(0)
    all_levels = levels(table)
    assert len(all_levels) > 1
    reached = 0
    for depth, level in enumerate(all_levels):
        above = [[above.total - 1] for above in all_levels[:depth]]  # the last number of a level goes on
        starts = [0, *level.thresholds[:-1].tolist()]
        for event, (start, end) in enumerate(zip(starts, level.thresholds.tolist(), strict=True)):
            if event == level.ranks + level.has_null or start == end:
                continue
            for u in (start, end - 1):
                script = Script(*above, [u])
                monkeypatch.setattr(first_rank, "uniform_below", script)
                expected = level.start + event if event < level.ranks else table.law.size
                assert table.draw(1, None).tolist() == [expected]
                assert script.totals == [passed.total for passed in all_levels[: depth + 1]]
                reached = max(reached, level.start + event if event < level.ranks else 0)
    assert reached == len(table.law) - 1


def test_the_other_cells_of_a_set_are_what_the_draws_say(monkeypatch):
    mechanism = SEMGeoI(0.7, 8, 3)
    m, first = 64, np.array([0, 10, 61, 5])
    # Two lists of draws: the second user's collide and are drawn again. Rank 61 leaves two cells, of which both are in.
    draws = [np.array([[4, 62], [7, 7], [0, 1], [57, 0]]), np.array([[52, 0]])]
    asked = []

    def below_each(totals, rng):
        asked.append(totals.tolist())
        return draws.pop(0)

    monkeypatch.setattr(set_ranks, "uniform_below_each", below_each)
    ranks = set_ranks.set_ranks(first, mechanism.k, mechanism.d**2, None)
    assert asked == [[[m - f - 1] * 2 for f in first.tolist()], [[53, 53]]]
    assert ranks.tolist() == [[0, 5, 63], [10, 11, 63], [61, 62, 63], [5, 6, 63]]


def test_large_sets_take_the_smallest_keys_and_never_settle_a_tie(monkeypatch):
    mechanism = SEMGeoI(0.7, 3, 6)
    tied = [0, 0, 5, 6, 7, 8, 9, 9, 12]  # behind rank 1 the fifth and the sixth smallest are equal
    clear, again = [0, 0, 9, 3, 4, 5, 1, 7, 2], [0, 0, 1, 9, 2, 3, 8, 4, 5]
    keys = [np.array(tied + clear), np.array(again)]
    monkeypatch.setattr(set_ranks, "random_words", lambda n, rng: keys.pop(0))
    ranks = np.sort(set_ranks.set_ranks(np.array([1, 1]), mechanism.k, mechanism.d**2, None), axis=1)
    assert ranks.tolist() == [[1, 2, 4, 5, 7, 8], [1, 3, 4, 5, 6, 8]]
    assert keys == []
