"""k-RR, randomised response over all cells: the simplest mechanism there is."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spatialldp.estimation import EMOptions, Estimate, closed_form, on_simplex
from spatialldp.mechanisms.sam import SAM


class KRR(SAM):
    """The true cell with probability p = e^ε/(e^ε + m − 1), m = d², else any other, all alike.

    ε-LDP: the probabilities of a report are p or (1 − p)/(m − 1), whose ratio is e^ε. It is the member of the
    SAM family with radius 0.
    """

    full_name = "K-ary randomised response"
    summary = "Reports the true cell or, just as the coin falls, any other cell of the map, near or far alike."
    reference = "Kairouz, Bonawitz and Ramage, Discrete Distribution Estimation under Local Privacy (2016)"

    parameters = ()
    takes_long = False

    def __init__(self, epsilon: float, d: int) -> None:
        super().__init__(epsilon, d, 0)

    @property
    def radius(self) -> None:  # type: ignore[override]
        """There is no disk around the truth."""
        return None

    def __repr__(self) -> str:
        return f"KRR(epsilon={self.epsilon:g}, d={self.d})"

    @classmethod
    def breakpoints(cls, d: int, lowest: float, highest: float) -> list[float]:
        return []

    @property
    def p(self) -> float:
        """Probability of the truth."""
        return self.q * math.exp(self.epsilon)

    def _shape(self, x: NDArray[np.int64], y: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.ones(x.shape)

    def _estimate(self, reports: ArrayLike, options: EMOptions | None) -> Estimate:
        """(f − q)/(p − q) projected on the simplex; EM where options of it are given."""
        if options is not None:
            return super()._estimate(reports, options)
        counts = self._checked_reports(reports)
        if self.d == 1:
            return closed_form(np.ones((1, 1)))
        share = counts / counts.sum()
        return closed_form(on_simplex((share - self.q) / (self.q * math.expm1(self.epsilon))))
