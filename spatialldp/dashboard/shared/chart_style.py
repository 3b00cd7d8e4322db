"""What all charts of the pages have in common: large print, ink for both themes, the colours of mechanisms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from spatialldp.drawing.colours import colour_of, shape_of

#: Arguments of an axis that can be read from the last row of a class.
AXIS_FONT: dict[str, Any] = {"labelFontSize": 14, "titleFontSize": 15}


def ink(dark: bool) -> str:
    """The colour of lines and words that are not about one mechanism."""
    return "#d8d8e4" if dark else "#44445a"


def mechanism_colour(field: str, names: Sequence[str], dark: bool) -> Any:
    """Marks in the colours of the mechanisms whose names are in `field`, with a legend above the chart."""
    scale = alt.Scale(domain=list(names), range=[colour_of(name, dark) for name in names])
    return alt.Color(f"{field}:N", scale=scale, legend=_LEGEND)


def mechanism_shape(field: str, names: Sequence[str]) -> Any:
    """Points in the shapes of the mechanisms, which tell them apart where colours alone would not; same legend."""
    scale = alt.Scale(domain=list(names), range=[shape_of(name) for name in names])
    return alt.Shape(f"{field}:N", scale=scale, legend=_LEGEND)


_LEGEND = alt.Legend(title=None, orient="top", labelFontSize=15, symbolStrokeWidth=4)
