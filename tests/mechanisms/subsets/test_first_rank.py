"""SEM-Geo-I's first draw, in levels of whole numbers: nothing wraps, nothing is impossible, everything is as likely as
the formula says."""

import math
import pickle
from decimal import Decimal, localcontext
from itertools import combinations

import numpy as np
import pytest

from spatialldp import SEMGeoI
from spatialldp.mechanisms.subsets import first_rank
from spatialldp.mechanisms.subsets.first_rank import FirstRank, Level, RankLaw
from spatialldp.privacy import exact_check
from tests.cells import distances
from tests.chi_square import ALPHA, DRAWS, chi_square_p_value


def levels(table: FirstRank) -> list[Level]:
    found = [table.top]
    while not found[-1].final:
        found.append(found[-1].onward)
    return found


def first_rank_shares(distance: np.ndarray, epsilon: float, k: int) -> np.ndarray:
    """P(first rank = r | a set) by listing all sets."""
    shares = np.zeros(distance.size)
    for subset in combinations(range(distance.size), k):
        shares[subset[0]] += math.exp(-epsilon * distance[subset[0]])
    return (shares / shares.sum())[: distance.size - k + 1]


@pytest.mark.parametrize(("epsilon", "k"), [(0.3, 1), (4.0, 1), (0.3, 4), (2.0, 4), (0.5, 12), (0.5, 15), (30.0, 2)])
def test_ranks_are_as_likely_as_a_list_of_all_sets_says(epsilon, k):
    distance = np.sort(distances(4)[1])
    table = FirstRank(RankLaw(distance, epsilon, k), 0.75)
    ranks, null = table.probabilities()
    assert sum(ranks) + null == 1
    assert float(null) == pytest.approx(0.25, rel=1e-12)
    np.testing.assert_allclose([float(p) / 0.75 for p in ranks], first_rank_shares(distance, epsilon, k), rtol=1e-10)
    logarithms, log_null = table.log_probabilities()
    np.testing.assert_allclose(np.exp(logarithms), [float(p) for p in ranks], rtol=1e-12)
    assert math.exp(log_null) == pytest.approx(0.25, rel=1e-12)


@pytest.mark.parametrize(("epsilon", "k"), [(3.0, 1), (0.5, 12), (9.0, 3)])
def test_draws_follow_the_levels_down(epsilon, k):
    distance = np.sort(distances(4)[0])
    table = FirstRank(RankLaw(distance, epsilon, k), 0.9)
    assert len(levels(table)) > 1
    for rng in (np.random.default_rng(4), np.random.default_rng(5)):
        drawn = np.bincount(table.draw(DRAWS, rng), minlength=17)
        expected = np.zeros(17)
        expected[: 16 - k + 1] = 0.9 * first_rank_shares(distance, epsilon, k)
        expected[16] = 0.1
        assert chi_square_p_value(drawn, DRAWS * expected) > ALPHA
        shifted = np.roll(expected, 1)
        assert chi_square_p_value(drawn, np.maximum(DRAWS * shifted, 1e-9)) < ALPHA


def test_a_rank_that_takes_nearly_everything_leaves_the_others_possible():
    # With ε = 60 the next rank has e^−60 of the first: far below one of 2⁶³ numbers.
    ranks, _ = FirstRank(RankLaw(np.sort(distances(3)[4]), 60.0, 1), 1.0).probabilities()
    assert sum(ranks) == 1
    assert float(ranks[1] / ranks[0]) == pytest.approx(math.exp(-60.0), rel=1e-10)
    assert float(ranks[5] / ranks[0]) == pytest.approx(math.exp(-60.0 * math.sqrt(2)), rel=1e-10)


#: ε of the slider, and those between at which thresholds once wrapped around.
BUDGETS = [*(step / 2 for step in range(1, 19)), 3.35, 3.6]


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 8, 10, 12, 15, 20, 25, 30, 40, 50, 100])
def test_thresholds_ascend_and_fit_for_every_cell_of_the_app(d):
    for epsilon in BUDGETS if d <= 50 else [0.5, 3.6, 9.0]:
        mechanism = SEMGeoI(epsilon, d)
        # Mirror images share their numbers, so these are all cells.
        for cell in mechanism.representative_cells().tolist():
            thresholds = mechanism.first_rank(cell).top.thresholds
            assert thresholds[0] == 0  # rank −1 is nobody's
            assert (np.diff(thresholds) > 0).all()
            assert 2**61 < thresholds[-1] < 2**63


@pytest.mark.parametrize(("epsilon", "d", "k"), [(0.5, 30, None), (9.0, 20, None), (3.0, 15, 3), (0.05, 12, None)])
def test_deeper_levels_ascend_too_and_make_every_rank_possible(epsilon, d, k):
    mechanism = SEMGeoI(epsilon, d, k)
    for cell in mechanism.representative_cells().tolist()[::7]:
        table = mechanism.first_rank(cell)
        for level in levels(table)[1:]:
            assert (np.diff(level.thresholds, prepend=0) >= 0).all()
            assert level.total < 2**63
        ranks, _ = table.log_probabilities()
        assert np.isfinite(ranks).all()
        assert ranks.size == d * d - mechanism.k + 1


