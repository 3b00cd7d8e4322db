"""Where points come from."""

from spatialldp.datasets.synthetic import SYNTHETIC, Points, SyntheticSet

__all__ = ["SYNTHETIC", "Points", "SyntheticSet"]
