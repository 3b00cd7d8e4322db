"""Figures as words: units on every number, no jargon without an explanation. Knows nothing of widgets."""

from __future__ import annotations

import math
from collections.abc import Sequence

from spatialldp import formatting
from spatialldp.drawing.colours import Scale
from spatialldp.estimation import Estimate
from spatialldp.experiments.measures import Baselines, Flow
from spatialldp.experiments.ranges import square_in_words
from spatialldp.mechanisms import Mechanism
from spatialldp.population import Population

W2_HELP = (
    "2-Wasserstein distance between the true and the recovered map: how far people would have to be moved, on average "
    "(root mean square), to turn one into the other. 0 is perfect."
)
RANGE_HELP = (
    "How far off a count of people in a part of the map is: the mean over 1,000 squares of one size at random places, "
    "the same for every mechanism. Too many and too few count alike."
)
HOT_SPOTS_HELP = (
    "How many of the fullest cells of the true map are also among the fullest of the recovered one. Where cells are "
    "equally full, the expected number."
)
TRUTHFUL_HELP = (
    "The expected share of reports that are simply true. Nobody, not even the receiver, can tell which ones."
)
UNIFORM_HELP = "The error of a map made without any reports, with everybody spread evenly: the worst end of the scale."
NO_PRIVACY_HELP = (
    "The error that remains if as many people, drawn at random from this map, give their true cells: chance alone. "
    "At a large ε a mechanism can do better, because it asks the very people on the true map."
)
RECOVERY_HELP = (
    "Steps of expectation–maximisation, which corrects the map again and again until it explains the reports. Some "
    "reports are held out: how well they fit says when to stop. Some mechanisms need only a formula."
)


def cells(value: float | None) -> str:
    """An error in cells, or dots while it is being computed."""
    return "…" if value is None else f"{value:.3f} cells"


def metres(value: float | None, side: float | None) -> str | None:
    """The same in metres, where cells have a length."""
    if value is None:
        return "being computed"
    if side is None:
        return "no real-world scale"
    return formatting.metres(value * side)


def of_one_draw(value: float | None, side: float | None) -> str | None:
    """What stands below the error of a single run."""
    if value is None:
        return metres(value, side)
    return f"{metres(value, side)}; one draw" if side is None else f"{metres(value, side)} between grids, one draw"


def length(cells: float, side: float | None) -> str:
    """A distance in words: kilometres or metres, or cells where cells have no length."""
    if side is None:
        return f"{cells:.2f} cells"
    return formatting.metres_or_kilometres(cells * side, digits=2)


def random_square(d: int) -> str:
    """A square of the range error on d×d cells, in words."""
    size = square_in_words(d)
    return size if size.startswith("one") else f"a square of {size}"


def listed(names: Sequence[str], last: str = "and") -> str:
    """Names one after the other: "A", "A and B", "A, B and C"."""
    return f" {last} ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def left_out(population: Population) -> str:
    """Who does not take part."""
    out = population.left_out
    return "the whole data set" if out == 0 else f"{out:,} more outside the area"


def steps(estimate: Estimate) -> str:
    """How much work the recovery was."""
    if estimate.iterations == 0:
        return "one formula"
    return "1 step" if estimate.iterations == 1 else f"{estimate.iterations:,} steps"


def stop_rule(estimate: Estimate) -> str:
    """Why it stopped."""
    if estimate.iterations == 0:
        return "no steps needed"
    if not estimate.converged:
        return "stopped at the step limit"
    return {"adaptive": "stopped by held-out reports"}.get(estimate.stopping, f"rule: {estimate.stopping}")


def reports_caption(mechanism: Mechanism, caption: str) -> str:
    """What the perturbed map shows."""
    if mechanism.reports_outside > 0:
        far = formatting.counted(mechanism.reports_outside, "cell")
        return f"{caption}; they can fall up to {far} outside the area (frame)"
    return f"{caption} (frame: the area)"


