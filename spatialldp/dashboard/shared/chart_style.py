"""What all charts of the pages have in common: large print, ink for both themes, the colours of mechanisms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from spatialldp.drawing.charts import ink as ink
from spatialldp.drawing.colours import colour_of, shape_of

#: Sizes of an axis that can be read from the last row of a class.
AXIS_FONT: dict[str, Any] = {"labelFontSize": 14, "titleFontSize": 15}


def axis_style(dark: bool) -> dict[str, Any]:
    """Arguments of an axis: such sizes, and an ink of our own, because Streamlit's grey is too pale on white."""
    return {**AXIS_FONT, "labelColor": ink(dark), "titleColor": ink(dark)}


def legend_style(dark: bool) -> dict[str, Any]:
    """The same for a legend, which has no title."""
    return {"title": None, "labelFontSize": 15, "labelColor": ink(dark)}


def mechanism_colour(field: str, names: Sequence[str], dark: bool) -> Any:
    """Marks in the colours of the mechanisms whose names are in `field`, with a legend above the chart."""
    scale = alt.Scale(domain=list(names), range=[colour_of(name, dark) for name in names])
    legend = alt.Legend(orient="top", symbolStrokeWidth=4, **legend_style(dark))
    return alt.Color(f"{field}:N", scale=scale, legend=legend)


def mechanism_shape(field: str, names: Sequence[str]) -> Any:
    """Points in the shapes of the mechanisms, which tell them apart where colours alone would not; in the legend of
    `mechanism_colour`, because Vega merges the legends of one field."""
    scale = alt.Scale(domain=list(names), range=[shape_of(name) for name in names])
    return alt.Shape(f"{field}:N", scale=scale, legend=alt.Legend(title=None, orient="top"))
