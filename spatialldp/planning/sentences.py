"""Answers as sentences that can be read aloud. Plain text: the pages and the printable report format it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from spatialldp.experiments import defaults
from spatialldp.experiments.map_error import COUNTS, MapError, fineness
from spatialldp.experiments.plan import Plan
from spatialldp.formatting import added_up, length, length_range, percent
from spatialldp.mechanisms import MECHANISMS
from spatialldp.planning.decision import Assessment, Decision
from spatialldp.planning.searches import AS_GOOD, USERS, UsersAnswer, grids_for
from spatialldp.privacy import RepeatedRisk

#: Of the sentence that is read aloud.
MOST_WORDS = 40


def in_cases(share: float, before: float) -> tuple[str, str]:
    """Two probabilities as people say them, both out of one number of cases that is large enough to tell them apart."""
    cases = next((cases for cases in (100, 1_000, 10_000) if before * cases >= 5), 100_000)
    return f"in {share * cases:,.0f} of {cases:,} cases", f"in {before * cases:,.0f}"


def budget_words(plan: Plan, error: MapError) -> str:
    """ε as the plan means it: for Geo-I it is another number, per cell, and equal by one ruler only."""
    if MECHANISMS[plan.mechanism].notion != "Geo-I":
        return f"ε = {plan.epsilon:g}"
    if not plan.calibrated:
        return f"ε = {plan.epsilon:g} per cell"
    as_dam = f"DAM at ε = {plan.epsilon:g}, by {plan.by}"
    meaning = (
        f"more than {as_dam}; it cannot be set to protect exactly as much" if error.jumped else f"as much as {as_dam}"
    )
    return f"ε′ = {error.epsilon_used:.3g} per cell (protects {meaning})"


def setting_words(plan: Plan) -> str:
    """ε of a plan in a few words, with the mechanism where it is not the usual one."""
    words = f"ε = {plan.epsilon:g}"
    if MECHANISMS[plan.mechanism].notion == "Geo-I":
        return f"{plan.mechanism} " + (
            f"protecting like DAM at {words}" if plan.calibrated else f"with {words} per cell"
        )
    return words if plan.mechanism == defaults.MECHANISM else f"{plan.mechanism} with {words}"


def grid_words(plan: Plan) -> str:
    """The grid of a plan: "12 × 12 cells"."""
    return "a single cell" if plan.d == 1 else f"{plan.d} × {plan.d} cells"


def off_by(error: MapError) -> str:
    """What the error of a map means: "the map will be off by about 483 m"."""
    if error.purpose == COUNTS:
        return f"counts in areas will be off by about {error.mean:.3g} people {error.unit}"
    return f"the map will be off by about {length(error.mean, error.unit)}"


def recommendation(decision: Decision, assessment: Assessment | None) -> str:
    """The sentence to read aloud: what to choose, what to expect, and what a person then risks. At most 40 words.

    `assessment` is that of the recommended plan; without it nothing is said of the risk.
    """
    plan, error = decision.plan, decision.error
    wanted = length(decision.target or 0.0, error.unit)
    if not decision.met:
        # What the cells alone cost, more people cannot repair.
        people = "ask more people, " if error.cell < (decision.target or 0.0) else ""
        return (
            f"No ε up to {plan.epsilon:g} keeps the error within {wanted}: {grid_words(plan)} still leave "
            f"{length(error.mean, error.unit)}. Accept a larger error, {people}or choose a smaller area."
        )
    guess = math.inf if assessment is None else assessment.baselines.uniform_guess
    if decision.target is not None and guess <= decision.target:
        return (
            f"No report is needed to stay within {wanted}: a blind guess is off by {length(guess, error.unit)}. With "
            f"{setting_words(plan)} on {grid_words(plan)}: about {length(error.mean, error.unit)}."
        )
    if decision.target is None:
        choice = f"With {setting_words(plan)}, choose {grid_words(plan)}"
    else:
        choice = f"To stay within {wanted}, choose {setting_words(plan)} on {grid_words(plan)}"
    said = f"{choice}: {off_by(error)}."
    if assessment is None:
        return said
    risk = assessment.many
    named, before = in_cases(risk.hit_rate, risk.prior_hit_rate)
    one = risk.reports == 1
    seen = f"{'One report gives' if one else f'{risk.reports} reports of one person give'} away the right cell {named}"
    reveals = f"{'One report reveals' if one else f'{risk.reports} reports reveal'} the cell"
    off = f"{'counts are' if error.purpose == COUNTS else 'the map is'} off by about {length(error.mean, error.unit)}"
    # A share says nothing without what it was before: an attacker who knows the map is often right anyway.
    known = f"(before: {before.removeprefix('in ')})"
    # From what says most to what is shortest.
    forms = (
        f"{said} {seen} {known}.",
        f"{said} {reveals} {named} {known}.",
        f"{choice}: {off}. {reveals} {named} {known}.",
        f"{choice}: {off}. {reveals}: {100 * risk.hit_rate:.2g}% (before: {100 * risk.prior_hit_rate:.2g}%).",
    )
    return next((form for form in forms if len(form.split()) <= MOST_WORDS), forms[-1])


def parts_sentence(error: MapError) -> str:
    """Where the error comes from; the numbers add up as printed."""
    if not error.knows_cell_part:
        return f"{length(error.mean, error.unit)}; the part from cell size is not measured on cells this small."
    total, cell, noise = added_up(error.mean, error.cell, error.unit)
    return f"{total} = {cell} from cell size + {noise} from the randomisation."


def parts_in_words(error: MapError) -> tuple[str, str, str]:
    """The error, its part from cell size and the rest, as texts that add up; "–" for parts that are not known."""
    if error.knows_cell_part:
        return added_up(error.mean, error.cell, error.unit)
    return length(error.mean, error.unit), "–", "–"


def error_details(error: MapError) -> list[str]:
    """How the error of a plan was measured, and how sure it is."""
    plan, unit, number = error.plan, error.unit, error.values.size
    said = [
        f"{_error_of(error)} with {plan.mechanism} at {budget_words(plan, error)} on {grid_words(plan)}, "
        f"{error.users:,} people: {parts_sentence(error)}"
    ]
    if number > 1:
        said.append(
            f"It is the mean of {number} simulated collections, ± {length(error.half_width, unit)} with 95% "
            f"confidence; a single one may by chance be off by up to {length(error.mean + error.one_collection, unit)}."
        )
    if error.purpose == COUNTS:
        said.append(
            "It is the mean error of the number of people in a square 0.3 times as wide as the map, wherever it lies."
        )
        return said
    fine = plan.d * fineness(plan.d)
    if not error.knows_cell_part:
        said.append(
            "On a grid this fine, people are counted on the cells of the map itself, so the part from cell size is not "
            f"measured; it is less than the {length(error.side, unit)} of a cell."
        )
    elif abs(error.overstated) >= 0.005 * error.mean:
        larger = "larger" if error.overstated > 0 else "smaller"
        said.append(
            f"People are counted on a fine grid of {fine} × {fine}, which makes the error about "
            f"{length(abs(error.overstated), unit)} {larger} than exact locations would."
        )
    return said


def decision_details(decision: Decision) -> list[str]:
    """How the recommended plan was found, and how sure it is."""
    error, plan, target = decision.error, decision.plan, decision.target
    coarser = f"Among grids within {100 * (AS_GOOD - 1):.0f}% of the best, the coarsest is chosen."
    said = error_details(error)
    if target is None:
        return [*said, f"It is the best of the grids tried at this ε ({_listed(grids_for(plan))} per side). {coarser}"]
    wanted = length(target, error.unit)
    if not decision.met:
        return said
    if decision.below is None:
        said.append(f"ε = {plan.epsilon:g} is the smallest that is tried.")
    else:
        below = decision.below
        short = "which is too much" if below.low > target else "too close to the limit to be sure"
        said.append(
            f"ε = {plan.epsilon:g} is the smallest that keeps the mean within {wanted} with 95% confidence: at "
            f"ε = {below.plan.epsilon:g} it is {length(below.mean, error.unit)} ± "
            f"{length(below.half_width, error.unit)}, {short}."
        )
    return [*said, f"Grids tried: {_listed(grids_for(plan))} per side. {coarser}"]


def guess_off_by(cells: float, side: float, unit: str, standard_error: float = 0.0) -> str:
    """How far a guess is from the person, as a length between the centres of cells.

    A guess that hardly ever misses the cell is not 0 m off: the person may be anywhere in it, 0.38 sides from its
    centre on average.
    """
    return f"under {length(side / 2, unit)}" if cells < 0.1 else length(cells * side, unit, standard_error * side)


def _listed(grids: Sequence[int]) -> str:
    return f"{', '.join(map(str, grids[:-1]))} and {grids[-1]} cells" if len(grids) > 1 else f"{grids[0]} cells"


def risk_sentence(risk: RepeatedRisk, side: float, unit: str) -> str:
    """What an attacker makes of it."""
    named, before = in_cases(risk.hit_rate, risk.prior_hit_rate)
    seen = "one person's report" if risk.reports == 1 else f"{risk.reports} reports of one person about one place"
    return (
        f"An attacker who knows where people usually are and sees {seen} will name the right cell "
        f"{named} (without a report: {before}), and their best guess "
        f"will be off by {guess_off_by(risk.guess_distance, side, unit)} on average "
        f"(without a report: {guess_off_by(risk.prior_distance, side, unit)})."
    )


def users_sentence(answer: UsersAnswer, plan: Plan, unit: str) -> str:
    """How many people the target needs with a plan's ε and grid."""
    wanted = length(answer.target, unit)
    if answer.error is None:
        return (
            f"With {grid_words(plan)}, no number of people is enough for {wanted}: the cells alone cost more than "
            "that. Use smaller cells or choose a smaller area."
        )
    setting = f"With {setting_words(plan)} and {grid_words(plan)}"
    if not answer.met:
        return (
            f"{setting}, not even {answer.error.users:,} people would keep the error within {wanted} with 95% "
            f"confidence: its mean would be {length(answer.error.mean, unit)}."
        )
    few = "at most " if answer.error.users == USERS[0] else "about "
    return f"{setting}, staying within {wanted} takes {few}{answer.error.users:,} people."


