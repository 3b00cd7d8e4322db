"""Protection in words: what each ruler reads, where no ε′ is equal, and who wins on both sides. Plain text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from spatialldp import _validation as validate
from spatialldp.experiments.run import make_mechanism
from spatialldp.experiments.scores import Score, alike, contenders, wholly_better
from spatialldp.experiments.usefulness import HOT_SPOTS, RANGE_ERROR, USEFULNESS, W2
from spatialldp.formatting import STANDARD_ERRORS_95, digits_of_percent, metres, percent, times
from spatialldp.mechanisms import Mechanism
from spatialldp.privacy import MEASURES, Measured, Protection
from spatialldp.privacy.protection import BEST_GUESS, HIT_RATE, LOCAL_PRIVACY, WORST_CASE

BELOW, ABOVE = "just below the jump", "just above the jump"


@validate.takes(value=Measured)
def cells(value: Measured, more_digits: int = 0) -> str:
    """A number of cells in words.

    Args:
        value: with its standard error.
        more_digits: beyond the usual ones.

    Returns:
        The number, ± 1.96 standard errors where it is simulated and they can be seen.

    Example:
        >>> from spatialldp.experiments.comparison_sentences import cells
        >>> from spatialldp.privacy import Measured
        >>> cells(Measured(5.158, 0.0)), cells(Measured(176.4, 1.2))
        ('5.16 cells', '176 ± 2 cells')
    """
    digits = (2 if value.value < 20 else 0) + _checked(more_digits)
    spread = f"{STANDARD_ERRORS_95 * value.standard_error:.{digits}f}"
    return f"{value.value:,.{digits}f}" + (f" ± {spread}" if float(spread) > 0 else "") + " cells"


@validate.takes(value=Measured)
def share(value: Measured, more_digits: int = 0) -> str:
    """A probability in words.

    Args:
        value: with its standard error.
        more_digits: beyond the usual ones.

    Returns:
        Percent, ± 1.96 standard errors where it is simulated and they can be seen.

    Example:
        >>> from spatialldp.experiments.comparison_sentences import share
        >>> from spatialldp.privacy import Measured
        >>> share(Measured(0.0412, 0.0)), share(Measured(0.263, 0.004))
        ('4.1%', '26.3% ± 0.8%')
    """
    return percent(value.value, value.standard_error, digits_of_percent(value.value) + _checked(more_digits))


def loss(value: float, more_digits: int = 0) -> str:
    """A privacy loss in words.

    Args:
        value: the loss.
        more_digits: beyond the usual three.

    Returns:
        The loss, and how many times likelier a report may then be from one place than from another.

    Example:
        >>> from spatialldp.experiments.comparison_sentences import loss
        >>> loss(3.5), loss(float("inf"))
        ('3.5 (33 times)', 'unlimited')
    """
    if isinstance(value, float) and value == math.inf:
        return "unlimited"
    value = validate.real_number("value", value, above=-1.0)
    return f"{value:.{3 + _checked(more_digits)}g} ({times(value)} times)"


def _checked(more_digits: int) -> int:
    return validate.whole_number("more_digits", more_digits, 0, 20)


@validate.takes(value=Measured)
def reading(value: Measured, by: str, more_digits: int = 0) -> str:
    """What a ruler reads, with its unit.

    Args:
        value: with its standard error.
        by: the ruler, one of `spatialldp.privacy.MEASURES`.
        more_digits: beyond the usual ones.

    Returns:
        A number of cells, a percentage or a privacy loss, in words.

    Example:
        >>> from spatialldp.experiments.comparison_sentences import reading
        >>> from spatialldp.privacy import Measured
        >>> reading(Measured(0.25, 0.0), "hit rate"), reading(Measured(0.25, 0.0), "local privacy")
        ('25.0%', '0.25 cells')
    """
    if validate.one_of("by", by, tuple(MEASURES)) == HIT_RATE:
        return share(value, more_digits)
    return loss(value.value, more_digits) if by == WORST_CASE else cells(value, more_digits)


@validate.takes(values=[Measured])
def told_apart(values: Sequence[Measured], by: str) -> list[str]:
    """What a ruler reads of several, with as many digits as it takes to tell them apart.

    Args:
        values: with their standard errors.
        by: the ruler, one of `spatialldp.privacy.MEASURES`.

    Returns:
        One text per value.

    Example:
        >>> from spatialldp.experiments.comparison_sentences import told_apart
        >>> from spatialldp.privacy import Measured
        >>> told_apart([Measured(2.161, 0.0), Measured(2.164, 0.0)], "local privacy")
        ['2.161 cells', '2.164 cells']
    """
    for more_digits in range(3):
        texts = [reading(value, by, more_digits) for value in values]
        if len({text.split(" ")[0] for text in texts}) == len(texts):
            break
    return texts


@validate.takes(hidden=Protection)
def figures(hidden: Protection) -> dict[str, str]:
    """The five figures that always stand beside "equal".

    Args:
        hidden: what one report hides.

    Returns:
        Texts by label.

    Example:
        >>> from spatialldp import DAM
        >>> from spatialldp.experiments.comparison_sentences import figures
        >>> from spatialldp.privacy import protection
        >>> for label, text in figures(protection(DAM(epsilon=3.5, d=15))).items():
        ...     print(f"{label}: {text}")
        Local privacy: 5.16 cells
        Best guess off by: 3.59 cells
        Right cell named: 4.1%
        95% region: 176 cells
        Worst case: 3.5 (33 times)
    """
    return {
        "Local privacy": cells(hidden.local_privacy),
        "Best guess off by": cells(hidden.guess_distance),
        "Right cell named": share(hidden.hit_rate),
        "95% region": cells(hidden.credible_cells),
        "Worst case": loss(hidden.worst_case),
    }


@validate.takes(entry=Score, of=Score)
def side_name(entry: Score, of: Score) -> str:
    """Which side of a jump a score is.

    Args:
        entry: the score of one side.
        of: the score of the mechanism, which has both sides.

    Returns:
        "just below the jump" or "just above the jump"; empty where there is no jump.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments import score
        >>> from spatialldp.experiments.comparison_sentences import side_name
        >>> found = score(np.arange(25).reshape(5, 5) * 40, "SEM-Geo-I", 2.2, seed=4, repeats=2)
        >>> [side_name(side, found) for side in found.sides]
        ['just below the jump', 'just above the jump']
    """
    return "" if of.beyond is None else BELOW if entry is of else ABOVE


@validate.takes(entry=Score, by=str)
def jump_sentence(entry: Score, by: str) -> str:
    """Why two results are shown for one mechanism.

    Args:
        entry: its score.
        by: the ruler, one of `spatialldp.privacy.MEASURES`.

    Returns:
        A few sentences; empty where it protects as much as required.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments import score
        >>> from spatialldp.experiments.comparison_sentences import jump_sentence
        >>> found = score(np.arange(25).reshape(5, 5) * 40, "SEM-Geo-I", 2.2, seed=4, repeats=2)
        >>> print(jump_sentence(found, "local privacy").split(". ")[1])
        DAM’s local privacy is 2.16 cells
    """
    if entry.beyond is None or entry.asked is None:
        return ""
    asked, below, above = told_apart([entry.asked, *(side.protection.by(by) for side in entry.sides)], by)
    sides = (make_mechanism(side.name, side.epsilon, side.distribution.shape[0]) for side in entry.sides)
    return (
        f"{entry.name} cannot match DAM here. DAM’s {_NOUNS[by]} is {asked}. At ε′ = {entry.epsilon:.4g} per cell "
        f"{what_changes(entry.name, *sides)}, and its {_NOUNS[by]} jumps from {below} to {above}, past DAM’s. Both "
        "sides are shown: just below the jump it protects more than DAM, just above it less."
    )


@validate.takes(name=str, below=Mechanism, above=Mechanism)
def what_changes(name: str, below: Mechanism, above: Mechanism) -> str:
    """Why there is a jump: a whole number that a mechanism sets for itself and that cannot change by less than one.

    Args:
        name: of the mechanism.
        below: the mechanism just below the jump.
        above: the mechanism just above it.

    Returns:
        Half a sentence.

    Example:
        >>> from spatialldp import SEMGeoI
        >>> from spatialldp.experiments.comparison_sentences import what_changes
        >>> what_changes("SEM-Geo-I", SEMGeoI(epsilon=1.1, d=5), SEMGeoI(epsilon=1.3, d=5))
        'SEM-Geo-I’s setting “cells named k” goes from 2 to 1'
    """
    changes = [
        f"“{parameter.label.lower()}” goes from {below.settings[parameter.name]} to {above.settings[parameter.name]}"
        for parameter in below.parameters
        if below.settings[parameter.name] != above.settings[parameter.name]
    ]
    return f"{name}’s setting {' and '.join(changes)}" if changes else f"{name} changes abruptly"


_NOUNS = {
    LOCAL_PRIVACY: "local privacy",
    BEST_GUESS: "best-guess distance",
    HIT_RATE: "rate of naming the right cell",
    WORST_CASE: "worst-case loss",
}


@validate.takes(entry=Score)
def result(entry: Score, side: float | None, measure: str = W2) -> str:
    """How useful a mechanism's maps are on average, in words.

    Args:
        entry: its score; of a jump, that side alone.
        side: of a cell, in metres; None where the map has none.
        measure: one of `spatialldp.experiments.USEFULNESS`.

    Returns:
        The mean with its unit.

    Raises:
        ValueError: there is no such measure, or the side is not a number above 0.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments import USEFULNESS, score
        >>> from spatialldp.experiments.comparison_sentences import result
        >>> found = score(np.arange(25).reshape(5, 5) * 40, "DAM", 3.5, seed=4, repeats=3)
        >>> [result(found, side=100.0, measure=measure) for measure in USEFULNESS]
        ['0.251 cells (25 m)', '5.2 people per 1,000', '3.67 of 5']
    """
    side = None if side is None else validate.real_number("side", side, above=0.0)
    mean = entry.mean_of(measure)
    if measure == RANGE_ERROR:
        return f"{1000 * mean:.1f} people per 1,000"
    if measure == HOT_SPOTS:
        return f"{mean:.3g} of {entry.usefulness.hottest}"
    return f"{mean:.3f} cells" + ("" if side is None else f" ({metres(mean * side)})")


@validate.takes(entry=Score)
def with_interval(entry: Score, measure: str = W2) -> str:
    """The mean of a mechanism with its 95% interval.

    Args:
        entry: its score; of a jump, that side alone.
        measure: one of `spatialldp.experiments.USEFULNESS`.

    Returns:
        The mean ± half the interval, with the unit; the mean alone after a single repeat.

    Raises:
        ValueError: there is no such measure.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments import USEFULNESS, score
        >>> from spatialldp.experiments.comparison_sentences import with_interval
        >>> found = score(np.arange(25).reshape(5, 5) * 40, "DAM", 3.5, seed=4, repeats=3)
        >>> [with_interval(found, measure) for measure in USEFULNESS]
        ['0.251 ± 0.041 cells', '5.2 ± 3.2 people per 1,000', '3.7 ± 1.4 of 5']
    """
    mean, half = entry.mean_of(measure), entry.half_width_of(measure)
    factor, digits, unit = {
        W2: (1, 3, "cells"),
        RANGE_ERROR: (1000, 1, "people per 1,000"),
        HOT_SPOTS: (1, 1, f"of {entry.usefulness.hottest}"),
    }[measure]
    interval = "" if half is None else f" ± {half * factor:.{digits}f}"
    return f"{mean * factor:.{digits}f}{interval} {unit}"


#: What the best one has.
_VICTORY = {W2: "least error", RANGE_ERROR: "least range error", HOT_SPOTS: "most top cells recovered"}


@validate.takes(scores=[Score])
def winner_sentence(scores: Sequence[Score], side: float | None, measure: str = W2) -> str:
    """Who is best, if the 95% intervals say so on both sides of every jump, or who is tied.

    Args:
        scores: of the mechanisms compared.
        side: of a cell, in metres; None where the map has none.
        measure: one of `spatialldp.experiments.USEFULNESS`.

    Returns:
        A sentence or two; empty for fewer than two scores.

    Raises:
        ValueError: there is no such measure, or the side is not a number above 0.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments import compare
        >>> from spatialldp.experiments.comparison_sentences import winner_sentence
        >>> scores = list(compare(np.arange(25).reshape(5, 5) * 40, ["DAM", "MDSW"], 3.5, seed=4, repeats=5))
        >>> print(winner_sentence(scores, side=None))
        Least error: DAM, 0.241 cells; next is MDSW with 0.359 cells.
        >>> print(winner_sentence(scores, side=None, measure="hot spots"))
        Tied for most top cells recovered: MDSW with 4 of 5 and DAM with 3.8 of 5. Their 95% intervals overlap: more \
