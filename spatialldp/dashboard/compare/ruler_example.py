"""The example that fools local privacy: three cells named around town, one of them nearly always the true one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd
import streamlit as st

from spatialldp.dashboard.shared.choices import Choices
from spatialldp.dashboard.shared.chosen_data import jobs_for, key_of, population_of
from spatialldp.dashboard.shared.waiting import watch
from spatialldp.datasets import DataError
from spatialldp.experiments import comparison_sentences
from spatialldp.experiments.comparison import Score, score_of
from spatialldp.mechanisms import DAM, SEMGeoI

_EPSILON, _D = 3.5, 15
_HONEST, _FOOLING = DAM(_EPSILON, _D), SEMGeoI(3.0, _D, 3)
_NAMES = ("DAM, ε = 3.5", "SEM-Geo-I, ε′ = 3 per cell, three cells named")


def ruler_example(chosen: Choices) -> None:
    """A mechanism with more local privacy than DAM that hides next to nothing, computed when it is opened."""
    panel = st.expander(
        "Can the ruler be fooled?", icon=":material/straighten:", key="ruler-example", on_change="rerun"
    )
    if not panel.open:
        return
    with panel:
        st.markdown(
            "Yes. Local privacy is an *average distance*. Let every report name three cells around town, one of them "
            "usually the true one: the other two keep the average distance up, although the right cell is named far "
            "more often than under DAM. "
            "SEM-Geo-I does just that when its number of cells is chosen freely; here it stands beside DAM, for "
            f"the people above, always with {_D} × {_D} cells."
        )
        example = chosen.changed(d=_D)
        try:
            population = population_of(example)
        except DataError as problem:
            st.caption(f"Not computed here: {problem}.")
            return

        def work() -> Iterator[Score]:
            for name, mechanism in zip(_NAMES, (_HONEST, _FOOLING), strict=True):
                yield score_of(population.counts, name, mechanism, chosen.seed, chosen.repeats)

        job = jobs_for(chosen).start(("ruler-example", *key_of(example), chosen.seed, chosen.repeats), work)
        if not watch(job, "Computing", failure="This example could not be computed."):
            return
        honest, fooling = job.results
        st.table(_table([honest, fooling], population.grid.cell_size_m))
        better = "also smaller" if fooling.mean < honest.mean else "larger here, which is beside the point"
        st.markdown(
            f"By local privacy the second protects {_more(fooling, honest)}, and its error is {better}. Yet one of its "
            f"reports gives the right cell away in {comparison_sentences.share(fooling.protection.hit_rate)} of cases "
            f"(DAM: {comparison_sentences.share(honest.protection.hit_rate)}), and 95% of the attacker’s belief is in "
            f"{fooling.protection.credible_cells.value:.0f} cells (DAM: {honest.protection.credible_cells.value:.0f})."
        )


def _more(one: Score, other: Score) -> str:
    ratio = one.protection.local_privacy.value / other.protection.local_privacy.value - 1
    return f"{ratio:.0%} better" if ratio > 0 else f"{-ratio:.0%} worse"


def _table(scores: Sequence[Score], side: float | None) -> pd.DataFrame:
    rows = {}
    for entry in scores:
        metres = "" if side is None else f" = {entry.mean * side:,.0f} m"
        rows[entry.name] = {
            **comparison_sentences.figures(entry.protection),
            "Error W2": f"{entry.mean:.2f} cells{metres}",
        }
    return pd.DataFrame(rows)
