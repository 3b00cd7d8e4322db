"""A million draws of every mechanism's devices, from cells and settings nobody has chosen, against the numbers they
draw from.

Settings, cells and draws are fresh in every run: together many runs see what a few settings, picked once, would never
show, and the draws come from the system's entropy, as on a device. A failure names the settings, so that it can be
looked into; how rarely there is a false one is worked out in tests/goodness_of_fit.py.
"""

import math

import numpy as np
import pytest
from scipy.stats import binom

from spatialldp import MECHANISMS
from spatialldp.dashboard.shared.link_values import EPSILON_RANGE, LARGEST_D
from spatialldp.mechanisms import Mechanism
from tests.goodness_of_fit import ALPHA, p_value_bound, smallest_binomial_p_value

DRAWS = 1_000_000
#: Reports held at once.
BATCH = 100_000
SETTINGS = 3
#: Reports of OUE have a bit for every cell.
LARGEST = {"OUE": 8}
#: A large set takes a word for every cell of the map, a small one a few for every cell of its own.
SMALL_MAP, LARGEST_SET_ELSEWHERE = 64, 16


def drawn_settings(name: str, rng: np.random.Generator) -> Mechanism:
    """A mechanism with settings from the app's range: ε evenly, d by its order of magnitude; each parameter usual, as
    most people leave it, or anything in its range."""
    kind = MECHANISMS[name]
    epsilon = round(float(rng.uniform(*EPSILON_RANGE)), 2)
    d = math.floor(math.exp(rng.uniform(0.0, math.log(LARGEST.get(name, LARGEST_D) + 1))))
    chosen = {}
    for entry in kind.parameters:
        highest = entry.highest(d)
        if entry.name == "k" and highest > SMALL_MAP:
            highest = LARGEST_SET_ELSEWHERE
        if rng.random() < 0.5:
            chosen[entry.name] = int(rng.integers(entry.lowest(d), highest + 1))
    return kind(epsilon, d, **chosen)