repeats may tell them apart.
    """
    validate.one_of("measure", measure, USEFULNESS)
    side = None if side is None else validate.real_number("side", side, above=0.0)
    if len(scores) < 2:
        return ""

    def results(entry: Score) -> str:
        return " below and ".join(result(one, side, measure) for one in entry.sides) + (
            " above the jump" if entry.beyond else ""
        )

    victory = _VICTORY[measure].capitalize()
    by_name = {entry.name: entry for entry in scores}
    possible = [by_name[name] for name in contenders(scores, measure)]
    if any(one.w2_cells.size < 2 for entry in scores for one in entry.sides):
        lead = results(possible[0])
        leaders = _enumerated([entry.name for entry in possible if results(entry) == lead])
        return f"{victory} in this draw: {leaders}, {lead}. One draw cannot tell which is best: raise the repeats."
    names = alike(scores, measure)
    if not names:
        listed = _enumerated([f"{entry.name} with {results(entry)}" for entry in possible])
        return f"Tied for {_VICTORY[measure]}: {listed}. {_why_tied(possible, measure)}"
    rivals = [entry for entry in scores if entry.name not in names]
    both = " on both sides of the jump" if any(entry.beyond for entry in scores) else ""
    best_of_all = f"{victory}{both}: {_enumerated(names)}, {results(by_name[names[0]])}"
    if not rivals:
        return f"{best_of_all}: here they are one and the same mechanism."
    # Who comes next may not be clear either.
    following = [by_name[name] for name in contenders(rivals, measure)]
    listed = _enumerated([f"{entry.name} with {results(entry)}" for entry in following])
    return f"{best_of_all}; next {'is' if len(following) == 1 else 'are'} {listed}."


def _why_tied(tied: Sequence[Score], measure: str) -> str:
    """A jump that more repeats do not close, or intervals that they narrow."""
    leader, *others = tied
    sides = [(one, other) for entry in others for one in leader.sides for other in entry.sides]
    if any(wholly_better(replace(other, beyond=None), replace(one, beyond=None), measure) for one, other in sides):
        return "Which is better depends on the side of the jump."
    return "Their 95% intervals overlap: more repeats may tell them apart."


def _enumerated(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
