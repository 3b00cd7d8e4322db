"""Maps of a step: charts that move together, or pictures in a row."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np
import streamlit as st

from spatialldp.dashboard.lesson.state import LessonState
from spatialldp.dashboard.shared import captions, components, maps
from spatialldp.dashboard.shared.page_setup import is_dark
from spatialldp.drawing.colours import Scale
from spatialldp.drawing.outlines import outline_of
from spatialldp.teaching.pictures import StepPicture, drawn, heading

_MAPS_PER_ROW = 3


def draw_maps(lesson: LessonState, found: Sequence[StepPicture], scale: Scale, meaning: str, marks: str) -> None:
    """One map per mechanism, which move together, over one legend."""
    entry, areas, labels = lesson.loaded.entry, {}, {}
    backdrop = maps.Backdrop(entry.is_geographic, is_dark(), outline_of(entry.outline))
    for start in range(0, len(found), _MAPS_PER_ROW):
        row = found[start : start + _MAPS_PER_ROW]
        for column, one in zip(st.columns(_MAPS_PER_ROW, gap="small"), row, strict=False):
            key = one.name.lower().replace(" ", "-")
            texts = np.array(one.texts).reshape(one.values.shape)
            picture = maps.Picture(one.values, one.grid, texts, one.frame, marks=one.marks)
            with column, st.container(key=f"map-{key}"):
                st.markdown(f"**{one.name}** · {heading(lesson.scene, one.name)}  \n:small[{one.caption}]")
                st.pydeck_chart(
                    maps.deck(picture, scale, backdrop), height=maps.MAP_HEIGHT, key=f"deck-{key}", alt=one.alternative
                )
            areas[f"map-{key}"] = picture.view
            labels[f"map-{key}"] = maps.labels(picture)
    components.maps_in_step(areas, entry.is_geographic)
    components.values_on_hover(labels, "values-on-maps")
    st.html(captions.legend(scale, f"{meaning} (or more); the same scale for all maps"))
    st.caption(marks)


def picture_row(lesson: LessonState, found: Sequence[tuple[StepPicture, Scale]], key: str) -> None:
    """Pictures side by side, as many columns as there are pictures."""
    cards = "".join(
        f"<figure><figcaption><b>{html.escape(one.name)}</b><br><small>{html.escape(one.caption)}</small></figcaption>"
        f'<img src="{drawn(lesson.scene, one, scale)}" alt="{html.escape(one.alternative)}"></figure>'
        for one, scale in found
    )
    with st.container(key=key):
        st.html(f'<div class="picture-row" style="--pictures:{len(found)}">{cards}</div>')
