"""An audit: the least loss that the *shipped sampler* can have, from its reports alone.

Nothing about the sampler is taken on trust: reports are drawn from all over the map, the pair of cells and the event
that look worst are picked from those, and a bound that holds with the stated confidence comes from fresh reports of
that pair.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from spatialldp import _validation as validate
from spatialldp.mechanisms import Mechanism

Reports = NDArray[Any]
#: Whether each of some reports, one per row, is one of those that are counted.
Event = Callable[[Reports], NDArray[np.bool_]]
Pair = tuple[int, int]

#: Numbers held at once while drawing reports.
_CHUNK = 2_000_000
#: Cells looked at first, reports of each, and what those may take of memory, bytes.
_CELLS, _LOOKS, _MEMORY = 1_000, 400, 200_000_000
_MOST_TRIALS = 10_000_000
#: Pairs that are looked at again, with more reports.
_SUSPECTS = 12


@dataclass(frozen=True)
class Audit:
    """The least loss that the sampler can have. A lower bound above the claim would prove it broken.

    Attributes:
        lower_bound: on the loss between the two cells, in nats; it holds with probability `confidence`.
        claimed: what the mechanism promises for the two, in nats: ε, or ε·distance for Geo-I.
        cells: the two cells, (ix, iy) each.
        trials: fresh reports drawn from each of the two.
        confidence: the probability, below 1, with which the bound holds.

    Example:
        >>> import numpy as np
        >>> from spatialldp import DAM
        >>> from spatialldp.privacy import audit
        >>> result = audit(DAM(epsilon=1.0, d=2), trials=5_000, rng=np.random.default_rng(0))
        >>> 0 < result.lower_bound <= result.claimed
        True
    """

    lower_bound: float
    claimed: float
    cells: tuple[tuple[int, int], tuple[int, int]]
    trials: int
    confidence: float


@validate.takes(mechanism=Mechanism, rng=(np.random.Generator, type(None)))
def audit(
    mechanism: Mechanism,
    trials: int = 1_000_000,
    rng: np.random.Generator | None = None,
    *,
    confidence: float = 0.999,
) -> Audit:
    """Draw `trials` reports from each of two cells and bound the ratio of their probabilities from below.

    Which two, and which event is counted, is decided on other reports: some from every cell of the map (beyond 1,000
    cells from as many, drawn at random with their neighbours), then a tenth of `trials` from each of the pairs that
    look worst beside their claim, neighbours, corners and pairs at random among them. The bound is Clopper and
    Pearson's on fresh reports, so it holds whatever the sampler really does.

    Args:
        mechanism: the one whose `randomize` is put to the test.
        trials: fresh reports drawn from each of the two cells, 1,000 to 10,000,000.
        rng: draws the reports; None for the entropy of the system, as on a device.
        confidence: the probability with which the bound is to hold, between 0 and 1.

    Returns:
        The bound, the claim and the two cells; see `Audit`.

    Raises:
        ValueError: `trials` or `confidence` is not a number in its range.

    Example:
        >>> import numpy as np
        >>> from spatialldp import DAM
        >>> from spatialldp.privacy import audit
        >>> result = audit(DAM(epsilon=1.0, d=2), trials=5_000, rng=np.random.default_rng(0))
        >>> result.claimed, result.trials, result.confidence
        (1.0, 5000, 0.999)
    """
    trials = validate.limited("trials", trials, 1_000, _MOST_TRIALS, "the bound hardly rises any more")
    if rng is not None:
        validate.generator(rng)
    confidence = validate.real_number("confidence", confidence, above=0.0, at_most=1.0 - 1e-12)
    d = mechanism.d
    if d == 1:
        return Audit(0.0, 0.0, ((0, 0), (0, 0)), trials, confidence)
    # Which pairs are looked at needs no secret randomness; the reports get what the caller asks for.
    places = np.random.default_rng(0) if rng is None else rng
    cells = np.arange(d * d)
    if d * d > _CELLS:
        cells = np.concatenate([places.permutation(d * d)[: _CELLS // 3], [0, d - 1, d * d - d, d * d - 1]])
        cells = np.unique(np.concatenate([cells, _neighbours(cells, d)]))
    bytes_per_report = mechanism.randomize(0, 0, rng).nbytes
    n = max(50, min(_LOOKS, _MEMORY // (cells.size * bytes_per_report)))
    looks = dict(zip(cells.tolist(), _draw_each(mechanism, cells, n, rng), strict=True))
    excess = {pair: _worst(mechanism, pair, looks, confidence)[0] for pair in _pairs(mechanism, cells, places)}
    suspects = sorted(excess, key=lambda pair: excess[pair], reverse=True)[:_SUSPECTS]
    wanted = np.unique(suspects)
    drawn = dict(zip(wanted.tolist(), _draw_each(mechanism, wanted, trials // 10, rng), strict=True))
    _, event, pair = max(
        ((*_worst(mechanism, pair, drawn, confidence), pair) for pair in suspects), key=lambda found: found[0]
    )
    hits = [_count(mechanism, cell, trials, event, rng) for cell in pair]
    bound = float(_bounds(np.array(hits[:1]), np.array(hits[1:]), trials, confidence)[0])
    return Audit(bound, _claim(mechanism, pair), (divmod(pair[0], d), divmod(pair[1], d)), trials, confidence)


def _neighbours(cells: NDArray[np.int64], d: int) -> NDArray[np.int64]:
    """The cells east and north of the given ones, where there are any."""
    return np.concatenate([cells[cells // d < d - 1] + d, cells[cells % d < d - 1] + 1])


def _pairs(mechanism: Mechanism, cells: NDArray[np.int64], rng: np.random.Generator) -> Iterator[Pair]:
    """Ordered pairs worth a look: all neighbours among the cells, corners, and as many pairs at random."""
    d, known = mechanism.d, set(cells.tolist())
    for cell in cells.tolist():
        for other in _neighbours(np.array([cell]), d).tolist():
            if other in known:
                yield from ((cell, other), (other, cell))
    yield from permutations({0, d - 1, d * d - d, d * d - 1}, 2)
    for first, second in rng.choice(cells, (cells.size, 2)).tolist():
        if first != second:
            yield first, second


def _claim(mechanism: Mechanism, pair: Pair) -> float:
    if mechanism.notion == "LDP":
        return mechanism.epsilon
    (ax, ay), (bx, by) = (divmod(cell, mechanism.d) for cell in pair)
    return mechanism.epsilon_per_cell * math.hypot(ax - bx, ay - by)


def _draw_each(
    mechanism: Mechanism, cells: NDArray[np.int64], n: int, rng: np.random.Generator | None
) -> Iterator[Reports]:
    """n reports from each cell, one array after the other."""
    # A report may be as long as the map has cells.
    at_once = max(1, 10 * _CHUNK // (n * mechanism.d**2))
    for start in range(0, cells.size, at_once):
        part = np.repeat(cells[start : start + at_once], n)
        reports = mechanism.randomize(part // mechanism.d, part % mechanism.d, rng)
        yield from reports.reshape(-1, n, reports.shape[1])


def _worst(mechanism: Mechanism, pair: Pair, drawn: dict[int, Reports], confidence: float) -> tuple[float, Event]:
    """(by how much the loss seen in these reports exceeds the claim, the event it is seen in).

    Events that may be likelier from the first cell: each of its commonest reports, and reports with at least some ratio
    of the probabilities that the mechanism states. The former find a sampler that does something else entirely.
    """
    first, second = (drawn[cell] for cell in pair)
    kinds, counts = np.unique(first, axis=0, return_counts=True)
    common = kinds[np.argsort(-counts)[:3]]
    ratios = [np.sort(_stated_ratios(mechanism, pair, reports)) for reports in (first, second)]
    levels = np.unique(np.quantile(ratios[0], np.linspace(0, 1, 101)[1:], method="lower")) - 1e-9
    hits = [
        np.append(_named(reports, common), reports.shape[0] - np.searchsorted(ratio, levels))
        for reports, ratio in zip((first, second), ratios, strict=True)
    ]
    bounds = _bounds(hits[0], hits[1], len(first), confidence)
    best = int(bounds.argmax())
    event: Event = (
        (lambda rows: (rows == common[best]).all(axis=1))
        if best < len(common)
        else (lambda rows: _stated_ratios(mechanism, pair, rows) >= levels[best - len(common)])
    )
    return float(bounds[best]) - _claim(mechanism, pair), event


def _named(reports: Reports, kinds: Reports) -> NDArray[np.int64]:
    """How many of the reports are of each kind."""
    return np.array([np.count_nonzero((reports == kind).all(axis=1)) for kind in kinds])


def _stated_ratios(mechanism: Mechanism, pair: Pair, reports: Reports) -> NDArray[np.float64]:
    """ln(P(report | first)/P(report | second)) as the mechanism states it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        likelihood = np.log(mechanism.likelihoods(reports, pair))
        # A report that should be impossible from both cells says nothing by itself.
        return np.nan_to_num(likelihood[:, 0] - likelihood[:, 1], nan=0.0)


def _count(mechanism: Mechanism, cell: int, n: int, event: Event, rng: np.random.Generator | None) -> int:
    """How many of n fresh reports of the cell are in the event."""
    hits = 0
    for start in range(0, n, _CHUNK // 4):
        size = min(_CHUNK // 4, n - start)
        reports = mechanism.randomize(np.full(size, cell // mechanism.d), np.full(size, cell % mechanism.d), rng)
        hits += int(event(reports).sum())
    return hits


def _bounds(first: NDArray[np.int64], second: NDArray[np.int64], trials: int, confidence: float) -> NDArray[np.float64]:
    """Lower bounds of ln(P(event | first)/P(event | second)) from the hits of events among `trials` reports each."""
    allowance = (1.0 - confidence) / 2  # half for either side
    low = np.where(first > 0, betaincinv(np.maximum(first, 1), trials - first + 1, allowance), 0.0)
    high = np.where(second < trials, betaincinv(second + 1, np.maximum(trials - second, 1), 1.0 - allowance), 1.0)
    return np.log(np.maximum(low, high) / high)
