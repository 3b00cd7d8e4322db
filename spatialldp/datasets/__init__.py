"""Where points come from."""

from spatialldp.datasets.points import DataError, Points
from spatialldp.datasets.synthetic import SYNTHETIC, SyntheticSet

__all__ = ["SYNTHETIC", "DataError", "Points", "SyntheticSet"]
