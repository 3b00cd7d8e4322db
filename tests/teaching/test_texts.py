"""The words of the lesson, and the quiz: numbers in them are those of the library."""

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


def test_one_report_tells_something_and_not_all(found):
    scene, words = found.scene, found.text(1)
    own = (scene.reports["DAM"] == [scene.person.ix, scene.person.iy]).all(axis=1).mean()
    assert f"{own:.1%} under DAM" in words.answer
    away = np.hypot(*(scene.reports["DAM"] - [scene.person.ix, scene.person.iy]).T)
    metres = float(np.median(away)) * scene.side
    assert (f"{metres / 1000:.2f} km" if metres >= 1000 else f"{metres:.0f} m") in words.answer
    assert f"{DAM(3.5, 5).uniform_share:.0%}" in words.answer
    assert "does not tell" in words.answer


def test_the_task_on_bayes_rule_has_the_belief_of_the_library(found):
    scene = found.scene
    belief = conclusion(scene.mechanisms["DAM"], scene.reports["DAM"][0]).belief[scene.person.ix, scene.person.iy]
    assert f"From {1 / 25:.2%} to {belief:.2%}" in tasks(found, 2)[0].answer


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
