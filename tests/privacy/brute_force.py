"""Every ruler written out over a transition matrix: oracles for the code that avoids it."""

import numpy as np

from tests.cells import distances


def readings(matrix: np.ndarray, d: int) -> dict[str, float]:
    """What each ruler reads of a mechanism with this matrix (d², outputs), the prior uniform."""
    joint, away = matrix / d**2, distances(d)
    total = joint.sum(axis=0)
    joint, total = joint[:, total > 0], total[total > 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.log(matrix.max(axis=0) / matrix.min(axis=0))
    return {
        "local privacy": float((np.einsum("io,ij,jo->o", joint, away, joint, optimize=True) / total).sum()),
        "best guess distance": float((away @ joint).min(axis=0).sum()),
        "hit rate": float(joint.max(axis=0).sum()),
        "worst case": float(np.nan_to_num(ratios, nan=0.0, posinf=np.inf).max()),
    }


def protects_at_least(value: float, target: float, by: str, slack: float = 1e-7) -> bool:
    """Whether a reading protects as much as the target: more is better for distances, less for the others."""
    margin = slack * abs(target)
    return value >= target - margin if by in ("local privacy", "best guess distance") else value <= target + margin
