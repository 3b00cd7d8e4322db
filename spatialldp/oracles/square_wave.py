"""The square wave on a line of m places: a report is likelier near the truth, so near places help each other."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spatialldp import _validation as validate
from spatialldp.estimation import EMOptions, Estimate, expectation_maximization
from spatialldp.operators import DenseOperator
from spatialldp.oracles.base import FrequencyOracle
from spatialldp.tables import WeightTable


class SquareWave(FrequencyOracle):
    """A place from −b to m + b − 1: each within b of the true one with probability q·e^ε, any other with q =
    1/((2b + 1)·e^ε + m − 1). A report is such a place, (n,).

    ε-LDP: whatever the truth, a report has probability q or q·e^ε. A device draws from whole numbers whose ratio is
    at most e^ε (`WeightTable.near_and_far`).

    Two estimates. `estimate` is linear and without bias, and has an exact covariance; it undoes the blur of the wave,
    which amplifies noise wherever b > 0. `estimate_em` is the usual one, a distribution and far steadier; it is biased,
    and its variance has no closed form: simulate it.

    Args:
        epsilon: the privacy budget, above 0 and at most 100.
        m: how many places there are, 1 to 2,048.

    Raises:
        ValueError: a parameter is not a number in its range.

    Example:
        >>> import numpy as np
        >>> from spatialldp.oracles import SquareWave
        >>> oracle = SquareWave(epsilon=3.0, m=4)
        >>> summed = oracle.perturb([5000, 2000, 2000, 1000], np.random.default_rng(1))
        >>> oracle.estimate_em(summed, smoothing=False).distribution.round(1).tolist()
        [0.5, 0.2, 0.2, 0.1]
    """

    full_name = "Square wave"
    reference = "Li et al., Estimating Numerical Distributions under Local Differential Privacy (2020)"
    #: The matrix of all places and reports is kept, up to 70 MB, and the linear estimate factorises it.
    largest_m = 2_048

    @cached_property
    def b(self) -> int:
        """Half-width of the wave, places."""
        return math.floor(self.m * square_wave_radius(self.epsilon))

    @property
    def q(self) -> float:
        """Probability of a place far from the truth; q·e^ε is that of one near it."""
        return 1.0 / ((2 * self.b + 1) * math.exp(self.epsilon) + self.m - 1)

    @property
    def n_outputs(self) -> int:
        """m + 2b places."""
        return self.m + 2 * self.b

    @cached_property
    def matrix(self) -> NDArray[np.float64]:
        """P(report | place), (m, m + 2b); column 0 is the report −b."""
        near = np.abs(np.arange(-self.b, self.m + self.b)[None, :] - np.arange(self.m)[:, None]) <= self.b
        return np.where(near, self.q * math.exp(self.epsilon), self.q)

    @cached_property
    def operator(self) -> DenseOperator:
        """The same as a linear map, for EM."""
        return DenseOperator(self.matrix, (self.m,), (self.n_outputs,))

    # -- the device ------------------------------------------------------------------------------

    @cached_property
    def table(self) -> WeightTable:
        """The whole numbers a device draws from."""
        near, places = np.arange(-self.b, self.b + 1), np.arange(-self.b, self.m + self.b)
        return WeightTable.near_and_far(self.epsilon, np.ones(near.size), places[:, None], near[:, None], self.m)

    def largest_ratio(self) -> Fraction | float:
        """The weight of a near place over that of a far one, where some place is far from another."""
        return self.table.largest_ratio()

    def device_weights(self, value: int) -> NDArray[np.int64]:
        """How many of the numbers a device at this place draws from stand for each report, (m + 2b,)."""
        return self.table.weights(value)

    def randomize(self, values: ArrayLike, rng: np.random.Generator | None = None) -> NDArray[np.int64]:
        """A place from −b to m + b − 1 for each, (n,)."""
        return self.table.draw(self._checked_values(values)[:, None], rng)[:, 0]

    def likelihoods(self, reports: ArrayLike, values: ArrayLike | None = None) -> NDArray[np.float64]:
        """P(report | place) itself."""
        columns, places = self._columns(reports), self._values_or_all(values)
        self._refuse_huge_likelihoods(columns.size, places.size)
        return self.matrix[places[None, :], columns[:, None]]

    # -- many reports ----------------------------------------------------------------------------

    def aggregate(self, reports: ArrayLike) -> NDArray[np.int64]:
        """Reports of each place, (m + 2b,)."""
        return np.bincount(self._columns(reports), minlength=self.n_outputs)

    def drawn_sums(self, counts: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
        """Reports of each place, (m + 2b,): one multinomial for the people of each place."""
        # The only entry of a row may be 1 and a rounding, which NumPy does not take for a probability.
        return validate.generator(rng).multinomial(counts, np.minimum(self.matrix, 1.0)).sum(axis=0)

    def _columns(self, reports: ArrayLike) -> NDArray[np.int64]:
        lowest, highest = -self.b, self.m + self.b - 1
        return self._checked_range(self._checked_reports(reports), lowest, highest) + self.b

    def _checked_summed(self, summed: ArrayLike) -> NDArray[np.float64]:
        meaning = f" (places from −b on, as {self!r}.perturb returns)"
        return validate.report_counts("summed", summed, (self.n_outputs,), meaning)

    # -- the analyst -----------------------------------------------------------------------------

    @cached_property
    def _inverse(self) -> NDArray[np.float64]:
        """L (m, m + 2b) with L·Mᵀ = 1, M the matrix: of all linear estimates without bias the one with the least
        variances where people are spread evenly (Gauss and Markov).

        Weighted least squares, the weights being 1/s with s the report shares of evenly spread people. (Those shares
        have covariance (diag s − Σ f_i·M_i·M_iᵀ)/n; the second part lies in the range of Mᵀ and does not change
        the solution.) These weights also make the frequencies add up to 1. M has full rank for every ε > 0.
        """
        validate.enough_for_doubles(self.epsilon)
        root = 1.0 / np.sqrt(self.matrix.mean(axis=0))
        orthogonal, triangle = np.linalg.qr(root[:, None] * self.matrix.T)
        return np.linalg.solve(triangle, orthogonal.T * root)

    def estimate(self, summed: ArrayLike) -> NDArray[np.float64]:
        """L·shares of reports, without bias; they add up to 1, and noise makes many of them negative."""
        validate.enough_for_doubles(self.epsilon)
        counts = self._checked_summed(summed)
        return self._inverse @ (counts / counts.sum())

    def estimate_em(self, summed: ArrayLike, options: EMOptions | str | None = None, **settings: Any) -> Estimate:
        """The likeliest distribution by EM, smoothed at each step (EMS) unless told otherwise.

        Args:
            summed: reports of each place, (m + 2b,), as `perturb` and `aggregate` return them.
            options: an `EMOptions`, or the name of a stopping rule; None for the defaults.
            **settings: fields of `EMOptions`, on top of `options` or instead of them.

        Returns:
            The distribution (m,) and how it was found.

        Raises:
            ValueError: `summed` is not from this oracle, or an option is not allowed.
            TypeError: a setting has an unknown name, or the stopping rule is given twice.
        """
        chosen = EMOptions.read(options, settings) or EMOptions()
        validate.enough_for_doubles(self.epsilon)
        if chosen.smoothing is None:
            chosen = replace(chosen, smoothing=True)
        return expectation_maximization(self.operator, self._checked_summed(summed), chosen)

    def covariance(self, n: int, frequency: ArrayLike | None = None) -> NDArray[np.float64]:
        """Covariance of `estimate`.

        The reports of the n·f_i people at place i are multinomial with row M_i, so the shares of all reports have
        covariance (diag s − Σ f_i·M_i·M_iᵀ)/n, s = Σ f_i·M_i. The estimate is L times the shares, and L·M_i is the i-th
        unit vector: (L·diag(s)·Lᵀ − diag f)/n.

        Args:
            n: how many people report, at least 1.
            frequency: the share of them at each place, (m,); None for an even spread.

        Returns:
            (m, m).

        Raises:
            ValueError: `n` is not a whole number ≥ 1, or `frequency` has another shape.
        """
        n = validate.people("n", n)
        f = np.full(self.m, 1.0 / self.m) if frequency is None else validate.share_array("frequency", frequency)
        if f.shape != (self.m,):
            raise ValueError(f"frequency must be given for each of the {self.m} places, got shape {f.shape}")
        return ((self._inverse * (f @ self.matrix)) @ self._inverse.T - np.diag(f)) / n

    def variance(self, n: int, frequency: ArrayLike | None = None) -> NDArray[np.float64]:
        """Variance (m,) of `estimate` at each place: the diagonal of `covariance`. It depends on where everybody is,
        so `frequency` is that of all places, (m,); None for an even spread."""
        return np.diagonal(self.covariance(n, frequency)).copy()


def square_wave_radius(epsilon: float) -> float:
    """Half-width of the square wave: m₂/(2·e^ε·m₁), m₁ and m₂ as in `moment_ratio`.

    Args:
        epsilon: the privacy budget, above 0 and at most 100.

    Returns:
        The half-width as a share of the line; times m and rounded down it is b of `SquareWave`, in places.

    Raises:
        ValueError: `epsilon` is not a number in its range.

    Example:
        >>> from spatialldp.oracles import square_wave_radius
        >>> round(square_wave_radius(3.5), 3)
        0.044
    """
    return moment_ratio(epsilon) / 2


def moment_ratio(epsilon: float) -> float:
    """m₂/(e^ε·m₁) with m₁ = e^ε − 1 − ε and m₂ = 1 − e^ε + ε·e^ε, from which the optimal radii are made.

    Both cancel to order ε² as ε → 0, so below ½ their power series are used; above, they are scaled by e^−ε so
    that nothing overflows.
    """
    epsilon = validate.privacy_budget(epsilon)
    if epsilon < 0.5:
        m1 = sum(epsilon**k / math.factorial(k + 2) for k in range(16))
        m2 = sum(epsilon**k * (k + 1) / math.factorial(k + 2) for k in range(16))
    else:
        m1 = -math.expm1(-epsilon) - epsilon * math.exp(-epsilon)
        m2 = epsilon + math.expm1(-epsilon)
    return m2 / m1 * math.exp(-epsilon)
