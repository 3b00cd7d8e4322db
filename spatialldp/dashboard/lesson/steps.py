"""The lesson: five steps, each with a question for the class and an answer to unfold."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from spatialldp.dashboard.lesson import calibration_view, conclusion_maps, loss_chart, report_maps
from spatialldp.dashboard.lesson.person import choose_person
from spatialldp.dashboard.lesson.state import REFERENCE, REPORTS, LessonState, begin
from spatialldp.dashboard.shared import comparison, comparison_view
from spatialldp.dashboard.shared.captions import length, listed
from spatialldp.dashboard.shared.choices import EQUAL, LARGEST_SEED, STEPS, Choices
from spatialldp.dashboard.shared.chosen_data import LoadedData
from spatialldp.dashboard.shared.controls import bound, choices, choose
from spatialldp.dashboard.shared.small_maps import stop_looking
from spatialldp.mechanisms import DAM
from spatialldp.population import Population

TITLES = (
    "What leaves the phone",
    "What an attacker concludes",
    "Loss against distance",
    "Equal protection",
    "The whole city",
)


def step_menu() -> None:
    """Jump to any step."""
    st.segmented_control(
        "Step",
        list(range(1, STEPS + 1)),
        format_func=lambda step: f"{step} · {TITLES[step - 1]}",
        label_visibility="collapsed",
        required=True,
        **bound("step", "step", choices().step),
    )


def turn_pages() -> None:
    """Back and next, at the end of a step."""
    step = choices().step
    with st.container(horizontal=True, horizontal_alignment="distribute", key="turn"):
        st.button(
            "Back" if step == 1 else f"Back: {TITLES[step - 2]}",
            key="step-back",
            disabled=step == 1,
            on_click=choose,
            kwargs={"step": max(1, step - 1)},
            icon=":material/arrow_back:",
        )
        st.button(
            "The end" if step == STEPS else f"Next: {TITLES[step]}",
            key="step-next",
            disabled=step == STEPS,
            on_click=choose,
            kwargs={"step": min(STEPS, step + 1)},
            icon=":material/arrow_forward:",
            type="primary",
        )


def show_step(chosen: Choices, loaded: LoadedData, population: Population) -> None:
    """The chosen step."""
    left, right = st.columns([2, 3], gap="large")
    with left:
        person = choose_person(chosen, loaded, population)
    lesson = begin(chosen, loaded, population, person)
    text, pictures = _STEPS[chosen.step - 1]
    if pictures not in (calibration_view.calibration, _whole_city):
        stop_looking()
    with right:
        st.subheader(f"{chosen.step}. {TITLES[chosen.step - 1]}", anchor=False)
        text(lesson)
    pictures(lesson)


def _question(question: str, answer: str) -> None:
    st.info(f"**Question for the class.** {question}", icon=":material/school:")
    # A key of its own for every step, or the next answer would be open before its question is read.
    with st.expander("Answer", key=f"answer-{choices().step}"):
        st.markdown(answer)


def _prior_switch(lesson: LessonState) -> None:
    st.toggle(
        "The attacker knows where people live",
        help="Off: every cell is as likely as any other before the report. On: as likely as its share of the people.",
        **bound("knows_city", "prior", lesson.choices.knows_city),
    )


def _leaves(lesson: LessonState) -> None:
    st.markdown(
        "The orange dot is one person. Her phone never sends where she is. It throws dice and sends **one report**. "
        f"Below, each map shows where {REPORTS:,} such reports would fall if it could throw again and again "
        f"(simulated), and {report_maps.DOTS} of them as dots."
    )
    st.latex(r"\text{DAM: } P(\text{report}\mid\text{cell}) \in \{\,q \,\ldots\, q\,e^{\varepsilon}\}")
    promises = [f"{_promise(lesson.ldp, 'local differential privacy (LDP)')}: any report may come from anywhere."]
    if lesson.geo_i:
        promises.append(
            f"{_promise(lesson.geo_i, 'geo-indistinguishability (Geo-I)')}: neighbours can hardly be told apart, "
            f"places far from each other can. {_equal_protection(lesson)}"
        )
    st.caption(" ".join([*promises, "What one report names is written above each map."]))
    own = [f"{report_maps.own_cell_share(lesson, name):.1%} under {name}" for name in lesson.mechanisms]
    blind = DAM(lesson.choices.epsilon, lesson.choices.d).uniform_share
    _question(
        "You catch one single report. How sure are you where she is?",
        f"Not sure at all. The share of reports that name her own cell is {listed(own)}. With DAM, {blind:.0%} of the "
        "reports are drawn blindly from the whole map: whatever arrives, it may be one of those. Under Geo-I, the "
        "farther away a place is, the less often it is named.",
    )


def _promise(names: list[str], notion: str) -> str:
    return f"{listed(names)} {'promises' if len(names) == 1 else 'promise'} {notion}"


def _equal_protection(lesson: LessonState) -> str:
    """Which Geo-I mechanisms protect as much as the reference, and which more because no ε′ matches it."""
    equal, more = [name for name in lesson.geo_i if name not in lesson.beyond], list(lesson.beyond)
    said = []
    for names, how in ((equal, f"as much as {REFERENCE}"), (more, f"more than {REFERENCE}")):
        if names:
            said.append(f"{listed(names)} {'protects' if len(names) == 1 else 'protect'} {how}")
    return f"By one measure {listed(said)} here; step 4 shows {'why' if more else 'which'}."


def _concludes(lesson: LessonState) -> None:
    st.markdown(
        "An attacker catches **one** report (pink ring) and reasons backwards, by Bayes' rule. The colours are what "
        "they then believe, the orange line holds 95 % of it, the blue dot is their best guess."
    )
    st.latex(r"P(\text{cell}\mid\text{report}) \propto P(\text{report}\mid\text{cell})\cdot P(\text{cell})")
    _prior_switch(lesson)
    st.button(
        "Another report",
        key="another",
        icon=":material/casino:",
        on_click=choose,
        kwargs={"seed": (lesson.choices.seed + 1) % LARGEST_SEED},
    )
    priors = (None, lesson.population.counts)
    uniform, density = (conclusion_maps.concluded(lesson, REFERENCE, prior) for prior in priors)
    here = lesson.person.ix, lesson.person.iy
    _question(
        "The attacker also knows the city, and that nobody stands in water. Does the same report now give away more?",
        "On average it does. Think of **an island in a lake**: a report beside the island might come from the water; "
        "anyone who knows that nobody lives there is left with the island and the shore. For this report of "
        f"{REFERENCE} the expected error of the best guess is {length(uniform.expected_distance, lesson.side)} without "
        f"and {length(density.expected_distance, lesson.side)} with that knowledge; the belief in her own cell is "
        f"{uniform.belief[here]:.1%} without and {density.belief[here]:.1%} with it. Where few people live it may even "
        "fall: she is then taken for one of the many elsewhere. No mechanism can take away what an attacker knew "
        "before; ε bounds what the *report* adds.",
    )


def _distance(lesson: LessonState) -> None:
    st.markdown(
        "How many times likelier can a report be from *here* than from *there*? Under **LDP** at most e^ε, however far "
        "apart the two are. Under **Geo-I** the limit grows with the distance between them."
    )
    st.latex(r"\text{LDP: } \frac{P(o\mid x)}{P(o\mid x')} \le e^{\varepsilon}")
    st.latex(r"\text{Geo-I: } \frac{P(o\mid x)}{P(o\mid x')} \le e^{\varepsilon'\cdot \text{dist}(x,x')}")
    marks = loss_chart.reference_distances(lesson)
    near, far = min(marks.values()), max(marks.values())
    ldp = loss_chart.worst_losses(lesson, REFERENCE)
    wish = "Geo-I suits the first wish"
    if lesson.geo_i:
        geo_i = loss_chart.worst_losses(lesson, lesson.geo_i[0])
        wish += (
            f": under {lesson.geo_i[0]} a report is at most {loss_chart.times_at(geo_i, near)} times likelier from her "
            f"cell than from the next one, but up to {loss_chart.times_at(geo_i, far)} times likelier than from the "
            "far end of the city"
        )
    _question(
        "She does not mind the city knowing which *side* of town she is on, but it must not be able to tell her from "
        "her neighbours. Or is it the other way round? Which notion suits which wish?",
        f"{wish}. LDP suits the second: {REFERENCE} allows {loss_chart.times_at(ldp, near)} times next door and never "
        f"more than {loss_chart.times_at(ldp, far)}, even across the city. Within one cell, places cannot be told "
        "apart under either.",
    )


def _equal(lesson: LessonState) -> None:
    chosen = lesson.choices
    st.markdown(
        f"ε = {chosen.epsilon:g} for *any two places* and ε = {chosen.epsilon:g} *per cell of distance* are different "
        "promises. To compare them fairly, measure both with one ruler: **local privacy**, the mean distance between a "
        "person and a guess drawn from what one report makes plausible. ε′ is the ε at which a Geo-I mechanism "
        f"reaches {REFERENCE}'s value."
    )
    st.latex(r"LP=\frac{1}{m}\sum_{o}\frac{\sum_{i,j}P(o|i)\,P(o|j)\,\text{dist}(i,j)}{\sum_j P(o|j)}")
    found = [
        f"**{lesson.mechanisms[name].epsilon:.3f}** per cell for {name}"
        + (" (just below a jump)" if name in lesson.beyond else "")
        for name in lesson.geo_i
    ]
    st.markdown(f"Found here: ε′ = {', '.join(found)}." if found else "No Geo-I mechanism is part of this lesson.")
    for sentence in calibration_view.jump_sentences(lesson):
        st.warning(sentence, icon=":material/stacked_line_chart:")
    if max((lesson.mechanisms[name].epsilon for name in lesson.geo_i), default=0.0) > 0.8 * chosen.epsilon:
        _question(
            f"Why is ε′ close to {chosen.epsilon:g} here, although the promises differ?",
            "Because ε′ counts once for every cell of distance, and this map has few cells: far apart is not much "
            "farther than next door. Try 15 cells per side, and ε′ is a fraction of ε.",
        )
        return
    _question(
        f"Why is ε′ so much smaller than {chosen.epsilon:g}, and what does that do to the map?",
        "Because it counts once for every cell of distance: ten cells apart the allowed factor is already e^(10·ε′). "
        "At the same *number* ε a Geo-I report is nearly the truth, so its map below looks perfect: it is hardly "
        f"protected. At ε′ the reports are as vague as {REFERENCE}'s"
        + (", or vaguer where no ε′ gives just as much" if lesson.beyond else "")
        + ", and the map pays for it.",
    )


def _city(lesson: LessonState) -> None:
    st.markdown(
        f"Now everybody: {lesson.population.users:,} people send one report each, and the map is recovered from "
        f"the reports alone. By local privacy (step 4) the Geo-I mechanisms protect as much as {REFERENCE}"
        + (
            f", except {listed(list(lesson.beyond))}: no ε′ matches {REFERENCE}, so both sides of the jump are shown"
            if lesson.beyond
            else ""
        )
        + ". The error is **W2**: how far people would have to be moved, on average (root mean square), to repair the "
        "recovered map."
    )
    _question(
        "At equal protection, which one keeps more of the map? Would it be the same with another ε, a finer grid, "
        "another city?",
        "Read it off below, then change ε or d on the left and see. There is no winner for all cases. Measured "
        "exactly, DAM is ahead of SEM-Geo-I on fine grids with a middling budget (d = 20, ε = 5), on coarse grids "
        "with small budgets the two are mostly too close to call, and at ε = 9 SEM-Geo-I is ahead on two of three "
        "generated sets (“What we found in the paper” in the README). And equal local privacy is *one* ruler, which "
        "can be fooled: step 3 shows how different the two promises remain, and Compare lets you choose another.",
    )


def _whole_city(lesson: LessonState) -> None:
    chosen = lesson.choices.changed(compared=tuple(lesson.mechanisms), footing=EQUAL)
    found = comparison.begin(chosen, lesson.population)
    comparison_view.draw(found, lesson.loaded)
    comparison.wait(found)


#: For each step, the text beside the map of the person and the pictures below.
_STEPS: tuple[tuple[Callable[[LessonState], None], Callable[[LessonState], None]], ...] = (
    (_leaves, report_maps.sample_reports),
    (_concludes, conclusion_maps.conclusions),
    (_distance, loss_chart.loss_against_distance),
    (_equal, calibration_view.calibration),
    (_city, _whole_city),
)
assert len(_STEPS) == len(TITLES) == STEPS
