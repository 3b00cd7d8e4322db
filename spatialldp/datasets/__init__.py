"""Where points come from: embedded cities, official sources, generated sets, anybody's own file."""

from spatialldp.datasets.columns import Columns
from spatialldp.datasets.counting_on_disk import bin_files
from spatialldp.datasets.embedded import OUTLINES, Outline, load_outline
from spatialldp.datasets.points import DataError, Points
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
    "SyntheticSet",
    "Upload",
    "bin_files",
    "dataset",
    "inspect_points",
    "load_outline",
    "read_points",
]
