"""What all charts of the pages have in common: large print, ink for both themes, the colours of mechanisms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from spatialldp.drawing.colours import colour_of

#: Arguments of an axis that can be read from the last row of a class.
AXIS_FONT: dict[str, Any] = {"labelFontSize": 14, "titleFontSize": 15}


def ink(dark: bool) -> str:
    """The colour of lines and words that are not about one mechanism."""
    return "#d8d8e4" if dark else "#44445a"


def mechanism_colour(field: str, names: Sequence[str], dark: bool) -> Any:
    """Marks in the colours of the mechanisms whose names are in `field`, with a legend above the chart."""
    return alt.Color(
        f"{field}:N",
        scale=alt.Scale(domain=list(names), range=[colour_of(name, dark) for name in names]),
        legend=alt.Legend(title=None, orient="top", labelFontSize=15, symbolStrokeWidth=4),
    )
