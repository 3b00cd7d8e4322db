"""How much of a map survives when every person's location is randomised on their own device?

points → Grid → counts → Mechanism.perturb → reports → Mechanism.estimate → distribution → wasserstein2
"""

from spatialldp.estimation import Estimate
from spatialldp.grid import Binned, Grid
from spatialldp.mechanisms import DAM, DAMNS, HUEM, KRR, MDSW, MECHANISMS, OUE, PlanarLaplace, SEMGeoI
from spatialldp.wasserstein import Transport, sinkhorn_w2, transport, wasserstein2, wasserstein2_many

__version__ = "0.1.0"

__all__ = [
    "DAM",
    "DAMNS",
    "HUEM",
    "KRR",
    "MDSW",
    "MECHANISMS",
    "OUE",
    "Binned",
    "Estimate",
    "Grid",
    "PlanarLaplace",
    "SEMGeoI",
    "Transport",
    "sinkhorn_w2",
    "transport",
    "wasserstein2",
    "wasserstein2_many",
]
