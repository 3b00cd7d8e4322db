"""What a class works out on paper: tasks for every step, each with its answer, about the class's own settings."""

from __future__ import annotations

import math
from typing import NamedTuple

from spatialldp.experiments.comparison_sentences import result
from spatialldp.formatting import times
from spatialldp.teaching.again import MOST, SHOWN
from spatialldp.teaching.findings import Findings
from spatialldp.teaching.losses import reference_distances, times_at
from spatialldp.teaching.pictures import budget_of
from spatialldp.teaching.reports import report_figures
from spatialldp.teaching.ruler import RULERS, SHORT_NAMES, verdict
from spatialldp.teaching.scene import REFERENCE
from spatialldp.teaching.texts import listed


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
    scene = found.scene
    shares = {name: report_figures(scene, name).own_cell for name in scene.mechanisms}
    most, least = max(shares, key=shares.__getitem__), min(shares, key=shares.__getitem__)
    cells = scene.d**2
    return [
        Task(
            "Read the table. Under which mechanism do reports name her own cell most often, under which least often?",
            f"Most often under {most} ({shares[most]:.1%}), least often under {least} ({shares[least]:.1%}).",
            2,
        ),
        Task(
            f"The map has {scene.d} × {scene.d} cells. How often would a report name her own cell if it were drawn "
            f"blindly, every cell alike? Compare that with {REFERENCE}.",
            f"1/{cells} = {1 / cells:.2%}. {REFERENCE} names it in {shares[REFERENCE]:.1%} of reports, so a report "
            "does say something, but little.",
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


def _concludes(found: Findings) -> list[Task]:
    scene, here = found.scene, found.concluded[REFERENCE]
    own = float(here.belief[scene.person.ix, scene.person.iy])
    prior = scene.prior
    before = 1 / scene.d**2 if prior is None else float(prior[scene.person.ix, scene.person.iy] / prior.sum())
    if before > 0:
        change = (
            f"From {before:.2%} to {own:.2%}, {own / before:.2g} times as much. No report can make a cell more than "
            f"{times(scene.epsilon)} times likelier than it was, or as many times less likely."
        )
    else:
        change = "It was 0% and stays so: an attacker who knows that nobody lives there never thinks of it."
    sizes = [f"{int(entry.region.sum())} cells under {name}" for name, entry in found.concluded.items()]
    return [
        Task(
            f"Before the report the attacker gave her cell {before:.2%}. What is it after one report under {REFERENCE} "
            "(“Belief in the true cell”)? How many times as much, and what does ε say about that?",
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


def _distance(found: Findings) -> list[Task]:
    scene, marks = found.scene, reference_distances(found.scene)
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
    if scene.geo_i and scene.d > 1:
        name = scene.geo_i[0]
        per_cell = scene.mechanisms[name].epsilon
        equal = scene.epsilon / per_cell
        where = "on this map" if equal <= scene.d - 1 else "which is farther than one side of this map"
        made.append(
            Task(
                f"{name} runs at ε′ = {per_cell:.3f} per cell. What does it promise 1, 2 and 4 cells away? Beyond "
                f"what distance does it promise less than {REFERENCE} at ε = {scene.epsilon:g}?",
                f"e^(ε′ · distance): {', '.join(times(per_cell * away) for away in (1, 2, 4))} times. It promises less "
                f"where ε′ · distance exceeds ε: beyond {equal:.1f} cells, {where}.",
                3,
            )
        )
    return made


def _ruler(found: Findings) -> list[Task]:
    verdicts = {name: verdict(found.ruler, name) for name in RULERS}
    said = [
        f"{entry.label}: {SHORT_NAMES[entry.winner]} ({' and '.join(entry.readings)})" for entry in verdicts.values()
    ]
    errors = [f"{name} {entry.mean:.2f} cells" for name, entry in zip(SHORT_NAMES, found.ruler, strict=True)]
    return [
        Task(
            "For each of the four rulers, say which of the two mechanisms protects better.",
            "; ".join(said) + ".",
            4,
        ),
        Task(
            "Look at the two beliefs. Where would you search for her first, and after how many cells would you give "
            "up?",
            "After a report under DAM there are many cells to search, and none stands out. After one under SEM-Geo-I a "
            "few cells hold nearly all of the belief, and the true one is usually among them.",
            3,
        ),
        Task(
            "Which of the two has the better map, by W2? Why is that no reason to choose it?",
            f"Error W2: {', '.join(errors)}. A map may be good because people were hardly protected: compare maps at "
            "equal protection, by a ruler that you trust.",
            3,
        ),
    ]


def _city(found: Findings) -> list[Task]:
    side = found.scene.side
    ranked = sorted(found.city, key=lambda entry: entry.mean)
    named = [f"{entry.name} at {budget_of(found.scene, entry)}: {result(entry, side)}" for entry in ranked]
    runs = "one run" if found.repeats == 1 else f"the mean of {found.repeats} runs"
    return [
        Task(
            "Put the mechanisms in order, from the smallest error to the largest.",
            f"{'; '.join(named)} ({runs}).",
            3,
        ),
        Task(
            f"{found.scene.population.users:,} people reported. What happens to the errors with a hundredth of them, "
            "and why?",
            "They grow: chance evens out less over fewer reports. The promise to each person stays the same.",
            3,
        ),
    ]


def _again(found: Findings) -> list[Task]:
    again, epsilon = found.again, found.scene.epsilon
    year = 365 * epsilon
    half = next((number for number in range(1, MOST + 1) if again.after(number) >= 0.5), None)
    reached = f"after {half} reports" if half else f"not within {MOST} reports"
    shown = [f"{number}: {again.after(number):.0%}" for number in SHOWN]
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
            f"{reached.capitalize()} (right cell named after {', '.join(shown)}).",
            2,
        ),
        Task(
            f"Which ε per report lets her report {MOST} times afresh for {epsilon:g} in all? What would that do "
            "to the map?",
            f"{epsilon:g} / {MOST} = {epsilon / MOST:.3g} per report, a factor of e^ε = {math.exp(epsilon / MOST):.2f}"
            ": each report then says next to nothing, and the map of one day is much blurrier.",
            3,
        ),
    ]
