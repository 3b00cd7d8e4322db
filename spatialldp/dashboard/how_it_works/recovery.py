"""Recovery step by step, as an animation that the browser plays on its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from spatialldp.dashboard.how_it_works.parts import mechanism_of, radius_slider
from spatialldp.dashboard.shared import captions, components
from spatialldp.dashboard.shared.choices import Choices
from spatialldp.dashboard.shared.chosen_data import jobs_for, key_of
from spatialldp.dashboard.shared.figures import figure
from spatialldp.dashboard.shared.page_setup import is_dark
from spatialldp.dashboard.shared.waiting import watch
from spatialldp.drawing.colours import data_uri, shared_scale
from spatialldp.estimation import ACCELERATED_PACE, LAST_STEPS
from spatialldp.population import Population
from spatialldp.recovery_path import RecoveryPath, recovery_path
from spatialldp.wasserstein import wasserstein2_many

#: Pictures of the animation at most; of a longer path every second, third … step is shown.
_MOST_FRAMES = 100


@dataclass(frozen=True, eq=False)
class _Recovery:
    """What is played."""

    path: RecoveryPath
    """Every step."""
    errors: NDArray[np.float64]
    """W2 of each step, cells."""


def recovery_part(chosen: Choices, population: Population) -> None:
    """The player, and a text on what it shows."""
    st.markdown(
        "The analyst sees only the reports. **Expectation–maximisation** starts with everybody spread evenly and "
        "corrects the map step by step until it explains the reports. Stop too early, and the map is still too even; "
        "stop too late, and it follows the *noise*. So the reports are split into fifths, and each fifth is held out "
        "once: how well the held-out reports fit says when to stop."
    )
    st.latex(r"x \;\leftarrow\; \frac{1}{n}\;x\cdot M^{T}\frac{y}{M x}")
    radius_slider(chosen)
    counts = population.counts
    mechanism = mechanism_of(chosen)

    def work() -> Iterator[_Recovery]:
        path = recovery_path(mechanism, mechanism.perturb(counts, np.random.default_rng(chosen.seed)))
        yield _Recovery(path, wasserstein2_many(counts, list(path.distributions)))

    job = jobs_for(chosen).start(("path", *key_of(chosen), chosen.epsilon, mechanism.b, chosen.seed), work)
    failure = "The recovery could not be computed. Change a setting, or reset to the defaults."
    if not watch(job, "Recovering the map", failure=failure):
        return
    found: _Recovery = job.results[0]
    _play(population, found)
    _explain(population, found, chosen.seed)


def _play(population: Population, found: _Recovery) -> None:
    path, side = found.path, population.grid.cell_size_m
    true = population.counts / population.users
    scale = shared_scale(true, is_dark())
    last = len(path.distributions) - 1
    every = -(-last // _MOST_FRAMES) or 1
    steps = sorted({*range(0, last + 1, every), path.chosen, path.best, last})
    frames = [
        {
            "step": step,
            "image": data_uri(scale.image(path.distributions[step])),
            "text": _text(path, found.errors, step, side),
        }
        for step in steps
    ]
    begin = first_drawn(path.held_out)
    # Labels stand where the curve is not: the error is low at the stop, the others are high.
    charts = [
        _chart(
            "All reports: log-likelihood",
            "nats per report",
            path.log_likelihood,
            "rises at every step",
            {"digits": 4, "colour": "#4f8fa8", "begin": begin, "high": False},
        ),
        _chart(
            "Held-out reports: log-likelihood",
            "nats per report",
            path.held_out,
            f"is highest at step {path.best}",
            {"digits": 4, "colour": "#e66101", "begin": begin, "high": False},
        ),
        _chart(
            "Error W2 of the map (known only in a simulation)",
            "cells",
            found.errors,
            f"is {found.errors[path.chosen]:.3f} cells at the chosen step {path.chosen}",
            {"digits": 3, "colour": "#009e73", "begin": begin, "high": True},
        ),
    ]
    stops = [
        {"step": path.best, "label": f"held-out best: {path.best}", "colour": "#e66101", "left": True},
        {"step": path.chosen, "label": f"chosen: {path.chosen}", "colour": "#888899", "left": False},
    ]
    truth = {"image": data_uri(scale.image(true)), "caption": "True map (known only in a simulation)"}
    film = components.Film("Recovered map", frames, truth, steps.index(path.chosen))
    components.player(film, components.Curves(charts, stops), "player")
    st.html(captions.legend(scale, "of all people in one cell (or more)"))


def first_drawn(held_out: NDArray[np.float64]) -> int:
    """The step at which curves begin, so that the fall after the best step takes at least a fifth of their height."""
    best = int(held_out.argmax())
    fall = held_out[best] - held_out[-1]
    return min(int((held_out[best] - held_out > 4 * fall).sum()), max(0, best - 3)) if fall > 0 else 0


def _text(path: RecoveryPath, errors: NDArray[np.float64], step: int, side: float | None) -> str:
    metres = "" if side is None else f" = {captions.metres(float(errors[step]), side)}"
    note = " – chosen" if step == path.chosen else " – the start: everybody spread evenly" if step == 0 else ""
    return f"Step {step}{note}. Error W2 {errors[step]:.3f} cells{metres}."


def _chart(title: str, unit: str, values: NDArray[np.float64], says: str, looks: dict[str, Any]) -> dict[str, Any]:
    """A chart of `components.player`; `says` puts into words what the curve does, `looks` is the rest of the chart."""
    return {
        "title": title,
        "unit": unit,
        "values": [round(float(value), 7) for value in values],
        "description": f"{title}, {unit}, over the steps of the recovery: it {says}.",
        **looks,
    }


def _explain(population: Population, found: _Recovery, seed: int) -> None:
    path, side = found.path, population.grid.cell_size_m
    chosen, best = float(found.errors[path.chosen]), float(found.errors.min())
    first, second, third = st.columns(3)
    figure(
        first,
        "Chosen step",
        f"{path.chosen}",
        f"held-out best: {path.best}",
        help="The text below says why these two differ.",
    )
    figure(
        second,
        "Error at the chosen step",
        captions.cells(chosen),
        captions.metres(chosen, side),
        help=captions.W2_HELP,
    )
    figure(
        third,
        "Least error of any step",
        captions.cells(best),
        f"at step {int(found.errors.argmin())}",
        help="Only a simulation, which has the true map, can tell. The gap to the chosen step is what the rule costs.",
    )
    st.markdown(why_chosen(path))
    st.caption(
        f"One simulated collection with DAM and random seed {seed}. The steps are accelerated (momentum), as they are "
        "by default in the library; plain steps of the formula lead the same way, but many more are needed. The curves "
        "leave out the first steps: they gain so much that the rest would look flat."
    )


def why_chosen(path: RecoveryPath) -> str:
    """Why the chosen step is not the one at which the held-out reports fit best, in sentences."""
    further = round(path.best * ACCELERATED_PACE.stretch)
    if further + LAST_STEPS != path.chosen:
        return ""  # The search was cut short.
    return (
        f"**Why step {path.chosen} and not {path.best}?** The held-out reports fit best at step {path.best}, but the "
        "fits that found this saw only four fifths of the reports. The map is fitted to all of them, so it can go "
        f"further before it follows the noise: {path.best} × √(5/4) ≈ {further} steps. Then come {LAST_STEPS} more, "
        "to clear what is left of the even start in places where nobody lives: the fit hardly notices it, but the "
        "error does."
    )