def test_all_cells_that_are_mirror_images_draw_from_the_same_numbers():
    mechanism = SEMGeoI(1.0, 6)
    for cell in range(36):
        x, y = divmod(cell, 6)
        assert mechanism.first_rank(cell) is mechanism.first_rank(y * 6 + 5 - x)
    assert mechanism.first_rank(0) is not mechanism.first_rank(1)


def test_the_weights_of_a_level_are_what_its_search_really_returns():
    level = FirstRank(RankLaw(np.sort(distances(3)[0]), 1.0, 2), 0.8).top
    level.thresholds = np.array([3, 5, 4, 9])  # out of order: a search may do anything, and that is what is counted
    level.total = 11
    found = np.bincount(np.searchsorted(level.thresholds, np.arange(11), side="right"), minlength=5)
    assert level.weights().tolist() == found.tolist()


@pytest.mark.parametrize(("epsilon", "extra"), [(2.0, 2.0**-30), (1.0, 2.0**-30), (0.01, 100 * 2.0**-30)])
def test_the_null_is_a_little_likelier_than_the_formula_has_it(epsilon, extra):
    # All four cells are mirror images: by the formula nobody ever sends a null.
    mechanism = SEMGeoI(epsilon, 2)
    assert mechanism.null_probabilities.max() < 1e-14
    _, null = mechanism.first_rank(0).probabilities()
    assert float(null) == pytest.approx(extra, rel=1e-3)


def test_a_level_that_wraps_around_is_refused(monkeypatch):
    monkeypatch.setattr(first_rank, "_SCALE", 2**63)
    with pytest.raises(ArithmeticError, match=r"thresholds must ascend to about 2\^62"):
        FirstRank(RankLaw(np.sort(distances(4)[0]), 1.0, 1), 0.5)


def test_sets_too_rare_for_the_weights_are_refused():
    with pytest.raises(ValueError, match=r"sets of 1 of 65,537 cells are too rare"):
        RankLaw(np.arange(2**16 + 1.0), 1.0, 1)
    assert len(RankLaw(np.arange(2**16 + 1.0), 1.0, 2)) == 2**16


def test_a_used_mechanism_can_be_sent_to_another_process():
    mechanism = SEMGeoI(1.0, 4)
    mechanism.randomize(0, 0)
    mechanism.device_ratio(0, 1)
    again = pickle.loads(pickle.dumps(mechanism))
    draws = [m.randomize(np.zeros(50, int), np.ones(50, int), np.random.default_rng(0)) for m in (mechanism, again)]
    np.testing.assert_array_equal(*draws)


def test_the_weights_of_ranks_are_rounded_down():
    # One cell near and many at one distance: weights so far below 2⁵³ that doubles tell one whole number from the next.
    m, k = 2_000, 2
    level = FirstRank(RankLaw(np.append(0.0, np.ones(m - 1)), 13.0, k), 0.75).top
    with localcontext() as context:
        context.prec = 60
        decay = [Decimal(1)] + [Decimal(-13).exp()] * (m - k)
        terms = [math.comb(m - r - 1, k - 1) * decay[r] for r in range(m - k + 1)]
        exact = [Decimal("0.75") * 2**62 * term / sum(terms) for term in terms]
    # The first weight is nobody's, the one of rank 0 is too large to tell, and the last is shared with the next level.
    lost = [float(exact[r] - int(level.weights()[1 + r])) for r in range(1, level.ranks - 2)]
    assert len(lost) > 500
    assert -0.2 < min(lost) < 0.2
    assert 0.8 < max(lost) < 1.2


class TellingNull(SEMGeoI):
    """Corners send the null a hundred times as often as they should, which takes next to nothing from their sets."""

    def _make_first_rank(self, cell):
        honest = super()._make_first_rank(cell)
        null = math.exp(honest.log_probabilities()[1])
        return FirstRank(honest.law, 1.0 - 100 * null) if cell == 0 else honest


def test_a_null_that_gives_its_cell_away_is_counted_in_every_loss():
    # By the formula the null never tells more than the sets do; that of a broken device may.
    honest, mechanism = SEMGeoI(0.5, 5, 22), TellingNull(0.5, 5, 22)
    corner, middle = (mechanism.first_rank(cell).probabilities()[1] for cell in (0, 12))
    telling = math.log(corner / middle)
    assert telling > 5 > honest.worst_case_loss()
    assert mechanism.device_ratio(0, 12) == corner / middle
    assert mechanism.device_losses_from(0)[12] == pytest.approx(telling, rel=1e-9)
    assert mechanism.device_losses_from(12)[0] == pytest.approx(telling, rel=1e-9)
    assert mechanism.worst_case_loss() == pytest.approx(telling, rel=1e-9)
    assert exact_check(honest).holds
    assert not exact_check(mechanism).holds
