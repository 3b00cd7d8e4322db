"""Curves as Vega-Lite charts: the page shows them, the printable report holds them as pictures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from spatialldp.drawing.colours import colour_of, crowd_colour, crowd_shape, shape_of
from spatialldp.experiments.axes import AXES
from spatialldp.experiments.map_error import COUNTS
from spatialldp.experiments.sweep import Point
from spatialldp.formatting import length
from spatialldp.mechanisms import MECHANISMS

Chart = dict[str, Any]

_UNIFORM, _NONE, _CELL = "uniform guess", "no privacy", "from cell size"
_NO_REPORT = "no report"
_DASHES = {_UNIFORM: [6, 4], _NONE: [2, 3], _CELL: [10, 3, 2, 3], _NO_REPORT: [6, 4]}
#: Room between the highest line and the upper edge, as a share of the axis.
_HEADROOM = 0.05
#: An accepted error is drawn up to so many times the highest of what else there is.
_TALLEST = 1.5
#: Names of lines are printed this large, and stand at least this far apart, in pixels.
_LABEL_SIZE, _LABEL_STEP = 12, 14
#: Numbers with a comma for thousands, as few digits as they need.
_NUMBER = ",.4~r"


def ink(dark: bool) -> str:
    """The colour of lines and words that are not about one mechanism."""
    return "#e8e8ee" if dark else "#33333d"


def error_chart(
    points: Sequence[Point],
    marked: float,
    dark: bool,
    height: int = 470,
    target: float | None = None,
    legend: bool = True,
    crowds: bool | None = None,
) -> Chart:
    """The error of the map against what changes, with its 95% interval, between its two ends.

    `marked` is where a broad line stands, and `target` the accepted error, if there is one. `crowds` says whether each
    curve is for a number of people; None: where points of one mechanism differ in it, as soon as there are such.
    """
    lines = _Lines.of(points, crowds)
    rows, limits = [], []
    for entry in points:
        error, ends, name = entry.error, entry.baselines, lines.name_of(entry)
        # A single collection has no interval.
        known = not math.isinf(error.half_width)
        spread = {"low": error.low if known else error.mean, "high": error.high if known else error.mean}
        rows.append({**_row(entry, name, error.mean), **spread})
        limits += [
            {"x": entry.value, "y": ends.uniform_guess, "end": _UNIFORM},
            # Chance alone depends on how many people there are.
            {"x": entry.value, "y": ends.no_privacy, "end": _NONE} | ({"series": name} if lines.by_people else {}),
            *([{"x": entry.value, "y": error.cell, "end": _CELL}] if error.knows_cell_part else []),
        ]
    first = points[0].error if points else None
    counts = first is not None and first.purpose == COUNTS
    unit = _unit("m" if first is None else first.unit)
    title = f"error of counts, people {unit}" if counts else f"error of the map, {unit}"
    accepted = None
    if target is not None:
        # The axis says what is counted; in full it would leave the chart no room.
        said = f"{target:,g}" if counts or first is None else length(target, first.unit)
        accepted = {"y": target, "end": f"accepted: {said}"}
    # A blind guess is far above the curves: a root keeps all of them apart, and 0 on the chart.
    return _chart(
        rows, limits, points, lines, title, marked, dark, height, scale="sqrt", legend=legend, accepted=accepted
    )


def distance_chart(
    points: Sequence[Point],
    marked: float,
    dark: bool,
    height: int = 220,
    legend: bool = False,
    crowds: bool | None = None,
) -> Chart:
    """How far off the best-guess attacker is."""
    lines = _Lines.of(points, crowds)
    rows = [_row(entry, lines.name_of(entry), entry.risk.guess_distance * entry.error.side) for entry in points]
    limits = [
        {"x": entry.value, "y": entry.risk.prior_distance * entry.error.side, "end": _NO_REPORT} for entry in points
    ]
    title = f"attacker off by, {_unit(points[0].error.length_unit if points else 'm')}"
    return _chart(rows, limits, points, lines, title, marked, dark, height, legend=legend)


def hit_chart(
    points: Sequence[Point],
    marked: float,
    dark: bool,
    height: int = 220,
    legend: bool = False,
    crowds: bool | None = None,
) -> Chart:
    """How often the best-guess attacker names the right cell."""
    lines = _Lines.of(points, crowds)
    rows = [_row(entry, lines.name_of(entry), entry.risk.hit_rate) for entry in points]
    limits = [{"x": entry.value, "y": entry.risk.prior_hit_rate, "end": _NO_REPORT} for entry in points]
    return _chart(rows, limits, points, lines, "right cell named, %", marked, dark, height, legend=legend, percent=True)


@dataclass(frozen=True)
class _Lines:
    """What tells curves apart: mechanisms, or numbers of people where one mechanism has a curve for each."""

    names: tuple[str, ...]
    by_people: bool

    @classmethod
    def of(cls, points: Sequence[Point], crowds: bool | None = None) -> _Lines:
        mechanisms, people = {entry.mechanism for entry in points}, {entry.error.users for entry in points}
        if crowds is None:
            crowds = len(mechanisms) == 1 and len(people) > 1 and points[0].over == "epsilon"
        if crowds:
            return cls(tuple(_people(users) for users in sorted(people)), True)
        return cls(tuple(name for name in MECHANISMS if name in mechanisms), False)

    def name_of(self, entry: Point) -> str:
        return _people(entry.error.users) if self.by_people else entry.mechanism

    def colours(self, dark: bool) -> list[str]:
        if self.by_people:
            return [crowd_colour(number, dark) for number in range(len(self.names))]
        return [colour_of(name, dark) for name in self.names]

    @property
    def shapes(self) -> list[str]:
        if self.by_people:
            return [crowd_shape(number) for number in range(len(self.names))]
        return [shape_of(name) for name in self.names]


def series_name(entry: Point, points: Sequence[Point]) -> str:
    """What the curve of a point is called among those of `points`: its mechanism, or its number of people."""
    return _Lines.of(points).name_of(entry)


def _people(users: int) -> str:
    return f"{users:,} people"


def _row(entry: Point, name: str, value: float) -> dict[str, Any]:
    return {"x": entry.value, "y": value, "series": name, "more": entry.error.jumped}


def more_protection_note(points: Sequence[Point]) -> str:
    """What hollow points mean, if there are any."""
    rulers = {entry.error.plan.by for entry in points if entry.error.jumped}
    if not rulers:
        return ""
    return (
        f" Hollow points protect more than DAM does at that ε: the {' or '.join(sorted(rulers))} of the mechanism "
        "jumps past DAM’s there, so no ε′ is equal."
    )


def _unit(unit: str) -> str:
    return "metres" if unit == "m" else unit


def _chart(
    rows: list[dict[str, Any]],
    limits: list[dict[str, Any]],
    points: Sequence[Point],
    lines: _Lines,
    title: str,
    marked: float,
    dark: bool,
    height: int,
    *,
    scale: str = "linear",
    legend: bool = True,
    percent: bool = False,
    accepted: dict[str, Any] | None = None,
) -> Chart:
    over = points[0].over if points else "epsilon"
    # Said of every word, because Streamlit would make them a grey that is too pale on white.
    pen = ink(dark)
    words = {"labelColor": pen, "titleColor": pen}
    highest = max((row.get("high", row["y"]) for row in (*rows, *limits)), default=0.0)
    # An accepted error far above all others would press them to the ground.
    straight = [] if accepted is None or accepted["y"] > _TALLEST * highest else [accepted]
    top = (1 + _HEADROOM) * max(highest, *(entry["y"] for entry in straight), 0.0) or 1.0
    x = {
        "field": "x",
        "type": "quantitative",
        "title": AXES[over],
        # Vega warns of a "zero" on a logarithmic scale, where it means nothing.
        "scale": {"type": "log", "nice": False}
        if over == "users"
        else {"type": "linear", "zero": False, "nice": False},
        "axis": {"format": "~s" if over == "users" else "~g", "tickCount": 6, "grid": False, **words},
    }
    ticks = {"values": _ticks(top)} if scale == "sqrt" else {"tickCount": 6}
    y = {
        "field": "y",
        "type": "quantitative",
        "title": title,
        # Given, not left to Vega: where names of lines stand is worked out from it.
        "scale": {"type": scale, "domain": [0, top], "nice": False},
        "axis": {"format": ".0%" if percent else _NUMBER, **ticks, **words},
    }
    domain = list(lines.names)
    shown = {"title": None, "orient": "bottom", "columns": 4, "symbolSize": 90, "labelColor": pen} if legend else None
    # Colours and shapes share a field and hence a legend, which shows both.
    kind = {"field": "series", "type": "nominal", "legend": shown}
    series = {**kind, "scale": {"domain": domain, "range": lines.colours(dark)}}
    shapes = {**kind, "scale": {"domain": domain, "range": lines.shapes}}
    ends = list(dict.fromkeys(entry["end"] for entry in limits))
    dashes = {
        "field": "end",
        "type": "nominal",
        "legend": None,
        "scale": {"domain": ends, "range": [_DASHES[end] for end in ends]},
    }

    def tips(what: str, *, at: bool = True) -> list[Chart]:
        tip: list[Chart] = [{"field": what, "type": "nominal", "title": "what"}]
        if at:
            tip.append({"field": "x", "type": "quantitative", "title": AXES[over], "format": ",~g"})
        value = {"field": "y", "type": "quantitative", "title": title, "format": ".1%" if percent else _NUMBER}
        return [*tip, value]

    common = [entry for entry in limits if "series" not in entry]
    layers: list[Chart] = [
        _layer(
            _different(common),
            {"type": "line", "color": pen, "strokeWidth": 1.5},
            {"x": x, "y": y, "strokeDash": dashes, "tooltip": tips("end")},
        ),
        _layer(
            [entry for entry in limits if "series" in entry],
            {"type": "line", "strokeWidth": 1.5},
            {"x": x, "y": y, "color": series, "strokeDash": dashes, "tooltip": tips("end")},
        ),
        _layer(
            straight,
            {"type": "rule", "color": pen, "strokeWidth": 1},
            {"y": y, "tooltip": tips("end", at=False)},
        ),
        _layer([{"x": marked}], {"type": "rule", "color": pen, "opacity": 0.35, "strokeWidth": 6}, {"x": x}),
        # The lines carry their names, because a legend of dashes is hard to read.
        *(
            _layer(
                [entry],
                {
                    "type": "text",
                    "align": "left",
                    "baseline": "middle",
                    "dx": 9,
                    "dy": shift,
                    "fontSize": _LABEL_SIZE,
                    "color": pen,
                },
                {"x": {"value": "width"}, "y": y, "text": {"field": "end", "type": "nominal"}},
            )
            for entry, shift in _labels([*_last(limits), *straight], height, top, scale)
        ),
    ]
    if rows and "low" in rows[0]:
        interval = {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": series}
        layers.append(_layer(rows, {"type": "rule", "strokeWidth": 2}, interval))
    layers.append(_layer(rows, {"type": "line", "strokeWidth": 2}, {"x": x, "y": y, "color": series}))
    for more in (False, True):
        mark = {"type": "point", "filled": not more, "size": 55, "opacity": 1, "strokeWidth": 2}
        # Filled with the background, or the line would run through a hollow one.
        mark |= {"fill": "#17171c" if dark else "white"} if more else {}
        its = [row for row in rows if row["more"] == more]
        layers.append(_layer(its, mark, {"x": x, "y": y, "color": series, "shape": shapes, "tooltip": tips("series")}))
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "description": _description(rows, title, AXES[over], percent, accepted),
        "height": height,
        # Vega warns of the infinite extent of a layer without data.
        "layer": [layer for layer in layers if layer["data"]["values"]],
    }


def _layer(values: list[dict[str, Any]], mark: Chart, encoding: Chart) -> Chart:
    return {"data": {"values": values}, "mark": mark, "encoding": encoding}


def _different(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows without those that say the same again: several mechanisms have one uniform guess."""
    return list({(row["end"], row["x"], row["y"]): row for row in rows}.values())


