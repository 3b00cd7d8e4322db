"""Answers as sentences that can be read aloud. Plain text: the pages and the printable report format it."""

from __future__ import annotations

import math

from spatialldp.experiments.plan import MapError, Plan
from spatialldp.formatting import length, percent
from spatialldp.mechanisms import MECHANISMS
from spatialldp.planning.decision import Assessment, Decision
from spatialldp.planning.searches import EPSILONS, FINEST_GRID, USERS, GridAnswer, UsersAnswer
from spatialldp.privacy import RepeatedRisk


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


def error_sentence(error: MapError) -> str:
    """What to expect of the map."""
    plan, unit = error.plan, error.unit
    sure = "" if math.isinf(error.half_width) else f", give or take {length(error.half_width, unit)}"
    return (
        f"If {error.users:,} people each send one report, randomised on their own device by {plan.mechanism} with "
        f"{budget_words(plan, error)}, a map of {plan.d} × {plan.d} cells will be off by about "
        f"{length(error.total, unit)}{sure}: {length(error.transport, unit)} from the randomisation and "
        f"{length(error.cell, unit)} from the size of the cells."
    )


def risk_sentence(risk: RepeatedRisk, side: float, unit: str) -> str:
    """What an attacker makes of it."""
    named, before = in_cases(risk.hit_rate, risk.prior_hit_rate)
    seen = "one person's report" if risk.reports == 1 else f"{risk.reports} reports of one person about one place"
    return (
        f"Somebody who knows where people usually are and sees {seen} will name the right cell "
        f"{named} (without a report: {before}), and their best guess "
        f"will be off by {length(risk.guess_distance * side, unit)} on average "
        f"(without a report: {length(risk.prior_distance * side, unit)})."
    )


def decision_sentence(decision: Decision) -> str:
    """The smallest ε for an accepted error, or that there is none."""
    best = decision.best
    error, unit = best.error, best.error.unit
    wanted = length(best.target, unit)
    if not best.met:
        return (
            f"No ε up to {EPSILONS[-1]:g} keeps the error within {wanted} with these {error.users:,} people: on the "
            f"current grid of {error.plan.d} × {error.plan.d} cells even ε = {error.plan.epsilon:g} leaves "
            f"{length(error.total, unit)}. Accept a larger error, ask more people, or choose a smaller area."
        )
    sentence = (
        f"To stay within {wanted}, choose ε = {best.epsilon:g} and a map of {error.plan.d} × {error.plan.d} cells: the "
        f"error will be about {length(error.total, unit)} and, with 95 % confidence, on average no more than "
        f"{length(error.high, unit)}."
    )
    if best is decision.here:
        return sentence
    if decision.here.met:
        d = decision.here.error.plan.d
        return f"{sentence} On the current grid of {d} × {d} cells it would take ε = {decision.here.epsilon:g}."
    d = decision.here.error.plan.d
    return f"{sentence} On the current grid of {d} × {d} cells no ε up to {EPSILONS[-1]:g} is enough."


def uncertainty_sentence(decision: Decision) -> str:
    """How sure the ε is."""
    best = decision.best
    if not best.met:
        return ""
    repeats = best.error.w2_cells.size
    useful = (
        " on a grid where the error from the randomisation is at most one cell" if best is decision.anywhere else ""
    )
    parts = [
        f"The ε is the smallest in steps of 0.05 whose upper 95 % bound over {repeats} simulated collections meets the "
        f"target{useful}."
    ]
    if best.perhaps_from is not None and best.perhaps_from < best.epsilon:
        parts.append(
            f"Any ε from {best.perhaps_from:g} on may already do; these repeats cannot decide, more of them could."
        )
    if best.unsteady:
        parts.append("A slightly larger ε missed the target by chance: take the answer as approximate.")
    one = best.error.total + best.error.one_collection
    parts.append(f"A single collection may by chance be off by up to {length(one, best.error.unit)} (95 %).")
    return " ".join(parts)


def offer_sentence(answer: GridAnswer) -> str:
    """The finest useful grid at an offered ε."""
    error = answer.error
    more = "or more, the finest tried, " if answer.at_the_end else ""
    return (
        f"At this ε the finest grid that is still useful has {answer.d} × {answer.d} cells {more}of "
        f"{length(error.side, error.unit)}: there the error is about {length(error.total, error.unit)}. Useful means: "
        "the error from the randomisation is no more than one cell, and no more than half that of a blind guess, "
        f"both with 95 % confidence (grids up to {FINEST_GRID} × {FINEST_GRID} are tried)."
    )


def users_sentence(answer: UsersAnswer, plan: Plan, unit: str) -> str:
    """How many people the target needs."""
    wanted = length(answer.target, unit)
    grid = f"{plan.d} × {plan.d} cells"
    if answer.error is None:
        return f"With {grid} no number of people is enough for {wanted}: the cells alone hide more. Use smaller cells."
    setting = f"With ε = {plan.epsilon:g} and {grid}"
    if not answer.met:
        return (
            f"{setting} even {USERS[-1]:,} people would leave an error of "
            f"{length(answer.error.total, unit)}, more than {wanted}."
        )
    few = "at most " if answer.error.users == USERS[0] else "about "
    return f"{setting}, {wanted} needs {few}{answer.error.users:,} people."


def recommendation(assessment: Assessment, decision: Decision | None) -> str:
    """The sentence to read aloud: what to choose or expect, and what a person then risks."""
    if decision is None:
        error = assessment.error
        return f"{error_sentence(error)} {risk_sentence(assessment.one, error.side, error.unit)}"
    best = decision.best
    if not best.met:
        return decision_sentence(decision)
    return f"{decision_sentence(decision)} {risk_sentence(decision.risk, best.error.side, best.error.unit)}"


def scenario_rows(before: Assessment, after: Assessment) -> list[tuple[str, str, str, str]]:
    """Two plans side by side: what is compared, the first, the second, and the difference where one can be given."""

    def lengths(name: str, one: float, other: float) -> tuple[str, str, str, str]:
        unit = after.error.unit
        sign = "+" if other >= one else "−"
        return name, length(one, unit), length(other, unit), f"{sign}{length(abs(other - one), unit)}"

    def shares(name: str, one: float, other: float) -> tuple[str, str, str, str]:
        return name, percent(one, digits=1), percent(other, digits=1), f"{(other - one) * 100:+.1f} points"

    def plain(name: str, one: object, other: object) -> tuple[str, str, str, str]:
        return name, str(one), str(other), "" if str(one) == str(other) else "changed"

    a, b = before.error, after.error
    many = after.many.reports
    rows = [
        plain("Mechanism", a.plan.mechanism, b.plan.mechanism),
        plain("Privacy budget", budget_words(a.plan, a), budget_words(b.plan, b)),
        plain("Cells", f"{a.plan.d} × {a.plan.d}", f"{b.plan.d} × {b.plan.d}"),
        plain("People", f"{a.users:,}", f"{b.users:,}"),
        lengths("Error: randomisation (W2)", a.transport, b.transport),
        lengths("Error: size of the cells", a.cell, b.cell),
        lengths("Error: both", a.total, b.total),
        shares("Attacker names the right cell, one report", before.one.hit_rate, after.one.hit_rate),
        lengths(
            "Attacker is off by, one report", before.one.guess_distance * a.side, after.one.guess_distance * b.side
        ),
    ]
    if many > 1:
        rows.append(shares(f"Attacker names the right cell, {many} reports", before.many.hit_rate, after.many.hit_rate))
    return rows
