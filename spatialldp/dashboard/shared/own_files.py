"""A visitor's own file, and official sets that have to be fetched first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import streamlit as st

from spatialldp.dashboard.shared import session
from spatialldp.dashboard.shared.choices import UPLOAD
from spatialldp.dashboard.shared.chosen_data import keep_upload
from spatialldp.dashboard.shared.jobs import JobStore
from spatialldp.dashboard.shared.waiting import Share, watch
from spatialldp.datasets import Columns, DataError, Preview, Upload, dataset, download, inspect_points, read_points
from spatialldp.datasets.readers import quoted
from spatialldp.formatting import escaped_markdown

_TYPES = ["csv", "tsv", "txt", "gz", "parquet", "geojson", "json", "geoparquet"]


def upload_control(choose: Callable[..., None]) -> None:
    """Choose a file, look at what it seems to hold, then use it."""
    with st.expander("Use your own file", icon=":material/upload_file:", key="own"):
        st.caption(
            "CSV, TSV, Parquet, GeoJSON or GeoParquet with a longitude and a latitude. It is read in memory for this "
            "visit only, shown to nobody else and stored nowhere."
        )
        file = st.file_uploader("File", type=_TYPES, key="own-file", label_visibility="collapsed")
        if file is None:
            return
        content = file.getvalue()
        try:
            preview = inspect_points(content, file.name)
            columns = _column_choice(preview)
            swap = st.toggle("Swap longitude and latitude", key="own-swap")
            upload = read_points(content, file.name, columns, swap)
        except DataError as problem:
            st.error(sentence(problem))
            return
        if upload.looks_swapped:
            st.warning("Longitude and latitude look swapped: try the switch above.")
        if preview.official is not None:
            st.info(f"This looks like the official set “{dataset(preview.official).title}”.")
        st.dataframe(preview.first_rows[:5], height=160, hide_index=True)
        st.caption(escaped_markdown(upload.summary))
        # By a callback, which no further click can overtake: the run that a click begins may be broken off by the next.
        st.button(
            "Use these points", type="primary", key="own-use", width="stretch", on_click=_use, args=(upload, choose)
        )


def _use(upload: Upload, choose: Callable[..., None]) -> None:
    keep_upload(upload)
    # Set even where another own file was chosen before: area and person belong to that one.
    choose(data=UPLOAD, box=None, person=None)


def _column_choice(preview: Preview) -> Columns | None:
    if preview.candidates and not preview.ambiguous and not preview.weights:
        return None
    options = [*preview.candidates, None]
    chosen = st.selectbox(
        "Columns with the place",
        options,
        key="own-columns",
        format_func=lambda columns: "Choose two columns …" if columns is None else quoted(str(columns)),
    )
    if chosen is None:
        longitude = st.selectbox("Longitude", preview.columns, key="own-longitude", format_func=quoted)
        latitude = st.selectbox(
            "Latitude", preview.columns, index=min(1, len(preview.columns) - 1), key="own-latitude", format_func=quoted
        )
        chosen = Columns(longitude=longitude, latitude=latitude)
    if not preview.weights:
        return chosen
    weight = st.selectbox(
        "People per row",
        [None, *preview.weights],
        key="own-weight",
        format_func=lambda name: "one" if name is None else quoted(name),
    )
    return Columns(chosen.longitude, chosen.latitude, chosen.geometry, weight)


def sentence(problem: DataError) -> str:
    """What is wrong with some data, as a sentence for the page."""
    text = str(problem)
    return escaped_markdown(text[0].upper() + text[1:] + ".")


@st.cache_resource(show_spinner=False)
def _downloads() -> JobStore:
    return JobStore(4)


def offer_download(data: str, problem: DataError) -> None:
    """Say that a set is not here, and fetch it on one click, with progress."""
    entry = dataset(data) if data != UPLOAD else None
    if entry is None or entry.download is None:
        st.error(sentence(problem))
        return
    source = entry.download
    st.info(f"{source.title} is not part of this app. It can be fetched once from {source.portal} and is then kept.")
    st.button(
        "Fetch it now", type="primary", key="fetch", width="stretch", on_click=session.FETCHING.set, args=(source.id,)
    )
    if session.FETCHING.get() != source.id:
        return
    job = _downloads().start(source.id, partial(_fetched, source))

    def progress() -> Share:
        latest: list[download.Progress] = job.results[0] if job.results else []
        return Share(latest[-1].share, latest[-1].note) if latest else Share(0.0, "Asking the portal …")

    there = watch(job, progress, failure="The download failed; try again later.")
    session.FETCHING.take()
    trouble = job.results[-1] if there else None
    if there and trouble is None:
        session.run_again()
    _downloads().forget(source.id)  # so that the next click asks again
    if trouble is not None:
        st.error(sentence(trouble))


def _fetched(source: download.OfficialSource) -> Iterator[list[download.Progress] | DataError | None]:
    """How far it is, in a list whose only entry is replaced; then the trouble there was, or None."""
    latest: list[download.Progress] = []
    yield latest
    try:
        download.obtain(source, lambda progress: latest.__setitem__(slice(None), [progress]))
    except DataError as trouble:
        yield trouble
        return
    yield None
