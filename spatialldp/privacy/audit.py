"""An audit: the least ε that the *shipped sampler* can have, from its reports alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import beta

from spatialldp import _validation as validate
from spatialldp.mechanisms import Mechanism

_CHUNK = 2_000_000


@dataclass(frozen=True)
class Audit:
    """`lower_bound` on the loss between the two cells, true with probability `confidence`; `claimed` what the mechanism
    promises for them (ε, or ε·distance). A lower bound above the claim would prove the sampler broken.
    """

    lower_bound: float
    claimed: float
    cells: tuple[tuple[int, int], tuple[int, int]]
    trials: int
    confidence: float


def audit(
    mechanism: Mechanism,
    trials: int = 1_000_000,
    rng: np.random.Generator | None = None,
    *,
    confidence: float = 0.999,
) -> Audit:
    """Draw `trials` reports from each of two cells and bound the ratio of their probabilities from below.

    The two cells are opposite corners for LDP and neighbours in the middle for Geo-I. The event that is counted, "the
    report is so many times likelier from the first cell", is chosen on a tenth as many reports of their own;
    the bound is Clopper and Pearson's on the others, so it holds whatever the sampler really does.
    """
    trials = validate.whole_number("trials", trials, 1_000)
    confidence = validate.real_number("confidence", confidence, above=0.0, at_most=1.0 - 1e-12)
    d = mechanism.d
    if d == 1:
        return Audit(0.0, 0.0, ((0, 0), (0, 0)), trials, confidence)
    if mechanism.notion == "LDP":
        cells, claimed = ((0, 0), (d - 1, d - 1)), mechanism.epsilon
    else:
        cells, claimed = ((d // 2 - 1, d // 2), (d // 2, d // 2)), mechanism.epsilon_per_cell
    pilot = [_log_ratios(mechanism, cell, cells, trials // 10, rng) for cell in cells]
    thresholds = np.unique(np.quantile(pilot[0], np.linspace(0, 1, 201)[1:], method="lower"))
    threshold = max(thresholds, key=lambda at: _bound(pilot, float(at), confidence))
    bound = _bound([_log_ratios(mechanism, cell, cells, trials, rng) for cell in cells], float(threshold), confidence)
    return Audit(bound, claimed, cells, trials, confidence)


def _bound(ratios: list[np.ndarray], threshold: float, confidence: float) -> float:
    """Lower bound of ln(P(event | first)/P(event | second)), the event being a ratio of at least the threshold."""
    hits = [int(np.count_nonzero(values >= threshold - 1e-9)) for values in ratios]
    trials = ratios[0].size
    allowance = (1.0 - confidence) / 2  # half for either side
    low = float(beta.ppf(allowance, hits[0], trials - hits[0] + 1)) if hits[0] else 0.0
    high = float(beta.ppf(1.0 - allowance, hits[1] + 1, trials - hits[1])) if hits[1] < trials else 1.0
    return float(np.log(low / high)) if low > high else 0.0


def _log_ratios(
    mechanism: Mechanism,
    truth: tuple[int, int],
    cells: tuple[tuple[int, int], tuple[int, int]],
    n: int,
    rng: np.random.Generator | None,
) -> np.ndarray:
    """ln(P(report | first cell) / P(report | second cell)) of n reports from `truth`."""
    flat = [ix * mechanism.d + iy for ix, iy in cells]
    ratios = []
    step = max(1, _CHUNK // 4)
    for start in range(0, n, step):
        size = min(step, n - start)
        reports = mechanism.randomize(np.full(size, truth[0]), np.full(size, truth[1]), rng)
        likelihood = mechanism.likelihoods(reports, flat)
        ratios.append(np.log(likelihood[:, 0]) - np.log(likelihood[:, 1]))
    return np.concatenate(ratios)
