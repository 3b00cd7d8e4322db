"""The curves of the lesson as Vega-Lite charts, for the page and for paper alike."""

from __future__ import annotations

import math
from typing import Any

from spatialldp.drawing.colours import colour_of, shape_of
from spatialldp.teaching.again import MOST, SHOWN, Again
from spatialldp.teaching.losses import Losses, promised_loss, reference_distances, times_of
from spatialldp.teaching.scene import REFERENCE, Scene

Chart = dict[str, Any]

#: e to the power of more is too large for a chart, and for a double.
_LARGEST_LOSS = 700.0
#: Letters that can be read from the last row of a class.
_AXIS = {"labelFontSize": 14, "titleFontSize": 14}
_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
FRESH, STORED = "a fresh draw each time", "one stored draw"


def ink(dark: bool) -> str:
    """The colour of lines and words that are not about one mechanism."""
    return "#d8d8e4" if dark else "#44445a"


def _layer(values: list[Chart], mark: Chart, encoding: Chart) -> Chart:
    return {"data": {"values": values}, "mark": mark, "encoding": encoding}


def _factor(loss: float) -> float:
    return math.exp(min(_LARGEST_LOSS, loss))


def loss_chart(scene: Scene, curves: dict[str, Losses], dark: bool = False, height: int = 300) -> Chart:
    """How many times likelier a report can be from the person's cell than from another, against their distance."""
    unit, factor = ("cells", 1.0) if scene.side is None else ("km", scene.side / 1000)
    names = list(curves)
    rows: list[Chart] = [
        {"name": name, "distance": at * factor, "times": _factor(loss)}
        for name, curve in curves.items()
        for at, loss in curve.items()
    ]
    promises: list[Chart] = [
        {"name": name, "distance": at * factor, "times": _factor(promised_loss(scene, name, at))}
        for name, curve in curves.items()
        for at in (0.0, *sorted(curve))
    ]
    top = max(10.0, *(row["times"] for row in (*rows, *promises)))
    x = {
        "field": "distance",
        "type": "quantitative",
        "title": f"Distance between the two places, {unit}",
        "axis": _AXIS,
    }
    y = {
        "field": "times",
        "type": "quantitative",
        "title": "Times likelier, at most",
        "axis": {"format": ",~g", "tickCount": 6, **_AXIS},
        "scale": {"type": "log", "domain": [1.0, top]},
    }
    legend = {"title": None, "orient": "top", "labelFontSize": 14, "symbolStrokeWidth": 4}
    kind = {"field": "name", "type": "nominal", "legend": legend}
    colour = {**kind, "scale": {"domain": names, "range": [colour_of(name, dark) for name in names]}}
    shape = {**kind, "scale": {"domain": names, "range": [shape_of(name) for name in names]}}
    tips = [
        {"field": "name", "type": "nominal", "title": "Mechanism"},
        {"field": "distance", "type": "quantitative", "title": unit, "format": ".2f"},
        {"field": "times", "type": "quantitative", "title": "times likelier", "format": ".3~g"},
    ]
    marks = [{"at": at * factor, "what": what} for what, at in reference_distances(scene).items()]
    upright = {"type": "text", "angle": 270, "baseline": "bottom", "dy": -4, "fontSize": 13, "color": ink(dark)}
    at, what = {"field": "at", "type": "quantitative"}, {"field": "what", "type": "nominal"}
    ends = "; ".join(f"{name} up to {times_of(max(curve.values()))} times" for name, curve in curves.items())
    layers = [
        _layer(
            promises,
            {"type": "line", "strokeWidth": 2, "strokeDash": [6, 5], "opacity": 0.8},
            {"x": x, "y": y, "color": colour},
        ),
        _layer(rows, {"type": "line", "strokeWidth": 3}, {"x": x, "y": y, "color": colour}),
        _layer(
            rows,
            {"type": "point", "filled": True, "size": 50, "opacity": 1},
            {"x": x, "y": y, "color": colour, "shape": shape, "tooltip": tips},
        ),
        _layer(marks, {"type": "rule", "strokeWidth": 1.5, "strokeDash": [2, 3], "color": ink(dark)}, {"x": at}),
        _layer(marks[:-1], {**upright, "align": "right", "dx": -4}, {"x": at, "y": {"value": 0}, "text": what}),
        # The curves end high at the far end, so its name stands below.
        _layer(marks[-1:], {**upright, "align": "left", "dx": 6}, {"x": at, "y": {"datum": 1.0}, "text": what}),
    ]
    return {
        "$schema": _SCHEMA,
        "description": f"Times likelier at most against distance: {ends}.",
        "height": height,
        # Vega warns of a layer without data.
        "layer": [layer for layer in layers if layer["data"]["values"]],
    }


