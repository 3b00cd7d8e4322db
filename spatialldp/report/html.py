"""A study as a printable report: one HTML file, pictures inside, nothing fetched, fit for A4."""

from __future__ import annotations

import base64
import datetime
import html
import json
from collections.abc import Iterable, Sequence

import numpy as np
import vl_convert
from numpy.typing import NDArray

from spatialldp import __version__
from spatialldp.drawing import charts
from spatialldp.drawing.colours import Scale, data_uri
from spatialldp.drawing.outlines import outline_lines
from spatialldp.drawing.triple import map_triple
from spatialldp.experiments.axes import AXES
from spatialldp.formatting import length, percent
from spatialldp.mechanisms import MECHANISMS
from spatialldp.planning import sentences
from spatialldp.planning.decision import Assessment
from spatialldp.planning.question import report_command
from spatialldp.planning.study import Study
from spatialldp.privacy import RepeatedRisk
from spatialldp.report import notes

_PICTURE = 420
_STYLE = """
@page { size: A4; margin: 16mm 15mm; }
* { box-sizing: border-box; }
body { font: 11pt/1.45 "Segoe UI", "Helvetica Neue", Arial, "DejaVu Sans", sans-serif; color: #22222e;
  background: #fff; max-width: 190mm; margin: 0 auto; padding: 8mm; }
@media print { body { padding: 0; max-width: none; font-size: 10pt; } }
h1 { font-size: 20pt; margin: 0 0 2mm; line-height: 1.2; }
h2 { font-size: 13.5pt; margin: 8mm 0 2mm; border-bottom: 1px solid #c8c8d4; break-after: avoid; }
p, ul, ol { margin: 0 0 3mm; orphans: 3; widows: 3; }
.sub { color: #55555f; }
.advice { font-size: 12.5pt; border-left: 4px solid #c96a00; background: #fdf6ec; padding: 4mm 5mm; margin: 4mm 0;
  break-inside: avoid; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
figure { margin: 4mm 0; break-inside: avoid; }
figcaption { font-size: 9.5pt; color: #44444e; }
.maps { display: grid; grid-template-columns: repeat(3, 1fr); gap: 4mm; }
.maps figure { margin: 0; }
img { max-width: 100%; height: auto; display: block; }
.maps img { width: 100%; image-rendering: pixelated; border: 1px solid #d5d5de; }
table { border-collapse: collapse; width: 100%; margin: 2mm 0 4mm; font-size: 10pt; break-inside: avoid; }
table.long { break-inside: auto; } tr { break-inside: avoid; }
th, td { text-align: left; padding: 1mm 2.5mm 1mm 0; border-bottom: 1px solid #e2e2ea; vertical-align: top; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; padding-left: 3mm; }
.legend { display: flex; align-items: center; gap: 3mm; font-size: 9.5pt; margin-top: 2mm; }
.bar { height: 3.5mm; width: 60mm; border: 1px solid #d5d5de; -webkit-print-color-adjust: exact;
  print-color-adjust: exact; }
code { font: 9.5pt/1.4 Consolas, "DejaVu Sans Mono", monospace; background: #f3f3f7; padding: 2mm 3mm; display: block;
  overflow-wrap: anywhere; break-inside: avoid; }
@media (max-width: 600px) { .maps { grid-template-columns: 1fr; } .scroll { overflow-x: auto; } }
"""


