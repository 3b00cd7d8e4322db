"""A worksheet for every step, and its key: one HTML file, pictures inside, nothing fetched, fit for A4."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Sequence
from numbers import Integral

from spatialldp import __version__
from spatialldp import _validation as validate
from spatialldp.drawing.colours import Scale
from spatialldp.drawing.vega import svg_uri
from spatialldp.experiments import defaults
from spatialldp.experiments.comparison_sentences import result
from spatialldp.formatting import command_word
from spatialldp.teaching import again, beliefs, charts, reports, ruler
from spatialldp.teaching.findings import Findings
from spatialldp.teaching.losses import NO_DISTANCE
from spatialldp.teaching.pictures import StepPicture, budget_of, drawn, heading
from spatialldp.teaching.scene import Scene
from spatialldp.teaching.tasks import Task, tasks
from spatialldp.teaching.texts import STEPS, TITLE, promises
from spatialldp.teaching.wording import people

_CHART_WIDTH = 560
_STYLE = """
@page { size: A4; margin: 11mm 15mm; }
* { box-sizing: border-box; }
body { font: 10pt/1.34 "Segoe UI", "Helvetica Neue", Arial, "DejaVu Sans", sans-serif; color: #22222e;
  background: #fff; max-width: 190mm; margin: 0 auto; padding: 8mm; }
section + section { break-before: page; margin-top: 14mm; }
h1 { font-size: 17pt; margin: 0 0 1mm; line-height: 1.2; }
p { margin: 0 0 2.5mm; orphans: 3; widows: 3; }
.top { display: flex; justify-content: space-between; gap: 6mm; color: #55555f; font-size: 9pt; margin-bottom: 3mm; }
.blank { display: inline-block; min-width: 42mm; border-bottom: 1px solid #77778a; }
.formula { font-family: Cambria, "DejaVu Serif", Georgia, serif; font-style: italic; text-align: center; }
.row { display: grid; grid-template-columns: repeat(var(--n), minmax(0, 1fr)); gap: 3mm; margin: 3mm 0 1mm;
  break-inside: avoid; }
figure { margin: 0; display: flex; flex-direction: column; } figcaption { font-size: 8.5pt; line-height: 1.3; }
.three { width: 66%; margin-inline: auto; }
figure img { width: 100%; margin-top: auto; border: 1px solid #d5d5de; }
.chart { width: 100%; max-width: 150mm; display: block; margin: 2mm auto; }
.small { font-size: 8.5pt; color: #44444e; }
table { border-collapse: collapse; width: 100%; margin: 2mm 0 3mm; font-size: 9pt; break-inside: avoid; }
th, td { text-align: left; padding: 0.8mm 2.5mm 0.8mm 0; border-bottom: 1px solid #e2e2ea; vertical-align: top; }
ol { margin: 2mm 0 0; padding-left: 6mm; } li { margin-bottom: 1.6mm; break-inside: avoid; }
.line { height: 6.4mm; border-bottom: 1px solid #b9b9c8; }
.answer { border-left: 3px solid #00805c; background: #eef7f3; padding: 1.5mm 3mm; margin-top: 1.5mm;
  -webkit-print-color-adjust: exact; print-color-adjust: exact; }
@media print { body { padding: 0; max-width: none; } section + section { margin-top: 0; } }
@media (max-width: 600px) { .row { grid-template-columns: repeat(2, minmax(0, 1fr)); } table { font-size: 7.5pt; } }
"""


@validate.takes(found=Findings, steps=[Integral], key=bool)
def worksheet(found: Findings, steps: Sequence[int] = tuple(range(1, STEPS + 1)), key: bool = False) -> str:
    """The sheets of some steps as one file.

    Args:
        found: the figures of the class's own settings.
        steps: which steps, from 1.
        key: whether the answers stand where there is room to write otherwise.

    Returns:
        The whole file, as text.

    Raises:
        ValueError: there is no such step.

    Example:
        >>> from spatialldp.teaching import Findings, Scene, worksheet
        >>> sheet = worksheet(Findings(Scene.of("new-haven", d=4)), steps=[1])
        >>> sheet.splitlines()[0], "http" in sheet
        ('<!doctype html>', False)
    """
    title = f"{TITLE}: {'key' if key else 'worksheet'}"
    body = "\n".join(_section(found, step, key) for step in steps)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>{_STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


def _section(found: Findings, step: int, key: bool) -> str:
    words, scene = found.text(step), found.scene
    kind = "Key" if key else "Worksheet"
    name = "" if key else '<span>Name: <span class="blank"></span> Date: <span class="blank"></span></span>'
    parts = [
        f'<div class="top"><span>{kind} {step} of {STEPS} · {html.escape(TITLE)}</span>{name}</div>',
        f"<h1>{step}. {html.escape(words.title)}</h1>",
        f"<p>{prose(words.text)}</p>",
        *(f'<p class="formula">{html.escape(formula)}</p>' for formula in words.plain),
        _FIGURES[step - 1](found),
        f"<ol>{''.join(_task(task, key) for task in tasks(found, step))}</ol>",
        f'<p class="small">{html.escape(settings(scene))} Simulated by spatialldp {__version__}; nobody is really '
        "there.</p>",
    ]
    return f'<section id="step-{step}">{"".join(parts)}</section>'


def _task(task: Task, key: bool) -> str:
    below = f'<div class="answer">{prose(task.answer)}</div>' if key else '<div class="line"></div>' * task.lines
    return f"<li>{prose(task.question)}{below}</li>"


def prose(text: str) -> str:
    """Markdown of the lesson, bold and italic, as HTML."""
    escaped = html.escape(text, quote=False)
    bold = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", escaped)
    return re.sub(r"\*(.+?)\*", r"<i>\1</i>", bold)


def settings(scene: Scene) -> str:
    """What the figures are about, in a line."""
    person = f"column {scene.person.ix + 1} from the west, row {scene.person.iy + 1} from the south"
    size = "" if scene.side is None else f" of {scene.length(1)}"
    return (
        f"Settings: {scene.title}, {people(scene.population.users)}, ε = {scene.epsilon:g}, {scene.d} × {scene.d} "
        f"cells{size}, the person in {person}, seed {scene.seed}."
    )


def command(scene: Scene, kind: str, step: int | None = None, repeats: int = defaults.REPEATS) -> str:
    """The command that makes the same file again, step 5 with so many `repeats`; empty for somebody's own file."""
    if scene.data is None:
        return ""
    words = ["spatialldp", "teach", kind, *([] if step is None else ["--step", str(step)]), "--data", scene.data]
    words += ["--epsilon", f"{scene.epsilon:g}", "--d", str(scene.d), "--seed", str(scene.seed)]
    if scene.bounds is not None:
        words += ["--bounds", ",".join(f"{value:.10g}" for value in scene.bounds)]
    words += ["--at", f"{scene.person.x:.10g},{scene.person.y:.10g}"]
    words += ["--prior"] if scene.knows_city else []
    words += [] if repeats == defaults.REPEATS else ["--repeats", str(repeats)]
    return " ".join(map(command_word, words))


# -- figures ---------------------------------------------------------------------------------------


def _row(scene: Scene, found: Iterable[tuple[StepPicture, Scale]], budgets: bool = False) -> str:
    cards = []
    for one, scale in found:
        name = f"{one.name} · {heading(scene, one.name)}" if budgets else one.name
        cards.append(
            f"<figure><figcaption><b>{html.escape(name)}</b><br>{html.escape(one.caption)}</figcaption>"
            f'<img src="{drawn(scene, one, scale)}" alt="{html.escape(one.alternative)}"></figure>'
        )
    kind = "row three" if len(cards) == 3 else "row"
    return f'<div class="{kind}" style="--n:{len(cards)}">{"".join(cards)}</div>'


def table(rows: Sequence[dict[str, str]]) -> str:
    """Rows with the same columns as an HTML table."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in rows[0])
    lines = "".join(
        "<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in row.values()) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>"


def _small(text: str) -> str:
    return f'<p class="small">{html.escape(text)}</p>'


def _chart(chart: charts.Chart) -> str:
    picture, said = svg_uri(chart, _CHART_WIDTH), html.escape(chart["description"])
    return f'<img class="chart" src="{picture}" alt="{said}">'


def _leaves(found: Findings) -> str:
    scene = found.scene
    pictures, scale = reports.report_pictures(scene)
    row = _row(scene, ((picture, scale) for picture in pictures), budgets=True)
    return row + _small(f"{reports.MARKS} {reports.FIGURES} {promises(scene)}") + table(reports.report_rows(scene))


def _concludes(found: Findings) -> str:
    scene = found.scene
    pictures, scale = beliefs.belief_pictures(scene, found.concluded)
    row = _row(scene, ((picture, scale) for picture in pictures), budgets=True)
    knows = "The attacker knows where people live." if scene.knows_city else "The attacker knows nothing beforehand."
    return row + _small(f"{beliefs.MARKS} {knows}") + table(beliefs.belief_rows(scene, found.concluded, found.averages))


def _distance(found: Findings) -> str:
    if found.scene.d == 1:
        return _small(NO_DISTANCE)
    note = "Solid: the worst case over all reports, computed exactly from her cell. Dashed: the promise."
    return _chart(charts.loss_chart(found.scene, found.losses, height=190)) + _small(note)


def _ruler(found: Findings) -> str:
    population = found.scene.example_population
    pictures, scale = ruler.map_pictures(population, found.ruler)
    beliefs_after = ruler.belief_pictures(found.scene, population)
    row = _row(found.scene, [*((picture, scale) for picture in pictures), *beliefs_after])
    readings = ruler.ruler_table(found.ruler, population.grid.cell_size_m)
    measured = list(next(iter(readings.values())))
    rows = [{"": label, **{name: row[label] for name, row in readings.items()}} for label in measured]
    return row + table(rows)


def _city(found: Findings) -> str:
    scene = found.scene
    shared = ruler.city_pictures(scene, found.city)
    rows = [
        {"Mechanism": entry.name, "Privacy budget": budget_of(scene, entry), "Error W2": result(entry, scene.side)}
        for entry in found.city
    ]
    return _row(scene, shared) + table(rows)


def _again(found: Findings) -> str:
    row = _row(found.scene, again.again_pictures(found.scene))
    return row + _chart(charts.again_chart(found.again, height=150))


_FIGURES: tuple[Callable[[Findings], str], ...] = (_leaves, _concludes, _distance, _ruler, _city, _again)
assert len(_FIGURES) == STEPS
