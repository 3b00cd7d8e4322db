"""Small recovered maps in a row beside the true one, all on one colour scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from spatialldp.dashboard.shared import captions
from spatialldp.dashboard.shared.chosen_data import LoadedData
from spatialldp.dashboard.shared.page_setup import is_dark
from spatialldp.drawing.cells import cell_image
from spatialldp.drawing.colours import data_uri, shared_scale
from spatialldp.drawing.outlines import outline_lines
from spatialldp.population import Population

#: Pixels of a picture, so many that it stays sharp on a screen with two of them per point.
_PICTURE = 300


class SmallMap(NamedTuple):
    """One of the maps."""

    title: str
    """In bold above it."""
    caption: str
    """In small print above it."""
    values: NDArray[np.float64]
    """Share per cell, (d, d)."""


def small_maps(found: Sequence[SmallMap], population: Population, loaded: LoadedData, width: int, note: str) -> None:
    """The true map and those that were `found`, each `width` points wide; `note` ends the legend below them."""
    scale = shared_scale(population.shares, is_dark())
    lines = outline_lines(loaded.entry.outline)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for card in (SmallMap("True map", "nobody sees it", population.shares), *found):
            with st.container(width=width):
                st.markdown(f"**{card.title}**  \n:small[{card.caption}]")
                # The picture inside the page: one to be fetched may be gone when a newer run has replaced it.
                st.image(data_uri(cell_image(card.values, population.grid, scale, _PICTURE, lines)), width=width)
    st.html(captions.legend(scale, f"of all people in one cell (or more); the same scale for all maps {note}"))
