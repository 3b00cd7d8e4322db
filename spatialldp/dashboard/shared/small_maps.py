"""Recovered maps in a grid beside the true one, all on one colour scale; one of them can be looked at closer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from spatialldp.dashboard.shared import captions, components, session
from spatialldp.dashboard.shared.chosen_data import LoadedData
from spatialldp.dashboard.shared.page_setup import is_dark
from spatialldp.dashboard.shared.swipe import IN_A_DIALOG, Side, swipe
from spatialldp.drawing.colours import Scale, data_uri, shared_scale
from spatialldp.drawing.in_words import fullest_cells_in_words
from spatialldp.drawing.outlines import outline_path
from spatialldp.population import Population


class SmallMap(NamedTuple):
    """One of the maps."""

    title: str
    """In bold above it."""
    caption: str
    """In small print above it."""
    values: NDArray[np.float64]
    """Share per cell, (d, d)."""
    result: str
    """What came of it, in a few words without a full stop, where it is looked at closer."""


def small_maps(
    found: Sequence[SmallMap], population: Population, loaded: LoadedData, least: str, note: str, key: str
) -> None:
    """The true map and those that were `found`, in rows as wide as the page, each map at least `least` (a length of
    CSS) wide; `note` ends the legend below them. A click on one opens it large, to swipe between it and the true map.
    A page has one such grid at a time.
    """
    scale = shared_scale(population.shares, is_dark())
    cards = (SmallMap("True map", "known only in a simulation", population.shares, ""), *found)

    def chosen() -> None:
        number = session.shown(key).get("closer")
        if number is not None:
            session.LOOKED_AT.set((key, int(number)))

    components.map_cards(
        [
            {
                "title": card.title,
                "caption": card.caption,
                "image": data_uri(scale.image(card.values)),
                "words": fullest_cells_in_words(card.values),
                "closer": number > 0,
            }
            for number, card in enumerate(cards)
        ],
        outline_path(loaded.entry.outline, population.grid.bounds),
        least,
        scale.dark,
        chosen,
        key,
    )
    st.html(captions.legend(scale, f"of all people in one cell (or more); the same scale for all maps {note}"))
    # Leaving the page closes the dialog without a word from the browser.
    session.when_leaving(stop_looking)
    looked_at = session.LOOKED_AT.get()
    if looked_at is not None and looked_at[0] == key and looked_at[1] < len(cards):
        _look_closer(cards[looked_at[1]], population, loaded, scale)
    else:
        stop_looking()


def looking_closer() -> bool:
    """Whether a map is looked at closer. A page drawn anew meanwhile would, for a moment, close the dialog; when the
    visitor closes it, the page is drawn anew anyway."""
    return session.LOOKED_AT.get() is not None


def _look_closer(card: SmallMap, population: Population, loaded: LoadedData, scale: Scale) -> None:
    """A dialog that is open, also when the page behind it is drawn again, until the visitor closes it."""

    @st.dialog(card.title, width="large", on_dismiss=stop_looking)
    def dialog() -> None:
        sides = [
            Side("True", "where people are (known only in a simulation)", population.shares),
            Side("Recovered", f"what the reports reveal of the true map; {card.result}", card.values),
        ]
        swipe(sides, [("True", "Recovered")], population, loaded.entry.outline, scale, "swipe-closer", IN_A_DIALOG)

    dialog()


def stop_looking() -> None:
    """No map is looked at closer: the visitor closed it, or it is not on the page."""
    session.LOOKED_AT.take()