def again_chart(found: Again, dark: bool = False, height: int = 200) -> Chart:
    """How often the right cell is named, against the number of reports."""
    numbers = range(1, len(found.fresh) + 1)
    fresh: list[Chart] = [{"x": number, "y": found.after(number), "kind": FRESH} for number in numbers]
    stored = [{"x": number, "y": found.stored, "kind": STORED} for number in numbers]
    shown: list[Chart] = [
        {**row, "text": f"{row['y']:.0%} (ε = {found.budget(row['x']):g} in all)"} for row in fresh if row["x"] in SHOWN
    ]
    x = {
        "field": "x",
        "type": "quantitative",
        "title": "Reports of the same person about the same place",
        "scale": {"domain": [0, MOST + 1], "nice": False},
        "axis": {"values": [1, 5, 10, 15, 20, 25, MOST], "grid": False, **_AXIS},
    }
    y = {
        "field": "y",
        "type": "quantitative",
        "title": "right cell named",
        "scale": {"domain": [0, 1.25], "nice": False},
        "axis": {"format": ".0%", "values": [0, 0.5, 1], **_AXIS},
    }
    domain = [FRESH, STORED]
    colour = {
        "field": "kind",
        "type": "nominal",
        "legend": None,
        "scale": {"domain": domain, "range": [colour_of(REFERENCE, dark), ink(dark)]},
    }
    dash = {
        "field": "kind",
        "type": "nominal",
        "legend": None,
        "scale": {"domain": domain, "range": [[1, 0], [6, 4]]},
    }
    label = {"type": "text", "align": "left", "baseline": "top", "dx": 8, "dy": 6, "fontSize": 13, "color": ink(dark)}
    last = {**label, "align": "right", "dx": -6, "dy": 10}
    above = {**last, "baseline": "bottom", "dy": -6, "fontWeight": "bold"}
    place = {"x": x, "y": y, "text": {"field": "text", "type": "nominal"}}
    dot = {"type": "point", "filled": True, "size": 70, "color": ink(dark), "opacity": 1}
    lines = {"x": x, "y": y, "color": colour, "strokeDash": dash}
    # A label at the first points would lie on the stored line.
    layers = [
        _layer([*fresh, *stored], {"type": "line", "strokeWidth": 3}, lines),
        _layer(shown, dot, {"x": x, "y": y}),
        _layer([row for row in shown if 1 < row["x"] < MOST], label, place),
        _layer([row for row in shown if row["x"] == MOST], last, place),
        _layer([{"x": MOST, "y": found.stored, "text": f"{STORED}: {found.stored:.0%}"}], above, place),
        _layer([{"x": MOST, "y": found.after(len(fresh)), "text": FRESH}], above, place),
    ]
    return {
        "$schema": _SCHEMA,
        "description": "Right cell named: "
        + "; ".join(f"after {row['x']} fresh reports {row['text']}" for row in shown)
        + f"; after any number of copies of one stored report {found.stored:.0%}",
        "height": height,
        "layer": [layer for layer in layers if layer["data"]["values"]],
    }
