"""The whole lesson as a Jupyter notebook, about a class's own settings.

Its words come from `texts` and its figures from the installed package, so a class can change ε or the person in its
first cell and run it again. It needs what the extra `app` installs, and Jupyter.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from spatialldp import __version__
from spatialldp import _validation as validate
from spatialldp.experiments import defaults
from spatialldp.teaching import texts
from spatialldp.teaching.again import MOST
from spatialldp.teaching.quiz import QUIZ
from spatialldp.teaching.ruler import RULERS
from spatialldp.teaching.scene import REFERENCE, Scene
from spatialldp.teaching.texts import STEPS, StepText

Cell = dict[str, Any]

_HELPERS = """
import pandas as pd
from IPython.display import HTML, Markdown, display
from spatialldp.drawing.vega import svg_uri
from spatialldp.teaching import Findings, Scene, again, beliefs, charts, losses, reports, ruler
from spatialldp.teaching.pictures import budget_of, drawn


def show(pictures):
    # Maps side by side: each is a picture and its colour scale.
    cards = "".join(
        f'<td style="text-align: left; vertical-align: bottom"><b>{one.name}</b><br>{one.caption}<br>'
        f'<img src="{drawn(scene, one, scale, 260)}" alt="{one.alternative}" width="260"></td>'
        for one, scale in pictures
    )
    display(HTML(f"<table><tr>{cards}</tr></table>"))


def chart(curves):
    display(HTML(f'<img src="{svg_uri(curves, 600)}" alt="{curves["description"]}">'))
"""

#: What is computed and shown in each step.
_CODE = (
    """
pictures, scale = reports.report_pictures(scene)
show([(picture, scale) for picture in pictures])
pd.DataFrame(reports.report_rows(scene)).set_index("Mechanism")
""",
    """
pictures, scale = beliefs.belief_pictures(scene, found.concluded)
show([(picture, scale) for picture in pictures])
pd.DataFrame(beliefs.belief_rows(scene, found.concluded, found.averages)).set_index("Mechanism")
""",
    """
if scene.d > 1:
    chart(charts.loss_chart(scene, found.losses))
    display(pd.DataFrame(losses.loss_rows(scene, found.losses)).set_index(losses.LOSS_HEAD))
else:
    display(Markdown(losses.NO_DISTANCE))
""",
    """
people = scene.example_population
pictures, scale = ruler.map_pictures(people, found.ruler)
show([(picture, scale) for picture in pictures] + ruler.belief_pictures(scene, people))
pd.DataFrame(ruler.ruler_table(found.ruler, people.grid.cell_size_m))
""",
    """
show(ruler.city_pictures(scene, found.city))
pd.DataFrame(
    {
        "Mechanism": entry.name,
        "Privacy budget": budget_of(scene, entry),
        "W2, cells": entry.mean,
        "95% interval, ±": entry.half_width,
    }
    for entry in found.city
).set_index("Mechanism")
""",
    """
show(again.again_pictures(scene))
chart(charts.again_chart(found.again))
pd.DataFrame(again.again_rows(found.again)).set_index("Reports")
""",
)

#: Something to try in each step; None where the settings are what is to be changed.
_TRY = (
    (
        "**Try it.** A phone draws its report at random. Run this cell several times: each run gives another report "
        "from the same person.",
        """
mechanism = scene.mechanisms["{reference}"]
column, row = mechanism.randomize([scene.person.ix], [scene.person.iy])[0]
print(f"She is in column {{scene.person.ix + 1}}, row {{scene.person.iy + 1}}.")
print(f"The report names column {{column + 1}}, row {{row + 1}}.")
""",
    ),
    (
        "**Try it.** Bayes’ rule by hand: what a report makes of two cells, one with 90 people and one with 10.",
        """
people, likelier = [90, 10], [1, 3]
weighed = [number * times for number, times in zip(people, likelier)]
print([f"{{weight / sum(weighed):.0%}}" for weight in weighed])
""",
    ),
    None,
    (
        "**Choose a ruler**: put another name of `ruler.RULERS` here.",
        """
print(list(ruler.RULERS))
said = ruler.verdict(found.ruler, "{first}")
readings = [f"{{name}}: {{reading}}" for name, reading in zip(ruler.SHORT_NAMES, said.readings)]
print(f"{{said.label}}: {{ruler.SHORT_NAMES[said.winner]}} protects better ({{', '.join(readings)}}).")
""",
    ),
    None,
    (
        "**Try it.** How often is the attacker right after this many fresh reports?",
        """
