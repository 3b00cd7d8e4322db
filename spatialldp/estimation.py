"""Recovery: the distribution most likely to have produced the reports, by expectation–maximisation.

x ← x · Mᵀ(y / Mx) / n from the uniform start. When it stops decides the quality, far more than the
choice of mechanism does: too early stays near the start, too late fits the noise. The three rules:

* "adaptive" (default): the reports are dealt into five parts at random; five fits that each leave one part out, and one
  to all reports, run side by side. The iteration t at which the parts left out are likeliest tells how far to fit
  all reports: 1/0.8 times as far, as there are 1/0.8 times as many, and two steps more, because a remainder of the
  uniform start too small for the likelihood to notice is still far from home and W2 does notice. Only reports are
  used, so it costs no privacy. The fits are accelerated (acceleration.py, benchmarks/recovery.py); how close W2
  comes to that of the best iterate of plain EM is printed by benchmarks/stopping.py.
* "converged": the relative change of the log-likelihood falls below a tolerance.
* "paper": the change of Σ ln(Mx) over report cells, not weighted by their counts, falls below 1e-6:
  the rule of the authors' program, kept for comparison with their tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from spatialldp import _validation as validate
from spatialldp.acceleration import TINY, accelerated_iterates
from spatialldp.operators import Operator

Array = NDArray[np.float64]

DEFAULT_MAX_ITERATIONS = 3_000
SPLITS = 5
TRAINING_SHARE = 1.0 - 1.0 / SPLITS
#: Steps taken beyond the best held-out likelihood, which is blind to mass that is little but far away.
LAST_STEPS = 2
#: The seed of the splits when no generator is given: the same reports give the same estimate.
SPLIT_SEED = 20_240_229
STOPPING_RULES = ("adaptive", "converged", "paper")
#: Up to this a double still holds a thousandth of 1.
_WHOLE_IN_DOUBLES = 2.0**40
TOLERANCE = {"converged": 1e-9, "paper": 1e-6}


@dataclass(frozen=True)
class Estimate:
    """A recovered distribution and how it was found.

    Attributes:
        distribution: share of all people in each cell, (d, d), [ix, iy]; sums to 1.
        iterations: steps from the uniform start; 0 where none were needed. Steps of plain EM, except with "adaptive",
            whose accelerated steps are worth many each.
        converged: False when the cap on steps ended the search.
        log_likelihood: of all reports, in nats, without the constant term; None where nothing was maximised.
        stopping: the rule used, or "closed form".

    Example:
        >>> import numpy as np
        >>> from spatialldp import DAM
        >>> mechanism = DAM(epsilon=3.0, d=2)
        >>> reports = mechanism.perturb([[6000, 3000], [1000, 0]], np.random.default_rng(0))
        >>> estimate = mechanism.estimate(reports)
        >>> estimate.distribution.round(1).tolist()
        [[0.6, 0.3], [0.1, 0.0]]
        >>> estimate.stopping, estimate.converged
        ('adaptive', True)
    """

    distribution: Array
    iterations: int
    converged: bool
    log_likelihood: float | None
    stopping: str


@dataclass(frozen=True, eq=False)
class EMOptions:
    """How expectation–maximisation is run: one object for every mechanism that recovers by it.

    Attributes:
        stopping: "adaptive", "converged" or "paper"; see the top of this module.
        max_iterations: the cap on steps; an estimate that reaches it says that it has not converged.
        tolerance: threshold of "converged" (relative) or "paper" (absolute); None for the usual one.
        mask: bool (d, d), False for cells known to be empty; None where every cell is possible.
        smoothing: whether to average each step over neighbouring cells with weights 1, 2, 1 (EMS); None for what the
            mechanism usually does.
        rng: draws the splits of "adaptive"; None for the same splits every time.

    Raises:
        ValueError: `stopping` is none of these, `max_iterations` is not a whole number from 1 to 1,000,000, `tolerance`
            is not a number ≥ 0 or given with "adaptive", `smoothing` is not True, False or None, or `rng` is not a
            NumPy generator.

    Example:
        >>> from spatialldp.estimation import EMOptions
        >>> options = EMOptions("converged", max_iterations=50)
        >>> options.stopping, options.tolerance
        ('converged', None)
    """

    stopping: str = "adaptive"
    max_iterations: int = DEFAULT_MAX_ITERATIONS
    tolerance: float | None = None
    mask: NDArray[np.bool_] | None = None
    smoothing: bool | None = None
    rng: np.random.Generator | None = None

    def __post_init__(self) -> None:
        validate.one_of("stopping", self.stopping, STOPPING_RULES)
        why = "a recovery that has not settled by then never does"
        validate.limited("max_iterations", self.max_iterations, 1, validate.MOST_ITERATIONS, why)
        if self.tolerance is not None and self.stopping == "adaptive":
            raise ValueError(f'tolerance must be None with stopping="adaptive", which has none, got {self.tolerance!r}')
        if self.tolerance is not None and not validate.is_zero(self.tolerance):
            # As a number: a text such as "1e-6" would pass the check and fail in the middle of a recovery.
            object.__setattr__(self, "tolerance", validate.real_number("tolerance", self.tolerance, above=0.0))
        if not isinstance(self.smoothing, (bool, np.bool_, type(None))):
            raise ValueError(f"smoothing must be True, False or None, got {self.smoothing!r}")
        if self.rng is not None:
            validate.generator(self.rng)

    @classmethod
    def read(cls, options: EMOptions | str | None, settings: Mapping[str, Any]) -> EMOptions | None:
        """Options as a call may give them: an object, or the name of a stopping rule, and settings by keyword on top.

        Returns:
            The options; None where the call gives none at all.

        Raises:
            TypeError: a setting has an unknown name, or the stopping rule is given twice.
            ValueError: a value is not allowed.
        """
        validate.instance("settings", settings, Mapping)
        if options is None and not settings:
            return None
        unknown = [name for name in settings if name not in cls.__dataclass_fields__]
        if unknown:
            raise TypeError(f"{unknown[0]} must be left out: the options are {', '.join(cls.__dataclass_fields__)}")
        if isinstance(options, cls):
            return replace(options, **settings)
        if options is None:
            return cls(**settings)
        if "stopping" in settings:
            raise TypeError(f"stopping must be given once, got {options!r} and {settings['stopping']!r}")
        return cls(stopping=str(options), **settings)


@dataclass(frozen=True)
class Pace:
    """How far the iterations of a path go.

    The search goes on for max(patience, patience_share·t) iterations after the best one, t, before t is believed;
    all reports are then fitted for stretch·t + LAST_STEPS.

    Attributes:
        patience: the least number of further iterations.
        patience_share: further iterations per iteration up to the best one.
        stretch: iterations for all reports per iteration for the training part of them.
    """

    patience: int
    patience_share: float
    stretch: float


PLAIN_PACE = Pace(50, 0.3, 1 / TRAINING_SHARE)
#: With momentum the distance grows with the square of the steps.
ACCELERATED_PACE = Pace(5, 0.4, TRAINING_SHARE**-0.5)
#: Pairs (distribution, ln Mx), each of a batch if there is one.
_Path = Iterator[tuple[Array, Array]]


def closed_form(distribution: Array) -> Estimate:
    """The result of an estimator that needs no iterations."""
    return Estimate(distribution, 0, True, None, "closed form")


def on_simplex(values: Array) -> Array:
    """The nearest distribution (nowhere negative, total 1) in the Euclidean sense: shift all down and cut at zero."""
    largest = values.max()
    if abs(largest) > _WHOLE_IN_DOUBLES:
        # Adding a constant to all changes nothing, and beside such numbers a total of 1 would be lost in rounding.
        with np.errstate(over="ignore"):
            values = np.maximum(values - largest, -_WHOLE_IN_DOUBLES)
    ordered = np.sort(values, axis=None)[::-1]
    shifts = (np.cumsum(ordered) - 1.0) / np.arange(1, ordered.size + 1)
    shift = shifts[np.flatnonzero(ordered > shifts)[-1]]
    result = np.maximum(values - shift, 0.0)
    return result / result.sum()


def expectation_maximization(
    operator: Operator, reports: Array, options: EMOptions | str | None = None, **settings: Any
) -> Estimate:
    """Recover the distribution behind reports.

    Args:
        operator: the mechanism as a linear map from cells to reports.
        reports: how many reports of each kind there are, of the operator's output shape.
        options: an `EMOptions`, or the name of a stopping rule; None for the defaults.
        **settings: fields of `EMOptions`, on top of `options` or instead of them.

    Returns:
        The distribution, of the operator's input shape, and how it was found.

    Raises:
        ValueError: `reports` has another shape, is all zero, holds a negative or infinite number or NaN (with
            "adaptive" also a fraction), or is more than 2⁵³ in all; `mask` has another shape or allows no cell; or an
            option is not allowed.
        TypeError: a setting has an unknown name, or the stopping rule is given twice.

    Example:
        >>> import numpy as np
        >>> from spatialldp.estimation import expectation_maximization
        >>> from spatialldp.operators import DenseOperator
        >>> coin = DenseOperator(np.array([[0.8, 0.2], [0.2, 0.8]]), input_shape=(2,), output_shape=(2,))
        >>> reports = np.array([620, 380])  # expected of shares 0.7 and 0.3
        >>> expectation_maximization(coin, reports, "converged", tolerance=1e-12).distribution.round(3).tolist()
        [0.7, 0.3]
    """
    chosen = EMOptions.read(options, settings) or EMOptions()
    if not all(hasattr(operator, name) for name in ("input_shape", "output_shape", "forward", "backward")):
        raise ValueError(f"operator must be an Operator, such as that of a mechanism, got {validate.shown(operator)}")
    reports = validate.report_counts("reports", reports, operator.output_shape)
    mask, smoothing = chosen.mask, bool(chosen.smoothing)
    if mask is not None:
        mask = validate.cell_mask("mask", mask, operator.input_shape)

    def plain(counts: Array) -> _Path:
        for x, expected in em_iterates(operator, counts, mask=mask, smoothing=smoothing):
            yield x, np.log(expected)

    if chosen.stopping == "adaptive":
        rng = np.random.default_rng(SPLIT_SEED) if chosen.rng is None else chosen.rng
        fits = np.concatenate([training_parts(reports, rng), reports[None]])
        if smoothing:  # The averaging climbs no likelihood, so there is no telling a good step from a bad one.
            return _adaptive(plain(fits), fits, chosen.max_iterations, PLAIN_PACE)
        path = accelerated_iterates(operator, fits, mask=mask)
        return _adaptive(path, fits, chosen.max_iterations, ACCELERATED_PACE)
    threshold = TOLERANCE[chosen.stopping] if chosen.tolerance is None else chosen.tolerance
    rule = _converged if chosen.stopping == "converged" else _paper
    return rule(plain(reports), reports, chosen.max_iterations, threshold)


def em_iterates(
    operator: Operator, reports: Array, *, mask: NDArray[np.bool_] | None = None, smoothing: bool = False
) -> Iterator[tuple[Array, Array]]:
    """The sequence x₀, x₁, … as pairs (distribution, expected report shares Mx), without end.

    `reports` may carry leading batch axes: each is fitted on its own. x₀ is uniform over the mask.
    The next step overwrites the arrays: copy what is to be kept.
    """
    cell_axes = tuple(range(-len(operator.input_shape), 0))
    report_axes = tuple(range(-len(operator.output_shape), 0))
    batch = reports.shape[: reports.ndim - len(operator.output_shape)]
    total = reports.sum(axis=report_axes, keepdims=True)
    allowed = np.ones(operator.input_shape) if mask is None else mask.astype(np.float64)
    x = np.empty((*batch, *operator.input_shape))
    x[...] = allowed / allowed.sum()
    factor, expected, ratio = np.empty_like(x), np.empty_like(reports), np.empty_like(reports)
    while True:
        # Where no report can lie Mx is zero and so is the count: the floor turns 0/0 into 0.
        np.maximum(operator.forward(x, out=expected), TINY, out=expected)
        yield x, expected
        np.divide(reports, expected, out=ratio)
        x *= operator.backward(ratio, out=factor)
        if smoothing:
            x[...] = allowed * _smoothed(x, cell_axes)
            total = x.sum(axis=cell_axes, keepdims=True)
        # Without smoothing the step has already summed to the number of reports, exactly.
        x /= total


def _smoothed(x: Array, axes: tuple[int, ...]) -> Array:
    """Weights 1, 2, 1 along each axis. Reflecting edges keep the total."""

    for axis in axes:
        x = scipy.ndimage.convolve1d(x, [0.25, 0.5, 0.25], axis=axis, mode="reflect")
    return x


def _adaptive(path: _Path, fits: Array, max_iterations: int, pace: Pace) -> Estimate:
    """`fits` (SPLITS + 1, …): the training parts, then all reports."""
    reports = fits[-1]
    held_out = reports - fits[:-1]
    best_score, best = -np.inf, 0
    settled = False
    since_best: list[tuple[Array, float]] = []  # the fits to all reports, with their likelihoods
    for iteration, (x, log_expected) in enumerate(path):
        score = log_likelihood(held_out, log_expected[:-1])
        if score > best_score:
            best_score, best = score, iteration
            since_best.clear()
        since_best.append((x[-1].copy(), log_likelihood(reports, log_expected[-1])))
        settled = iteration - best >= max(pace.patience, pace.patience_share * best)
        if settled or iteration == max_iterations:
            break
    # All reports are more than the splits hold, so they can be fitted proportionally further before noise is.
    answer = min(round(best * pace.stretch) + LAST_STEPS, iteration)
    distribution, likelihood = since_best[answer - best]
    return Estimate(distribution / distribution.sum(), answer, settled, likelihood, "adaptive")


def training_parts(reports: Array, rng: np.random.Generator) -> Array:
    """The reports less one random fifth of them each, (SPLITS, …): every report is left out exactly once."""
    counts = reports.astype(np.int64)
    if not np.array_equal(counts, reports):
        raise ValueError(
            'reports must hold whole numbers with stopping="adaptive", which deals them out one by one; '
            'use stopping="converged" for expected or weighted counts'
        )
    fifths = rng.multinomial(counts, np.full(SPLITS, 1.0 / SPLITS))
    training = reports - np.moveaxis(fifths, -1, 0)
    # With a handful of reports one part may hold them all: fit all then, and hold nothing out.
    empty = ~training.reshape(SPLITS, -1).any(axis=1)
    training[empty] = reports
    return training


def log_likelihood(counts: Array, log_expected: Array) -> float:
    """Σ counts·ln(Mx), nats. Not by a BLAS product, whose threads cost far more than they gain here."""
    return float(np.einsum("i,i->", counts.reshape(-1), log_expected.reshape(-1)))


def _converged(path: _Path, reports: Array, max_iterations: int, tolerance: float) -> Estimate:
    previous = -np.inf
    for iteration, (x, log_expected) in enumerate(path):  # noqa: B007 - the last one is the answer
        likelihood = log_likelihood(reports, log_expected)
        settled = bool(likelihood - previous <= tolerance * abs(likelihood))
        if settled or iteration == max_iterations:
            break
        previous = likelihood
    return Estimate(x / x.sum(), iteration, settled, likelihood, "converged")


def _paper(path: _Path, reports: Array, max_iterations: int, tolerance: float) -> Estimate:
    previous: Array | None = None
    for iteration, (x, log_expected) in enumerate(path):  # noqa: B007 - the last one is the answer
        settled = previous is not None and abs(float((log_expected - previous).sum())) < tolerance
        if settled or iteration == max_iterations:
            break
        previous = log_expected
    return Estimate(x / x.sum(), iteration, settled, log_likelihood(reports, log_expected), "paper")
