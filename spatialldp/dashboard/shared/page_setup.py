"""What every page does first."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import streamlit as st
from PIL import Image

from spatialldp.dashboard.shared import session
from spatialldp.dashboard.shared.choosing import choices
from spatialldp.dashboard.shared.first_minute import strip
from spatialldp.dashboard.shared.pages import FILES, Page
from spatialldp.drawing.colours import data_uri
from spatialldp.wasserstein import warm_up

_SIDEBAR_WIDTH = 340
_STYLES = Path(__file__).parent / "styles"


def setup_page(page: Page) -> None:
    """Page title, layout, style and menu. Must be a page's first Streamlit call."""
    # A picture of our own, as Streamlit would fetch a named icon from another host, and whole inside the page, as a
    # picture kept by the server is gone when the visitor moves on before the browser has asked for it.
    st.set_page_config(
        page_title=f"{page} · spatialldp",
        page_icon=data_uri(_icon()),
        layout="wide",
        initial_sidebar_state=_SIDEBAR_WIDTH,
    )
    chosen = choices()
    modes = [mode for mode, on in {"present": chosen.present, "bare": chosen.bare}.items() if on]
    ink = "#fff" if is_dark() else "#000"
    st.html(f"<style>:root {{ --ink: {ink}; }}{_style('page', *modes)}</style>")
    session.enter(page)
    goal = session.GOAL.take()
    if goal is not None and goal is not page:
        st.switch_page(FILES[goal])
    _ready()
    strip()
    session.ESSENTIALS.set(
        st.container(horizontal=True, vertical_alignment="bottom", key="essentials") if modes else None
    )
    if not modes:
        with st.sidebar:
            menu()


def menu() -> None:
    """Links to all pages."""
    with st.container(horizontal=True, key="menu"):
        for other, file in FILES.items():
            st.page_link(file, label=f"**{other}**" if other is session.current_page() else str(other))


@cache
def _style(*names: str) -> str:
    return "".join((_STYLES / f"{name}.css").read_text("utf-8") for name in names)


@st.cache_resource(show_spinner="Starting …")
def _ready() -> bool:
    """Load the compiled solver once per server, so that the first visitor's first click does not wait for it."""
    warm_up()
    return True


def _icon() -> Image.Image:
    """Three by three cells, fullest in the middle."""
    shade = np.array([[60, 130, 60], [130, 255, 130], [60, 130, 60]], dtype=np.uint8)
    pixels = np.stack([np.full_like(shade, 46), np.full_like(shade, 90), np.full_like(shade, 140), shade], axis=-1)
    return Image.fromarray(pixels).resize((48, 48), Image.Resampling.NEAREST)


def is_dark() -> bool:
    """Whether the visitor's theme is dark."""
    return st.context.theme.type == "dark"
