"""Whole runs: a population through a mechanism and back. Curves are in `spatialldp.experiments.sweep`."""

from spatialldp.experiments.calibrated import calibrated_epsilon
from spatialldp.experiments.comparison import Score, compare, score
from spatialldp.experiments.measures import Baselines, baselines, largest_flows, surviving_hotspots, truthful_share
from spatialldp.experiments.plan import MapError, Plan, measure
from spatialldp.experiments.run import Run, Stage, make_mechanism, simulate, simulate_in_stages
from spatialldp.population import population

__all__ = [
    "Baselines",
    "MapError",
    "Plan",
    "Run",
    "Score",
    "Stage",
    "baselines",
    "calibrated_epsilon",
    "compare",
    "largest_flows",
    "make_mechanism",
    "measure",
    "population",
    "score",
    "simulate",
    "simulate_in_stages",
    "surviving_hotspots",
    "truthful_share",
]
