"""Protection in words: what each ruler reads, where no ε′ is equal, and who wins on both sides. Plain text."""

from __future__ import annotations

import math
from collections.abc import Sequence

from spatialldp.experiments.comparison import Score, alike, best, contenders
from spatialldp.experiments.run import make_mechanism
from spatialldp.formatting import STANDARD_ERRORS_95, digits_of_percent, metres, percent, times
from spatialldp.mechanisms import Mechanism
from spatialldp.privacy import Measured, Protection
from spatialldp.privacy.protection import BEST_GUESS, HIT_RATE, LOCAL_PRIVACY, WORST_CASE

BELOW, ABOVE = "just below the jump", "just above the jump"


def cells(value: Measured, more_digits: int = 0) -> str:
    """A number of cells, ± 1.96 standard errors where it is simulated and they can be seen."""
    digits = (2 if value.value < 20 else 0) + more_digits
    spread = f"{STANDARD_ERRORS_95 * value.standard_error:.{digits}f}"
    return f"{value.value:,.{digits}f}" + (f" ± {spread}" if float(spread) > 0 else "") + " cells"


def share(value: Measured, more_digits: int = 0) -> str:
    """A probability, with its error likewise."""
    return percent(value.value, value.standard_error, digits_of_percent(value.value) + more_digits)


def loss(value: float, more_digits: int = 0) -> str:
    """A privacy loss, and how many times likelier a report may then be from one place than from another."""
    if math.isinf(value):
        return "unlimited"
    return f"{value:.{3 + more_digits}g} ({times(value)} times)"


def reading(value: Measured, by: str, more_digits: int = 0) -> str:
    """What a ruler reads, with its unit."""
    if by == HIT_RATE:
        return share(value, more_digits)
    return loss(value.value, more_digits) if by == WORST_CASE else cells(value, more_digits)


def told_apart(values: Sequence[Measured], by: str) -> list[str]:
    """What a ruler reads of several, with as many digits as it takes to tell them apart."""
    for more_digits in range(3):
        texts = [reading(value, by, more_digits) for value in values]
        if len({text.split(" ")[0] for text in texts}) == len(texts):
            break
    return texts


def figures(hidden: Protection) -> dict[str, str]:
    """The five figures that always stand beside "equal", by label."""
    return {
        "Local privacy": cells(hidden.local_privacy),
        "Best guess off by": cells(hidden.guess_distance),
        "Right cell named": share(hidden.hit_rate),
        "95 % region": cells(hidden.credible_cells),
        "Worst case": loss(hidden.worst_case),
    }


def side_name(entry: Score, of: Score) -> str:
    """Which side of the jump of the mechanism `of` this score is; empty where there is no jump."""
    return "" if of.beyond is None else BELOW if entry is of else ABOVE


def jump_sentence(entry: Score, by: str) -> str:
    """Why two results are shown for one mechanism; empty where it protects as much as required."""
    if entry.beyond is None or entry.asked is None:
        return ""
    asked, below, above = told_apart([entry.asked, *(side.protection.by(by) for side in entry.sides)], by)
    sides = (make_mechanism(side.name, side.epsilon, side.distribution.shape[0]) for side in entry.sides)
    return (
        f"{entry.name} cannot match DAM here. DAM’s {_NOUNS[by]} is {asked}. At ε′ = {entry.epsilon:.4g} per cell "
        f"{what_changes(entry.name, *sides)}, and its {_NOUNS[by]} jumps from {below} to {above}, past DAM’s. Both "
        "sides are shown: just below the jump it protects more than DAM, just above it less."
    )


def what_changes(name: str, below: Mechanism, above: Mechanism) -> str:
    """Why there is a jump between two mechanisms with this name: a whole number that the mechanism sets for itself and
    that cannot change by less than one."""
    changes = [
        f"“{parameter.label.lower()}” goes from {below.settings[parameter.name]} to {above.settings[parameter.name]}"
        for parameter in below.parameters
        if below.settings[parameter.name] != above.settings[parameter.name]
    ]
    return f"{name}’s setting {' and '.join(changes)}" if changes else f"{name} changes abruptly"


_NOUNS = {
    LOCAL_PRIVACY: "local privacy",
    BEST_GUESS: "best-guess distance",
    HIT_RATE: "hit rate",
    WORST_CASE: "worst-case loss",
}


def winner_sentence(scores: Sequence[Score], side: float | None) -> str:
    """Who has the least error, if that holds on both sides of every jump; `side` of a cell in metres, or None."""
    if len(scores) < 2:
        return ""

    def error(entry: Score) -> str:
        return f"{entry.mean:.3f} cells" + ("" if side is None else f" ({metres(entry.mean * side)})")

    def errors(entry: Score) -> str:
        return " below and ".join(map(error, entry.sides)) + (" above the jump" if entry.beyond else "")

    winner = best(scores)
    by_name = {entry.name: entry for entry in scores}
    if winner is None:
        first, *others = (by_name[name] for name in contenders(scores))
        listed = "; ".join(f"{entry.name} has {errors(entry)}" for entry in (first, *others))
        return f"No winner: it depends on the side of the jump ({listed})."
    won = by_name[winner]
    names = alike(scores)
    rivals = [entry for entry in scores if entry.name not in names]
    both = " on both sides of the jump" if any(entry.beyond for entry in scores) else ""
    least = f"Least error{both}: {' and '.join(names)}, {errors(won)}"
    if not rivals:
        return f"{least}: here they are one and the same mechanism."
    # Who comes next may depend on the side of a jump, too.
    following = [by_name[name] for name in contenders(rivals)]
    listed = " and ".join(f"{entry.name} with {errors(entry)}" for entry in following)
    overlap = any(_overlap(won, entry) for entry in following)
    return f"{least}; next {'is' if len(following) == 1 else 'are'} {listed}." + (
        " Their intervals overlap: they cannot be told apart yet." if overlap else ""
    )


def _overlap(first: Score, second: Score) -> bool:
    return any(
        one.mean + (one.half_width or 0) >= other.mean - (other.half_width or 0)
        for one in first.sides
        for other in second.sides
    )