number = 7
print(f"After {{number}} reports (ε = {{found.again.budget(number):g}} in all): {{found.again.after(number):.0%}}")
""",
    ),
)


@validate.takes(scene=Scene)
def notebook(scene: Scene, repeats: int = defaults.REPEATS) -> str:
    """The lesson as a notebook.

    Args:
        scene: the class's own settings. That of an own file is carried along as people per cell, because no command
            can name the file.
        repeats: how often each mechanism runs in step 5.

    Returns:
        The whole file, as text: JSON of the notebook format 4.5.

    Raises:
        ValueError: `scene` is something else, or `repeats` is not a whole number from 1 on.

    Example:
        >>> import json
        >>> from spatialldp.teaching import Scene, notebook
        >>> found = json.loads(notebook(Scene.of("new-haven", d=4)))
        >>> found["nbformat"], found["cells"][0]["source"]
        (4, '# Two promises: LDP and Geo-I')
    """
    repeats = validate.repeats(repeats)
    cells = [
        _markdown(f"# {texts.TITLE}"),
        _markdown(
            f"{texts.LEAD}\n\nMade by spatialldp {__version__}. Run all cells from the top; then change the settings "
            "in the next cell and run them again: all figures and answers follow."
        ),
        _code(_settings(scene)),
        _code(_HELPERS.strip()),
        _code(f"found = Findings(scene, repeats={repeats})  # computed when first asked for"),
    ]
    words = (
        texts.leaves(scene),
        texts.concludes(scene),
        texts.distance(scene),
        texts.ruler(scene),
        texts.city(scene),
        texts.again(scene),
    )
    for step in words:
        cells += _step(step)
    cells.append(_markdown("## Quiz\n\nEight questions; unfold the answers. Nothing is recorded."))
    cells += [_markdown(_quiz(number)) for number in range(len(QUIZ))]
    for number, cell in enumerate(cells):
        cell["id"] = hashlib.sha256(f"{number}".encode()).hexdigest()[:8]
    return json.dumps(
        {
            "cells": cells,
            "metadata": {
                "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                "language_info": {"name": "python"},
                "title": texts.TITLE,
            },
            "nbformat": 4,
            "nbformat_minor": 5,
        },
        ensure_ascii=False,
        indent=1,
    )


def _markdown(text: str) -> Cell:
    return {"cell_type": "markdown", "metadata": {}, "source": text}


def _code(text: str) -> Cell:
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": text}


def _settings(scene: Scene) -> str:
    """The cell that makes the scene."""
    person = f"person=({scene.person.x!r}, {scene.person.y!r})"
    common = f"seed={scene.seed}, knows_city={scene.knows_city}"
    head = "from spatialldp.teaching import Scene\n\n"
    if scene.data is not None:
        return (
            f"{head}scene = Scene.of(\n    data={scene.data!r},\n    epsilon={scene.epsilon!r},\n    d={scene.d},\n"
            f"    bounds={scene.bounds!r},\n    {person},\n    {common},\n)"
        )
    grid = scene.population.grid
    example = scene.example_population.counts.tolist()
    return (
        f"{head}# People per cell of somebody's own file, column by column from the west, each from the south.\n"
        "# The file itself is not here.\n"
        f"counts = {scene.population.counts.tolist()}\n"
        f"on_15_cells = {example}\n"
        f"scene = Scene.of_counts(\n    counts,\n    bounds={tuple(map(float, grid.bounds))!r},\n"
        f"    title={scene.title!r},\n    epsilon={scene.epsilon!r},\n    {person},\n    {common},\n"
        f"    crs={grid.crs!r},\n    example_counts=on_15_cells,\n)"
    )


def _step(words: StepText) -> Sequence[Cell]:
    formulas = "".join(f"\n\n$$ {formula} $$" for formula in words.formulas)
    cells = [
        _markdown(f"## {words.number}. {words.title}\n\n{words.text}{formulas}"),
        _code(_CODE[words.number - 1].strip()),
    ]
    attempt = _TRY[words.number - 1]
    if attempt is not None:
        text, code = attempt
        cells += [_markdown(text), _code(code.strip().format(reference=REFERENCE, first=next(iter(RULERS))))]
    cells.append(_markdown(f"**Question for the class.** {words.question}\n\nRun the next cell for the answer."))
    cells.append(_code(f"display(Markdown(found.text({words.number}).answer))"))
    return cells


def _quiz(number: int) -> str:
    asked = QUIZ[number]
    choices = "\n".join(f"- {choice}" for choice in asked.choices)
    return (
        f"**{number + 1}. {asked.question}**\n\n{choices}\n\n<details><summary>Answer</summary>\n\n"
        f"{asked.choices[asked.right]}. {asked.why}\n\n</details>"
    )


assert len(_CODE) == len(_TRY) == STEPS
assert MOST >= 7
