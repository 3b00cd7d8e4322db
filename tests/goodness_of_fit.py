"""Whether fresh draws fit: bounds of a p-value that hold for any number of draws and cells, however rare some are.

A test with a seed draws the same in every run, so it cannot fail by chance (tests/chi_square.py is for those). These
here are for draws that nobody can repeat, from the system's entropy, where a false alarm is a matter of chance and its
rate has to be known. The usual χ² will not do for that: so far out in the tail it is off, by a factor of seventy for
one cell with an expectation of 5.

The rate. A test that compares fresh draws calls at most a few of these functions; each call fails falsely with a
probability of at most ALPHA. By Bonferroni the whole suite fails falsely in at most MOST_CALLS · ALPHA = one of 10,000
runs. There are 36 calls per run: 3 settings of each of the 8 mechanisms, with 2 figures for OUE and SEM-Geo-I and 1 for
the others (30, tests/mechanisms/test_device_draws.py); 5 for the words of the system (tests/test_exact.py); and 1 in
tests/mechanisms/test_samplers.py. A new mechanism adds 3 or 6, so there is room.
"""

import math

import numpy as np
from scipy.special import gammaln, xlogy
from scipy.stats import binom

FALSE_ALARMS_PER_RUN = 1e-4
MOST_CALLS = 200
ALPHA = FALSE_ALARMS_PER_RUN / MOST_CALLS

#: Where Chernoff's bound is tried; the least of them holds.
_EXPONENTS = np.arange(1, 9) / 10


def p_value_bound(observed: np.ndarray, expected: np.ndarray) -> float:
    """At least P(G ≥ the one observed), G = Σ o·ln(o/e), for counts o (cells,) of independent draws with expectations
    e (cells,) of the same total: at most α of all right samplers get a value of at most α.

    Proof: counts of a fixed number n of draws are independent Poisson counts, given that these add up to n, which has
    the probability e^(−n)·n^n/n!. So P(G ≥ x) is at most n!·e^n/n^n times the same for Poisson counts, and that, by
    Markov's inequality for e^(t·G), at most e^(−t·x)·Π E[e^(t·g)], g = o·ln(o/e) − o + e, for any t between 0 and 1.
    """
    assert (observed[expected == 0] == 0).all(), "something impossible was drawn"
    observed, expected = observed[expected > 0].astype(float), expected[expected > 0]
    n = observed.sum()
    assert math.isclose(n, expected.sum(), rel_tol=1e-9), "as many must be expected as were drawn"
    # Cells that hardly ever come up only add to the bound: together they count as one.
    rare = expected < 5
    if rare.any():
        observed, expected = (np.append(a[~rare], a[rare].sum()) for a in (observed, expected))
    deviance = float((xlogy(observed, observed / expected) - observed + expected).sum())
    fixed_total = gammaln(n + 1) + n - n * math.log(n)
    kinds, number = np.unique(expected, return_counts=True)
    logarithms = np.array([number @ [_log_mean(e, t) for e in kinds] for t in _EXPONENTS])
    return math.exp(min(0.0, fixed_total + float((logarithms - _EXPONENTS * deviance).min())))


def _log_mean(expected: float, t: float) -> float:
    """ln E[e^(t·g)] of a Poisson count: its terms fall like e^(−(1−t)·(o−e)²/2e), so 40 √e to either side are all."""
    reach = 40 * math.sqrt(expected) + 40
    counts = np.arange(max(0, math.floor(expected - reach)), math.ceil(expected + reach) + 1, dtype=float)
    log_probability = xlogy(counts, expected) - expected - gammaln(counts + 1)
    gain = xlogy(counts, counts / expected) - counts + expected
    return float(np.log(np.exp(log_probability + t * gain).sum()))


def smallest_binomial_p_value(hits: np.ndarray, n: int, p: np.ndarray) -> float:
    """Two-sided p-value of the most unlikely of some counts, each Binomial(n, p), for looking at all of them."""
    tails = np.minimum(binom.cdf(hits, n, p), binom.sf(hits - 1, n, p))
    return float(min(1.0, 2 * hits.size * tails.min()))
