"""Both ends of the scale of errors, which on a large grid take their time."""

from __future__ import annotations

from spatialldp.dashboard.shared.choices import Choices
from spatialldp.dashboard.shared.chosen_data import jobs_for, key_of
from spatialldp.dashboard.shared.jobs import Job
from spatialldp.experiments.measures import Baselines, baselines
from spatialldp.population import Population


def baselines_job(choices: Choices, population: Population) -> Job:
    """The work, begun or done; its only result is `Baselines`."""
    counts, seed = population.counts, choices.seed
    return jobs_for(choices).start(("baselines", *key_of(choices), seed), lambda: iter([baselines(counts, seed)]))


def baselines_by_now(choices: Choices, population: Population, seconds: float = 0.1) -> Baselines | None:
    """Both ends of the scale, or None while they are being computed."""
    job = baselines_job(choices, population)
    job.wait(seconds)
    return job.results[0] if job.results else None
