"""The list of slips, each with figures computed on the spot or carrying their source."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad

from spatialldp import _validation as validate
from spatialldp.datasets.synthetic import SYNTHETIC
from spatialldp.mechanisms import DAM, DAMNS, HUEM, Mechanism, PlanarLaplace, SEMGeoI, optimal_radius
from spatialldp.paper import printed
from spatialldp.privacy import local_privacy, max_privacy_loss, risk
from spatialldp.wasserstein import sinkhorn_w2, wasserstein2, wasserstein2_many

PAPER = "Du et al., the paper"
PROGRAM = "the authors' program"
#: Grids larger than this would make a demonstration slow without making it clearer.
_LARGEST_D = 15
_CURVE = range(1, 13)


@dataclass(frozen=True)
class Setting:
    """What the demonstrations are run with.

    Attributes:
        counts: people per cell, int64 (d, d), [ix, iy].
        epsilon: the privacy budget.
        b: the radius, in cells.
        seed: of the random generator.

    Example:
        >>> import numpy as np
        >>> from spatialldp.paper import SLIPS, Setting
        >>> slip = SLIPS["count"](Setting(np.full((4, 4), 10), epsilon=3.5, b=3, seed=0))
        >>> slip.title
        'The number of border cells'
    """

    counts: NDArray[np.int64]
    epsilon: float
    b: int
    seed: int


@dataclass(frozen=True)
class Row:
    """One figure, as it is printed and as it should be.

    Attributes:
        what: what the figure is, with its unit.
        printed: as printed, or as the authors' program has it; None where there is none.
        right: as it should be; None where there is none.

    Example:
        >>> from spatialldp.paper import Row
        >>> Row("border cells in a quarter, b = 7", printed=17, right=13).right
        13
    """

    what: str
    printed: float | str | None
    right: float | str | None


@dataclass(frozen=True)
class Slip:
    """A mistake in the paper or in the authors' program, explained and shown in figures.

    Attributes:
        title: in a few words.
        text: what is wrong, and why it matters.
        source: where it is.
        rows: figures, as printed and as they should be.
        x_title: what the curves are drawn over, with its unit; empty without curves.
        y_title: what the curves show, with its unit; empty without curves.
        curves: points (x, y) of lines to draw, by name.

    Example:
        >>> import numpy as np
        >>> from spatialldp.paper import SLIPS, Setting
        >>> slip = SLIPS["szipf"](Setting(np.full((4, 4), 10), epsilon=3.5, b=3, seed=0))
        >>> slip.rows[0].what, round(slip.rows[0].printed, 2), slip.rows[0].right
        ('value at x = 0 (0 for a distribution function)', 1.44, 0.0)
    """

    title: str
    text: str
    source: str
    rows: tuple[Row, ...]
    x_title: str = ""
    y_title: str = ""
    curves: dict[str, list[tuple[float, float]]] = field(default_factory=dict)


@validate.takes(setting=Setting)
def slips(setting: Setting) -> Iterator[tuple[str, Slip]]:
    """All slips, computed one after the other, the most serious first.

    Args:
        setting: what they are computed with.

    Yields:
        (name, slip) for each of `SLIPS`.

    Raises:
        ValueError: `setting` holds an ε, a radius or counts that a mechanism does not take.

    Example:
        >>> import numpy as np
        >>> from spatialldp.paper import Setting, slips
        >>> name, slip = next(slips(Setting(np.full((4, 4), 10), epsilon=3.5, b=3, seed=0)))
        >>> name, slip.title
        ('unclipped', 'The kernel of DAM breaks the promise it makes')
    """
    checked = Setting(
        validate.square_counts("counts", setting.counts),
        validate.privacy_budget(setting.epsilon),
        validate.whole_number("b", setting.b, 0),
        validate.seed(setting.seed),
    )
    for name, make in SLIPS.items():
        yield name, make(checked)


def _loss(mechanism: Mechanism) -> float:
    loss = max_privacy_loss(mechanism)
    assert isinstance(loss, float)
    return loss


def _unclipped(setting: Setting) -> Slip:
    epsilon, b = validate.privacy_budget(setting.epsilon), setting.b
    curves = {
        "as printed": [(float(r), printed.kernel_loss(printed.printed_kernel(r), epsilon)) for r in _CURVE],
        "clipped, as here": [(float(r), printed.kernel_loss(DAM(epsilon, 1, r).kernel, epsilon)) for r in _CURVE],
    }
    return Slip(
        "The kernel of DAM breaks the promise it makes",
        "The paper sets no lower limit on the area of a shrunken border cell. For some radii, its own default b = 3 "
        "among them, the area turns negative: that report is then too rare, and the privacy loss exceeds ε. Here "
        "negative areas count as 0.",
        f"{PAPER}: shrunken areas of DAM",
        (
            Row(
                "area of the cell at offset (3, 2), b = 3",
                printed.printed_area(3, 2, 3),
                float(DAM(3.5, 1, 3).kernel[6, 5]),
            ),
            Row(
                "privacy loss at ε = 3.5, b = 3",
                printed.kernel_loss(printed.printed_kernel(3), 3.5),
                _loss(DAM(3.5, 8, 3)),
            ),
            Row(
                f"privacy loss at your ε = {epsilon:g}, b = {b}",
                printed.kernel_loss(printed.printed_kernel(b), epsilon),
                printed.kernel_loss(DAM(epsilon, 1, b).kernel, epsilon),
            ),
        ),
        "Radius b, cells",
        "Privacy loss, nats",
        {name: [(x, y) for x, y in points if math.isfinite(y)] for name, points in curves.items()},
    )


def _too_large(setting: Setting) -> Slip:
    return Slip(
        "A part larger than the whole cell",
        "The paper also lists as border cells some whose centre lies inside the circle. For these the area formula "
        "gives more than a whole cell. Here they simply count as inside.",
        f"{PAPER}: shrunken areas of DAM",
        (
            Row(
                "area of the cell at offset (5, 3), b = 6",
                printed.printed_area(5, 3, 6),
                float(DAM(3.5, 1, 6).kernel[11, 9]),
            ),
        ),
    )


def _count(setting: Setting) -> Slip:
    return Slip(
        "The number of border cells",
        "From b = 2 on, the printed formula for the number of border cells is wrong: the paper's own drawing for "
        "b = 7 shows fewer. Here the cells are counted one by one.",
        f"{PAPER}: formula, {printed.PRINTED_BORDER_CELLS_AT_7} at b = 7; our own count",
        (
            Row(
                "border cells in a quarter, b = 7",
                printed.PRINTED_BORDER_CELLS_AT_7,
                printed.border_cells_in_quarter(7),
            ),
        ),
    )


def _missing_epsilon(setting: Setting) -> Slip:
    epsilon, d = setting.epsilon, 8
    b = max(1, math.floor(d * optimal_radius(epsilon)))
    spent = _loss(HUEM(1.0, d, b))
    return Slip(
        "HUEM forgets ε",
        "In one place the weights of the rings are e^(1 − (k−1)/b), without ε in the exponent. The privacy loss is "
        "then 1 whatever the budget: most of a large budget is wasted, and one below 1 is exceeded.",
        f"{PAPER} (one place of two) and {PROGRAM}",
        (
            Row(f"privacy loss at your ε = {epsilon:g}", spent, _loss(HUEM(epsilon, d, b))),
            Row("privacy loss at ε = 0.5", spent, _loss(HUEM(0.5, d, b))),
        ),
    )


def _sinkhorn(setting: Setting) -> Slip:
    x, y, _ = SYNTHETIC["szipf"].points()
    shares = SYNTHETIC["szipf"].grid(5).bin(x, y).counts
    return Slip(
        "An error that is never zero",
        "The errors in the paper's tables are Sinkhorn values, a blurred relative of W2. On a 5 × 5 grid, even a map "
        "compared with itself gets about 0.145 cells, as much as many of the errors in the tables. Here W2 is exact.",
        f"{PROGRAM}: Sinkhorn distance with λ = 5",
        (
            Row(
                "error of SZipf against itself, 5 × 5 cells, in cells",
                sinkhorn_w2(shares, shares),
                wasserstein2(shares, shares),
            ),
        ),
    )


def _stopping(setting: Setting) -> Slip:
    x, y, _ = SYNTHETIC["szipf"].points()
    smooth = SYNTHETIC["szipf"].grid(15).bin(x, y).counts
    yours = _at_most(setting.counts)
    d = yours.shape[0]
    (paper, paper_steps), (ours, our_steps) = _errors_by_rule(smooth, 3.5, setting.seed)
    (paper_yours, _), (ours_yours, _) = _errors_by_rule(yours, setting.epsilon, setting.seed)
    return Slip(
        "Stopping too late",
        "The authors' program stops when the unweighted sum of the logarithms of expected reports settles. That sum is "
        "not a likelihood and says nothing about noise, so the program mostly stops too late: on a smooth map the "
        "error more than doubles; on others it hardly matters. Here held-out reports show when the fit begins to "
        "follow the noise.",
        f"{PROGRAM}: change below 0.000001",
        (
            Row("error of SZipf, 15 × 15 cells, ε = 3.5, in cells", paper, ours),
            Row("steps taken (theirs plain, ours accelerated)", paper_steps, our_steps),
            Row(f"error of your map, {d} × {d} cells, ε = {setting.epsilon:g}, in cells", paper_yours, ours_yours),
        ),
    )


def _errors_by_rule(counts: NDArray[np.int64], epsilon: float, seed: int) -> list[tuple[float, int]]:
    """(W2 in cells, steps) by the authors' rule and by ours, from the same reports."""
    mechanism = DAM(epsilon, counts.shape[0])
    reports = mechanism.perturb(counts, np.random.default_rng(seed))
    estimates = [mechanism.estimate(reports, rule) for rule in ("paper", "adaptive")]
    errors = wasserstein2_many(counts, [estimate.distribution for estimate in estimates])
    return [(float(error), estimate.iterations) for error, estimate in zip(errors, estimates, strict=True)]


