"""Formulas as they are printed, mistakes included. Nothing but the demonstrations may use them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from spatialldp import _validation as validate
from spatialldp.datasets import Points
from spatialldp.mechanisms.sam import nearest_distance, shrunken_cell

Array = NDArray[np.float64]

#: Points of the three parts of "Crime", and of the whole set, as the paper's table prints them.
PRINTED_CRIME_PARTS = (216_595, 173_552, 69_068)
PRINTED_CRIME_TOTAL = 105_453
#: What the printed formula for the number of border cells gives at radius 7.
PRINTED_BORDER_CELLS_AT_7 = 17
#: The largest disk that is worth going through cell by cell, its radius in cells.
_LARGEST = 1_000


def printed_area(x: int, y: int, b: int) -> float:
    """The printed shrunken area of a cell on the border of the disk, not clipped.

    Args:
        x: the larger offset of the cell from the truth, in cells, at least 0.
        y: the smaller offset, in cells, at least 0.
        b: radius of the disk, in cells.

    Returns:
        The area in cells; negative for a cell too far out.

    Example:
        >>> from spatialldp.paper import printed_area
        >>> round(printed_area(3, 2, b=3), 4)
        -0.0025
    """
    x, y, b = (validate.whole_number(name, at, 0, _LARGEST) for name, at in (("x", x), ("y", y), ("b", b)))
    width, height = shrunken_cell(np.array(x), np.array(y), b)
    return float(width * height)


def printed_kernel(b: int) -> Array:
    """DAM's kernel A over the offsets −b…b as printed: the area of a cell on the border may be negative.

    Args:
        b: radius of the disk, in cells, at least 0.

    Returns:
        (2b+1, 2b+1), areas in cells.

    Raises:
        ValueError: `b` is not a whole number ≥ 0.

    Example:
        >>> from spatialldp.paper import printed_kernel
        >>> printed_kernel(1).round(2).tolist()
        [[0.17, 1.0, 0.17], [1.0, 1.0, 1.0], [0.17, 1.0, 0.17]]
    """
    b = validate.whole_number("b", b, 0, _LARGEST)
    offset = np.abs(np.arange(-b, b + 1))
    dx, dy = np.meshgrid(offset, offset, indexing="ij")
    x, y = np.maximum(dx, dy), np.minimum(dx, dy)
    width, height = shrunken_cell(x, y, b)
    on_border = (x**2 + y**2 > b**2) & (nearest_distance(x, y) < b)
    return np.where(x**2 + y**2 <= b**2, 1.0, np.where(on_border, width * height, 0.0))


def kernel_loss(kernel: Array, epsilon: float) -> float:
    """Privacy loss of P ∝ 1 + (e^ε − 1)·A: the log-ratio of the largest and the smallest weight; far cells weigh 1.

    Args:
        kernel: A over the offsets, of any shape.
        epsilon: the privacy budget, above 0 and at most 100.

    Returns:
        The loss in nats; infinite where a weight is not above 0.

    Raises:
        ValueError: `epsilon` is not a number in its range.

    Example:
        >>> from spatialldp import DAM
        >>> from spatialldp.paper import kernel_loss, printed_kernel
        >>> round(kernel_loss(printed_kernel(3), 3.5), 3), round(kernel_loss(DAM(3.5, 1, b=3).kernel, 3.5), 3)
        (3.585, 3.5)
    """
    kernel = validate.real_array("kernel", kernel)
    gain = math.expm1(validate.privacy_budget(epsilon))
    low = 1.0 + gain * min(0.0, float(kernel.min()))
    # A weight below zero is not a probability at all.
    return math.inf if low <= 0 else math.log((1.0 + gain * float(kernel.max())) / low)


def border_cells_in_quarter(b: int) -> int:
    """Cells that a circle cuts, counted one by one in a quarter of the plane, off the axes.

    Args:
        b: radius of the circle, in cells.

    Returns:
        The number of cells.

    Example:
        >>> from spatialldp.paper import border_cells_in_quarter
        >>> border_cells_in_quarter(7)  # the printed formula gives 17
        13
    """
    b = validate.whole_number("b", b, 0, _LARGEST)
    x, y = np.meshgrid(np.arange(1, b + 2), np.arange(1, b + 2), indexing="ij")
    return int(((nearest_distance(x, y) < b) & (np.hypot(x + 0.5, y + 0.5) > b)).sum())


def szipf_formula(x: Array | float) -> Array:
    """1/((1 + x)·ln 2), which the paper calls the distribution function of SZipf's coordinates.

    Args:
        x: one or several coordinates, 0 to 1, plain units.

    Returns:
        The value at each, of the shape of `x`: a density, per plain unit.

    Example:
        >>> from spatialldp.paper import szipf_formula
        >>> szipf_formula([0.0, 1.0]).round(2).tolist()  # falls, and starts above 1
        [1.44, 0.72]
    """
    x = validate.real_array("x", x)
    if x.min() < 0:
        raise ValueError(f"x must be at least 0, got {x.min():g}")
    return 1.0 / ((1.0 + x) * math.log(2.0))


def mnormal_as_printed(rows: int, rng: np.random.Generator) -> Points:
    """MNormal with the centre (0, 0) for all three parts, as printed."""
    parts = []
    for correlation in (0.5, 0.0, -0.2):
        x, other = rng.standard_normal((2, rows // 3))
        parts.append((x, correlation * x + math.sqrt(1 - correlation**2) * other))
    return Points(*(np.concatenate(side) for side in zip(*parts, strict=True)))
