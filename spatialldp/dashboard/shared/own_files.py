"""A visitor's own file, and official sets that have to be fetched first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from spatialldp.dashboard.shared.choices import UPLOAD
from spatialldp.dashboard.shared.chosen_data import keep_upload
from spatialldp.dashboard.shared.jobs import JobStore
from spatialldp.datasets import Columns, DataError, Preview, dataset, download, inspect_points, read_points
from spatialldp.datasets.readers import shown
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
            st.error(_sentence(problem))
            return
        if upload.looks_swapped:
            st.warning("Longitude and latitude look swapped: try the switch above.")
        if preview.official is not None:
            st.info(f"This looks like the official set “{dataset(preview.official).title}”.")
        st.dataframe(preview.first_rows[:5], height=160, hide_index=True)
        st.caption(escaped_markdown(upload.summary))
        if st.button("Use these points", type="primary", key="own-use", width="stretch"):
            keep_upload(upload)
            # Said even where an own file was chosen before: area and person belong to that one.
            choose(data=UPLOAD, box=None, person=None)
            st.rerun()


def _column_choice(preview: Preview) -> Columns | None:
    if preview.candidates and not preview.ambiguous and not preview.weights:
        return None
    options = [*preview.candidates, None]
    chosen = st.selectbox(
        "Columns with the place",
        options,
        key="own-columns",
        format_func=lambda columns: "Choose two columns …" if columns is None else shown(str(columns)),
    )
    if chosen is None:
        longitude = st.selectbox("Longitude", preview.columns, key="own-longitude", format_func=shown)
        latitude = st.selectbox(
            "Latitude", preview.columns, index=min(1, len(preview.columns) - 1), key="own-latitude", format_func=shown
        )
        chosen = Columns(longitude=longitude, latitude=latitude)
    if not preview.weights:
        return chosen
    weight = st.selectbox(
        "People per row",
        [None, *preview.weights],
        key="own-weight",
        format_func=lambda name: "one" if name is None else shown(name),
    )
    return Columns(chosen.longitude, chosen.latitude, chosen.geometry, weight)


def _sentence(problem: DataError) -> str:
    text = str(problem)
    return escaped_markdown(text[0].upper() + text[1:] + ".")


@st.cache_resource(show_spinner=False)
def _downloads() -> JobStore:
    return JobStore(4)


def offer_download(data: str, problem: DataError) -> None:
    """Say that a set is not here, and fetch it on one click, with progress."""
    entry = dataset(data) if data != UPLOAD else None
    if entry is None or entry.download is None:
        st.error(_sentence(problem))
        return
    source = entry.download
    st.info(f"{source.title} is not part of this app. It can be fetched once from {source.portal} and is then kept.")
    if st.button("Fetch it now", type="primary", key="fetch", width="stretch"):
        st.session_state["fetching"] = source.id
    if st.session_state.get("fetching") != source.id:
        return

    def work() -> Any:
        latest: list[Any] = []
        yield latest
        try:
            download.obtain(source, lambda progress: latest.__setitem__(slice(None), [progress]))
        except DataError as error:
            yield error
            return
        yield True

    job = _downloads().start(source.id, work)
    bar = st.progress(0.0, "Asking the portal …")
    while not job.wait_to_finish(0.2):
        for progress in list(job.results[0]) if job.results else []:
            bar.progress(min(progress.share, 1.0), progress.note)
    bar.empty()
    outcome = job.results[-1] if job.results else None
    del st.session_state["fetching"]
    if outcome is True:
        st.rerun()
    job.failed = True  # so that the next click asks again
    st.error(_sentence(outcome) if isinstance(outcome, DataError) else "The download failed; try again later.")
