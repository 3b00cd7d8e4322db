"""Recovery step by step: what an adaptive estimate looks like on its way, and why it stops where it does."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spatialldp import _validation as validate
from spatialldp.acceleration import accelerated_iterates
from spatialldp.estimation import SPLIT_SEED, log_likelihood, training_parts
from spatialldp.mechanisms.cell_reports import CellReportMechanism

Array = NDArray[np.float64]

#: The path goes on beyond the stop by this share of it, and by so many steps at least, to show how it would get worse.
_BEYOND, _FEWEST_BEYOND = 0.6, 12


@dataclass(frozen=True, eq=False)
class RecoveryPath:
    """All steps from the uniform start, T + 1 of them.

    Attributes:
        distributions: the fit to all reports at each step, (T+1, d, d); each sums to 1.
        log_likelihood: mean per report under that fit, (T+1,), in nats.
        held_out: mean per report of those that each of the five other fits does not see, (T+1,), in nats.
        best: the step at which `held_out` is highest.
        chosen: the step that `estimate` returns.

    Example:
        >>> import numpy as np
        >>> from spatialldp import DAM
        >>> from spatialldp.recovery_path import recovery_path
        >>> mechanism = DAM(epsilon=3.0, d=3)
        >>> reports = mechanism.perturb(np.diag([600, 300, 100]), np.random.default_rng(0))
        >>> path = recovery_path(mechanism, reports)
        >>> path.best <= path.chosen < len(path.distributions) - 1
        True
    """

    distributions: Array
    log_likelihood: Array
    held_out: Array
    best: int
    chosen: int


@validate.takes(mechanism=CellReportMechanism)
def recovery_path(mechanism: CellReportMechanism, reports: ArrayLike) -> RecoveryPath:
    """The path of `mechanism.estimate(reports)`, and some steps beyond its end.

    Args:
        mechanism: one whose reports are cells, recovered by EM.
        reports: summed up, as its `perturb` or `aggregate` returns them.

    Returns:
        The map and its likelihoods at every step; see `RecoveryPath`.

    Raises:
        ValueError: the reports are not those of this mechanism.

    Example:
        >>> import numpy as np
        >>> from spatialldp import DAM
        >>> from spatialldp.recovery_path import recovery_path
        >>> mechanism = DAM(epsilon=3.0, d=2)
        >>> reports = mechanism.perturb([[6000, 3000], [1000, 0]], np.random.default_rng(0))
        >>> path = recovery_path(mechanism, reports)
        >>> path.distributions[0].tolist()
        [[0.25, 0.25], [0.25, 0.25]]
        >>> path.distributions[path.chosen].round(1).tolist()
        [[0.6, 0.3], [0.1, 0.0]]
    """
    chosen = mechanism.estimate(reports).iterations
    steps = chosen + max(_FEWEST_BEYOND, math.ceil(_BEYOND * chosen))
    counts = np.asarray(reports, dtype=np.float64)
    # The same splits as the estimate makes when it is given no generator.
    fits = np.concatenate([training_parts(counts, np.random.default_rng(SPLIT_SEED)), counts[None]])
    held_out = counts - fits[:-1]
    distributions, seen, unseen = [], [], []
    for x, log_expected in islice(accelerated_iterates(mechanism.operator, fits), steps + 1):
        distributions.append(x[-1].copy())
        seen.append(log_likelihood(counts, log_expected[-1]) / counts.sum())
        unseen.append(log_likelihood(held_out, log_expected[:-1]) / max(1.0, held_out.sum()))
    return RecoveryPath(np.array(distributions), np.array(seen), np.array(unseen), int(np.argmax(unseen)), chosen)
