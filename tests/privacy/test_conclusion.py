"""What an attacker concludes from one report, against Bayes' rule written out with the formulas of the reference."""

import itertools
import math

import numpy as np
import pytest

from spatialldp import DAM, PlanarLaplace, SEMGeoI
from spatialldp.privacy import conclusion, posterior

D = 3
CELLS = list(itertools.product(range(D), range(D)))
UNEVEN = np.array([[1.0, 0.0, 4.0], [2.0, 30.0, 0.0], [0.0, 7.0, 5.0]])


def distance(a, b) -> float:
    return math.hypot(a[0] - b[0], a[1] - b[1])


def dam_likelihoods(epsilon: float, b: int, report) -> list[float]:
    """P(report | cell) ∝ 1 + (e^ε − 1)·A, A by the formula of the reference."""

    def share(dx: int, dy: int) -> float:
        x, y = max(abs(dx), abs(dy)), min(abs(dx), abs(dy))
        r = math.hypot(x, y)
        if r <= b:
            return 1.0
        t = b / r - 1
        u = t * x + 0.5
        return 0.0 if u <= 0 else 4 * u * (t * y + 0.5)

    return [1 + (math.exp(epsilon) - 1) * share(report[0] - x, report[1] - y) for x, y in CELLS]


def sem_likelihoods(epsilon: float, k: int) -> dict[tuple, list[float]]:
    """P(set | cell) for every set of k cells, and for the null (), with Ω as the reference has it."""
    sets = list(itertools.combinations(range(D * D), k))
    weight = {s: [math.exp(-epsilon * min(distance(x, CELLS[c]) for c in s)) for x in CELLS] for s in sets}
    mass = [sum(weight[s][i] for s in sets) for i in range(D * D)]
    omega = max(
        (math.exp(epsilon * distance(CELLS[i], CELLS[j])) * mass[i] - mass[j])
        / (math.exp(epsilon * distance(CELLS[i], CELLS[j])) - 1)
        for i in range(D * D)
        for j in range(D * D)
        if i != j
    )
    table = {s: [w / omega for w in weight[s]] for s in sets}
    return table | {(): [1 - m / omega for m in mass]}


def laplace_likelihoods(epsilon: float, report) -> list[float]:
    """The density summed over a fine grid of points; what falls outside belongs to the nearest cell."""
    step, reach = 0.02, 25
    points = np.arange(-reach, reach, step) + step / 2
    density = epsilon**2 / (2 * math.pi) * np.exp(-epsilon * np.hypot(points[:, None], points[None, :])) * step**2

    def along(centre: int, cell: int) -> np.ndarray:
        return np.clip(np.floor(points + centre + 0.5), 0, D - 1) == cell

    return [float(density[np.ix_(along(x, report[0]), along(y, report[1]))].sum()) for x, y in CELLS]


def cases():
    dam = DAM(1.7, D, 1)
    for report in [(1, 1), (-1, 0), (2, 3)]:
        yield f"DAM {report}", dam, report, dam_likelihoods(1.7, 1, report), 1e-12
    sem = SEMGeoI(0.9, D)
    table = sem_likelihoods(0.9, sem.k)
    for cells in [(4,) if sem.k == 1 else tuple(range(sem.k)), ()]:
        report = list(cells) if cells else [-1] * sem.k
        yield f"SEM {cells}", sem, report, table[cells], 1e-9
    pair = SEMGeoI(0.6, D, 2)
    yield "SEM two cells", pair, [0, 5], sem_likelihoods(0.6, 2)[(0, 5)], 1e-9
    for report in [(1, 1), (0, 2)]:
        yield f"Laplace {report}", PlanarLaplace(0.8, D), report, laplace_likelihoods(0.8, report), 1e-3


CASES = list(cases())


@pytest.mark.parametrize("prior", [None, UNEVEN], ids=["uniform", "uneven"])
@pytest.mark.parametrize(
    ("mechanism", "report", "likelihoods", "tolerance"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_belief_guess_and_region_are_bayes(mechanism, report, likelihoods, tolerance, prior):
    weights = np.ones(D * D) if prior is None else prior.ravel()
    joint = [weight * likelihood for weight, likelihood in zip(weights, likelihoods, strict=True)]
    belief = np.array(joint) / sum(joint)
    np.testing.assert_allclose(posterior(mechanism, report, prior).ravel(), belief, rtol=tolerance, atol=1e-15)

    found = conclusion(mechanism, report, prior)
    np.testing.assert_allclose(found.belief.ravel(), belief, rtol=tolerance, atol=1e-15)
    errors = [sum(belief[i] * distance(CELLS[i], z) for i in range(D * D)) for z in CELLS]
    assert found.expected_distance == pytest.approx(min(errors), rel=max(tolerance, 1e-9))
    assert errors[CELLS.index(found.guess)] == pytest.approx(min(errors), rel=max(tolerance, 1e-9))
    # Every set of cells is tried: none that holds 95% is smaller.
    smallest = min(
        size
        for size in range(1, D * D + 1)
        if any(belief[list(s)].sum() >= 0.95 - 1e-9 for s in itertools.combinations(range(D * D), size))
    )
    assert found.region.sum() == smallest
    assert found.belief[found.region].sum() >= 0.95 - 1e-9


def test_knowing_that_nobody_is_in_the_water_gives_the_island_away():
    # One inhabited cell far from the others; the report falls into the water beside it.
    prior = np.zeros((9, 9))
    prior[0, 0], prior[6:, 6:] = 10, 100
    mechanism = DAM(3.5, 9, 2)
    blind, knowing = conclusion(mechanism, [1, 1]), conclusion(mechanism, [1, 1], prior)
    # Written out: the island has weight 10·e^ε, the nine others 100 each; none of those is within reach.
    assert knowing.belief[0, 0] == pytest.approx(10 * math.exp(3.5) / (10 * math.exp(3.5) + 900))
    assert knowing.belief[0, 0] > 4 * blind.belief[0, 0]
    assert knowing.region.sum() < blind.region.sum()


def test_equally_likely_cells_are_taken_around_the_guess():
    found = conclusion(DAM(3.5, 15, 3), [7, 7])
    inside = np.argwhere(found.region & (found.belief < found.belief.max()))
    outside = np.argwhere(~found.region)
    assert np.hypot(*(inside - found.guess).T).max() <= np.hypot(*(outside - found.guess).T).min() + 1e-9


def test_an_invalid_credible_level_is_named():
    with pytest.raises(ValueError, match=r"level must be .* got 0"):
        conclusion(DAM(1.0, 3), [0, 0], level=0.0)