def _last(limits: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Where each line ends on the right; the highest of several."""
    farthest = max((entry["x"] for entry in limits), default=0.0)
    there = sorted((entry for entry in limits if entry["x"] == farthest), key=lambda entry: float(entry["y"]))
    return [{"y": entry["y"], "end": entry["end"]} for entry in {entry["end"]: entry for entry in there}.values()]


def _labels(ends: Sequence[dict[str, Any]], height: int, top: float, scale: str) -> list[tuple[dict[str, Any], float]]:
    """The names of lines and by how many pixels each must be moved so that none stands on another; up is negative."""
    placed, free = [], float(height)
    for entry in sorted(ends, key=lambda entry: float(entry["y"])):
        share = entry["y"] / top
        at = height * (1 - (math.sqrt(share) if scale == "sqrt" else share))
        there = min(at, free)
        placed.append((entry, round(there - at, 1)))
        free = there - _LABEL_STEP
    return placed


def _ticks(top: float) -> list[float]:
    """0 and those of 1, 2 and 5 times a power of ten that a root keeps well apart."""
    first = math.floor(math.log10(top / 60))
    values = (lead * 10.0**power for power in range(first, first + 4) for lead in (1, 2, 5))
    return [0.0, *(float(f"{value:.1g}") for value in values if top / 60 <= value <= top)]


def _description(
    rows: Sequence[dict[str, Any]], title: str, axis: str, percent: bool, accepted: dict[str, Any] | None
) -> str:
    """The chart in words, for those who cannot see it."""
    parts = []
    for name in dict.fromkeys(row["series"] for row in rows):
        own = [row for row in rows if row["series"] == name]
        first, last = own[0], own[-1]
        shown = [f"{row['y']:.1%}" if percent else f"{row['y']:,.4g}" for row in (first, last)]
        parts.append(f"{name} from {shown[0]} at {first['x']:g} to {shown[1]} at {last['x']:g}")
    parts += [] if accepted is None else [str(accepted["end"])]
    return f"Curves of {title} against {axis}: " + "; ".join(parts)
