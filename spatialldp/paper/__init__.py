"""What the paper (Du et al.) prints or its program does, beside what is right: each slip with figures."""

from spatialldp.paper.printed import (
    border_cells_in_quarter,
    kernel_loss,
    printed_area,
    printed_kernel,
    szipf_formula,
)
from spatialldp.paper.slips import SLIPS, Row, Setting, Slip, slips

__all__ = [
    "SLIPS",
    "Row",
    "Setting",
    "Slip",
    "border_cells_in_quarter",
    "kernel_loss",
    "printed_area",
    "printed_kernel",
    "slips",
    "szipf_formula",
]
