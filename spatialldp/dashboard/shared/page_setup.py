"""What every page does first."""

from __future__ import annotations

import numpy as np
import streamlit as st
from PIL import Image

from spatialldp.dashboard.shared import session
from spatialldp.dashboard.shared.pages import FILES, Page
from spatialldp.drawing.colours import data_uri
from spatialldp.wasserstein import warm_up

_SIDEBAR_WIDTH = 340
_STYLE = """
<style>
  /* Drawing Streamlit's running man takes longer than most of our runs; long ones show progress of their own. */
  [data-testid="stStatusWidget"] { display: none; }
  /* Nor does the page fade while a new picture is on its way. */
  [data-stale="true"] { opacity: 1 !important; transition: none !important; }
  .block-container { padding: 2.2rem 1.5rem 3rem; max-width: 110rem; }
  @media (max-width: 640px) { .block-container { padding: 2.6rem 0.75rem 3rem; } }
  [data-testid="stSidebarHeader"] { height: 2.6rem; min-height: 0; margin-bottom: 0; padding-bottom: 0; }
  [data-testid="stSidebarUserContent"] { padding-bottom: 2rem; padding-top: 0; }
  /* In a narrow box a figure is smaller, and what is still too wide goes on in the next line: cut off, it would lose
     its unit. The boxes of a row stay equally tall. */
  [data-testid="stMetric"] { height: 100%; container-type: inline-size; }
  [data-testid="stMetricValue"] { font-size: clamp(1.05rem, 22cqw, 1.5rem); }
  [data-testid="stMetric"] .stMarkdownEllipsis, [data-testid="stMetric"] .stMarkdownEllipsis p {
    white-space: normal; overflow: visible;
  }
  [data-testid="stVerticalBlock"]:has(> * > [data-testid="stMetric"]:only-child) { height: 100%; }
  [data-testid="stElementContainer"]:has(> [data-testid="stMetric"]) { flex: 1; }
  h1 { font-size: 2rem !important; padding-bottom: 0.2rem !important; }
  [class*="st-key-unseen-"], [data-testid="stLayoutWrapper"]:has(> [class*="st-key-unseen-"]) { display: none; }
  .cell-value {
    position: fixed; z-index: 1000000; pointer-events: none; padding: 0.3rem 0.55rem; border-radius: 0.25rem;
    background: #22222e; color: #fff; font: 0.85rem/1.3 "Source Sans", sans-serif; white-space: nowrap;
  }
  [data-testid="stSidebarUserContent"] [data-testid="stVerticalBlock"] { gap: 0.7rem; }
  [data-testid="stHeader"] { height: 2.6rem; min-height: 0; background-color: inherit; }
  /* The error stays in sight wherever the page is scrolled to. */
  .st-key-headline [data-testid="stMetric"], .st-key-headline [data-testid="stMetric"] > * { border: none; padding: 0; }
  .st-key-headline [data-testid="stMetricValue"] { font-size: clamp(1.05rem, 15cqw, 1.5rem); }
  @media (max-width: 640px) {
    .st-key-headline [data-testid="stColumn"] [data-testid="stHorizontalBlock"] { flex-wrap: nowrap; }
    .st-key-headline [data-testid="stColumn"] [data-testid="stColumn"] { min-width: 0; flex: 1 1 0; }
  }
  [data-testid="stAppViewContainer"], [data-testid="stAppViewContainer"] > :has(> [data-testid="stMain"]),
  [data-testid="stMain"], [data-testid="stMainBlockContainer"], [data-testid="stMainBlockContainer"] > *,
  [data-testid="stLayoutWrapper"]:has(> .st-key-headline) { background-color: inherit; }
  @media (min-width: 641px) {
    [data-testid="stLayoutWrapper"]:has(> .st-key-headline) {
      position: sticky; top: 2.6rem; z-index: 90; padding-bottom: 0.3rem;
    }
  }
  /* On paper: no menus and switches, but the settings in words, and the three maps side by side on one page. */
  [data-testid="stLayoutWrapper"]:has(> .st-key-on-paper) { display: none; }
  @media print {
    [data-testid="stSidebar"], [data-testid="stHeader"], [data-testid="stToolbar"],
    .st-key-switches, .st-key-take, .st-key-where-to-count { display: none !important; }
    [data-testid="stLayoutWrapper"]:has(> .st-key-on-paper) { display: block; }
    [data-testid="stLayoutWrapper"]:has(> .st-key-headline) { position: static; }
    .block-container { padding: 0; }
    .st-key-maps { break-inside: avoid; }
    .st-key-maps [data-testid="stHorizontalBlock"] { display: flex !important; flex-flow: row nowrap !important; }
    .st-key-maps [data-testid="stColumn"] { flex: 1 1 0 !important; min-width: 0 !important; }
  }
  /* Maps are as wide as there is room, and square, but never taller than the window beside what belongs to them. */
  [class*="st-key-map-"] [data-testid="stElementContainer"]:has([data-testid="stDeckGlJsonChart"]) {
    flex: none !important; height: auto !important; aspect-ratio: 1; max-height: max(15rem, calc(100vh - 9rem));
  }
  [class*="st-key-map-"] [data-testid="stFullScreenFrame"],
  [class*="st-key-map-"] [data-testid="stDeckGlJsonChart"] { height: 100%; }
  /* Two lines each, so that the maps stand on one line. */
  [class*="st-key-map-"] { gap: 0.4rem; }
  [class*="st-key-map-"] [data-testid="stMarkdown"] { min-height: 4.4rem; }
  @media (max-width: 1250px) { [class*="st-key-map-"] [data-testid="stMarkdown"] { min-height: 5.8rem; } }
  @media (max-width: 640px) {
    [class*="st-key-map-"] [data-testid="stMarkdown"] { min-height: 0; }
    /* A finger that moves up or down scrolls the page: maps as wide as the screen would trap it. */
    [class*="st-key-map-"] [data-testid="stDeckGlJsonChart"] * { touch-action: pan-y !important; }
  }
  /* The pictures of a plan stand in rows of two where four would be too small or too long a way. */
  @media (max-width: 640px) {
    .st-key-plan-maps [data-testid="stHorizontalBlock"] { flex-wrap: wrap; }
    .st-key-plan-maps [data-testid="stColumn"] { flex: 1 1 40% !important; min-width: 40% !important; }
  }
  .st-key-decision { gap: 0.7rem; }
  .st-key-switches [data-testid="stPopoverButton"] { min-height: 2rem; padding-block: 0.15rem; }
  [class*="st-key-map-"] small, [class*="st-key-map-"] p { line-height: 1.35; }
</style>
"""


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
    st.html(_STYLE)
    session.enter(page)
    _ready()
    with st.sidebar, st.container(horizontal=True, key="menu"):
        for other, file in FILES.items():
            st.page_link(file, label=f"**{other}**" if other is page else str(other))


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


def current_page() -> Page:
    """The page that is being drawn."""
    page = session.PAGE.get()
    assert page is not None, "a page calls setup_page first"
    return page


def is_dark() -> bool:
    """Whether the visitor's theme is dark."""
    return st.context.theme.type == "dark"
