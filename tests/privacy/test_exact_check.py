"""The promise of every Geo-I device, by whole numbers and fractions alone; and the sampler that once broke it."""

import math
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product

import numpy as np
import pytest

from spatialldp import DAM, HUEM, KRR, MDSW, OUE, PlanarLaplace, SEMGeoI
from spatialldp.mechanisms.subsets.set_ratios import nearest_ranks
from spatialldp.privacy import audit, exact_check, max_privacy_loss, privacy_loss_from
from tests.cells import squared_distances
from tests.privacy.wrapped import WrappedSEM


@pytest.mark.parametrize("epsilon", [0.5, 3.5, 9.0])
@pytest.mark.parametrize("d", [2, 3, 5, 8, 12])
@pytest.mark.parametrize("kind", [SEMGeoI, PlanarLaplace])
def test_all_pairs_of_cells_keep_the_promise(kind, epsilon, d):
    mechanism = kind(epsilon, d)
    check = exact_check(mechanism)
    assert check.holds
    assert check.loss <= check.allowed
    assert check.pairs == 2 * (d * d - 1) * len(mechanism.representative_cells())


@pytest.mark.parametrize(
    "mechanism",
    [
        SEMGeoI(1e-3, 6),
        SEMGeoI(0.05, 8),
        SEMGeoI(0.3, 8),
        SEMGeoI(0.69, 8, 2),
        SEMGeoI(3.0, 8, 3),
        SEMGeoI(0.7, 5, 24),
        SEMGeoI(60.0, 5),
        PlanarLaplace(1e-3, 6),
        PlanarLaplace(0.05, 8),
        PlanarLaplace(60.0, 5),
        PlanarLaplace(0.002, 7, cell_size_m=450.0),
    ],
    ids=repr,
)
def test_other_sizes_and_budgets_keep_it_too(mechanism):
    assert exact_check(mechanism).holds