def _at_most(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The counts on a grid at most this fine: neighbouring cells are merged, and the last may be left over."""
    factor = math.ceil(counts.shape[0] / _LARGEST_D)
    side = -(-counts.shape[0] // factor)
    padded = np.zeros((side * factor, side * factor), np.int64)
    padded[: counts.shape[0], : counts.shape[1]] = counts
    return padded.reshape(side, factor, side, factor).sum(axis=(1, 3))


def _overstated(setting: Setting) -> Slip:
    mechanism = DAM(setting.epsilon, min(setting.counts.shape[0], _LARGEST_D))
    return Slip(
        "An attacker who guesses at random",
        "The paper compares LDP and Geo-I by local privacy: the average error of an attacker who draws a guess at "
        "random from what they believe. A real attacker makes the best guess and comes closer, so local privacy "
        "overstates how well a mechanism protects.",
        f"{PAPER}: definition of local privacy",
        (
            Row(
                f"attacker's mean error, DAM at your ε, {mechanism.d} × {mechanism.d} cells, in cells",
                local_privacy(mechanism).value,
                risk(mechanism).expected_distance,
            ),
        ),
    )


def _infeasible(setting: Setting) -> Slip:
    mechanism = SEMGeoI(0.25, 20)
    digits = (math.lgamma(401) - math.lgamma(mechanism.k + 1) - math.lgamma(401 - mechanism.k)) / math.log(10)
    return Slip(
        "“Infeasible” was an overflow",
        "SEM-Geo-I reports a set of k cells. The number of such sets is astronomical, which is why the paper leaves "
        "SEM-Geo-I out on large grids. But nothing needs that number: every sum over sets is an average over ranks.",
        f"{PAPER}: comparison with SEM-Geo-I on large grids",
        (
            Row(f"digits in the number of sets of {mechanism.k} cells, 20 × 20 cells", math.floor(digits) + 1, None),
            Row(
                "share of empty reports, mean over cells (computed without that number)",
                None,
                float(mechanism.null_probabilities.mean()),
            ),
        ),
    )


def _same_class(setting: Setting) -> Slip:
    b = max(1, setting.b)
    return Slip(
        "DAM compared with itself",
        "The run that should show DAM without shrinkage used DAM itself. The two differ in every border cell, so that "
        "run says nothing about shrinkage.",
        PROGRAM,
        (
            Row(
                f"total weight, in high cells, b = {b}: what ran, and DAM-NS",
                float(DAM(1.0, 1, b).kernel.sum()),
                float(DAMNS(1.0, 1, b).kernel.sum()),
            ),
        ),
    )


def _szipf(setting: Setting) -> Slip:
    return Slip(
        "A distribution function that starts above 1",
        "The paper calls 1/((1+x)·ln 2) the distribution function of SZipf. But it starts above 1 and falls: it is the "
        "density, and its integral is 1.",
        f"{PAPER}: data sets",
        (
            Row("value at x = 0 (0 for a distribution function)", float(printed.szipf_formula(0.0)), 0.0),
            Row("value at x = 1 (1 for a distribution function)", float(printed.szipf_formula(1.0)), 1.0),
            Row("integral from 0 to 1 (1 for a density)", float(quad(printed.szipf_formula, 0, 1)[0]), 1.0),
        ),
    )


def _mnormal(setting: Setting) -> Slip:
    rows = SYNTHETIC["mnormal"].rows
    as_printed = printed.mnormal_as_printed(rows, np.random.default_rng(0))
    ours = SYNTHETIC["mnormal"].points()
    return Slip(
        "Three crowds on one spot",
        "The paper gives all three parts of MNormal the same centre, (0, 0). But its square, with sides of 10.76, fits "
        "points around (0, 0), (1, 2) and (2, 0).",
        f"{PAPER}: data sets; the side of the square is quoted",
        (
            Row(
                "largest extent of the points (side of the printed square: 10.76)",
                _extent(as_printed.x, as_printed.y),
                _extent(ours.x, ours.y),
            ),
        ),
    )


def _extent(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    return float(max(np.ptp(x), np.ptp(y)))


def _crime(setting: Setting) -> Slip:
    return Slip(
        "Parts larger than the whole",
        "The three parts of the crime data are squares within the city, yet together they hold several times as many "
        "points as the whole. Treat these numbers with caution.",
        f"{PAPER}: table of data sets",
        (
            Row("points of parts A, B and C together", sum(printed.PRINTED_CRIME_PARTS), None),
            Row("points of the whole city", printed.PRINTED_CRIME_TOTAL, None),
        ),
    )


def _trajectories(setting: Setting) -> Slip:
    epsilon, length = 1.5, 200
    return Slip(
        "One budget per point or one per trip?",
        "In the comparison on trips, DAM spent ε on every point, while its rivals spent ε on the whole trip. Budgets "
        "add up, so the protection was not the same.",
        f"{PAPER}: trajectories, default ε = {epsilon:g}, up to {length} points",
        (
            Row(f"budget of a trip of {length} points", epsilon * length, epsilon),
            Row("ε per point at equal protection", epsilon, epsilon / length),
        ),
    )


def _laplace_radius(setting: Setting) -> Slip:
    mechanism = PlanarLaplace(1.0, 5)
    drawn = np.hypot(*mechanism.draw_offsets(200_000, np.random.default_rng(setting.seed)).T)
    return Slip(
        "How far planar Laplace moves you",
        "A trap for programmers. The density falls like e^(−ε·r), but there is more room farther out, so the distance "
        "is not exponential: it has a Gamma distribution with twice the mean. If it is drawn as exponential, the "
        "density at the true place is infinite, and no ε holds.",
        "a common mistake, not one in the paper; 200,000 simulated draws here",
        (
            Row("mean distance at ε = 1 per cell, in cells", 1.0, float(drawn.mean())),
            Row("share of people moved by less than a tenth of a cell", -math.expm1(-0.1), float((drawn < 0.1).mean())),
        ),
    )


#: Short name → what makes the slip from a setting, the most serious first.
SLIPS: dict[str, Callable[[Setting], Slip]] = {
    "unclipped": _unclipped,
    "missing-epsilon": _missing_epsilon,
    "sinkhorn": _sinkhorn,
    "stopping": _stopping,
    "overstated": _overstated,
    "trajectories": _trajectories,
    "same-class": _same_class,
    "infeasible": _infeasible,
    "too-large": _too_large,
    "count": _count,
    "szipf": _szipf,
    "mnormal": _mnormal,
    "crime": _crime,
    "laplace-radius": _laplace_radius,
}