def legend(scale: Scale, meaning: str) -> str:
    """The colour scale as HTML."""
    sign = "+" if scale.difference else ""
    low = f"{scale.low:{sign}.2%}".replace("-", "−")
    return (
        '<div style="display:flex;align-items:center;gap:.75rem;font-size:.9rem;flex-wrap:wrap">'
        f"<span>{low}</span>"
        f'<div role="img" aria-label="Colour scale from {low} to {scale.high:.2%}" '
        'style="flex:1;min-width:6rem;max-width:24rem;height:.8rem;outline:1px solid #8884;'
        f'background:{scale.css}"></div>'
        f"<span>{scale.high:{sign}.2%}</span><span>{meaning}</span></div>"
    )


def verdict(w2_cells: float, ends: Baselines | None, side: float | None) -> str:
    """Where this run lies between the two ends, in a sentence."""
    if ends is None:
        return ""
    length = "" if side is None else f" ({metres(w2_cells, side)})"
    error = f"On average (root mean square) people are shown **{w2_cells:.2f} cells{length}** from their own cell"
    if ends.uniform_guess <= ends.no_privacy:
        return f"{error}. On this grid even a uniform guess is as good as a map without privacy."
    kept = 1 - (w2_cells - ends.no_privacy) / (ends.uniform_guess - ends.no_privacy)
    if kept <= 0:
        return f"{error}: **no better than a uniform guess** that spreads everybody evenly."
    if kept >= 1:
        return (
            f"{error}. That is **as good as no privacy**, where people give their true cells and only chance is left."
        )
    return f"{error}. That is **{kept:.0%}** of the way from a uniform guess to no privacy."


def meaning_beside_dam(
    mechanism: Mechanism, name: str, epsilon: float, equal: bool, errors: tuple[float, float] | None, side: float | None
) -> str:
    """What the budget of a Geo-I `mechanism` means beside DAM at `epsilon`: at the same ε, or at one that is `equal` in
    protection. `errors`: W2 of both in cells, once they are known."""
    beside = ""
    if errors is not None:
        own, dam = (cells(error) if side is None else formatting.metres(error * side) for error in errors)
        beside = f" Its error is {own}, DAM’s {dam}."
    if equal:
        return (
            f"**{name} runs at ε′ = {mechanism.epsilon:.3g} per cell,** where it protects at least as much as DAM at "
            f"ε = {epsilon:g}: a guess drawn from what a report makes plausible is at least as far off, on average "
            f"(“local privacy”).{beside}"
        )
    far, where = (2.0, "two cells away") if mechanism.d > 2 else (math.sqrt(2), "the one diagonally across")
    near, farther = (formatting.times(epsilon * distance) for distance in (1.0, far))
    return (
        f"**At the same ε, {name} promises less than DAM.** A report may be {near} times likelier from one cell than "
        f"from the next, {farther} times likelier than from {where}, and so on; with DAM it is at most {near} times "
        f"for any two places.{beside}"
    )


def flow(entry: Flow, side: float | None) -> str:
    """One arrow, on hover."""
    distance = f"{entry.cells:.1f} cells" if side is None else f"{entry.cells * side:,.0f} m"
    return f"{entry.share:.2%} of people are shown {distance} from where they belong"


def flow_list(flows: Sequence[Flow], explained: float, side: float | None, users: int) -> str:
    """The largest arrows in words."""
    if not flows:
        return "**Where the error is**  \nNowhere: the two maps are equal."
    lines = [
        f"- {entry.share * users:,.0f} people ({entry.share:.2%}), "
        + (f"{entry.cells:.1f} cells" if side is None else f"{entry.cells * side:,.0f} m")
        for entry in flows[:5]
    ]
    return (
        "**Where the error is**  \nThe orange lines on the recovered map show how people would have to be moved to "
        f"repair it, from the faint end to the strong one. These {len(flows)} make up {explained:.0%} of the squared "
        "error. The largest:\n\n" + "\n".join(lines)
    )
