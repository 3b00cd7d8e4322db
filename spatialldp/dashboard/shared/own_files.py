"""A visitor's own file, and official sets that have to be fetched first."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from spatialldp.dashboard.shared import session
from spatialldp.dashboard.shared.choices import UPLOAD
from spatialldp.dashboard.shared.chosen_data import keep_upload
from spatialldp.dashboard.shared.jobs import Job, JobStore
from spatialldp.dashboard.shared.waiting import Share, watch
from spatialldp.datasets import Columns, DataError, Preview, Upload, dataset, download, read_points
from spatialldp.datasets.embedded import DATA_FOLDER
from spatialldp.datasets.official import cache_folder
from spatialldp.datasets.readers import quoted
from spatialldp.formatting import escaped_markdown

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

_TYPES = ["csv", "tsv", "txt", "gz", "parquet", "geojson", "json", "geoparquet"]
#: Files are read one at a time, whoever they belong to: together they take no more memory than one of them may, and
#: whatever else the server computes does not wait for them.
_TURN = threading.BoundedSemaphore(1)
_UNSEEN_S = 0.3
_FAILURE = "This file could not be read; try another format."


def upload_control(choose: Callable[..., None]) -> None:
    """Choose a file, look at what it seems to hold, then use it."""
    with st.expander("Use your own file", icon=":material/upload_file:", key="own"):
        st.caption(
            "CSV, TSV, Parquet, GeoJSON or GeoParquet with longitude and latitude. Your file stays in memory for this "
            "visit only: nobody else sees it, and it is not stored."
        )
        file = st.file_uploader("File", type=_TYPES, key="own-file", label_visibility="collapsed")
        if file is None:
            _forget_reading()
            return
        _show_reading(file, choose)


def _show_reading(file: UploadedFile, choose: Callable[..., None]) -> None:
    """What the file seems to hold, as the visitor chooses to read it, and the button that uses it."""
    reading = session.OWN_READING.get()
    if reading is None or reading.file_id != file.file_id:
        # What was chosen for the former file says nothing about this one.
        st.session_state[session.OWN_SWAP] = False
        reading = _begin(Reading(file, None, False))
    elif reading.job.stopped:
        reading = _begin(Reading(file, reading.columns, reading.swap))
    # Its columns are known long before its rows are.
    place = _waited_for(reading, reading.is_known)
    if place is None:
        return
    with place:
        if reading.preview is None:
            assert isinstance(reading.outcome, DataError)
            st.error(sentence(reading.outcome))
            return
        _column_menus(reading)
        st.toggle("Swap longitude and latitude", key=session.OWN_SWAP)
        if not reading.is_as_chosen():
            columns, swap = _chosen_columns(reading), st.session_state[session.OWN_SWAP]
            reading = _begin(Reading(file, columns, swap, reading.preview))
        place = _waited_for(reading)
        if place is not None:
            with place:
                _show_outcome(reading, choose)


def _show_outcome(reading: Reading, choose: Callable[..., None]) -> None:
    preview, upload = reading.preview, reading.outcome
    if isinstance(upload, DataError):
        st.error(sentence(upload))
        return
    assert preview is not None
    assert upload is not None
    if upload.looks_swapped:
        st.warning("Longitude and latitude look swapped: try the switch above.")
    if preview.official is not None:
        st.info(f"This looks like the official set “{dataset(preview.official).title}”.")
    st.dataframe(preview.first_rows[:5], height=160, hide_index=True)
    st.caption(escaped_markdown(upload.summary))
    # By a callback, which no further click can overtake: the run that a click begins may be broken off by the next.
    st.button("Use these points", type="primary", key="own-use", width="stretch", on_click=_use, args=(reading, choose))


class Reading:
    """One reading of a visitor's file, by a job: a page that is drawn again finds it as far as it has come.

    Attributes:
        file_id: of the file, which the server gives; the same content chosen twice is two files.
        columns: the columns that are read; None for the best candidate.
        swap: whether longitude and latitude are exchanged.
        preview: what the file seems to hold; None as long as that is not known.
        outcome: the points, or what is wrong with them; None before the end.
        job: what reads it.
    """

    def __init__(self, file: UploadedFile, columns: Columns | None, swap: bool, preview: Preview | None = None) -> None:
        self.file_id, self.columns, self.swap = file.file_id, columns, swap
        self.preview = preview
        self.outcome: Upload | DataError | None = None
        self._name, self._share, self._rows, self._has_begun = file.name, 0.0, 0, False
        self.job = Job(partial(self._read, file.getvalue()), _TURN)

    def is_as_chosen(self) -> bool:
        """Whether it is read as the menus say by now. Not to choose columns is to choose the best candidate."""
        best = self.preview.candidates[0] if self.preview and self.preview.candidates else None
        chosen = _chosen_columns(self) or best
        return (self.columns or best) == chosen and self.swap == st.session_state.get(session.OWN_SWAP)

    def is_known(self) -> bool:
        """Whether it is known what the file seems to hold."""
        return self.preview is not None

    def progress(self) -> Share:
        """How far it is, in words."""
        name = escaped_markdown(quoted(self._name))
        if not self._has_begun:
            return Share(0.0, f"{name} is waiting: another file is being read …")
        return Share(self._share, f"Reading {name}: {self._rows:,} rows so far")

    def _read(self, content: bytes) -> Iterator[None]:
        self._has_begun = True
        try:
            self.outcome = read_points(
                content,
                self._name,
                self.columns,
                self.swap,
                on_reading=self._come_so_far,
                on_preview=partial(setattr, self, "preview"),
            )
        except DataError as problem:
            self.outcome = problem
        yield

    def _come_so_far(self, share: float, rows: int) -> None:
        self._share, self._rows = share, rows


def _begin(reading: Reading) -> Reading:
    """Keep this reading; the one before it, if any, is of no use any more."""
    _forget_reading()
    session.OWN_READING.set(reading)
    return reading


def _forget_reading() -> None:
    former = session.OWN_READING.take()
    if former is not None:
        former.job.stop()


def _waited_for(reading: Reading, until: Callable[[], object] | None = None) -> Any | None:
    """Where to draw what was waited for; None, with a sentence on the page, where there is nothing.

    As long as it is waited for, the bar stands in that place, and nothing of an earlier reading does.
    """
    job = reading.job
    if not job.failed and (job.finished or (until is not None and until())):
        return st.container()
    slot = st.empty()
    # Most files are read before a bar could be looked at.
    saying = None if job.wait(_UNSEEN_S, until) else reading.progress
    return slot.container() if watch(job, saying, failure=_FAILURE, until=until, slot=slot) else None


def _use(reading: Reading, choose: Callable[..., None]) -> None:
    is_current = session.OWN_READING.get() is reading and reading.is_as_chosen()
    if not is_current or not isinstance(reading.outcome, Upload):
        return  # The file is to be read in another way by now: the button is about to vanish.
    keep_upload(reading.outcome)
    # Set even where another own file was chosen before: area and person belong to that one.
    choose(data=UPLOAD, box=None, person=None, counted=None)


def _menu(name: str, reading: Reading) -> str:
    """The key of a menu: what was chosen for a former file says nothing about this one."""
    return f"own-{name}-{reading.file_id}"


def _column_menus(reading: Reading) -> None:
    """Menus for the columns, where there is something to choose."""
    preview = reading.preview
    assert preview is not None
    if preview.candidates and not preview.ambiguous and not preview.weights:
        return
    chosen = st.selectbox(
        "Location columns",
        [*preview.candidates, None],
        key=_menu("columns", reading),
        format_func=lambda columns: "Choose two columns …" if columns is None else quoted(str(columns)),
    )
    if chosen is None:
        st.selectbox("Longitude", preview.columns, key=_menu("longitude", reading), format_func=quoted)
        second = min(1, len(preview.columns) - 1)
        st.selectbox("Latitude", preview.columns, second, key=_menu("latitude", reading), format_func=quoted)
    if preview.weights:
        st.selectbox(
            "People per row",
            [None, *preview.weights],
            key=_menu("weight", reading),
            format_func=lambda name: "one" if name is None else quoted(name),
        )


def _chosen_columns(reading: Reading) -> Columns | None:
    """What the menus say; None where none has been drawn."""

    def value(menu: str) -> Any:
        return st.session_state.get(_menu(menu, reading))

    if _menu("columns", reading) not in st.session_state:
        return None
    chosen = value("columns") or Columns(longitude=value("longitude"), latitude=value("latitude"))
    return Columns(chosen.longitude, chosen.latitude, chosen.geometry, value("weight"))


def sentence(problem: DataError) -> str:
    """What is wrong with some data, as a sentence for the page, which does not say where the server keeps them."""
    text = str(problem)
    for folder in (str(cache_folder()), str(DATA_FOLDER)):
        text = text.replace(folder + os.sep, "the file ").replace(folder, "the server's data folder")
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
    if entry.availability == "downloaded":
        st.error(sentence(problem))
        st.info(f"{source.title} can be downloaded again from {source.portal}.")
    else:
        st.info(f"{source.title} is not part of this app. Download it once from {source.portal}; it is then kept.")
    st.button(
        "Download it now",
        type="primary",
        key="fetch",
        width="stretch",
        on_click=session.FETCHING.set,
        args=(source.id,),
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
