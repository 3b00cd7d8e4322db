"""The lesson: five steps, each with a question for the class and an answer to unfold."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from spatialldp.dashboard.compare import scores
from spatialldp.dashboard.lesson import charts, maps
from spatialldp.dashboard.lesson.person import choose_person
from spatialldp.dashboard.lesson.scene import NAMES, REPORTS, Lesson, scene
from spatialldp.dashboard.shared.choices import EQUAL, LARGEST_SEED, STEPS, Choices
from spatialldp.dashboard.shared.chosen_data import LoadedData
from spatialldp.dashboard.shared.controls import bound, choices, choose
from spatialldp.dashboard.shared.controls import show as show_value
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
    chosen = choices()
    show_value("step", chosen.step)
    st.segmented_control(
        "Step",
        list(range(1, STEPS + 1)),
        format_func=lambda step: f"{step} · {TITLES[step - 1]}",
        key="step",
        on_change=_jump,
        label_visibility="collapsed",
        required=True,
    )


def _jump() -> None:
    step = st.session_state["step"]
    if step is not None:
        choose(step=step)


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


def show(chosen: Choices, loaded: LoadedData, population: Population) -> None:
    """The chosen step."""
    left, right = st.columns([2, 3], gap="large")
    with left:
        person = choose_person(chosen, loaded, population)
    lesson = scene(chosen, loaded, population, person)
    with right:
        st.subheader(f"{chosen.step}. {TITLES[chosen.step - 1]}", anchor=False)
        _TEXTS[chosen.step - 1](lesson)
    _PICTURES[chosen.step - 1](lesson)


def _question(question: str, answer: str) -> None:
    st.info(f"**Question for the class.** {question}", icon=":material/school:")
    # A key of its own for every step, or the next answer would be open before its question is read.
    with st.expander("Answer", key=f"answer-{choices().step}"):
        st.markdown(answer)


def _prior_switch(lesson: Lesson) -> None:
    st.toggle(
        "The attacker knows where people live",
        help="Off: every cell is as likely as any other before the report. On: as likely as its share of the people.",
        **bound("knows_city", "prior", lesson.choices.knows_city),
    )


def _length(lesson: Lesson, cells: float) -> str:
    return maps.length(cells, lesson.population.grid.cell_size_m)


def _leaves(lesson: Lesson) -> None:
    st.markdown(
        "The orange dot is one person. Her phone never sends where she is. It throws dice and sends **one report**. "
        f"Below, each map shows where {REPORTS:,} such reports would fall if it could throw again and again "
        "(simulated), and 150 of them as dots."
    )
    st.latex(r"\text{DAM: } P(\text{report}\mid\text{cell}) \in \{\,q \,\ldots\, q\,e^{\varepsilon}\}")
    st.caption(
        "DAM (local differential privacy) may report any cell, even outside the city. SEM-Geo-I reports a few cells at "
        "once or nothing, planar Laplace a place nearby: both are geo-indistinguishable (Geo-I). "
        + (
            "All three protect equally by one measure; step 4 shows which."
            if not lesson.beyond
            else "By one measure DAM and planar Laplace protect equally here and SEM-Geo-I more; step 4 shows why."
        )
    )
    own = {name: maps.own_cell_share(lesson, name) for name in NAMES}
    blind = lesson.mechanisms["DAM"].uniform_share  # type: ignore[attr-defined]
    _question(
        "You catch one single report. How sure are you where she is?",
        f"Not sure at all. Her own cell is named in {own['DAM']:.1%} of the DAM reports, {own['SEM-Geo-I']:.1%} of "
        f"those of SEM-Geo-I and {own['Planar Laplace']:.1%} of those of planar Laplace. With DAM, {blind:.0%} of all "
        "reports are drawn blindly from the whole map: whatever arrives, it may be one of those. With the other two a "
        "place is named the more rarely the farther it is (planar Laplace moves what would fall outside to the edge).",
    )


def _concludes(lesson: Lesson) -> None:
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
    uniform, density = (maps.concluded(lesson, "DAM", prior) for prior in (None, lesson.population.counts))
    here = lesson.person.ix, lesson.person.iy
    _question(
        "The attacker also knows the city, and that nobody stands in water. Does the same report now tell more?",
        "On average it does. Think of **an island in a lake**: a report beside the island might come from the water; "
        "who knows that nobody lives there is left with the island and the shore. For this DAM report the expected "
        f"error of the best guess is {_length(lesson, uniform.expected_distance)} without and "
        f"{_length(lesson, density.expected_distance)} with that knowledge; the belief in her own cell is "
        f"{uniform.belief[here]:.1%} without and {density.belief[here]:.1%} with it. Where few people live it may even "
        "fall: she is then taken for one of the many elsewhere. No mechanism can take away what an attacker knew "
        "before; ε bounds what the *report* adds.",
    )


def _distance(lesson: Lesson) -> None:
    st.markdown(
        "How many times likelier can a report be from *here* than from *there*? Under **LDP** at most e^ε, however far "
        "apart the two are. Under **Geo-I** the limit grows with the distance between them."
    )
    st.latex(r"\text{LDP: } \frac{P(o\mid x)}{P(o\mid x')} \le e^{\varepsilon}")
    st.latex(r"\text{Geo-I: } \frac{P(o\mid x)}{P(o\mid x')} \le e^{\varepsilon'\cdot \text{dist}(x,x')}")
    marks = charts.reference_distances(lesson)
    dam, sem = (charts.worst_factors(lesson, name) for name in ("DAM", "SEM-Geo-I"))
    near, far = min(marks.values()), max(marks.values())
    _question(
        "She does not mind the city knowing which *side* of town she is on, but her neighbours must not be told apart. "
        "Or is it the other way round? Which notion suits which wish?",
        f"Geo-I suits the first wish: from the next cell a report of SEM-Geo-I is at most {_times(sem, near)} times "
        f"likelier, from the far end of the city {_times(sem, far)} times. LDP suits the second: DAM allows "
        f"{_times(dam, near)} times next door and never more than {_times(dam, far)}, even across the city. Inside one "
        "cell nothing can be told apart by either.",
    )


def _times(factors: dict[float, float], cells: float) -> str:
    nearest = min(factors, key=lambda distance: abs(distance - cells))
    return charts.times(factors[nearest])


def _equal(lesson: Lesson) -> None:
    chosen = lesson.choices
    st.markdown(
        f"ε = {chosen.epsilon:g} for *any two places* and ε = {chosen.epsilon:g} *per cell of distance* are different "
        "promises. To compare them fairly, measure both with one ruler: **local privacy**, the mean distance between a "
        "person and a guess drawn from what one report makes plausible. ε′ is the ε at which a Geo-I mechanism "
        "reaches DAM's value."
    )
    st.latex(r"LP=\frac{1}{m}\sum_{o}\frac{\sum_{i,j}P(o|i)\,P(o|j)\,\text{dist}(i,j)}{\sum_j P(o|j)}")
    found = ", ".join(
        f"**{lesson.mechanisms[name].epsilon:.3f}** per cell for {name}"
        + (" (just below a jump)" if name in lesson.beyond else "")
        for name in NAMES[1:]
    )
    st.markdown(f"Found here: ε′ = {found}.")
    for sentence in charts.jump_sentences(lesson):
        st.warning(sentence, icon=":material/stacked_line_chart:")
    if max(lesson.mechanisms[name].epsilon for name in NAMES[1:]) > 0.8 * chosen.epsilon:
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
        "protected. At ε′ the reports are as vague as DAM's"
        + (", or vaguer where no ε′ gives just as much" if lesson.beyond else "")
        + ", and the map pays for it.",
    )


def _city(lesson: Lesson) -> None:
    st.markdown(
        f"Now everybody: {lesson.population.users:,} people send one report each, and the map is recovered from "
        "the reports alone. All protect equally by local privacy (step 4)"
        + (
            f", except {' and '.join(lesson.beyond)}: no ε′ matches DAM, so both sides of the jump are shown"
            if lesson.beyond
            else ""
        )
        + ". The error is **W2**: how far people would have to be moved, in the root mean square, to repair the "
        "recovered map."
    )
    _question(
        "At equal protection, which one keeps more of the map? Would it be the same with another ε, a finer grid, "
        "another city?",
        "Read it off below, then change ε or d on the left and see. There is no winner for all cases: measured "
        "exactly, DAM is ahead of SEM-Geo-I on fine grids with a middling budget (d = 20, ε = 5), on coarse grids "
        "with small budgets the two are mostly too close to call, and at ε = 9 SEM-Geo-I is ahead on two of three "
        "generated sets (“What we found in the paper” in the README). And equal local privacy is *one* ruler, which "
        "can be fooled: step 3 shows how different the two promises remain, and Compare lets you choose another.",
    )


def _whole_city(lesson: Lesson) -> None:
    scores.results(lesson.choices.changed(compared=NAMES, footing=EQUAL), lesson.loaded, lesson.population)


_TEXTS: tuple[Callable[[Lesson], None], ...] = (_leaves, _concludes, _distance, _equal, _city)
_PICTURES: tuple[Callable[[Lesson], None], ...] = (
    maps.sample_reports,
    maps.conclusions,
    charts.loss_against_distance,
    charts.calibration,
    _whole_city,
)
