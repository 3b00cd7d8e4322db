"""The curves of the lesson as Vega-Lite charts, for the page and for paper alike."""

from __future__ import annotations

import math
from typing import Any

from spatialldp.drawing.charts import ink
from spatialldp.drawing.colours import colour_of, shape_of
from spatialldp.formatting import counted
from spatialldp.teaching.again import MOST, SHOWN, Again
from spatialldp.teaching.losses import Losses, promised_loss, reference_distances, times_of
from spatialldp.teaching.scene import REFERENCE, Scene
from spatialldp.teaching.wording import in_percent

Chart = dict[str, Any]

#: e to the power of more is too large for a chart, and for a double.
_LARGEST_LOSS = 700.0
_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
FRESH, STORED = "a fresh draw each time", "one stored draw"


def _axis(dark: bool) -> Chart:
    """Letters that can be read from the last row of a class: large, and not in the pale grey of Streamlit’s themes."""
    return {"labelFontSize": 14, "titleFontSize": 14, "labelColor": ink(dark), "titleColor": ink(dark)}


def _layer(values: list[Chart], mark: Chart, encoding: Chart) -> Chart:
    return {"data": {"values": values}, "mark": mark, "encoding": encoding}


def _factor(loss: float) -> float:
    return math.exp(min(_LARGEST_LOSS, loss))


def loss_chart(scene: Scene, curves: dict[str, Losses], dark: bool = False, height: int | None = 300) -> Chart:
    """How many times likelier a report can be from the person's cell than from another, against their distance; without
    a `height` as tall as there is room."""
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
        "axis": _axis(dark),
    }
    y = {
        "field": "times",
        "type": "quantitative",
        "title": "Times likelier, at most",
        "axis": {"format": ",~g", "tickCount": 6, **_axis(dark)},
        "scale": {"type": "log", "domain": [1.0, top]},
    }
    legend = {"title": None, "orient": "top", "labelFontSize": 14, "labelColor": ink(dark), "symbolStrokeWidth": 4}
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
    chart = {
        "$schema": _SCHEMA,
        "description": f"Times likelier at most against distance: {ends}.",
        # Vega warns of a layer without data.
        "layer": [layer for layer in layers if layer["data"]["values"]],
    }
    return chart if height is None else {**chart, "height": height}


def again_chart(found: Again, dark: bool = False, height: int | None = 240) -> Chart:
    """How often the right cell is named, against the number of reports; without a `height` as tall as there is room."""
    numbers = range(1, len(found.fresh) + 1)
    fresh: list[Chart] = [{"x": number, "y": found.after(number), "kind": FRESH} for number in numbers]
    stored = [{"x": number, "y": found.stored, "kind": STORED} for number in numbers]
    # Written short, as the points of the first days stand close to each other.
    shown: list[Chart] = [
        {**row, "text": in_percent(row["y"]).replace("over ", "> ")} for row in fresh if row["x"] in SHOWN
    ]
    end = {"x": len(numbers), "y": found.after(len(numbers))}
    # What is on the axis twice needs no place beside the curve.
    under_each_tick = f"[format(datum.value, 'd'), 'ε = ' + format(datum.value * {found.epsilon}, '~g')]"
    x = {
        "field": "x",
        "type": "quantitative",
        "title": "Reports about the same place, and their ε in all",
        # Room for half of the last label.
        "scale": {"domain": [0, 1.1 * MOST], "nice": False},
        "axis": {
            "values": [1, 5, 10, 15, 20, 25, MOST],
            "grid": False,
            "labelExpr": under_each_tick,
            "labelOverlap": "greedy",
            **_axis(dark),
        },
    }
    y = {
        "field": "y",
        "type": "quantitative",
        "title": "right cell named",
        # Room above for the name of the upper curve, and below for that of the lower one.
        "scale": {"domain": [-0.2 if found.stored < 0.2 else 0.0, 1.25], "nice": False},
        "axis": {"format": ".0%", "values": [0, 0.5, 1], "grid": False, "ticks": True, **_axis(dark)},
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
    # The upper curve only rises and the lower one lies below it, so nothing crosses what stands above and to the left
    # of a point of the upper one, or below the lower one.
    above = {"type": "text", "align": "right", "baseline": "bottom", "dx": -6, "dy": -5, "color": ink(dark)}
    value, name = {**above, "fontSize": 13}, {**above, "fontSize": 13, "fontWeight": "bold"}
    below = {**name, "baseline": "top", "dy": 7}
    place = {"x": x, "y": y, "text": {"field": "text", "type": "nominal"}}
    dot = {"type": "point", "filled": True, "size": 70, "color": ink(dark), "opacity": 1}
    lines = {"x": x, "y": y, "color": colour, "strokeDash": dash}
    layers = [
        _layer([*fresh, *stored], {"type": "line", "strokeWidth": 3}, lines),
        _layer(shown, dot, {"x": x, "y": y}),
        # That of the first report stands at the stored line, and that of the last one beside the name.
        _layer([row for row in shown if 1 < row["x"] < MOST], value, place),
        _layer([{**end, "text": f"{FRESH}: {in_percent(end['y'])}"}], name, place),
        _layer([{"x": MOST, "y": found.stored, "text": f"{STORED}: {in_percent(found.stored)}"}], below, place),
    ]
    chart = {
        "$schema": _SCHEMA,
        "description": "Right cell named: "
        + "; ".join(f"after {counted(row['x'], 'fresh report')} {row['text']}" for row in shown)
        + f"; after any number of copies of one stored report {in_percent(found.stored)}",
        "layer": [layer for layer in layers if layer["data"]["values"]],
    }
    return chart if height is None else {**chart, "height": height}
