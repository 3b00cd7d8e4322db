"""The mechanisms, and the registry the menus are made from."""

from spatialldp.mechanisms.base import Mechanism
from spatialldp.mechanisms.cell_reports import CellReportMechanism
from spatialldp.mechanisms.dam import DAM
from spatialldp.mechanisms.dam_ns import DAMNS
from spatialldp.mechanisms.huem import HUEM
from spatialldp.mechanisms.krr import KRR
from spatialldp.mechanisms.mdsw import MDSW
from spatialldp.mechanisms.oue import OUE
from spatialldp.mechanisms.planar_laplace import PlanarLaplace
from spatialldp.mechanisms.radius import mutual_information_bound, optimal_radius
from spatialldp.mechanisms.records import (
    InclusionCounts,
    ListedReports,
    NamedCells,
    Parameter,
    ReportMap,
    TruthfulShare,
    WeightedReports,
)
from spatialldp.mechanisms.sam import SAM
from spatialldp.mechanisms.sem import SEMGeoI

#: Short name → class, in the order of the menus. Each class carries its full name, privacy notion ("LDP" or "Geo-I"),
#: a plain sentence and its reference.
MECHANISMS: dict[str, type[Mechanism]] = {
    "DAM": DAM,
    "HUEM": HUEM,
    "MDSW": MDSW,
    "SEM-Geo-I": SEMGeoI,
    "DAM-NS": DAMNS,
    "k-RR": KRR,
    "OUE": OUE,
    "Planar Laplace": PlanarLaplace,
}

__all__ = [
    "DAM",
    "DAMNS",
    "HUEM",
    "KRR",
    "MDSW",
    "MECHANISMS",
    "OUE",
    "SAM",
    "CellReportMechanism",
    "InclusionCounts",
    "ListedReports",
    "Mechanism",
    "NamedCells",
    "Parameter",
    "PlanarLaplace",
    "ReportMap",
    "SEMGeoI",
    "TruthfulShare",
    "WeightedReports",
    "mutual_information_bound",
    "optimal_radius",
]
