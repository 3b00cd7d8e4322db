"""The lesson as a notebook: a valid file with all words. `tests/test_wheel.py` runs it on an installed package."""

import io
import json
from contextlib import redirect_stdout

import nbformat
import pytest

from spatialldp.teaching import QUIZ, Findings, Scene, notebook, texts


@pytest.fixture(scope="module")
def scene():
    return Scene.of("new-haven", epsilon=3.5, d=5, person=(-72.9264, 41.2975), seed=2)


def test_it_is_a_notebook_with_all_words_of_the_lesson(scene):
    found = nbformat.reads(notebook(scene), 4)
    nbformat.validate(found)
    words = "\n".join(cell.source for cell in found.cells if cell.cell_type == "markdown")
    for number, title in enumerate(texts.TITLES, 1):
        assert f"## {number}. {title}" in words
    for asked in QUIZ:
        assert asked.question in words
        assert asked.why in words
    assert texts.again(scene).question in words
    assert "matplotlib" not in notebook(scene)
    assert len({cell["id"] for cell in found.cells}) == len(found.cells)


def settings_of(text: str):
    """The scene that the notebook's own first code cell makes."""
    cell = next(cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code")
    names: dict = {}
    with redirect_stdout(io.StringIO()):
        exec(cell["source"], names)
    return names["scene"]


def test_its_first_cell_makes_the_scene_of_the_class(scene):
    made = settings_of(notebook(scene))
    assert (made.data, made.epsilon, made.d, made.seed) == ("new-haven", 3.5, 5, 2)
    assert made.person == scene.person
    assert (made.reports["Planar Laplace"] == scene.reports["Planar Laplace"]).all()
    box = (-72.945, 41.295, -72.905, 41.325)
    assert settings_of(notebook(Scene.of("new-haven", d=4, bounds=box))).population.users == 1603


def test_step_five_runs_as_often_as_on_the_page(scene):
    sources = [cell["source"] for cell in json.loads(notebook(scene, repeats=7))["cells"]]
    names: dict = {"Findings": Findings, "scene": scene}
    exec(next(source for source in sources if source.startswith("found = ")), names)
    assert names["found"].repeats == 7
    with pytest.raises(ValueError, match="repeats"):
        notebook(scene, repeats=0)


def test_an_own_file_comes_along_as_counts():
    scene = Scene.of_counts(
        [[40, 10], [0, 50]], (0, 0, 1, 1), 'tom\'s "file"', crs=None, example_counts=[[1] * 15] * 15
    )
    made = settings_of(notebook(scene))
    assert made.population.counts.tolist() == [[40, 10], [0, 50]]
    assert made.title == 'tom\'s "file"'
    assert made.example_population.counts.sum() == 225
    assert made.side is None
