"""What every page does first."""

from __future__ import annotations

import numpy as np
import streamlit as st
from PIL import Image

_STYLE = """
<style>
  .block-container { padding-top: 3rem; max-width: 90rem; }
  [data-testid="stMetricValue"] { font-size: 1.6rem; }
</style>
"""


def setup_page(title: str) -> None:
    """Page title, layout and style. Must be a page's first Streamlit call."""
    # A picture of our own: Streamlit would fetch a named icon from another host.
    st.set_page_config(page_title=f"{title} · spatialldp", page_icon=_icon(), layout="wide")
    st.html(_STYLE)


def _icon() -> Image.Image:
    """Three by three cells, fullest in the middle."""
    shade = np.array([[60, 130, 60], [130, 255, 130], [60, 130, 60]], dtype=np.uint8)
    pixels = np.stack([np.full_like(shade, 46), np.full_like(shade, 90), np.full_like(shade, 140), shade], axis=-1)
    return Image.fromarray(pixels).resize((48, 48), Image.Resampling.NEAREST)


def is_dark() -> bool:
    """Whether the visitor's theme is dark."""
    return st.context.theme.type == "dark"