def batches(mechanism: Mechanism, ix: int, iy: int):
    """A million reports of one cell, as a device draws them."""
    for _ in range(DRAWS // BATCH):
        yield mechanism.randomize(np.full(BATCH, ix), np.full(BATCH, iy))


def near(device: np.ndarray, formula: np.ndarray) -> bool:
    """Devices of Geo-I mechanisms draw at a slightly smaller ε, which shows far away, where next to nothing is sent."""
    return np.allclose(device, formula, rtol=1e-3, atol=1e-9)


def listed(mechanism: Mechanism, ix: int, iy: int) -> dict[str, float]:
    """All reports can be listed: each as often as the whole numbers say, and these as the formula does."""
    reports = mechanism.listed_reports().reports
    share = mechanism.device_weights(ix, iy) / float(mechanism.device_weights(ix, iy).sum())
    assert near(share, mechanism.likelihoods(reports, [ix * mechanism.d + iy])[:, 0])
    low, extent = reports.min(axis=0), reports.max(axis=0) - reports.min(axis=0) + 1
    number = np.full(int(extent.prod()), -1)
    number[np.ravel_multi_index((reports - low).T, extent)] = np.arange(len(reports))
    counts = np.zeros(len(reports) + 1, dtype=np.int64)
    for batch in batches(mechanism, ix, iy):
        # One that lies elsewhere raises; one that is not listed is counted at −1.
        np.add.at(counts, number[np.ravel_multi_index((batch - low).T, extent)], 1)
    return {"reports": p_value_bound(counts, DRAWS * np.append(share, 0.0))}


def axis_and_value(mechanism: Mechanism, ix: int, iy: int) -> dict[str, float]:
    """MDSW: the two axes, the values of each from −b on."""
    share = mechanism.device_weights(ix, iy) / float(mechanism.device_weights(ix, iy).sum())
    assert near(share, mechanism.transition_matrix()[ix * mechanism.d + iy])
    values = mechanism.d + 2 * mechanism.b
    counts = np.zeros((2, values), dtype=np.int64)
    for batch in batches(mechanism, ix, iy):
        assert batch[:, 1].min() >= -mechanism.b
        np.add.at(counts, (batch[:, 0], batch[:, 1] + mechanism.b), 1)
    return {"axes and values": p_value_bound(counts.ravel(), DRAWS * share)}


def bits(mechanism: Mechanism, ix: int, iy: int) -> dict[str, float]:
    """OUE: the true bit together with the number of ones among the others, and the ones of every cell by itself."""
    m, own = mechanism.d**2, ix * mechanism.d + iy
    p, q = (words / 2**63 for words in mechanism.device_bits)
    assert p == 0.5
    assert q == pytest.approx(1 / (math.exp(mechanism.epsilon) + 1))
    joint, ones = np.zeros((2, m), dtype=np.int64), np.zeros(m, dtype=np.int64)
    for batch in batches(mechanism, ix, iy):
        ones += batch.sum(axis=0, dtype=np.int64)
        np.add.at(joint, (batch[:, own], batch.sum(axis=1, dtype=np.int64) - batch[:, own]), 1)
    others = np.tile(binom.pmf(np.arange(m), m - 1, q) / 2, 2)
    each = np.full(m, q)
    each[own] = p
    return {
        "true bit and number of others": p_value_bound(joint.ravel(), DRAWS * others / others.sum()),
        "ones of each cell": smallest_binomial_p_value(ones, DRAWS, each),
    }


def sets(mechanism: Mechanism, ix: int, iy: int) -> dict[str, float]:
    """SEM-Geo-I: the rank of the nearest cell of a set, or the null; and that of another one, picked evenly."""
    d, k = mechanism.d, mechanism.k
    m = d * d
    x, y = np.divmod(np.arange(m), d)
    order = np.argsort((x - ix) ** 2 + (y - iy) ** 2, kind="stable")
    rank = np.empty(m, dtype=np.int64)
    rank[order] = np.arange(m)
    logarithms, log_null = mechanism.first_rank(ix * d + iy).log_probabilities()
    first = np.append(np.exp(logarithms), np.zeros(k - 1))
    null = math.exp(log_null)
    distance = np.hypot(x - ix, y - iy)[order][: m - k + 1]
    nearest = [math.comb(m - r - 1, k - 1) / math.comb(m, k) for r in range(m - k + 1)]
    assert near(first[: m - k + 1], nearest * mechanism.subset_likelihood(distance))
    # The others of a set are any of those beyond the nearest.
    beyond = np.maximum(m - np.arange(m) - 1, 1)
    another = np.append(0.0, np.cumsum(first / beyond)[:-1])
    firsts, others = np.zeros(m + 1, dtype=np.int64), np.zeros(m + 1, dtype=np.int64)
    rng = np.random.default_rng()
    for batch in batches(mechanism, ix, iy):
        told = batch[batch[:, 0] >= 0]
        assert (batch[batch[:, 0] < 0] == -1).all()
        assert (np.diff(told, axis=1) > 0).all(), "a set names a cell twice"
        ranks = np.sort(rank[told], axis=1)
        firsts[:m] += np.bincount(ranks[:, 0], minlength=m)
        if k > 1:
            picked = rng.integers(1, k, len(told))
            others[:m] += np.bincount(ranks[np.arange(len(told)), picked], minlength=m)
    firsts[m] = others[m] = DRAWS - firsts.sum()
    found = {"nearest cell": p_value_bound(firsts, DRAWS * np.append(first, null))}
    if k > 1:
        found["another cell"] = p_value_bound(others, DRAWS * np.append(another, null))
    return found


#: How the reports of those are read whose reports are too many to list.
READERS = {"MDSW": axis_and_value, "OUE": bits, "SEM-Geo-I": sets}


@pytest.mark.parametrize("number", range(SETTINGS))
@pytest.mark.parametrize("name", list(MECHANISMS))
def test_a_million_draws_fit_the_numbers_that_the_device_draws_from(name, number):
    rng = np.random.default_rng()
    mechanism = drawn_settings(name, rng)
    ix, iy = (int(at) for at in rng.integers(0, mechanism.d, 2))
    assert mechanism.lists_reports or name in READERS, f"say in READERS how the reports of {name} are compared"
    found = READERS.get(name, listed)(mechanism, ix, iy)
    for figure, p_value in found.items():
        assert p_value > ALPHA, f"{figure} of {mechanism!r} from cell ({ix}, {iy}): at most {p_value:.1e}"


class Sharper:
    """Wraps a mechanism: says what that one does, and draws a little closer to the truth."""

    def __init__(self, mechanism: Mechanism, drawing: Mechanism) -> None:
        self._mechanism, self.randomize = mechanism, drawing.randomize

    def __getattr__(self, name: str):
        return getattr(self._mechanism, name)


@pytest.mark.parametrize("name", list(MECHANISMS))
def test_devices_that_draw_at_an_epsilon_larger_by_three_percent_are_seen(name):
    kind = MECHANISMS[name]
    parameters = {"b": 1} if kind.parameter("b") else {"k": 2} if kind.parameter("k") else {}
    mutant = Sharper(kind(1.5, 4, **parameters), kind(1.5 * 1.03, 4, **parameters))
    assert min(READERS.get(name, listed)(mutant, 1, 2).values()) < ALPHA
