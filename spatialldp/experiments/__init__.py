"""Whole runs: a population through a mechanism and back.

`simulate` does it once, `compare` with several mechanisms side by side, `measure` gives the error of a plan over
several runs, and `sweep` that along a curve.

`hot_spots`, `ranges` and `land` ask what else a map is good for: its fullest cells, the people in an area, the city
around them; `coverage` says how much of a cell a polygon covers. `export` writes a run to files, `comparison_sentences`
puts protection into words, `repeats` has what several seeds say about the next one, and `defaults` what is assumed
where nothing is given.
"""

from spatialldp.experiments.axes import AXES
from spatialldp.experiments.calibrated import EqualProtection, calibrated_epsilon, equal_protection
from spatialldp.experiments.comparison import Score, best, compare, score
from spatialldp.experiments.hot_spots import HotSpot, Rank, hot_spots, surviving_hotspots
from spatialldp.experiments.land import district_names, districts, land_mask, mask_gain
from spatialldp.experiments.map_error import PURPOSES, MapBaselines, MapError
from spatialldp.experiments.measurements import measure
from spatialldp.experiments.measures import Baselines, Flow, baselines, largest_flows, truthful_share
from spatialldp.experiments.plan import Plan
from spatialldp.experiments.ranges import DistrictWeights, counted_in, district_weights, range_error
from spatialldp.experiments.run import Run, Stage, make_mechanism, simulate, simulate_in_stages
from spatialldp.experiments.sweep import Point, sweep
from spatialldp.experiments.usefulness import USEFULNESS, Usefulness, usefulness
from spatialldp.population import population

__all__ = [
    "AXES",
    "PURPOSES",
    "USEFULNESS",
    "Baselines",
    "DistrictWeights",
    "EqualProtection",
    "Flow",
    "HotSpot",
    "MapBaselines",
    "MapError",
    "Plan",
    "Point",
    "Rank",
    "Run",
    "Score",
    "Stage",
    "Usefulness",
    "baselines",
    "best",
    "calibrated_epsilon",
    "compare",
    "counted_in",
    "district_names",
    "district_weights",
    "districts",
    "equal_protection",
    "hot_spots",
    "land_mask",
    "largest_flows",
    "make_mechanism",
    "mask_gain",
    "measure",
    "population",
    "range_error",
    "score",
    "simulate",
    "simulate_in_stages",
    "surviving_hotspots",
    "sweep",
    "truthful_share",
    "usefulness",
]
