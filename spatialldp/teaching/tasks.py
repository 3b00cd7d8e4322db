"""What a class works out on paper: tasks for every step, each with its answer, about the class's own settings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from spatialldp.experiments.comparison_sentences import result
from spatialldp.formatting import counted, times
from spatialldp.teaching.again import MOST, SHOWN
from spatialldp.teaching.findings import Findings
from spatialldp.teaching.losses import NO_DISTANCE, reference_distances, times_at
from spatialldp.teaching.pictures import budget_of
from spatialldp.teaching.reports import own_cell_named
from spatialldp.teaching.ruler import RULERS, SHORT_NAMES, Verdict, naming_share, verdict
from spatialldp.teaching.scene import REFERENCE
from spatialldp.teaching.wording import as_many_times, in_percent, listed, people, per_cell


class Task(NamedTuple):
    """A task on a worksheet.

    Attributes:
        question: what is to be done, in Markdown.
        answer: for the key, in Markdown.
        lines: how many lines to write on there are.
    """

    question: str
    answer: str
    lines: int


def tasks(found: Findings, step: int) -> list[Task]:
    """The tasks of a step, from 1; the last one is the question for the class."""
    made = {1: _leaves, 2: _concludes, 3: _distance, 4: _ruler, 5: _city, 6: _again}[step](found)
    words = found.text(step)
    return [*made, Task(words.question, words.answer, 4)]


def _leaves(found: Findings) -> list[Task]:
    scene, cells = found.scene, counted(found.scene.mechanisms[REFERENCE].n_outputs, "cell")
    shares = {name: own_cell_named(scene, name) for name in scene.mechanisms}
    reached = "on the map or just beyond its edge" if scene.mechanisms[REFERENCE].reports_outside else "of the map"
    return [
        Task(
            "Read the table. Under which mechanism do reports name her own cell most often, under which least often?",
            _most_and_least(shares),
            2,
        ),
        Task(
            f"A report of {REFERENCE} names one of {cells} {reached}. How often would it name her own cell if it were "
            f"drawn blindly, every cell alike? Compare that with {REFERENCE}.",
            _against_blind(shares[REFERENCE], scene.mechanisms[REFERENCE].n_outputs, scene.d),
            2,
        ),
        Task(
            f"{REFERENCE} promises that no report is more than e^ε times likelier from one cell than from another. How "
            f"many times is that at ε = {scene.epsilon:g}, and how many at half that ε?",
            f"e^{scene.epsilon:g} = {times(scene.epsilon)}; e^{scene.epsilon / 2:g} = {times(scene.epsilon / 2)}, its "
            "square root.",
            2,
        ),
    ]


def _most_and_least(shares: Mapping[str, float]) -> str:
    """Who has the largest and the smallest share, as far as the printed figures tell them apart."""
    printed = {name: in_percent(value, 1) for name, value in shares.items()}
    most, least = (printed[end(shares, key=shares.__getitem__)] for end in (max, min))
    if most == least:
        return f"Under all of them alike: {most}."
    names = (listed([name for name in shares if printed[name] == end]) for end in (most, least))
    first, last = (f"{name} ({end})" for name, end in zip(names, (most, least), strict=True))
    return f"Most often under {first}, least often under {last}."


def _against_blind(share: float, outputs: int, d: int) -> str:
    """How much a report says about which cell is hers, where a blind one would name it once in so many `outputs`."""
    more = share * outputs
    said = f"1/{outputs:,} = {in_percent(1 / outputs, 1)}. {REFERENCE} names it in {in_percent(share, 1)} of reports"
    if d == 1:
        return f"{said}, but the map has a single cell: no report says anything about where she is."
    # A cell named less than twice as often as any other does not stand out.
    if more < 2:
        much = "next to nothing"
    elif share < 0.25:
        much = "something, but little"
    else:
        much = "much" if share < 0.9 else "nearly everything"
    return f"{said}, {as_many_times(more)} times as often: one report says {much} about which cell is hers."


def _concludes(found: Findings) -> list[Task]:
    scene, here = found.scene, found.concluded[REFERENCE]
    own = float(here.belief[scene.person.ix, scene.person.iy])
    prior = scene.prior
    before = 1 / scene.d**2 if prior is None else float(prior[scene.person.ix, scene.person.iy] / prior.sum())
    if before > 0:
        change = (
            f"From {in_percent(before, 2)} to {in_percent(own, 2)}, {_as_much(own / before)}. No report can make a "
            f"cell more than {times(scene.epsilon)} times likelier than it was, or as many times less likely."
        )
    else:
        change = "It was 0% and stays so: an attacker who knows that nobody lives there never thinks of it."
    sizes = [f"{counted(int(entry.region.sum()), 'cell')} under {name}" for name, entry in found.concluded.items()]
    return [
        Task(
            f"Before the report the attacker gave her cell {in_percent(before, 2)}. What is it after one report under "
            f"{REFERENCE} (“Belief in the true cell”)? How many times as much, and what does ε say about that?",
            change,
            3,
        ),
        Task(
            "How many cells would somebody have to search to find her with 95% certainty, after one report?",
            f"{listed(sizes)}, of {scene.d**2}.",
            2,
        ),
        Task(
            "90 people live in cell A and 10 in cell B. A report is three times likelier from B than from A. Where "
            "does it come from, and how sure are you?",
            "Weigh both: A counts 90 · 1, B counts 10 · 3 = 30. So it comes from A with a probability of 90/120 = "
            "75%, although the report favours B.",
            3,
        ),
    ]


def _as_much(factor: float) -> str:
    times_as_much = as_many_times(factor)
    return "about as much as before" if times_as_much == "1" else f"{times_as_much} times as much"


def _distance(found: Findings) -> list[Task]:
    scene, marks = found.scene, reference_distances(found.scene)
    if scene.d == 1:
        return [Task("What can be read off about distances on this map, and why?", f"Nothing. {NO_DISTANCE}", 2)]
    read = [
        f"{name}: " + ", ".join(f"{times_at(curve, at)} times ({what})" for what, at in marks.items())
        for name, curve in found.losses.items()
    ]
    made = [
        Task(
            "Read off the curves: how many times likelier, at most, is a report from her cell than from each of the "
            "marked distances?",
            "; ".join(read) + ".",
            4,
        )
    ]
    if scene.geo_i:
        name = scene.geo_i[0]
        budget = scene.mechanisms[name].epsilon
        equal = scene.epsilon / budget
        where = "on this map" if equal <= scene.d - 1 else "which is farther than one side of this map"
        made.append(
            Task(
                f"{name} runs at ε′ = {per_cell(budget)}. What does it promise 1, 2 and 4 cells away? Beyond "
                f"what distance does it promise less than {REFERENCE} at ε = {scene.epsilon:g}?",
                f"e^(ε′ · distance): {', '.join(times(budget * away) for away in (1, 2, 4))} times. It promises less "
                f"where ε′ · distance exceeds ε: beyond {equal:.1f} cells, {where}.",
                3,
            )
        )
    return made


def _ruler(found: Findings) -> list[Task]:
    verdicts = {name: verdict(found.ruler, name) for name in RULERS}
    said = [f"{entry.label}: {_winner(entry)} ({' and '.join(entry.readings)})" for entry in verdicts.values()]
    among = in_percent(naming_share(found.scene.example_population))
    return [
        Task(
            "For each of the four rulers, say which of the two mechanisms protects better.",
            "; ".join(said) + ".",
            4,
        ),
        Task(
            "Look at the two beliefs. Where would you search for her first, and after how many cells would you give "
            "up?",
            "After a report under DAM there are many cells to search, and none stands out. After one under SEM-Geo-I "
            f"the cells that it names hold most of the belief, and in {among} of reports the true one is among them.",
            3,
        ),
        _better_map(found),
    ]


def _winner(entry: Verdict) -> str:
    return "neither" if entry.readings[0] == entry.readings[1] else SHORT_NAMES[entry.winner]


def _better_map(found: Findings) -> Task:
    """A good map is no merit of its own, whoever has it: with few people the one that protects better, with many the
    other."""
    honest, fooling = (f"{entry.mean:.2f} cells" for entry in found.ruler)
    errors = f"Error W2: {SHORT_NAMES[0]} {honest}, {SHORT_NAMES[1]} {fooling}"
    moral = (
        "A map may be good because people were hardly protected: compare maps at equal protection, by a ruler that you "
        "trust."
    )
    if found.ruler[1].mean < found.ruler[0].mean and honest != fooling:
        question = "Which of the two has the better map, by W2? Why is that no reason to choose it?"
        return Task(question, f"{errors}. {moral}", 3)
    here = "they are equally good" if honest == fooling else f"the map of {SHORT_NAMES[0]} is better"
    return Task(
        f"Which of the two has the better map, by W2, with {people(found.scene.example_population.users)}? With more "
        "people it may be the other one: would that be a reason to choose it?",
        f"{errors}: here {here}. With many more people, or in another city such as San Francisco, it may be that of "
        f"{SHORT_NAMES[1]}, which is no reason to choose it. {moral}",
        3,
    )


def _city(found: Findings) -> list[Task]:
    side = found.scene.side
    ranked = sorted(found.city, key=lambda entry: entry.mean)
    named = [f"{entry.name} at {budget_of(found.scene, entry)}: {result(entry, side)}" for entry in ranked]
    grow = "They grow: chance evens out less over fewer reports."
    if found.scene.d == 1:
        grow = "Nothing: on a single cell there is nothing to get wrong."
    runs = "one run" if found.repeats == 1 else f"the mean of {found.repeats} runs"
    return [
        Task(
            "Put the mechanisms in order, from the smallest error to the largest.",
            f"{'; '.join(named)} ({runs}).",
            3,
        ),
        Task(
            f"{people(found.scene.population.users)} reported. What happens to the errors with a hundredth of them, "
            "and why?",
            f"{grow} The promise to each person stays the same.",
            3,
        ),
    ]


def _again(found: Findings) -> list[Task]:
    again, epsilon = found.again, found.scene.epsilon
    year = 365 * epsilon
    half = next((number for number in range(1, MOST + 1) if again.after(number) > 0.5), None)
    reached = f"after {counted(half, 'report')}" if half else f"not within {MOST} reports"
    if again.before > 0.5:
        reached = f"before any report: the likeliest cell is right in {in_percent(again.before)} of cases anyway"
    shown = [f"{number}: {in_percent(again.after(number))}" for number in SHOWN]
    return [
        Task(
            f"One report costs ε = {epsilon:g}. What do {MOST} fresh reports cost, and what a year of them? What does "
            "one stored draw cost if it is sent every day for a year?",
            f"{MOST} · {epsilon:g} = {again.budget(MOST):g}; 365 · {epsilon:g} = {year:g}. The stored draw costs "
            f"{epsilon:g}, once.",
            3,
        ),
        Task(
            "Read off the curve: after how many fresh reports is the attacker right in more than half of the cases?",
            f"{reached[0].upper()}{reached[1:]} (right cell named after {', '.join(shown)}).",
            2,
        ),
        Task(
            f"Which ε per report lets her report {MOST} times afresh for {epsilon:g} in all? What would that do "
            "to the map?",
            f"{epsilon:g} / {MOST} = {epsilon / MOST:.3g} per report, a factor of e^ε = {math.exp(epsilon / MOST):.2f}"
            ": each report then says very little, and the map of one day is much blurrier.",
            3,
        ),
    ]
