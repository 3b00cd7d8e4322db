"""A study as a printable report: one HTML file, pictures inside, nothing fetched, fit for A4."""

from __future__ import annotations

import datetime
import html
import math
import re
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from spatialldp import __version__
from spatialldp.drawing import charts
from spatialldp.drawing.colours import Scale, data_uri
from spatialldp.drawing.outlines import outline_lines
from spatialldp.drawing.triple import map_triple
from spatialldp.drawing.vega import svg_uri
from spatialldp.experiments.axes import AXES
from spatialldp.experiments.map_error import COUNTS, Ground, MapError
from spatialldp.formatting import length, length_range, percent
from spatialldp.mechanisms import MECHANISMS
from spatialldp.planning import sentences
from spatialldp.planning.decision import Assessment
from spatialldp.planning.question import CURVES, PRESENT, marked_value, report_command
from spatialldp.planning.study import Study
from spatialldp.privacy import RepeatedRisk
from spatialldp.report import notes
from spatialldp.wasserstein import wasserstein2

#: Sides of maps and widths of charts, in pixels; beside a chart there is room for the names of its lines.
_PICTURE, _CHART_WIDTH = 420, 500
#: Up to so many plans side by side take the room they need; more share the page evenly.
_FEW_PLANS = 3
_STYLE = """
@page { size: A4; margin: 15mm; }
* { box-sizing: border-box; }
body { font: 11pt/1.45 "Segoe UI", "Helvetica Neue", Arial, "DejaVu Sans", sans-serif; color: #22222e;
  background: #fff; max-width: 190mm; margin: 0 auto; padding: 8mm; }
h1 { font-size: 20pt; margin: 0 0 2mm; line-height: 1.2; }
h2 { font-size: 13.5pt; margin: 7mm 0 2mm; border-bottom: 1px solid #c8c8d4; break-after: avoid; }
p, ul, ol { margin: 0 0 3mm; orphans: 3; widows: 3; }
.sub { color: #55555f; } .lead { break-after: avoid; } section { break-inside: avoid; } .u { white-space: nowrap; }
.advice { font-size: 12.5pt; border-left: 4px solid #c96a00; background: #fdf6ec; padding: 4mm 5mm; margin: 4mm 0;
  break-inside: avoid; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
figure { margin: 4mm 0; break-inside: avoid; }
figcaption { font-size: 9.5pt; color: #44444e; }
.maps { display: grid; grid-template-columns: repeat(3, 1fr); gap: 4mm; }
.maps figure { margin: 0; }
img { max-width: 100%; height: auto; display: block; }
.maps img { width: 100%; image-rendering: pixelated; border: 1px solid #d5d5de; }
table { border-collapse: collapse; width: 100%; margin: 2mm 0 4mm; font-size: 10pt; break-inside: avoid; }
table.long { break-inside: auto; } tr { break-inside: avoid; } thead { display: table-header-group; }
table.long tr:nth-child(-n+4) { break-after: avoid; } table.long tr:nth-last-child(-n+3) { break-before: avoid; }
th, td { text-align: left; padding: 0.8mm 2.5mm 0.8mm 0; border-bottom: 1px solid #e2e2ea; vertical-align: top; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; padding-left: 3mm; }
table.curves th.n { white-space: normal; text-wrap: balance; vertical-align: bottom; }
table.curves td:first-child { white-space: nowrap; }
table.plans td.n, table.plans th.n { white-space: normal; overflow-wrap: anywhere; padding: 0.8mm 1mm 0.8mm 1.5mm; }
table.many { table-layout: fixed; } table.many th:first-child { width: 20%; } table.many th.n { font-size: 8pt; }
.legend { display: flex; align-items: center; gap: 3mm; font-size: 9.5pt; margin: 2mm 0; }
.bar { height: 3.5mm; width: 60mm; border: 1px solid #d5d5de; -webkit-print-color-adjust: exact;
  print-color-adjust: exact; }
code { font: 9.5pt/1.4 Consolas, "DejaVu Sans Mono", monospace; background: #f3f3f7; padding: 2mm 3mm; display: block;
  overflow-wrap: anywhere; break-inside: avoid; }
@media print { body { padding: 0; max-width: none; font-size: 9.5pt; line-height: 1.38; } table { font-size: 9pt; } }
@media screen { .scroll { overflow-x: auto; } }
@media (max-width: 600px) { .maps { grid-template-columns: 1fr; } }
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
    question, decided = found.question, found.decided
    made = datetime.date.today() if made is None else made
    title = f"{found.entry.title}: accuracy and privacy of a map from randomised reports"
    parts = [
        f"<h1>{_text(title)}</h1>",
        f'<p class="sub">A simulation by spatialldp {__version__}, {made.isoformat()}. All reports from people’s '
        "devices are simulated; that is the only reason the true map is known.</p>",
        f'<p class="advice" id="recommendation">'
        f"{_prose(sentences.recommendation(found.decision, found.recommended))}</p>",
        "<h2>How sure this is</h2>",
        _list(_how_sure(found)),
        f'<p id="about"><b>{_text(_about(found))}</b></p>',
        "<h2>The map</h2>",
        *_maps(found),
        "<h2>How good the map is</h2>",
        *_errors(found),
        "<h2>What one person risks</h2>",
        *_risks(decided),
        "<h2>Both sides of the trade-off</h2>",
        *_curves(found),
        *_plans(found),
        "<h2>All settings</h2>",
        _settings(found),
        "<h2>How to make this printable report again</h2>",
    ]
    if not found.entry.own:
        parts.append(f"<code>{_text(report_command(question))}</code>")
    else:
        parts.append("<p>The data come from an uploaded file, which is not included here: upload it again.</p>")
    parts += ["<h2>What was simulated, and how</h2>", _list(notes.method(question.repeats, question.purpose))]
    parts += [
        "<h2>Corrections to the paper</h2>",
        f'<p class="lead">{_text(notes.PAPER)}</p>',
        _list(notes.CORRECTIONS),
    ]
    source = f"Data: {found.entry.title}; {found.entry.source}; licence: {found.entry.licence}."
    # Kept together, or the source could be alone on the last page.
    parts += ["<section><h2>Limits</h2>", _list(notes.LIMITS), f'<p class="sub">{_text(source)}</p></section>']
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(title)}</title>\n<style>{_STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


def _text(value: object) -> str:
    return html.escape(str(value))


def _prose(text: str) -> str:
    """The same for sentences, with every length kept on one line: a metre alone on the next is hard to read."""
    return re.sub(r"[\d.,]+ m\b", lambda found: f'<span class="u">{found[0]}</span>', _text(text))


def _list(entries: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{_prose(entry)}</li>" for entry in entries) + "</ul>"


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


def _how_sure(found: Study) -> list[str]:
    """How the recommended plan was found, and what else its numbers mean for the decision."""
    decision = found.decision
    said = sentences.decision_details(decision)
    if found.users is not None:
        said.append(sentences.users_sentence(found.users, found.question.plan, decision.error.unit))
    return [sentence for sentence in said if sentence]


def _about(found: Study) -> str:
    """Which plan the maps, tables and curves are about."""
    plan, error = found.decided.plan, found.decided.error
    words = (
        f"{plan.mechanism} with {sentences.budget_words(plan, error)} on {sentences.grid_words(plan)}, "
        f"{error.users:,} people."
    )
    if plan != found.decision.plan:
        return f"This printable report is about your own setting, not the recommended plan: {words}"
    own = "your own setting, which is the recommended plan" if found.question.decided_for == PRESENT else ""
    nearest = "the plan that comes nearest" if not found.decision.met else "the recommended plan"
    return f"This printable report is about {own or nearest}: {words}"


def _maps(found: Study) -> list[str]:
    population, distribution, error = found.population, found.run.estimate.distribution, found.decided.error
    maps = map_triple(population, found.decided.plan.make(), found.run.reports, distribution)
    scale, lines, d = maps.scale(dark=False), outline_lines(found.entry.outline), population.grid.d
    ground = Ground.of(population)
    off_by = ground.error_of_counts(distribution) if error.purpose == COUNTS else ground.error(distribution)
    between = length(wasserstein2(population.counts, distribution) * error.side, error.length_unit)
    captions = (
        f"{maps.true.caption} (known only in a simulation)",
        f"{maps.perturbed.caption}: all that is collected (frame: the area)",
        f"from the reports alone; {_of_what(error)[0].lower()} of this map: {length(off_by, error.unit)} (W2 between "
        f"grids, this draw: {between})",
    )
    figures = "".join(
        f'<figure><img src="{data_uri(panel.image(scale, _PICTURE, lines))}" '
        f'alt="{panel.title} map of {d} by {d} cells">'
        f"<figcaption><b>{panel.title}</b>, {_text(caption)}</figcaption></figure>"
        for panel, caption in zip(maps.panels, captions, strict=True)
    )
    return [f'<div class="maps">{figures}</div>', _legend(scale), f'<p class="sub">{_text(population.note)}</p>']


def _legend(scale: Scale) -> str:
    bar = scale.image(_ramp(scale))
    return (
        f'<div class="legend">0% <img class="bar" src="{data_uri(bar)}" alt="Colour scale"> '
        f"{scale.high:.2%} of all people in one cell (or more)</div>"
    )


def _ramp(scale: Scale) -> NDArray[np.float64]:
    return np.linspace(scale.low, scale.high, 200)[:, None].repeat(4, axis=1)


def _errors(found: Study) -> list[str]:
    """The error of the decided plan and what to hold it against; in words too, unless the reader has had them."""
    error, ends = found.decided.error, found.decided.baselines
    total, cell, noise = sentences.parts_in_words(error)
    rows = [
        (f"Mean of {error.values.size} simulated collections", total, _interval(error)),
        ("… from cell size (the true map on these cells has it too)", cell, ""),
        ("… from the randomisation", noise, ""),
        ("For comparison: a uniform guess (no report at all)", length(ends.uniform_guess, error.unit), ""),
        (
            "For comparison: no privacy (as many people drawn at random, each giving their true cell)",
            length(ends.no_privacy, error.unit),
            "",
        ),
    ]
    if not math.isnan(error.w2):
        between = "W2 between grids, mean (as on Explore and Compare: from cell centre to cell centre)"
        rows.append((between, length(error.w2, error.length_unit), ""))
    said = [] if error is found.decision.error else [_list(sentences.error_details(error))]
    return [*said, _table((_of_what(error)[1], "value", "95% interval of the mean"), rows)]


def _of_what(error: MapError) -> tuple[str, str]:
    """What an error is of, with the map named beside it and without."""
    return ("Error of counts", "Error of counts") if error.purpose == COUNTS else ("Error", "Error of the map")


def _interval(error: MapError) -> str:
    return "–" if math.isinf(error.half_width) else length_range(error.low, error.high, error.unit)


def _risks(assessment: Assessment) -> list[str]:
    error, before = assessment.error, assessment.one
    seen = [before] if assessment.many is before else [before, assessment.many]

    def row(name: str, values: Iterable[str]) -> list[str]:
        return [name, *values]

    def off_by(cells: float, standard_error: float = 0.0) -> str:
        return sentences.guess_off_by(cells, error.side, error.length_unit, standard_error)

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
    risked = sentences.risk_sentence(assessment.many, error.side, error.length_unit)
    text = (
        f"{risked} The paper's local privacy (the average error of a sampling "
        f"attacker who knows nothing beforehand) is {local}. The sampling attacker is a weak one, so these figures "
        "flatter the protection. Budgets add up: each further report by the same person about the same place costs ε "
        "again."
    )
    return [f"<p>{_prose(text)}</p>", _table(head, rows)]


def _budget(risk: RepeatedRisk, mechanism: str) -> str:
    per_cell = " per cell" if MECHANISMS[mechanism].notion == "Geo-I" else ""
    return f"ε = {risk.budget:.3g}{per_cell}"


def _curves(found: Study) -> list[str]:
    points, question, decided = found.points, found.question, found.decided
    if not points:
        return ["<p>No curve: none of the chosen mechanisms has a radius to vary.</p>"]
    marked = marked_value(question.over, decided.plan, decided.error.users)
    reports = "one report" if question.reports == 1 else f"{question.reports} reports of one person"
    accepted = "" if question.target is None else " Thin line: the accepted error."
    pictures = [
        (
            charts.error_chart(points, marked, False, 210, question.target),
            f"{_of_what(decided.error)[1]} with its 95% interval. Dashed lines: a uniform guess that saw no report, "
            f"no privacy (chance and cells alone), and the part from cell size.{accepted} The scale is compressed "
            "towards the top." + charts.more_protection_note(points),
        ),
        (
            charts.distance_chart(points, marked, False, 130, legend=True),
            f"How far off the best guess is after {reports}, and before any (dashed).",
        ),
        (
            charts.hit_chart(points, marked, False, 130, legend=True),
            f"How often the right cell is named after {reports}, and before any (dashed).",
        ),
    ]
    figures = [
        f'<figure><img src="{svg_uri(chart, _CHART_WIDTH)}" alt="{_text(chart["description"])}">'
        f"<figcaption>{_text(caption)} The broad line marks the plan described here.</figcaption></figure>"
        for chart, caption in pictures
    ]
    rows = []
    for entry in points:
        total, cell, _ = sentences.parts_in_words(entry.error)
        rows.append(
            (
                charts.series_name(entry, points),
                f"{entry.value:,g}",
                total,
                _interval(entry.error),
                cell,
                percent(entry.risk.hit_rate, digits=1),
                sentences.guess_off_by(entry.risk.guess_distance, entry.error.side, entry.error.length_unit),
            )
        )
    head = ("Curve", AXES[points[0].over], _of_what(decided.error)[1].lower(), "95% interval", "from cell size")
    return [*figures, _table((*head, "right cell named", "attacker off by"), rows, "long curves")]


def _plans(found: Study) -> list[str]:
    """The recommended plan, the present setting and the saved scenarios side by side, unless there is but one."""
    plans = {"Recommended" if found.decision.met else "Nearest": found.recommended}
    if found.setting.plan != found.recommended.plan:
        plans["Your setting"] = found.setting
    columns = [*plans.items(), *found.scenarios]
    if len(columns) == 1:
        return []
    rows = sentences.comparison_rows([assessment for _, assessment in columns])
    kind = "plans many" if len(columns) > _FEW_PLANS else "plans"
    return ["<h2>The plans side by side</h2>", _table(("", *(name for name, _ in columns)), rows, kind)]


def _settings(found: Study) -> str:
    question, plan, error = found.question, found.decided.plan, found.decided.error
    radius = plan.make().radius
    bounds = ", ".join(f"{value:g}" for value in found.population.grid.bounds)
    purpose = "how many people are in an area" if question.purpose == COUNTS else "where people are"
    rows = [
        ("Data", f"{found.entry.title} ({question.data})"),
        ("Square domain: west, south, east, north", bounds),
        ("What the map is for", f"{purpose} ({question.purpose})"),
        ("Accepted error", "none given" if question.target is None else length(question.target, error.unit)),
        ("Plan described here", f"the {question.decided_for} one"),
        ("People who take part", f"{error.users:,} of {found.population.users:,} in the area"),
        ("Mechanism", f"{plan.mechanism}: {MECHANISMS[plan.mechanism].full_name}"),
        ("Privacy budget", sentences.budget_words(plan, error)),
        ("Cells per side", f"{plan.d}, each {length(error.side, error.length_unit)}"),
        ("Radius b", "none" if radius is None else f"{radius} cells" + (" (the optimum)" if plan.b is None else "")),
        ("Reports per person", question.reports),
        ("Simulated collections per plan", question.repeats),
        ("Curves against", CURVES[question.over]),
        ("Random seed of the maps", question.seed),
    ]
    return _table(("Setting", "Value"), rows, "long", words=2)


#: The name that programs written for earlier versions call.
report_html = printable_report
