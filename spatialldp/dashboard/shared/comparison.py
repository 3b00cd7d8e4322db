"""Mechanisms side by side: the scores there are, and the job that computes the others."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from spatialldp.dashboard.shared import session
from spatialldp.dashboard.shared.choices import Choices
from spatialldp.dashboard.shared.chosen_data import jobs_for, key_of
from spatialldp.dashboard.shared.jobs import Job
from spatialldp.dashboard.shared.small_maps import looking_closer
from spatialldp.dashboard.shared.waiting import watch
from spatialldp.experiments.comparison import Score, score
from spatialldp.mechanisms import MECHANISMS
from spatialldp.population import Population

#: What takes longer than this is shown piece by piece.
_PATIENCE_S = 0.4
#: Scores kept for a visitor.
_MOST_SCORES = 200


@dataclass(frozen=True)
class Comparison:
    """Everything about the mechanisms that are compared."""

    choices: Choices
    """The visitor's settings."""
    population: Population
    """The people it is about."""
    names: tuple[str, ...]
    """The mechanisms, in the order of the registry."""
    scores: dict[str, Score]
    """Scores by name, of those that are there."""
    job: Job | None
    """The work on the others; None where there is none, or it was stopped."""
    seen: int
    """How many results of the job are among `scores`."""

    @property
    def missing(self) -> list[str]:
        """Who has no score yet."""
        return [name for name in self.names if name not in self.scores]

    @property
    def question(self) -> Hashable:
        """What was asked: all that the scores depend on."""
        return _keys(self.choices, self.names)

    @property
    def stopped(self) -> bool:
        """Whether the visitor stopped it."""
        return session.COMPARISON_STOPPED.get() == self.question


def begin(chosen: Choices, population: Population) -> Comparison:
    """The scores so far, while the others are being computed."""
    names = tuple(name for name in MECHANISMS if name in chosen.compared)
    known = Comparison(chosen, population, names, _known(chosen, names), None, 0)
    if not known.missing or known.stopped:
        return known
    job = _start(chosen, population, known.missing)
    job.wait(_PATIENCE_S)
    seen = len(job.results)  # before they are read: what comes while the page is drawn is news
    return Comparison(chosen, population, names, _known(chosen, names), job, seen)


def wait(comparison: Comparison) -> None:
    """Wait for the next score, and redraw when it is there; not while a map is looked at closer. Comes last on its
    page."""
    job = comparison.job
    if job is None or not comparison.missing or looking_closer():
        return
    name = comparison.missing[0]
    watch(
        job,
        f"Computing {name}",
        until=lambda: len(job.results) > comparison.seen,
        failure=f"{name} could not be computed with these settings. Deselect it, or change ε or d.",
        rerun=True,
    )


def stop(comparison: Comparison) -> None:
    """Compute no further until the visitor says so."""
    if comparison.job is not None:
        comparison.job.stop()
    session.COMPARISON_STOPPED.set(comparison.question)


def go_on() -> None:
    """Compute what was stopped."""
    session.COMPARISON_STOPPED.take()


def progress(comparison: Comparison) -> None:
    """How many are done, and a button that stops it."""
    total = len(comparison.names)
    done = len(comparison.scores)
    bar, button = st.columns([5, 1], vertical_alignment="center")
    if comparison.stopped:
        bar.progress(done / total, f"Stopped: {done} of {total} mechanisms are done.")
        button.button("Continue", on_click=go_on, key="continue", width="stretch")
    else:
        bar.progress(done / total, f"{done} of {total} mechanisms are done; computing {comparison.missing[0]} …")
        button.button("Stop", on_click=stop, args=(comparison,), key="stop", width="stretch")


def _key(chosen: Choices, name: str) -> Hashable:
    footing = chosen.footing if MECHANISMS[name].notion == "Geo-I" else None
    return ("score", *key_of(chosen), name, chosen.epsilon, chosen.seed, chosen.repeats, footing)


def _keys(chosen: Choices, names: Sequence[str]) -> tuple[Hashable, ...]:
    return tuple(_key(chosen, name) for name in names)


def _known(chosen: Choices, names: Sequence[str]) -> dict[str, Score]:
    """Scores of this visitor's session; the jobs behind them are shared where the data are."""
    kept = session.SCORES.get_or_make(dict)
    under_way = session.COMPARISON_JOB.get()
    if under_way is not None:
        kept.update(list(under_way[0].results))
    while len(kept) > _MOST_SCORES:
        kept.pop(next(iter(kept)))
    return {name: kept[_key(chosen, name)] for name in names if _key(chosen, name) in kept}


def _start(chosen: Choices, population: Population, missing: Sequence[str]) -> Job:
    wanted = _keys(chosen, missing)
    under_way = session.COMPARISON_JOB.get()
    if under_way is not None:
        job, keys = under_way
        # The rest of a comparison that is under way.
        if not (job.finished or job.stopped) and keys.issuperset(wanted):
            return job
        job.stop()
    work = partial(_scores, chosen, population, dict(zip(missing, wanted, strict=True)))
    job = jobs_for(chosen).start(("compare", *wanted), work)
    session.COMPARISON_JOB.set((job, frozenset(wanted)))
    return job


def _scores(chosen: Choices, population: Population, keys: Mapping[str, Hashable]) -> Iterator[tuple[Hashable, Score]]:
    for name, key in keys.items():
        yield (
            key,
            score(population.counts, name, chosen.epsilon, chosen.seed, chosen.repeats, chosen.calibrated, chosen.by),
        )
