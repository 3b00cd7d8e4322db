"""The words of the lesson: title, text, question for the class and answer of every step, in Markdown.

They are about one scene, so that the page, the worksheets and the notebook say the same of the class's own settings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from spatialldp.experiments.comparison import Score
from spatialldp.experiments.comparison_sentences import share
from spatialldp.mechanisms import DAM
from spatialldp.privacy.protection import HIT_RATE
from spatialldp.teaching.again import MOST, Again
from spatialldp.teaching.beliefs import concluded
from spatialldp.teaching.losses import reference_distances, times_at, worst_losses
from spatialldp.teaching.reports import DOTS, report_figures, within
from spatialldp.teaching.scene import REFERENCE, REPORTS, Scene

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


def listed(names: Sequence[str], last: str = "and") -> str:
    """Names one after the other: "A", "A and B", "A, B and C"."""
    return f" {last} ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def _step(number: int, text: str, formulas: dict[str, str], question: str, answer: str) -> StepText:
    return StepText(number, TITLES[number - 1], text, tuple(formulas.values()), tuple(formulas), question, answer)


def leaves(scene: Scene) -> StepText:
    """Step 1."""
    own = [f"{report_figures(scene, name).own_cell:.1%} under {name}" for name in scene.mechanisms]
    half = within(scene, report_figures(scene, REFERENCE).half_within)
    blind = DAM(scene.epsilon, scene.d).uniform_share
    cell = "" if scene.side is None else f" A cell is {scene.length(1)} wide, far more than a street or a block."
    return _step(
        1,
        "The orange dot is one person. Her phone never sends where she is: it draws **one report** at random, and "
        f"sends that. Each map shows where {REPORTS:,} such reports would fall if it could draw again and again, and "
        f"{DOTS} of them as dots.",
        _FORMULAS[0],
        "You intercept a single report. What do you know about where she is, and what not?",
        f"**What it tells:** which part of the map is likelier. With {REFERENCE} half of the named cells lie within "
        f"{half} of her, and the share of reports that name her own cell is {listed(own)}. **What it does not tell:** "
        f"which cell is hers, let alone which house.{cell} With {REFERENCE} {blind:.0%} of all reports are drawn "
        "blindly, from any cell of the map or just beyond its edge, and nobody can see which: every place stays "
        "possible. Under Geo-I far places stay possible too, but are named ever more rarely.",
    )


def promises(scene: Scene) -> str:
    """Who promises what, and who protects as much as whom."""
    promise = _promise(scene.ldp, "local differential privacy (LDP)")
    ldp = f"{promise}: one limit on how well any two places can be told apart."
    if not scene.geo_i:
        return ldp
    return (
        f"{ldp} {_promise(scene.geo_i, 'geo-indistinguishability (Geo-I)')}: neighbours can hardly be told apart, "
        f"places far from each other can. {_equal_protection(scene)}"
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
    priors = (None, scene.population.counts)
    uniform, density = (concluded(scene, REFERENCE, prior) for prior in priors)
    here = scene.person.ix, scene.person.iy
    return _step(
        2,
        "An attacker intercepts **one** report (pink ring) and reasons backwards, by Bayes’ rule. The colours show "
        "what they then believe, the orange line encloses 95% of that belief, and the blue dot is their best guess.",
        _FORMULAS[1],
        "Suppose the attacker also knows the city, and that nobody lives in the water. Can they now locate her better "
        "from the same report?",
        "On average, yes. Think of **an island in a lake**: a report beside the island might come from the water; "
        "anyone who knows that nobody lives there is left with the island and the shore. For this report of "
        f"{REFERENCE} the expected error of the best guess is {scene.length(uniform.expected_distance)} without "
        f"and {scene.length(density.expected_distance)} with that knowledge; the belief in her own cell is "
        f"{uniform.belief[here]:.1%} without and {density.belief[here]:.1%} with it. Where few people live it may even "
        "fall: she is then taken for one of the many elsewhere. No mechanism can take away what an attacker knew "
        "before; ε bounds what the *report* adds.",
    )


def distance(scene: Scene) -> StepText:
    """Step 3."""
    marks = reference_distances(scene)
    near, far = min(marks.values()), max(marks.values())
    ldp = worst_losses(scene, REFERENCE)
    wish = "Geo-I suits the first wish"
    if scene.geo_i:
        geo_i = worst_losses(scene, scene.geo_i[0])
        wish += (
            f": under {scene.geo_i[0]} a report is at most {times_at(geo_i, near)} times likelier from her cell than "
            f"from the next one, but up to {times_at(geo_i, far)} times likelier than from the far end of the map"
        )
    wide = "" if scene.side is None else f" (the next cell begins up to {scene.length(1)} away)"
    return _step(
        3,
        "How many times likelier can a report be from *here* than from *there*? Under **LDP** at most e^ε, however far "
        "apart the two are. Under **Geo-I** the limit grows with the distance between them.",
        _FORMULAS[2],
        "She does not mind the city knowing which *side* of town she is on, but it must not be able to tell her from "
        "her neighbours. Or suppose that even her side of town must stay hidden. Which notion suits which wish?",
        f"{wish}. LDP suits the second: under {REFERENCE} the factor is {times_at(ldp, near)} for the next cell and no "
        f"more than {times_at(ldp, far)} for the far end of the map. Within one cell{wide}, places cannot be told "
        "apart under either: everywhere in it a report is drawn with the same odds.",
    )


def ruler(scene: Scene, scores: Sequence[Score] | None = None) -> StepText:
    """Step 4; the answer has figures once there are the `scores` of both mechanisms."""
    named = "often"
    if scores is not None:
        honest, fooling = (share(entry.protection.by(HIT_RATE)) for entry in scores)
        named = f"in {fooling} of cases (DAM: {honest})"
    return _step(
        4,
        "The same ε promises different things under LDP and Geo-I, so the two are made *equal* by a ruler. The paper’s "
        "is **local privacy**: how far off, on average, a guess drawn at random from what a report makes plausible is. "
        "Below are two mechanisms, their maps, and what an attacker believes after one report of hers. "
        "**Choose a ruler:** which of them protects better?",
        {},
        "Under which of the two would you rather report, and which ruler says so?",
        "**The ruler can be fooled.** Each report of the second mechanism names three cells around town; two of them "
        "are far away, and keep the *average* distance up. So local privacy prefers it. But the third is "
        f"usually the true cell, and the attacker’s likeliest cell is the right one {named}. The distance of the best "
        "guess is fooled in the same way, as the best guess lies between the three. How often the right cell is named, "
        "and the worst case, ask how much a single report can give away, and are not. No ruler says everything: ask "
        "what it measures, and look at the belief itself.",
    )


def calibrated(scene: Scene) -> str:
    """Step 4, further down: which ε′ were found, and why they are what they are."""
    if not scene.geo_i:
        return "No Geo-I mechanism is part of this lesson."
    found = [
        f"**{scene.mechanisms[name].epsilon:.3f}** per cell for {name}"
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
        jumped = (
            f", except {listed(list(scene.beyond))}: no ε′ matches {REFERENCE}, so both sides of the jump are shown"
        )
    return _step(
        5,
        f"Now everybody: {scene.population.users:,} people send one report each, and the map is recovered from the "
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
    measured = "far more often than after the first"
    if found is not None and len(found.fresh) == MOST:
        one, ten, most = (f"{found.after(number):.0%}" for number in (1, 10, MOST))
        measured = f"in {most} of cases; after one it was {one}, after ten {ten}"
    total = MOST * scene.epsilon
    return _step(
        6,
        f"She reports from the same place **every day**, with {REFERENCE}. If her phone draws *afresh* each time, "
        f"chance evens out and the reports point to her cell. Budgets add up: {MOST} reports spend "
        f"{MOST} · {scene.epsilon:g} = {total:g}. If her phone *stores* the first draw and sends it again, the "
        "other reports say nothing new.",
        _FORMULAS[3],
        "Her phone is to report every day for a month. What would you have it do, and what does that cost?",
        f"**Store the draw.** After {MOST} fresh reports the attacker’s likeliest cell is the right one {measured}. "
        "With one stored draw it stays where it was after the first report, however often it is sent. The price: the "
        "copies tell the city nothing new either, so the map gets no better; and when she moves to another place, a "
        "new draw is needed, which spends ε again. (A draw that never changes can itself be recognised: whoever sees "
        "it twice knows that it comes from the same phone.)",
    )
