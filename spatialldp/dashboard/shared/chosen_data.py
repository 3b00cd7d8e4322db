"""Where the people are: data sets for everybody, and a visitor's own file for that visitor alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from spatialldp import engines
from spatialldp.dashboard.shared import session
from spatialldp.dashboard.shared.choices import UPLOAD, Choices
from spatialldp.dashboard.shared.jobs import JobStore
from spatialldp.datasets import DataError, Dataset, Points, Upload, dataset
from spatialldp.experiments.measurements import Measurements
from spatialldp.grid import LONGITUDE_LATITUDE, Bounds
from spatialldp.planning.study import population_on_any_grid
from spatialldp.population import Population, paper_squares

#: Points on the little map: enough to see where people are, few enough to send.
_SHOWN_POINTS = 2_500
#: Areas of an own file whose measurements are kept.
_MOST_OWN_AREAS = 4


@dataclass(frozen=True)
class LoadedData:
    """A data set as the pages need it."""

    entry: Dataset
    """What is known about it."""
    points: Points
    """Where its people are."""

    @property
    def view(self) -> Bounds:
        """What the little map shows: the domain with a margin."""
        west, south, east, north = self.entry.grid(1).bounds
        margin_x, margin_y = 0.04 * (east - west), 0.04 * (north - south)
        return west - margin_x, south - margin_y, east + margin_x, north + margin_y

    def sample(self) -> list[list[float]]:
        """Some of the points, always the same ones."""
        x, y, weights = self.points
        chance = None if weights is None else weights / weights.sum()
        size = min(_SHOWN_POINTS, x.size if chance is None else int(np.count_nonzero(chance)))
        chosen = np.random.default_rng(0).choice(x.size, size, replace=False, p=chance)
        return np.round(np.stack([x[chosen], y[chosen]], axis=1), 5).tolist()


def loaded_data(choices: Choices) -> LoadedData:
    """The chosen data. Raises DataError, with a sentence for the visitor, when they are not there."""
    if choices.data != UPLOAD:
        return _public_data(choices.data, _version(choices.data))
    own = session.OWN_DATA.get()
    if own is None:
        raise DataError("your file is no longer here: upload it again")
    return own


def _version(data: str) -> str:
    """Changes when a download arrives, so that the points are loaded then."""
    return dataset(data).availability


@st.cache_resource(max_entries=6, show_spinner=False)
def _public_data(data: str, version: str) -> LoadedData:
    return LoadedData(dataset(data), dataset(data).load())


def keep_upload(upload: Upload) -> None:
    """Use the visitor's file, in this session only."""
    entry = Dataset(
        id=UPLOAD,
        title=upload.preview.name,
        city="",
        description=upload.summary,
        source="your own file",
        licence="yours",
        bounds=upload.bounds,
        default_view=upload.bounds,
        crs=LONGITUDE_LATITUDE,
        simulated=False,
        outline=None,
        read=lambda: upload.points,
        own=True,
    )
    session.OWN_DATA.set(LoadedData(entry, upload.points))
    session.OWN_FILES_SO_FAR.set(own_number() + 1)
    session.OWN_MEASUREMENTS.take()
    former = session.OWN_JOBS.take()
    if former is not None:
        former.stop()


def own_number() -> int:
    """Which file of the visitor's is in use: the first, the second …; 0 before there is one."""
    return session.OWN_FILES_SO_FAR.get() or 0


def population_of(choices: Choices) -> Population:
    """People per cell of the chosen area. Raises DataError, with a sentence for the visitor, where nobody is in it."""
    loaded = loaded_data(choices)
    if loaded.entry.own:
        return Population.of(loaded.entry, choices.d, choices.box, loaded.points)
    return _public_population(choices.data, _version(choices.data), choices.d, choices.box)


@st.cache_resource(max_entries=128, show_spinner=False)
def _public_population(data: str, version: str, d: int, box: Bounds | None) -> Population:
    loaded = _public_data(data, version)
    return Population.of(loaded.entry, d, box, loaded.points)


@st.cache_resource(show_spinner=False)
def _public_jobs() -> JobStore:
    return JobStore(300)


def jobs_for(choices: Choices) -> JobStore:
    """Results that all visitors share, or those of the visitor's own file, which nobody else may see."""
    if choices.data != UPLOAD:
        return _public_jobs()
    return session.OWN_JOBS.get_or_make(lambda: JobStore(60))


@st.cache_resource(show_spinner=False)
def _workers() -> engines.Processes:
    """The processes that measure plans for all visitors."""
    return engines.Processes(engines.available_cores(), lasting=True)


@st.cache_resource(max_entries=12, show_spinner=False)
def _public_measurements(data: str, version: str, box: Bounds | None) -> Measurements:
    loaded = _public_data(data, version)
    return Measurements(population_on_any_grid(loaded.entry, loaded.points, box), _workers())


def measurements_for(choices: Choices) -> Measurements:
    """What has been measured of plans for the chosen area: of public data by anybody, of an own file by its visitor."""
    if choices.data != UPLOAD:
        return _public_measurements(choices.data, _version(choices.data), choices.box)
    own = session.OWN_MEASUREMENTS.get_or_make(dict)
    if choices.box not in own:
        while len(own) >= _MOST_OWN_AREAS:
            del own[next(iter(own))]
        loaded = loaded_data(choices)
        own[choices.box] = Measurements(population_on_any_grid(loaded.entry, loaded.points, choices.box), _workers())
    return own[choices.box]


def key_of(choices: Choices) -> tuple[Any, ...]:
    """What the people of these choices depend on."""
    own = own_number() if choices.data == UPLOAD else 0
    version = "" if choices.data == UPLOAD else _version(choices.data)
    return choices.data, version, own, choices.box, choices.d


class Area(NamedTuple):
    """An area to jump to: its name, and its box, None for all of the data set."""

    name: str
    box: Bounds | None


def areas_of(entry: Dataset) -> list[Area]:
    """Areas to jump to, all of the data set first, the paper's own squares last."""
    squares = {part: square for part, square in paper_squares(entry).items() if square != entry.default_view}
    return [
        Area("All", None),
        *(Area(name, box) for name, box in entry.areas.items()),
        *(Area(f"Paper’s {dataset(part).part_label}", square) for part, square in squares.items()),
    ]
