"""The words of the lesson: title, text, question for the class and answer of every step, in Markdown.

They are about one scene, so that the page, the worksheets and the notebook say the same of the class's own settings.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from spatialldp.experiments.comparison import Score
from spatialldp.experiments.comparison_sentences import share, what_changes
from spatialldp.mechanisms import DAM
from spatialldp.privacy.protection import HIT_RATE, LOCAL_PRIVACY
from spatialldp.teaching.again import MOST, Again
from spatialldp.teaching.beliefs import concluded
from spatialldp.teaching.losses import NO_DISTANCE, loss_at, reference_distances, times_at, worst_losses
from spatialldp.teaching.reports import DOTS, own_cell_named, report_figures, within
from spatialldp.teaching.ruler import SHORT_NAMES, naming_share, verdict
from spatialldp.teaching.scene import REFERENCE, REPORTS, Scene
from spatialldp.teaching.wording import in_percent, listed, people, per_cell

TITLE = "Two promises: LDP and Geo-I"
LEAD = (
    "One person, one phone, one report. What does it give away under *local differential privacy* (LDP), and what "
    "under *geo-indistinguishability* (Geo-I)? All reports here are simulated, and nobody is really there."
)
TITLES = (
    "What leaves the phone",
    "What an attacker concludes",
    "Loss against distance",
    "Can the ruler be fooled?",
    "The whole city",
    "Again and again",
)
#: The same in a word or two, for a bar in which all six stand side by side.
SHORT_TITLES = ("Report", "Attacker", "Distance", "Ruler", "City", "Every day")
STEPS = len(TITLES)
#: Metres that are far more than a block of houses.
_WIDER_THAN_A_BLOCK = 400
#: A factor by which a next-door cell is told apart with ease.
_TOLD_APART = math.log(10)
LOCAL_PRIVACY_FORMULA = r"LP=\frac{1}{m}\sum_{o}\frac{\sum_{i,j}P(o|i)\,P(o|j)\,\text{dist}(i,j)}{\sum_j P(o|j)}"

#: In plain text → in LaTeX.
_FORMULAS = (
    {
        "DAM: q ≤ P(report | cell) ≤ q · e^ε": (
            r"\text{DAM: } P(\text{report}\mid\text{cell}) \in \{\,q \,\ldots\, q\,e^{\varepsilon}\}"
        )
    },
    {
        "P(cell | report) ∝ P(report | cell) · P(cell)": (
            r"P(\text{cell}\mid\text{report}) \propto P(\text{report}\mid\text{cell})\cdot P(\text{cell})"
        )
    },
    {
        "LDP: P(o | x) / P(o | x′) ≤ e^ε;  Geo-I: P(o | x) / P(o | x′) ≤ e^(ε′ · distance)": (
            r"\text{LDP: } \frac{P(o\mid x)}{P(o\mid x')} \le e^{\varepsilon}\qquad"
            r"\text{Geo-I: } \frac{P(o\mid x)}{P(o\mid x')} \le e^{\varepsilon'\cdot \text{dist}(x,x')}"
        )
    },
    {
        "ε in all = ε₁ + ε₂ + … = k · ε": (
            r"\varepsilon_{\text{all}} = \varepsilon_1 + \varepsilon_2 + \dots + \varepsilon_k = k\,\varepsilon"
        )
    },
)


class StepText(NamedTuple):
    """The words of one step.

    Attributes:
        number: from 1.
        title: its heading.
        text: what it is about.
        formulas: in LaTeX.
        plain: the same formulas in one line of plain text each.
        question: for the class.
        answer: to unfold.
    """

    number: int
    title: str
    text: str
    formulas: tuple[str, ...]
    plain: tuple[str, ...]
    question: str
    answer: str


def _step(number: int, text: str, formulas: dict[str, str], question: str, answer: str) -> StepText:
    return StepText(number, TITLES[number - 1], text, tuple(formulas.values()), tuple(formulas), question, answer)


def leaves(scene: Scene) -> StepText:
    """Step 1."""
    return _step(
        1,
        "The orange dot is one person. Her phone never sends where she is: it draws **one report** at random, and "
        f"sends that. Each map shows where {REPORTS:,} such reports would fall if it could draw again and again, and "
        f"{DOTS} of them as dots.",
        _FORMULAS[0],
        "You intercept a single report. What do you know about where she is, and what not?",
        _one_report(scene),
    )


def _one_report(scene: Scene) -> str:
    """What a single report tells and what not, which depends on how often it names the right cell."""
    if scene.d == 1:
        return (
            "**Nothing that you did not know:** the map has a single cell, and she is in it whatever the report says. "
            "With more cells per side there is something to find out, and something to hide."
        )
    own = {name: own_cell_named(scene, name) for name in scene.mechanisms}
    shares = listed([f"{in_percent(value, 1)} under {name}" for name, value in own.items()])
    named = f"the share of reports that name her own cell is {shares}"
    cell = _cell_width(scene)
    if own[REFERENCE] >= 0.5:
        surely = "almost certainly" if own[REFERENCE] >= 0.9 else "probably"
        said = (
            f"**What it tells:** {surely} her cell. At ε = {scene.epsilon:g} on {scene.d} × {scene.d} cells "
            f"{named}. **What it does not tell:** where in the cell she is, nor for certain that it is hers.{cell}"
        )
    else:
        half = within(scene, report_figures(scene, REFERENCE).half_within)
        said = (
            f"**What it tells:** which part of the map is likelier. With {REFERENCE} half of the named cells lie "
            f"within {half} of her; {named}. **What it does not tell:** which cell is hers, let alone which "
            f"house.{cell}"
        )
    mechanism = DAM(scene.epsilon, scene.d)
    where = "any cell of the map" + (" or just beyond its edge" if mechanism.reports_outside else "")
    return (
        f"{said} With {REFERENCE} {in_percent(mechanism.uniform_share)} of all reports are drawn blindly, from "
        f"{where}, and nobody can see which: every place stays possible. Under Geo-I far places stay possible too, "
        "but the farther, the less likely."
    )


def _cell_width(scene: Scene) -> str:
    """How large a cell is; a class may look at a few streets or at a whole city."""
    if scene.side is None:
        return ""
    than = ", far more than a street or a block" if scene.side >= _WIDER_THAN_A_BLOCK else ""
    return f" A cell is {scene.length(1)} wide{than}."


def promises(scene: Scene) -> str:
    """Who promises what, and who protects as much as whom."""
    promise = _promise(scene.ldp, "local differential privacy (LDP)")
    ldp = f"{promise}: one limit on how well any two places can be told apart."
    if not scene.geo_i:
        return ldp
    return (
        f"{ldp} {_promise(scene.geo_i, 'geo-indistinguishability (Geo-I)')}: the nearer two places are, the harder "
        f"they are to tell apart. {_equal_protection(scene)}"
    )


def _promise(names: Sequence[str], notion: str) -> str:
    return f"{listed(names)} {'promises' if len(names) == 1 else 'promise'} {notion}"


def _equal_protection(scene: Scene) -> str:
    """Which Geo-I mechanisms protect as much as the reference, and which more because no ε′ matches it."""
    equal, more = [name for name in scene.geo_i if name not in scene.beyond], list(scene.beyond)
    said = []
    for names, how in ((equal, f"as much as {REFERENCE}"), (more, f"more than {REFERENCE}")):
        if names:
            said.append(f"{listed(names)} {'protects' if len(names) == 1 else 'protect'} {how}")
    return f"By local privacy, which step 4 explains, {listed(said)} here."


def concludes(scene: Scene) -> StepText:
    """Step 2."""
    return _step(
        2,
        "An attacker intercepts **one** report (pink ring) and reasons backwards, by Bayes’ rule. The colours show "
        "what they then believe, the orange line encloses 95% of that belief, and the blue dot is their best guess.",
        _FORMULAS[1],
        "Suppose the attacker also knows the city, and that nobody lives in the water. Can they now locate her better "
        "from the same report?",
        _knowing_the_city(scene),
    )


def _knowing_the_city(scene: Scene) -> str:
    """What an attacker gains who knows where people live."""
    uniform, density = (concluded(scene, REFERENCE, prior) for prior in (None, scene.population.counts))
    here = scene.person.ix, scene.person.iy
    gain = (
        f"For this report of {REFERENCE} the expected error of the best guess is "
        f"{scene.length(uniform.expected_distance)} without and {scene.length(density.expected_distance)} with that "
        f"knowledge; the belief in her own cell is {uniform.belief[here]:.1%} without and {density.belief[here]:.1%} "
        "with it. Where few people live it may even fall: she is then taken for one of the many elsewhere."
    )
    if scene.d == 1:
        gain = "Only not on this map: it has a single cell, and she is in it."
    return (
        "On average, yes. Think of **an island in a lake**: a report beside the island might come from the water; "
        f"anyone who knows that nobody lives there is left with the island and the shore. {gain} No mechanism can "
        "take away what an attacker knew before; ε bounds what the *report* adds."
    )


def distance(scene: Scene) -> StepText:
    """Step 3."""
    return _step(
        3,
        "How many times likelier can a report be from *here* than from *there*? Under **LDP** at most e^ε, however far "
        "apart the two are. Under **Geo-I** the limit grows with the distance between them.",
        _FORMULAS[2],
        "She does not mind the city knowing which *side* of town she is on, but it must not be able to tell her from "
        "her neighbours. Or suppose that even her side of town must stay hidden. Which notion suits which wish?",
        _two_wishes(scene),
    )


def _two_wishes(scene: Scene) -> str:
    """Which notion suits whom, and whether it does so at this ε."""
    if scene.d == 1:
        return (
            f"Geo-I suits the first wish, and LDP the second. {NO_DISTANCE} Within a cell places cannot be told apart "
            "under either: everywhere in it a report is drawn with the same odds."
        )
    marks = reference_distances(scene)
    near, far = min(marks.values()), max(marks.values())
    ldp = worst_losses(scene, REFERENCE)
    wish, weak = "Geo-I suits the first wish", ""
    if scene.geo_i:
        name = scene.geo_i[0]
        geo_i = worst_losses(scene, name)
        wish += (
            f": under {name} a report is at most {times_at(geo_i, near)} times likelier from her cell than from the "
            f"next one, but up to {times_at(geo_i, far)} times likelier than from the far end of the map"
        )
        if loss_at(geo_i, near) > _TOLD_APART:
            weak = (
                f" (At ε′ = {per_cell(scene.mechanisms[name].epsilon)} even neighbours are told apart: to hide among "
                "them takes a smaller one.)"
            )
    wide = "" if scene.side is None else f" (the next cell begins up to {scene.length(1)} away)"
    return (
        f"{wish}.{weak} LDP suits the second: under {REFERENCE} the factor is {times_at(ldp, near)} for the next cell "
        f"and no more than {times_at(ldp, far)} for the far end of the map. Within one cell{wide}, places cannot be "
        "told apart under either: everywhere in it a report is drawn with the same odds."
    )


def ruler(scene: Scene, scores: Sequence[Score] | None = None) -> StepText:
    """Step 4; the answer has figures once there are the `scores` of both mechanisms."""
    return _step(
        4,
        "The same ε promises different things under LDP and Geo-I, so the two are made *equal* by a ruler. The paper’s "
        "is **local privacy**: how far off, on average, a guess drawn at random from what a report makes plausible is. "
        "Below are two mechanisms, their maps, and what an attacker believes after one report of hers: under "
        f"{SHORT_NAMES[1]} one that names her cell, as {in_percent(naming_share(scene.example_population))} do. "
        "**Choose a ruler:** which of them protects better?",
        {},
        "Under which of the two would you rather report, and which ruler says so?",
        _fooled(scene, scores),
    )


def _fooled(scene: Scene, scores: Sequence[Score] | None) -> str:
    """How the ruler is fooled, and, on cells too few for that, by which rulers it is not."""
    named = "often"
    if scores is not None:
        honest, fooling = (share(entry.protection.by(HIT_RATE)) for entry in scores)
        named = f"in {fooling} of cases (DAM: {honest})"
        by_distance, by_hits = (verdict(scores, name).winner for name in (LOCAL_PRIVACY, HIT_RATE))
        if (by_distance, by_hits) != (1, 0):
            cells = f"{scene.example_population.grid.d} × {scene.example_population.grid.d}"
            return (
                f"**On a map of {cells} cells the ruler is not fooled:** three cells named are a large part of it, and "
                "local privacy and “right cell named” agree. On 15 × 15 cells they do not: there the three cells keep "
                "the *average* distance up, while one of them is usually the true one. No ruler says everything: ask "
                "what it measures, and look at the belief itself."
            )
    among = in_percent(naming_share(scene.example_population))
    return (
        "**The ruler can be fooled.** A report of the second mechanism names three cells around town; two of them are "
        f"far away, and keep the *average* distance up. So local privacy prefers it. But in {among} of reports the "
        f"third is the true cell, and the attacker’s likeliest cell is the right one {named}. The distance of the best "
        "guess is fooled in the same way, as the best guess lies between the three. How often the right cell is named, "
        "and the worst case, ask how much a single report can give away, and are not. No ruler says everything: ask "
        "what it measures, and look at the belief itself."
    )


def calibrated(scene: Scene) -> str:
    """Step 4, further down: which ε′ were found, and why they are what they are."""
    if not scene.geo_i:
        return "No Geo-I mechanism is part of this lesson."
    found = [
        f"**{per_cell(scene.mechanisms[name].epsilon)}** for {name}"
        + (" (just below a jump)" if name in scene.beyond else "")
        for name in scene.geo_i
    ]
    said = (
        f"By local privacy, a Geo-I mechanism protects as much as {REFERENCE} does at ε = {scene.epsilon:g} where its "
        f"curve meets the dashed line: at ε′ = {', '.join(found)}. "
    )
    if max(scene.mechanisms[name].epsilon for name in scene.geo_i) > 0.8 * scene.epsilon:
        return said + (
            f"That is close to {scene.epsilon:g} although the promises differ, because ε′ counts once for every cell "
            "of distance, and this map has few cells. With 15 cells per side it is a fraction of ε."
        )
    vaguer = ", or vaguer where no ε′ gives just as much" if scene.beyond else ""
    return said + (
        "It is so small because it counts once for every cell of distance: ten cells apart the allowed factor is "
        "already e^(10·ε′). At the same *number* ε a Geo-I report is close to the truth: its map below looks perfect "
        f"because people are hardly protected. At ε′ the reports are as vague as {REFERENCE}’s{vaguer}, and the map "
        "pays for it."
    )


def city(scene: Scene) -> StepText:
    """Step 5."""
    jumped = ""
    if scene.beyond:
        changes = [what_changes(name, scene.mechanisms[name], beyond) for name, beyond in scene.beyond.items()]
        jumped = (
            f", but where {listed(changes)}, local privacy jumps past {REFERENCE}’s, so both sides of this jump are "
            "shown"
        )
    return _step(
        5,
        f"Now everybody: {people(scene.population.users)} send one report each, and the map is recovered from the "
        f"reports alone. By local privacy (step 4) the Geo-I mechanisms protect as much as {REFERENCE}{jumped}. The "
        "error is **W2**: how far people would have to be moved, on average (root mean square), to repair the "
        "recovered map.",
        {},
        "At equal protection, which mechanism preserves the map best? Would it be the same with another ε, a finer "
        "grid, another city?",
        "Read it off the maps and their errors, then try another ε or d. There is no winner for all cases. Measured "
        "exactly, DAM is ahead of SEM-Geo-I on fine grids with a middling budget (d = 20, ε = 5), on coarse grids "
        "with small budgets the two are mostly too close to call, and at ε = 9 SEM-Geo-I is ahead on two of three "
        "generated sets (“What we found in the paper” in the README). And equal local privacy is *one* ruler, which "
        "can be fooled, as step 4 shows; Compare lets you choose another.",
    )


def again(scene: Scene, found: Again | None = None) -> StepText:
    """Step 6; the answer has figures once the curve is `found`."""
    measured, known = "far more often than after the first", ""
    if scene.d == 1:
        known = " (This map has a single cell, so there is nothing to hide.)"
    elif found is not None and found.stored > 0.5:
        known = f" (At ε = {scene.epsilon:g} that one report usually gives her away: to hide her takes a smaller ε.)"
    if found is not None and len(found.fresh) == MOST:
        one, ten, most = (in_percent(found.after(number)) for number in (1, 10, MOST))
        measured = f"in {most} of cases; after one it was {one}, after ten {ten}"
    total = MOST * scene.epsilon
    return _step(
        6,
        f"She reports from the same place **every day**, with {REFERENCE}. If her phone draws *afresh* each time, "
        "chance evens out and the reports point to her cell more and more clearly. Budgets add up: "
        f"{MOST} reports spend {MOST} · {scene.epsilon:g} = {total:g}. If her phone *stores* the first draw and sends "
        "it again, the other reports say nothing new.",
        _FORMULAS[3],
        "Her phone is to report every day for a month. What would you have it do, and what does that cost?",
        f"**Store the draw.** After {MOST} fresh reports the attacker’s likeliest cell is the right one {measured}. "
        f"With one stored draw it stays where it was after the first report, however often it is sent.{known} The "
        "price: the copies tell the city nothing new either, so the map gets no better; and when she moves to another "
        "place, a new draw is needed, which spends ε again. (A draw that never changes can itself be recognised: "
        "whoever sees it twice knows that it comes from the same phone.)",
    )
