"""What a run means: figures beside W2 that a visitor understands, and the baselines it lies between."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spatialldp import _validation as validate
from spatialldp.experiments.hot_spots import HOTTEST, hottest_cells, surviving_hotspots
from spatialldp.experiments.usefulness import USEFULNESS, W2, Usefulness, usefulness
from spatialldp.mechanisms import Mechanism, TruthfulShare
from spatialldp.wasserstein import transport

Array = NDArray[np.float64]

__all__ = [
    "HOTTEST",
    "Baselines",
    "Flow",
    "baselines",
    "hottest_cells",
    "largest_flows",
    "loneliest_cell",
    "surviving_hotspots",
    "truthful_share",
]


@validate.takes(mechanism=Mechanism)
def truthful_share(mechanism: Mechanism, counts: NDArray[np.int64]) -> TruthfulShare:
    """`mechanism.truthful_share`, under the name that programs written for earlier versions call.

    Args:
        mechanism: the one that makes the reports.
        counts: people per cell, (d, d).

    Returns:
        The share of reports that tell the truth, and what that means for this mechanism.

    Example:
        >>> import numpy as np
        >>> from spatialldp import DAM
        >>> from spatialldp.experiments import truthful_share
        >>> found = truthful_share(DAM(epsilon=3.5, d=6), np.ones((6, 6), dtype=int))
        >>> round(found.share, 3), found.meaning
        (0.134, 'name their own cell')
    """
    return mechanism.truthful_share(counts)


def loneliest_cell(counts: NDArray[np.int64]) -> int:
    """The inhabited cell with the fewest people in the cells around it, two each way.

    Args:
        counts: people per cell, (d, d).

    Returns:
        Its flat number ix·d + iy.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments.measures import loneliest_cell
        >>> counts = np.zeros((6, 6), dtype=int)
        >>> counts[0, 0], counts[0, 1], counts[5, 5] = 9, 9, 1
        >>> loneliest_cell(counts)
        35
    """
    from scipy.ndimage import convolve  # imported here: it costs a tenth of a second

    counts = validate.square_counts("counts", counts)
    around = convolve(counts.astype(np.float64), np.ones((5, 5)), mode="constant") - counts
    return int(np.where(counts > 0, around, np.inf).argmin())


@dataclass(frozen=True)
class Baselines:
    """The two ends between which the error of a map lies: those of two maps made without a mechanism.

    Attributes:
        uniform_guess: W2 in cells of a map that knows nothing but the square: everybody spread evenly.
        no_privacy: W2 in cells of as many people asked again for their true cell, so that only chance is left.
        usefulness: of these two maps, in this order, by all measures; None where only W2 is known.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments import baselines
        >>> found = baselines(np.array([[90, 10], [0, 0]]), seed=1)
        >>> round(found.uniform_guess, 3), round(found.no_privacy, 3)
        (0.949, 0.1)
    """

    uniform_guess: float
    no_privacy: float
    usefulness: Usefulness | None = field(default=None, compare=False)

    def ends(self, measure: str) -> tuple[float, float] | None:
        """The figures of the uniform guess and without privacy by one of `USEFULNESS`; None where they are not known.

        Raises:
            ValueError: there is no such measure.
        """
        if validate.one_of("measure", measure, USEFULNESS) == W2:
            return self.uniform_guess, self.no_privacy
        if self.usefulness is None:
            return None
        guess, truth = self.usefulness.by(measure)
        return float(guess), float(truth)


def baselines(counts: NDArray[np.int64], seed: int, users: int | None = None) -> Baselines:
    """The errors between which that of a recovered map lies.

    Args:
        counts: people per cell, (d, d).
        seed: of who is asked again.
        users: how many are asked; None for as many as there are.

    Returns:
        Both errors, in cells, and what else the two maps are good for.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments import baselines
        >>> counts = np.array([[90, 10], [0, 0]])
        >>> round(baselines(counts, seed=1, users=1_000_000).no_privacy, 3)  # chance vanishes
        0.011
    """
    rng = np.random.default_rng([validate.seed(seed), 1])
    counts = validate.square_counts("counts", counts)
    asked = int(counts.sum()) if users is None else validate.people("users", users)
    resampled = rng.multinomial(asked, counts.ravel() / counts.sum()).reshape(counts.shape)
    found = usefulness(counts, [np.ones(counts.shape), resampled.astype(np.float64)])
    return Baselines(float(found.w2_cells[0]), float(found.w2_cells[1]), found)


class Flow(NamedTuple):
    """One arrow of the optimal transport: people who are shown in the wrong cell.

    Attributes:
        source: (ix, iy) of the cell where they are.
        target: (ix, iy) of the cell where the recovered map shows them.
        share: their share of all people.
        cells: how far apart the two are, in cells.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments import largest_flows
        >>> [flow], _ = largest_flows(np.array([[4, 0], [0, 4]]), np.array([[0.5, 0.25], [0.0, 0.25]]))
        >>> flow
        Flow(source=(1, 1), target=(0, 1), share=0.25, cells=1.0)
    """

    source: tuple[int, int]
    target: tuple[int, int]
    share: float
    cells: float


def largest_flows(counts: NDArray[np.int64], recovered: Array, number: int = 40) -> tuple[list[Flow], float]:
    """The flows of the optimal transport that make up most of W2².

    Args:
        counts: the true people per cell, (d, d).
        recovered: the recovered map, (d, d), in any unit.
        number: how many flows at most.

    Returns:
        The flows, the one that costs most first, and the share of W2² that they explain.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments import largest_flows
        >>> flows, explained = largest_flows(np.array([[4, 0], [0, 4]]), np.array([[0.5, 0.25], [0.0, 0.25]]))
        >>> len(flows), explained
        (1, 1.0)
    """
    counts = validate.square_counts("counts", counts)
    plan = transport(counts, recovered).plan
    source, target = (np.stack(np.divmod(side, counts.shape[1]), axis=1) for side in (plan.row, plan.col))
    squared = ((source - target) ** 2).sum(axis=1)
    cost = plan.data * squared
    order = np.argsort(-cost, kind="stable")[: validate.whole_number("number", number, 0)]
    order = order[cost[order] > 0]
    flows = [
        Flow(
            (int(source[i, 0]), int(source[i, 1])),
            (int(target[i, 0]), int(target[i, 1])),
            float(plan.data[i]),
            float(np.sqrt(squared[i])),
        )
        for i in order
    ]
    return flows, float(cost[order].sum() / cost.sum()) if cost.any() else 1.0
