"""Vega-Lite charts as SVG, without a browser."""

from __future__ import annotations

import base64
import json
from typing import Any

import vl_convert

_AXES = {"labelFontSize": 11, "titleFontSize": 12}
_CONFIG = {"font": "Arial, Helvetica, DejaVu Sans, sans-serif", "axis": _AXES}


def svg_uri(chart: dict[str, Any], width: int) -> str:
    """The chart on white, `width` pixels wide, as an address that holds its own data."""
    whole = {**chart, "width": width, "background": "white", "config": _CONFIG}
    picture = vl_convert.vegalite_to_svg(json.dumps(whole))
    return "data:image/svg+xml;base64," + base64.b64encode(picture.encode()).decode()
