"""The words of the lesson, and the quiz: numbers in them are those of the library."""

import itertools
import re

import numpy as np
import pytest

from spatialldp import DAM
from spatialldp.dashboard.shared import choices
from spatialldp.privacy import conclusion
from spatialldp.teaching import QUIZ, Findings, Scene, texts
from spatialldp.teaching.tasks import tasks


@pytest.fixture(scope="module")
def found():
    return Findings(Scene.of("new-haven", d=5, seed=2), repeats=1)


def test_the_lesson_has_as_many_steps_as_links_know():
    assert choices.STEPS == texts.STEPS == len(texts.SHORT_TITLES) == 6


@pytest.mark.parametrize("step", range(1, 7))
def test_every_step_has_words_a_question_and_tasks(found, step):
    words = found.text(step)
    assert words.number == step
    assert words.title == texts.TITLES[step - 1]
    assert words.question.endswith("?")
    assert len(words.formulas) == len(words.plain)
    made = tasks(found, step)
    assert len(made) >= 3
    assert (made[-1].question, made[-1].answer) == (words.question, words.answer)
    said = " ".join([*words[2:3], words.answer, *(task.question + task.answer for task in made)])
    assert not re.search(r"\bnan\b|None|\binf\b|\{|\}", said)
    # Cells are hundreds of metres wide.
    assert "next block" not in said
    assert "Not sure at all" not in said


def matrix_share(mechanism, ix: int, iy: int) -> float:
    """How often a report names the cell, from the whole matrix."""
    row = mechanism.transition_matrix()[ix * mechanism.d + iy]
    if mechanism.notion == "Geo-I" and hasattr(mechanism, "k"):
        sets = itertools.combinations(range(mechanism.d**2), mechanism.k)
        return float(sum(row[number] for number, cells in enumerate(sets) if ix * mechanism.d + iy in cells))
    return float(row[(mechanism.output_cells == [ix, iy]).all(axis=1)].sum())


def test_one_report_tells_something_and_not_all(found):
    scene, words = found.scene, found.text(1)
    for name, mechanism in scene.mechanisms.items():
        assert f"{matrix_share(mechanism, scene.person.ix, scene.person.iy):.1%} under {name}" in words.answer
    away = np.hypot(*(scene.reports["DAM"] - [scene.person.ix, scene.person.iy]).T)
    metres = float(np.median(away)) * scene.side
    assert (f"{metres / 1000:.2f} km" if metres >= 1000 else f"{metres:.0f} m") in words.answer
    assert f"{DAM(3.5, 5).uniform_share:.0%}" in words.answer
    assert "does not tell:** which cell is hers" in words.answer


def test_where_one_report_names_the_cell_the_answer_says_so():
    answer = texts.leaves(Scene.of("new-haven", epsilon=9.0, d=5)).answer
    assert "What it tells:** almost certainly her cell" in answer
    assert "which cell is hers" not in answer
    assert "within 0 m" not in answer
    assert "beyond its edge" not in answer  # at b = 0 no report lies there
    assert "What it tells:** probably her cell" in texts.leaves(Scene.of("new-haven", epsilon=5.0, d=5)).answer
    answer = texts.leaves(Scene.of("new-haven", d=1)).answer
    assert "single cell" in answer
    assert "which cell is hers" not in answer


@pytest.mark.parametrize(
    ("epsilon", "d", "much"),
    [
        (0.5, 10, "next to nothing"),
        (1.0, 15, "next to nothing"),
        (3.5, 15, "something, but little"),
        (5.0, 5, "much"),
        (9.0, 15, "nearly everything"),
        (9.0, 2, "nearly everything"),
    ],
)
def test_a_report_is_compared_with_a_blind_one_among_all_cells_that_it_can_name(epsilon, d, much):
    scene = Scene.of("new-haven", epsilon=epsilon, d=d)
    key = tasks(Findings(scene, 1), 1)[1]
    matrix = DAM(epsilon, d).transition_matrix()
    # No cell is named more often than her own.
    blind, own = 1 / matrix.shape[1], matrix[scene.person.ix * d + scene.person.iy].max()
    assert f"one of {matrix.shape[1]:,} cells" in key.question
    pattern = r"1/([\d,]+) = ([\d.]+)%\. DAM names it in (?:over )?([\d.]+)% of reports, ([\d.,]+) times"
    outputs, rate, share, times = re.match(pattern, key.answer).groups()
    assert int(outputs.replace(",", "")) == matrix.shape[1]
    assert float(rate) / 100 == pytest.approx(blind, rel=0.05)
    assert float(share) / 100 == pytest.approx(own, rel=0.05)
    assert float(times.replace(",", "")) == pytest.approx(own / blind, rel=0.05)
    assert f"one report says {much} about which cell is hers" in key.answer


