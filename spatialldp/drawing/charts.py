"""Curves as Vega-Lite charts: the page shows them, the printable report holds them as pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from spatialldp.drawing.colours import colour_of, shape_of
from spatialldp.experiments.axes import AXES
from spatialldp.experiments.sweep import Point
from spatialldp.mechanisms import MECHANISMS

Chart = dict[str, Any]

_UNIFORM, _NONE, _CELL = "uniform guess", "no privacy", "hidden by the cell"
_NO_REPORT = "without any report"


def error_chart(points: Sequence[Point], marked: float, dark: bool, height: int = 470) -> Chart:
    """W2 against what changes, with its 95 % interval, between its two baselines."""
    rows, limits = [], []
    for entry in points:
        error = entry.error
        half = 0.0 if math.isinf(error.half_width) else error.half_width
        spread = {"low": max(error.transport - half, 0.0), "high": error.transport + half}
        rows.append({**_row(entry, error.transport), **spread})
        limits += [
            {"x": entry.value, "y": entry.baselines.uniform_guess * error.side, "end": _UNIFORM},
            {"x": entry.value, "y": entry.baselines.no_privacy * error.side, "end": _NONE},
            {"x": entry.value, "y": error.cell, "end": _CELL},
        ]
    # The baselines lie far above and below the curves: a root keeps all of them apart, and 0 on the chart.
    return _chart(rows, limits, points, f"error W2 of the map, {_unit(points)}", marked, dark, height, scale="sqrt")


def distance_chart(
    points: Sequence[Point], marked: float, dark: bool, height: int = 220, legend: bool = False
) -> Chart:
    """How far off the best-guess attacker is."""
    rows = [_row(entry, entry.risk.guess_distance * entry.error.side) for entry in points]
    limits = [
        {"x": entry.value, "y": entry.risk.prior_distance * entry.error.side, "end": _NO_REPORT} for entry in points
    ]
    return _chart(rows, limits, points, f"attacker off by, {_unit(points)}", marked, dark, height, legend=legend)


def hit_chart(points: Sequence[Point], marked: float, dark: bool, height: int = 220, legend: bool = False) -> Chart:
    """How often the best-guess attacker names the right cell."""
    rows = [_row(entry, entry.risk.hit_rate) for entry in points]
    limits = [{"x": entry.value, "y": entry.risk.prior_hit_rate, "end": _NO_REPORT} for entry in points]
    return _chart(rows, limits, points, "right guesses, %", marked, dark, height, legend=legend, percent=True)


def _row(entry: Point, value: float) -> dict[str, Any]:
    return {
        "x": entry.value,
        "y": value,
        "series": entry.mechanism,
        "marker": entry.mechanism,
        "more": entry.error.jumped,
    }


def more_protection_note(points: Sequence[Point]) -> str:
    """What hollow points mean, if there are any."""
    rulers = {entry.error.plan.by for entry in points if entry.error.jumped}
    if not rulers:
        return ""
    return (
        f" Hollow points protect more than DAM does at that ε: the {' or '.join(sorted(rulers))} of the mechanism "
        "jumps past DAM’s there, so no ε′ is equal."
    )


def _unit(points: Sequence[Point]) -> str:
    unit = points[0].error.unit if points else "m"
    return "metres" if unit == "m" else unit


def _chart(
    rows: list[dict[str, Any]],
    limits: list[dict[str, Any]],
    points: Sequence[Point],
    title: str,
    marked: float,
    dark: bool,
    height: int,
    *,
    scale: str = "linear",
    legend: bool = True,
    percent: bool = False,
) -> Chart:
    over, unit = (points[0].over, points[0].error.unit) if points else ("epsilon", "m")
    shown = {entry["series"] for entry in rows}
    names = [name for name in MECHANISMS if name in shown]
    ends = list(dict.fromkeys(entry["end"] for entry in limits))
    ink = "#e8e8ee" if dark else "#33333d"
    x = {
        "field": "x",
        "type": "quantitative",
        "title": AXES[over],
        "scale": {"type": "log" if over == "users" else "linear", "zero": False, "nice": False},
        "axis": {"format": "~s" if over == "users" else "~g", "tickCount": 6, "grid": False},
    }
    y = {
        "field": "y",
        "type": "quantitative",
        "title": title,
        "scale": {"type": scale, "zero": True},
        "axis": {"format": ".0%" if percent else ",.0f" if unit == "m" else ".3~g", "tickCount": 6},
    }
    series = {
        "field": "series",
        "type": "nominal",
        "scale": {"domain": names, "range": [colour_of(name, dark) for name in names]},
        "legend": {"title": None, "orient": "bottom", "columns": 4, "symbolType": "stroke", "symbolStrokeWidth": 3}
        if legend
        else None,
    }
    # A field of its own, so that its legend is not merged with that of the colours.
    markers = {
        "field": "marker",
        "type": "nominal",
        "legend": None,
        "scale": {"domain": names, "range": [shape_of(name) for name in names]},
    }
    dashes = {
        "field": "end",
        "type": "nominal",
        "legend": None,
        "scale": {"domain": ends, "range": [[6, 4], [2, 3], [10, 3, 2, 3]][: len(ends)]},
    }
    # The dashed lines carry their names, because a legend of dashes is hard to read.
    farthest = max((entry["x"] for entry in limits), default=0.0)
    named = list({entry["end"]: entry for entry in limits if entry["x"] == farthest}.values())

    def tips(what: str) -> list[Chart]:
        return [
            {"field": what, "type": "nominal", "title": "what"},
            {"field": "x", "type": "quantitative", "title": AXES[over], "format": ",~g"},
            {"field": "y", "type": "quantitative", "title": title, "format": ".1%" if percent else ",.3~f"},
        ]

    layers: list[Chart] = [
        {
            "data": {"values": limits},
            "mark": {"type": "line", "color": ink, "strokeWidth": 1.5},
            "encoding": {"x": x, "y": y, "strokeDash": dashes, "tooltip": tips("end")},
        },
        {
            "data": {"values": named},
            "mark": {"type": "text", "align": "right", "baseline": "bottom", "dy": -4, "fontSize": 11, "color": ink},
            "encoding": {"x": x, "y": y, "text": {"field": "end", "type": "nominal"}},
        },
        {
            "data": {"values": [{"x": marked}]},
            "mark": {"type": "rule", "color": ink, "opacity": 0.35, "strokeWidth": 6},
            "encoding": {"x": x},
        },
    ]
    if rows and "low" in rows[0]:
        layers.append(
            {
                "data": {"values": rows},
                "mark": {"type": "rule", "strokeWidth": 2},
                "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": series},
            }
        )
    layers += [
        {
            "data": {"values": rows},
            "mark": {"type": "line", "strokeWidth": 2},
            "encoding": {"x": x, "y": y, "color": series},
        },
    ]
    for more in (False, True):
        layers.append(
            {
                "data": {"values": [row for row in rows if row["more"] == more]},
                # Filled with the background, or the line would run through a hollow one.
                "mark": {"type": "point", "filled": not more, "size": 55, "opacity": 1, "strokeWidth": 2}
                | ({"fill": "#17171c" if dark else "white"} if more else {}),
                "encoding": {"x": x, "y": y, "color": series, "shape": markers, "tooltip": tips("series")},
            }
        )
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "description": _description(rows, title, AXES[over], percent),
        "height": height,
        "layer": layers,
    }


def _description(rows: Sequence[dict[str, Any]], title: str, axis: str, percent: bool) -> str:
    """The chart in words, for those who cannot see it."""
    parts = []
    for name in dict.fromkeys(row["series"] for row in rows):
        own = [row for row in rows if row["series"] == name]
        first, last = own[0], own[-1]
        shown = [f"{row['y']:.1%}" if percent else f"{row['y']:,.4g}" for row in (first, last)]
        parts.append(f"{name} from {shown[0]} at {first['x']:g} to {shown[1]} at {last['x']:g}")
    return f"Curves of {title} against {axis}: " + "; ".join(parts)