@pytest.mark.parametrize("mechanism", [SEMGeoI(3.6, 30), SEMGeoI(0.5, 25), PlanarLaplace(3.5, 25)], ids=repr)
def test_representatives_of_larger_grids_keep_it(mechanism):
    d = mechanism.d
    check = exact_check(mechanism, [(0, 0), (d // 2, d // 2), (d // 2, d // 2 + 4)])
    assert check.holds
    assert check.pairs == 3 * 2 * (d * d - 1)


def test_every_report_can_come_from_everywhere():
    # Rounded to 2⁻⁶³, thousands of pairs of this grid had reports that one cell sends and the other never.
    mechanism = PlanarLaplace(3.5, 12)
    assert min(int(mechanism.device_weights(*divmod(cell, 12)).min()) for cell in range(144)) > 0
    for k in (1, 3):
        sets = SEMGeoI(3.5, 12, k)
        for cell in sets.representative_cells().tolist():
            ranks, null = sets.first_rank(cell).probabilities()
            assert min(ranks) > 0
            assert null > 0


def test_the_wrapped_sampler_fails_the_exact_check():
    broken = WrappedSEM(3.6, 30)
    check = exact_check(broken, [(15, 19)])
    assert not check.holds
    assert check.loss > check.allowed
    # A setting at which nothing wrapped still has sets that are possible from one side only.
    assert not exact_check(WrappedSEM(3.5, 12), [(0, 0)]).holds


def test_the_wrapped_sampler_fails_the_audit():
    honest = audit(SEMGeoI(3.6, 30), 20_000, np.random.default_rng(0))
    assert honest.lower_bound <= honest.claimed
    broken = audit(WrappedSEM(3.6, 30), 20_000, np.random.default_rng(0))
    assert broken.lower_bound > 1.5 * broken.claimed


class UniformIsMissing(PlanarLaplace):
    """Without the weight that every cell has from everywhere, reports far away round to nothing."""

    def device_weights(self, ix, iy):
        return self.table.weights(ix, iy) - self.table.far


class TooSharp(PlanarLaplace):
    """Promises ε and draws at a little more."""

    @cached_property
    def table(self):
        return PlanarLaplace(1.01 * self.epsilon, self.d).table


class NullOnlyInTheMiddle(SEMGeoI):
    """The null of the central cells is a thousand times rarer than it should be."""

    def _make_first_rank(self, cell):
        table = super()._make_first_rank(cell)
        if cell >= self.d:
            level = table.top
            null = level.ranks
            weight = level.thresholds[null] - level.thresholds[null - 1]
            level.thresholds[null:] -= weight - weight // 1000
            level.total = int(level.thresholds[-1])
        return table


@pytest.mark.parametrize("mutant", [UniformIsMissing(3.5, 12), TooSharp(2.0, 6), NullOnlyInTheMiddle(0.6, 6)], ids=repr)
def test_broken_devices_are_seen(mutant):
    assert not exact_check(mutant).holds


def listed_ratio(mechanism: SEMGeoI, first: int, second: int) -> Fraction:
    """The largest ratio over all sets and the null, set by set, from the probabilities of ranks."""
    d, k = mechanism.d, mechanism.k
    squared = squared_distances((d, d))
    tables = []
    for cell in (first, second):
        ranks, null = mechanism.first_rank(cell).probabilities()
        order = np.argsort(squared[cell], kind="stable").tolist()
        rank = {at: r for r, at in enumerate(order)}
        tables.append((rank, ranks, null))
    largest = tables[0][2] / tables[1][2]
    for subset in combinations(range(d * d), k):
        a, b = (
            ranks[r] / math.comb(d * d - r - 1, k - 1)
            for rank, ranks, _ in tables
            for r in [min(rank[cell] for cell in subset)]
        )
        largest = max(largest, a / b)
    return largest


@pytest.mark.parametrize(("epsilon", "d", "k"), [(0.8, 3, 1), (0.8, 3, 2), (0.4, 3, 4), (0.5, 3, 8), (1.5, 4, 2)])
def test_the_ratio_of_two_cells_is_that_of_the_worst_set(epsilon, d, k):
    mechanism = SEMGeoI(epsilon, d, k)
    for first, second in [(0, 1), (1, 0), (0, d * d - 1), (d + 1, 0), (2, d)]:
        bound, exact = mechanism.device_ratio(first, second), listed_ratio(mechanism, first, second)
        # Ranks of equal distance differ by rounding alone, which is all that the bound may add.
        assert exact <= bound <= exact * (1 + Fraction(1, 10**9))


class Bumpy(SEMGeoI):
    """Sets farther away may be likelier than nearer ones: no promise is kept, but the bound must be one."""

    def _make_first_rank(self, cell):
        table = super()._make_first_rank(cell)
        level = table.top
        weights = np.diff(level.thresholds, prepend=0)
        weights[1 : level.ranks] = weights[1 : level.ranks][::-1]
        level.thresholds = np.cumsum(weights)
        return table


@pytest.mark.parametrize(("epsilon", "k"), [(0.8, 1), (0.8, 2), (0.4, 4)])
def test_the_bound_holds_for_a_device_whose_far_sets_are_likelier(epsilon, k):
    mechanism = Bumpy(epsilon, 3, k)
    for first, second in [(0, 1), (1, 0), (0, 8), (4, 0), (0, 4), (2, 3)]:
        bound = mechanism.device_ratio(first, second)
        assert listed_ratio(mechanism, first, second) <= bound
        assert math.log(bound) <= mechanism.device_losses_from(first)[second] + 1e-9
    assert not exact_check(mechanism).holds


def test_what_is_found_for_two_cells_holds_for_their_mirror_images():
    mechanism = SEMGeoI(1.3, 5, 2)
    for first, second in [(0, 1), (3, 11), (7, 12), (6, 23)]:
        images = set()
        for x_flip, y_flip, swap in product((False, True), repeat=3):
            pair = []
            for cell in (first, second):
                x, y = divmod(cell, 5)
                x, y = (4 - x if x_flip else x), (4 - y if y_flip else y)
                pair.append(y * 5 + x if swap else x * 5 + y)
            images.add(mechanism.device_ratio(*pair))
        assert len(images) == 1


def test_nearest_ranks_are_the_least_of_all_further_cells():
    rng = np.random.default_rng(0)
    first, second = rng.permutation(12), rng.permutation(12)
    expected = [min(first[cell] for cell in range(12) if second[cell] >= r) for r in range(12)]
    assert nearest_ranks(first[np.argsort(second)]).tolist() == expected


def test_the_loss_never_shows_above_the_promise():
    for epsilon in np.random.default_rng(0).uniform(0.05, 9.0, 200).tolist():
        assert max_privacy_loss(KRR(epsilon, 3)) <= epsilon
        assert max_privacy_loss(DAM(epsilon, 2)) <= epsilon


def test_the_loss_from_a_cell_never_shows_above_the_promise():
    for epsilon in np.random.default_rng(0).uniform(0.05, 9.0, 100).tolist():
        for kind in (KRR, DAM, HUEM, OUE, MDSW):
            assert privacy_loss_from(kind(epsilon, 3), 1, 1).max() <= epsilon


def test_cells_outside_the_grid_are_refused():
    with pytest.raises(ValueError, match=r"cells must be a whole number from 0 to 3, got 7"):
        exact_check(PlanarLaplace(1.0, 4), [(0, 7)])


def test_one_cell_has_no_pairs():
    for kind in (SEMGeoI, PlanarLaplace, DAM):
        check = exact_check(kind(1.0, 1))
        assert check.holds
        assert check.pairs == 0


class SlightlySharp(SEMGeoI):
    """Promises ε and draws its sets at a hundred-thousandth more."""

    @cached_property
    def _device(self):
        return SEMGeoI(1.00001 * self.epsilon, self.d, self.k)


@pytest.mark.parametrize(("d", "k"), [(3, 1), (4, 2)])
def test_a_hundred_thousandth_of_the_budget_too_much_is_seen(d, k):
    assert exact_check(SEMGeoI(1.5, d, k)).holds
    assert not exact_check(SlightlySharp(1.5, d, k)).holds