#: From hardly any budget to more than anybody should spend, on one cell and on the finest grid.
SETTINGS = [
    ("new-haven", 0.5, 30, False),
    ("new-haven", 9.0, 2, True),
    ("new-haven", 3.5, 1, True),
    ("san-francisco", 9.0, 15, False),
    ("san-francisco", 1.0, 15, True),
    ("normal", 5.0, 6, True),
]


@pytest.mark.parametrize(("data", "epsilon", "d", "knows_city"), SETTINGS)
def test_words_fit_all_settings(data, epsilon, d, knows_city):
    found = Findings(Scene.of(data, epsilon, d, knows_city=knows_city), 1)
    for step in range(1, 7):
        words = found.text(step)
        said = " ".join([words.text, words.answer, *(task.question + " " + task.answer for task in tasks(found, step))])
        assert not re.search(r"\bnan\b|None|\binf\b|\{|\}|\d\.\de\+|e-\d", said)
        assert not re.search(r"(?<![\d.,])1 (reports|cells|people)\b", said)
        if d == 1:
            assert "next cell" not in said
            assert "likelier from her cell" not in said
    if found.again.after(1) > 0.5 >= found.again.before:
        assert "After 1 report (" in tasks(found, 6)[1].answer


def test_a_factor_is_written_out():
    scene = Scene.of("san-francisco", 9.0, 15)
    belief = conclusion(scene.mechanisms["DAM"], scene.reports["DAM"][0]).belief[scene.person.ix, scene.person.iy]
    # Her own cell was named: 97% against 1 in 225.
    assert belief > 0.97
    assert "From 0.44% to 97.31%, 220 times as much." in tasks(Findings(scene, 1), 2)[0].answer


def test_neighbours_who_are_told_apart_are_not_said_to_be_hidden():
    answer = texts.distance(Scene.of("san-francisco", 9.0, 15)).answer
    assert "even neighbours are told apart" in answer
    assert "even neighbours are told apart" not in texts.distance(Scene.of("san-francisco", 1.0, 15)).answer


def test_a_jump_is_explained_where_both_of_its_sides_are_shown():
    scene = Scene.of("new-haven", 2.2, 5)
    below, above = scene.mechanisms["SEM-Geo-I"].k, scene.beyond["SEM-Geo-I"].k
    assert below != above
    text = texts.city(scene).text
    assert f"“cells named k” goes from {below} to {above}, local privacy jumps past DAM’s" in text
    assert "jump" not in texts.city(Scene.of("new-haven", 5.0, 5)).text


def test_the_task_on_bayes_rule_has_the_belief_of_the_library(found):
    scene = found.scene
    belief = conclusion(scene.mechanisms["DAM"], scene.reports["DAM"][0]).belief[scene.person.ix, scene.person.iy]
    assert f"From {1 / 25:.2%} to {belief:.2%}, {belief * 25:.2g} times as much" in tasks(found, 2)[0].answer


def test_budgets_add_up(found):
    assert "30 · 3.5 = 105; 365 · 3.5 = 1277.5" in tasks(found, 6)[0].answer


def test_a_person_in_water_is_no_trouble():
    scene = Scene.of("san-francisco", d=6, person=(-122.51, 37.83), knows_city=True)
    assert scene.person.neighbours == 0
    found = Findings(scene, 1)
    assert "never thinks of it" in tasks(found, 2)[0].answer


@pytest.mark.parametrize("step", range(1, 7))
def test_a_map_of_one_cell_has_words_too(step):
    found = Findings(Scene.of("new-haven", d=1), 1)
    assert found.text(step).answer
    assert tasks(found, step)


def test_the_quiz_has_eight_questions_each_with_one_right_answer_that_is_explained():
    assert len(QUIZ) == 8
    assert len({asked.question for asked in QUIZ}) == 8
    for asked in QUIZ:
        assert asked.question.endswith("?")
        assert 0 <= asked.right < len(asked.choices) == len(set(asked.choices)) == 3
        assert len(asked.why) > 80
    # Whoever always ticks the same box does not pass.
    rights = [asked.right for asked in QUIZ]
    assert max(rights.count(number) for number in range(3)) <= 4
