"""What a report gives away: exact loss, local privacy, an attacker's success, and calibration between notions.

Local differential privacy bounds how well *any* two places can be told apart; geo-indistinguishability bounds it by
their distance. One ε means different things in the two, so they are compared at equal protection, by local privacy
as in the paper or by another ruler; `protection` reads all of them.
"""

from spatialldp.privacy.audit import Audit, audit
from spatialldp.privacy.calibration import Calibration, calibrate, calibration
from spatialldp.privacy.local import LocalPrivacy, local_privacy
from spatialldp.privacy.loss import (
    ExactCheck,
    exact_check,
    max_privacy_loss,
    privacy_loss_by_distance,
    privacy_loss_from,
)
from spatialldp.privacy.protection import MEASURES, Measure, Measured, Protection, protection, worst_case_loss
from spatialldp.privacy.repeated import RepeatedRisk, repeated_risk
from spatialldp.privacy.risk import Conclusion, Risk, conclusion, credible_region, posterior, risk

__all__ = [
    "MEASURES",
    "Audit",
    "Calibration",
    "Conclusion",
    "ExactCheck",
    "LocalPrivacy",
    "Measure",
    "Measured",
    "Protection",
    "RepeatedRisk",
    "Risk",
    "audit",
    "calibrate",
    "calibration",
    "conclusion",
    "credible_region",
    "exact_check",
    "local_privacy",
    "max_privacy_loss",
    "posterior",
    "privacy_loss_by_distance",
    "privacy_loss_from",
    "protection",
    "repeated_risk",
    "risk",
    "worst_case_loss",
]