def printable_report(found: Study, made: datetime.date | None = None) -> str:
    """The whole file, as text; `made` is the date on it, None for today.

    >>> from spatialldp.experiments.plan import Plan
    >>> from spatialldp.planning.question import Question
    >>> from spatialldp.planning.study import study
    >>> *_, found = study(Question("new-haven", Plan(d=3), repeats=2))
    >>> printable_report(found).splitlines()[0]
    '<!doctype html>'
    """
    question, assessment = found.question, found.assessment
    made = datetime.date.today() if made is None else made
    title = f"{found.entry.title}: accuracy and privacy of a map from randomised reports"
    parts = [
        f"<h1>{_text(title)}</h1>",
        f'<p class="sub">A simulation by spatialldp {__version__}, {made.isoformat()}. Every person’s report in it is '
        "simulated, which is the only reason why the true map is known.</p>",
        f'<p class="advice" id="recommendation">{_text(sentences.recommendation(assessment, found.decision))}</p>',
        *_decision(found),
        "<h2>The map</h2>",
        *_maps(found),
        "<h2>How good the map is</h2>",
        _error_table(assessment),
        "<h2>What one person risks</h2>",
        *_risks(assessment),
        "<h2>Both sides of the trade</h2>",
        *_curves(found),
    ]
    if found.pinned is not None:
        parts += ["<h2>Two scenarios</h2>", _scenarios(found.pinned, assessment)]
    parts += ["<h2>All settings</h2>", _settings(found), "<h2>How to make this printable report again</h2>"]
    if not found.entry.own:
        parts.append(f"<code>{_text(report_command(question))}</code>")
    else:
        parts.append("<p>The data are somebody's own file, which is not included here: upload it again.</p>")
    parts += ["<h2>What was simulated, and how</h2>", _list(notes.method(question.repeats))]
    parts += ["<h2>Corrections to the paper</h2>", f"<p>{_text(notes.PAPER)}</p>", _list(notes.CORRECTIONS)]
    parts += ["<h2>Limits</h2>", _list(notes.LIMITS)]
    source = f"Data: {found.entry.title}; {found.entry.source}; licence: {found.entry.licence}."
    parts.append(f'<p class="sub">{_text(source)}</p>')
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(title)}</title>\n<style>{_STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


def _text(value: object) -> str:
    return html.escape(str(value))


def _list(entries: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{_text(entry)}</li>" for entry in entries) + "</ul>"


def _table(head: Sequence[str], rows: Iterable[Sequence[object]], kind: str = "", words: int = 1) -> str:
    """A table; columns after the first `words` hold numbers."""

    def cells(tag: str, values: Sequence[object]) -> str:
        return "".join(
            f'<{tag} class="n">{_text(value)}</{tag}>' if index >= words else f"<{tag}>{_text(value)}</{tag}>"
            for index, value in enumerate(values)
        )

    lines = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return (
        f'<div class="scroll"><table class="{kind}"><thead><tr>{cells("th", head)}</tr></thead>'
        f"<tbody>{lines}</tbody></table></div>"
    )


def _decision(found: Study) -> list[str]:
    plan, unit = found.question.plan, found.assessment.error.unit
    if found.decision is not None:
        said = [
            sentences.uncertainty_sentence(found.decision),
            sentences.users_sentence(found.decision.users, plan, unit),
            "The plan in the tables and maps below: " + sentences.error_sentence(found.assessment.error),
        ]
    elif found.grid is not None:
        said = [sentences.offer_sentence(found.grid)]
    else:
        said = []
    return [f"<p>{_text(sentence)}</p>" for sentence in said if sentence]


def _maps(found: Study) -> list[str]:
    run, error, d = found.run, found.assessment.error, found.population.grid.d
    maps = map_triple(found.population, found.question.plan.make(), run.reports, run.estimate.distribution)
    scale, lines = maps.scale(dark=False), outline_lines(found.entry.outline)
    first = length(float(error.w2_cells[0]) * error.side, error.unit)
    captions = (
        f"{maps.true.caption}; in a real collection nobody sees this map",
        f"{maps.perturbed.caption}: all that is collected (frame: the true area)",
        f"from the reports alone; W2 of this draw {first}",
    )
    figures = "".join(
        f'<figure><img src="{data_uri(panel.image(scale, _PICTURE, lines))}" '
        f'alt="{panel.title} map of {d} by {d} cells">'
        f"<figcaption><b>{panel.title}</b>, {_text(caption)}</figcaption></figure>"
        for panel, caption in zip(maps.panels, captions, strict=True)
    )
    return [f'<div class="maps">{figures}</div>', _legend(scale), f'<p class="sub">{_text(found.population.note)}</p>']


def _legend(scale: Scale) -> str:
    bar = scale.image(_ramp(scale))
    return (
        f'<div class="legend">0 % <img class="bar" src="{data_uri(bar)}" alt="Colour scale"> '
        f"{scale.high:.2%} of all people in one cell (or more)</div>"
    )


def _ramp(scale: Scale) -> NDArray[np.float64]:
    return np.linspace(scale.low, scale.high, 200)[:, None].repeat(4, axis=1)


def _error_table(assessment: Assessment) -> str:
    error, baselines = assessment.error, assessment.baselines
    side, unit = error.side, error.unit
    rows = [
        (
            "From the randomisation (W2)",
            length(error.transport, unit),
            f"± {length(error.half_width, unit)}",
        ),
        ("Hidden by the size of the cells (side/√6)", length(error.cell, unit), ""),
        (
            "Both together",
            length(error.total, unit),
            f"{length(error.low, unit)} to {length(error.high, unit)}",
        ),
        (
            "For comparison, W2 of a uniform guess (no report at all)",
            length(baselines.uniform_guess * side, unit),
            "",
        ),
        ("For comparison, W2 without privacy (chance alone)", length(baselines.no_privacy * side, unit), ""),
    ]
    return _table(("Error of the map", "mean", "95 % interval of the mean"), rows)


def _risks(assessment: Assessment) -> list[str]:
    error, before = assessment.error, assessment.one
    seen = [before] if assessment.many is before else [before, assessment.many]

    def row(name: str, values: Iterable[str]) -> list[str]:
        return [name, *values]

    def off_by(cells: float, standard_error: float = 0.0) -> str:
        return length(cells * error.side, error.unit, standard_error * error.side)

    def hit(share: float, standard_error: float = 0.0) -> str:
        return percent(share, standard_error, digits=1)

    head = ["An attacker who knows where people usually are and sees", "no report"]
    head += ["one report" if risk.reports == 1 else f"{risk.reports} reports" for risk in seen]
    rows = [
        row(
            "Best-guess attacker: names the right cell",
            [hit(before.prior_hit_rate), *(hit(r.hit_rate, r.hit_rate_error) for r in seen)],
        ),
        row(
            "Best-guess attacker: off by, on average",
            [off_by(before.prior_distance), *(off_by(r.guess_distance, r.guess_distance_error) for r in seen)],
        ),
        row(
            "Sampling attacker (draws from what is plausible): names the right cell",
            ["", *(hit(r.sampling_hit_rate, r.sampling_hit_rate_error) for r in seen)],
        ),
        row(
            "Sampling attacker: off by, on average",
            ["", *(off_by(r.sampling_distance, r.sampling_distance_error) for r in seen)],
        ),
        row("Budget spent", ["0", *(_budget(risk, error.plan.mechanism) for risk in seen)]),
    ]
    local = off_by(assessment.local.value, assessment.local.standard_error)
    text = (
        f"{sentences.risk_sentence(assessment.many, error.side, error.unit)} The paper's local privacy (a sampling "
        f"attacker who knows nothing beforehand) is {local}; the sampling attacker is a poor one, whose figures "
        "flatter the protection. Budgets add up: each further report of the same person about the same place costs ε "
        "again."
    )
    return [f"<p>{_text(text)}</p>", _table(head, rows)]


def _budget(risk: RepeatedRisk, mechanism: str) -> str:
    per_cell = " per cell" if MECHANISMS[mechanism].notion == "Geo-I" else ""
    return f"ε = {risk.budget:.3g}{per_cell}"


def _curves(found: Study) -> list[str]:
    points, question = found.points, found.question
    if not points:
        return ["<p>No curve: none of the chosen mechanisms has a radius to vary.</p>"]
    marked = question.marked_value(found.assessment.error.users)
    reports = "one report" if question.reports == 1 else f"{question.reports} reports of one person"
    pictures = [
        (
            charts.error_chart(points, marked, False, 230),
            "Error W2 of the recovered map with its 95 % interval." + charts.more_protection_note(points),
        ),
        (
            charts.distance_chart(points, marked, False, 130, legend=True),
            f"How far off the best guess is after {reports}.",
        ),
        (
            charts.hit_chart(points, marked, False, 130, legend=True),
            f"How often the right cell is named after {reports}.",
        ),
    ]
    figures = [
        f'<figure><img src="{_svg(chart)}" alt="{_text(chart["description"])}">'
        f"<figcaption>{_text(caption)} The broad line marks the plan described here.</figcaption></figure>"
        for chart, caption in pictures
    ]
    rows = [
        (
            entry.mechanism,
            f"{entry.value:,g}",
            length(entry.error.transport, entry.error.unit),
            f"± {length(entry.error.half_width, entry.error.unit)}",
            length(entry.error.total, entry.error.unit),
            percent(entry.risk.hit_rate, digits=1),
            length(entry.risk.guess_distance * entry.error.side, entry.error.unit),
        )
        for entry in points
    ]
    head = ("Mechanism", AXES[question.over], "W2", "95 %", "with the cell", "right cell named", "attacker off by")
    return [*figures, _table(head, rows, "long")]


def _svg(chart: charts.Chart) -> str:
    config = {"font": "Arial, Helvetica, DejaVu Sans, sans-serif", "axis": {"labelFontSize": 11, "titleFontSize": 12}}
    picture = vl_convert.vegalite_to_svg(json.dumps({**chart, "width": 560, "background": "white", "config": config}))
    return "data:image/svg+xml;base64," + base64.b64encode(picture.encode()).decode()


def _scenarios(before: Assessment, after: Assessment) -> str:
    rows = sentences.scenario_rows(before, after)
    return _table(("", "A (pinned)", "B (here)", "difference"), rows)


def _settings(found: Study) -> str:
    question, plan, error = found.question, found.question.plan, found.assessment.error
    radius = plan.make().radius
    bounds = ", ".join(f"{value:g}" for value in found.population.grid.bounds)
    rows = [
        ("Data", f"{found.entry.title} ({question.data})"),
        ("Square domain: west, south, east, north", bounds),
        ("People who take part", f"{error.users:,} of {found.population.users:,} in the area"),
        ("Mechanism", f"{plan.mechanism}: {MECHANISMS[plan.mechanism].full_name}"),
        ("Privacy budget", sentences.budget_words(plan, error)),
        ("Cells per side", f"{plan.d}, each {length(error.side, error.unit)}"),
        ("Radius b", "none" if radius is None else f"{radius} cells" + (" (the optimum)" if plan.b is None else "")),
        ("Accepted error", "none given" if question.target is None else length(question.target, error.unit)),
        ("Reports per person", question.reports),
        ("Curves over", AXES[question.over]),
        ("Random seeds", f"{question.seed} to {question.seed + question.repeats - 1}, one per repeat"),
    ]
    return _table(("Setting", "Value"), rows, words=2)


#: The name that programs written for earlier versions call.
report_html = printable_report
