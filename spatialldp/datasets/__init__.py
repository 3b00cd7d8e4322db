"""Where points come from: embedded cities, official sources, generated sets, anybody's own file."""

from spatialldp.datasets.columns import Columns
from spatialldp.datasets.embedded import OUTLINES, Outline, load_outline
from spatialldp.datasets.large import bin_files
from spatialldp.datasets.points import DataError, Points
from spatialldp.datasets.rectangle import Rectangle, count_in
from spatialldp.datasets.registry import DATASETS, DEFAULT_DATASET, Dataset, dataset
from spatialldp.datasets.synthetic import SYNTHETIC, SyntheticSet
from spatialldp.datasets.uploads import Preview, Upload, inspect_points, read_points

__all__ = [
    "DATASETS",
    "DEFAULT_DATASET",
    "OUTLINES",
    "SYNTHETIC",
    "Columns",
    "DataError",
    "Dataset",
    "Outline",
    "Points",
    "Preview",
    "Rectangle",
    "SyntheticSet",
    "Upload",
    "bin_files",
    "count_in",
    "dataset",
    "inspect_points",
    "load_outline",
    "read_points",
]
