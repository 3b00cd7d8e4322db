"""The mechanisms, and the registry the menus are made from."""

from spatialldp.mechanisms.base import Mechanism, ReportMap
from spatialldp.mechanisms.dam import DAM, DAMNS
from spatialldp.mechanisms.huem import HUEM
from spatialldp.mechanisms.sam import SAM, optimal_radius

#: Short name → class, in the order of the menus.
MECHANISMS: dict[str, type[SAM]] = {"DAM": DAM, "HUEM": HUEM, "DAM-NS": DAMNS}

__all__ = ["DAM", "DAMNS", "HUEM", "MECHANISMS", "SAM", "Mechanism", "ReportMap", "optimal_radius"]
