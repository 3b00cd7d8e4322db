"""Whole runs: a population through a mechanism and back."""

from spatialldp.experiments.calibrated import calibrated_epsilon
from spatialldp.experiments.comparison import Score, compare, score
from spatialldp.experiments.measures import Baselines, baselines, largest_flows, surviving_hotspots, truthful_share
from spatialldp.experiments.run import Run, Stage, make_mechanism, simulate, simulate_in_stages
from spatialldp.population import population

__all__ = [
    "Baselines",
    "Run",
    "Score",
    "Stage",
    "baselines",
    "calibrated_epsilon",
    "compare",
    "largest_flows",
    "make_mechanism",
    "population",
    "score",
    "simulate",
    "simulate_in_stages",
    "surviving_hotspots",
    "truthful_share",
]