def comparison_rows(plans: Sequence[Assessment]) -> list[list[str]]:
    """Plans side by side: each row says what is compared, and the value of each plan in their order."""
    errors = [plan.error for plan in plans]
    printed = [parts_in_words(error) for error in errors]
    most = max(plan.many.reports for plan in plans)

    def off_by(cells: Callable[[Assessment], float]) -> Iterator[str]:
        return (guess_off_by(cells(plan), plan.error.side, plan.error.length_unit) for plan in plans)

    rows = [
        ["Mechanism", *(error.plan.mechanism for error in errors)],
        ["Privacy budget", *(budget_words(error.plan, error) for error in errors)],
        ["Cells", *(f"{error.plan.d} × {error.plan.d}" for error in errors)],
        ["Side of a cell", *(length(error.side, error.length_unit) for error in errors)],
        ["People", *(f"{error.users:,}" for error in errors)],
        [f"{_error_of(errors[0])}, mean", *(total for total, _, _ in printed)],
        ["… its 95% interval", *(_interval(error) for error in errors)],
        ["… from cell size", *(cell for _, cell, _ in printed)],
        ["… from the randomisation", *(noise for _, _, noise in printed)],
        ["W2 between grids, mean", *(_w2(error) for error in errors)],
        ["Right cell named without a report", *(percent(plan.one.prior_hit_rate, digits=1) for plan in plans)],
        ["Right cell named after one report", *(percent(plan.one.hit_rate, digits=1) for plan in plans)],
    ]
    if most > 1:
        rows.append(
            [f"Right cell named after {most} reports", *(percent(plan.many.hit_rate, digits=1) for plan in plans)]
        )
    return [
        *rows,
        ["Attacker’s average error without a report", *off_by(lambda plan: plan.one.prior_distance)],
        ["Attacker’s average error, one report", *off_by(lambda plan: plan.one.guess_distance)],
    ]


def _error_of(error: MapError) -> str:
    return "Error of counts" if error.purpose == COUNTS else "Error of the map"


def _interval(error: MapError) -> str:
    return "–" if math.isinf(error.half_width) else length_range(error.low, error.high, error.unit)


def _w2(error: MapError) -> str:
    return "–" if math.isnan(error.w2) else length(error.w2, error.length_unit)
