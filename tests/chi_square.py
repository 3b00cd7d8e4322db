"""The goodness-of-fit test of draws with a seed, which come out alike in every run; tests/goodness_of_fit.py is for
fresh ones."""

import numpy as np
from scipy.stats import chi2

#: A right sampler fails with one seed in a million.
ALPHA = 1e-6
DRAWS = 1_000_000


def chi_square_p_value(observed: np.ndarray, expected: np.ndarray) -> float:
    """P-value of the observed counts, cells with an expectation below 5 pooled into one."""
    assert (observed[expected == 0] == 0).all(), "something impossible was drawn"
    rare = expected < 5
    observed = np.append(observed[~rare], observed[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    observed, expected = observed[expected > 0], expected[expected > 0]
    if len(expected) == 1:
        return 1.0
    statistic = float(((observed - expected) ** 2 / expected).sum())
    return float(chi2.sf(statistic, len(expected) - 1))
