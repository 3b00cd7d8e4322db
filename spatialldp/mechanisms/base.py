"""What every mechanism has: one person's cell in, one randomised report out, a map back from all reports."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spatialldp import _validation as validate
from spatialldp.estimation import Estimate


class ReportMap(NamedTuple):
    """What the "perturbed" map shows.

    `values` array over cells; `origin` cell index (ix, iy) of its first entry (−b: it starts b cells west
    and south of the domain); `caption` what a value is.
    """

    values: NDArray[np.float64]
    origin: tuple[int, int]
    caption: str


class Mechanism(ABC):
    """A randomiser on d×d cells with privacy budget ε. The constructor only stores and validates."""

    #: The name in full, for menus and tables.
    full_name: ClassVar[str]
    #: "LDP" (any two places are alike up to e^ε) or "Geo-I" (up to e^(ε·distance)).
    notion: ClassVar[str]

    def __init__(self, epsilon: float, d: int) -> None:
        self.epsilon = validate.privacy_budget(epsilon)
        self.d = validate.whole_number("d", d, 1)

    @abstractmethod
    def randomize(self, ix: ArrayLike, iy: ArrayLike, rng: np.random.Generator | None = None) -> NDArray[np.int64]:
        """One report for each given cell, a row each: what a device runs."""

    @abstractmethod
    def aggregate(self, reports: ArrayLike) -> Any:
        """Reports of `randomize`, summed up into what `perturb` returns and `estimate` takes."""

    @abstractmethod
    def perturb(self, counts: ArrayLike, rng: np.random.Generator) -> Any:
        """Reports of a simulated population of `counts` (d, d) people, summed up."""

    @abstractmethod
    def estimate(self, reports: Any) -> Estimate:
        """The distribution over cells that the summed reports point to."""

    @abstractmethod
    def report_map(self, reports: Any) -> ReportMap:
        """The summed reports as a picture."""

    def _checked_counts(self, counts: ArrayLike) -> NDArray[np.int64]:
        return validate.whole_counts("counts", counts, (self.d, self.d), " (people per cell, [ix, iy])")

    def _checked_cells(self, ix: ArrayLike, iy: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        ix, iy = validate.cell_indices("ix", ix, self.d), validate.cell_indices("iy", iy, self.d)
        if ix.shape != iy.shape:
            raise ValueError(f"ix and iy must have one length, got {ix.size} and {iy.size}")
        return ix, iy

    def __repr__(self) -> str:
        return f"{type(self).__name__}(epsilon={self.epsilon:g}, d={self.d})"


WORD_BITS = 63


def random_words(n: int, rng: np.random.Generator | None) -> NDArray[np.int64]:
    """n uniform whole numbers below 2⁶³, from `rng` or else from the operating system.

    A real report must not be predictable from others, and NumPy's generators are: hence the system's
    cryptographic source. Whole numbers, because the gaps between floats are themselves a leak.
    """
    if rng is None:
        return np.frombuffer(os.urandom(8 * n), dtype=np.int64) & np.int64(2**WORD_BITS - 1)
    return validate.generator(rng).integers(0, 2**WORD_BITS, size=n, dtype=np.int64)
