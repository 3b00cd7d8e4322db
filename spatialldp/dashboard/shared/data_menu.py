"""The menu of data: what is at hand first, what needs a download behind one entry."""

from __future__ import annotations

import streamlit as st

from spatialldp.dashboard.shared import session
from spatialldp.dashboard.shared.choices import UPLOAD, Choices
from spatialldp.dashboard.shared.choosing import bound
from spatialldp.dashboard.shared.chosen_data import loaded_data, own_number
from spatialldp.datasets import DATASETS

#: The entry behind which those are that need a download.
MORE = "more"
_MORE_TEXT = "More cities, to download …"


def data_menu(chosen: Choices) -> None:
    """Which data; a second menu where the first says that they are to be downloaded."""
    here, elsewhere = _titles()
    offered = here | ({MORE: _MORE_TEXT} if elsewhere else {})
    st.selectbox(
        "People and place",
        list(offered),
        format_func=offered.__getitem__,
        **bound(
            "data",
            _key("data", tuple(offered.values())),
            chosen.data if chosen.data in here else MORE,
            # Whoever opens the entry sees the first of what is behind it.
            meaning=lambda shown: next(iter(elsewhere), chosen.data) if shown == MORE else shown,
        ),
    )
    if chosen.data in elsewhere:
        st.selectbox(
            "To download",
            list(elsewhere),
            format_func=elsewhere.__getitem__,
            **bound("data", _key("more-data", tuple(elsewhere.values())), chosen.data, place="more"),
        )


def _titles() -> tuple[dict[str, str], dict[str, str]]:
    """What can be chosen, and the text of each in the menu: what is at hand, and what needs a download."""
    needs = {data: entry.availability == "needs download" for data, entry in DATASETS.items()}
    here = {data: entry.title for data, entry in DATASETS.items() if not needs[data]}
    # What comes with the app or is made by it stands before what somebody has fetched.
    here = dict(sorted(here.items(), key=lambda item: DATASETS[item[0]].download is not None))
    if own_number():
        here[UPLOAD] = loaded_data(Choices(data=UPLOAD)).entry.title + " (your file)"
    return here, {data: entry.title for data, entry in DATASETS.items() if needs[data]}


def _key(name: str, texts: tuple[str, ...]) -> str:
    """The key of a menu of data: with other texts, after an upload or a download, it is another menu. The browser knows
    an option by its text alone; in the same menu it would keep the old text and send it back with the next click,
    when it is no longer an option."""
    menus = session.DATA_MENUS.get_or_make(list)
    if texts not in menus:
        menus.append(texts)
    number = menus.index(texts)
    return f"{name}-{number}" if number else name
