"""Step 3: privacy loss against distance."""

from __future__ import annotations

import math

import numpy as np

from spatialldp.formatting import times
from spatialldp.privacy import privacy_loss_from
from spatialldp.teaching.scene import Scene, is_geo_i

#: Distance in cells → the largest privacy loss between the person's cell and those at that distance.
Losses = dict[float, float]
#: e to the power of less is written with three digits.
_NEARLY_NONE = 0.05
#: Of a map on which there is nothing to compare.
NO_DISTANCE = "This map has a single cell, so there is no distance on it: more cells per side show what differs."


def reference_distances(scene: Scene) -> dict[str, float]:
    """Distances a class can picture, in cells: the next cell, across the district, the far end of the map."""
    d, person = scene.d, scene.person
    if d == 1:
        return {"own cell": 0.0}
    farthest = max(math.hypot(x - person.ix, y - person.iy) for x in (0, d - 1) for y in (0, d - 1))
    return {"next cell": 1.0, "a fifth of the map": float(max(1, round(d / 5))), "far end of the map": farthest}


def worst_losses(scene: Scene, name: str) -> Losses:
    """The worst case at every distance from the person, computed exactly."""
    d, person = scene.d, scene.person
    losses = privacy_loss_from(scene.mechanisms[name], person.ix, person.iy)
    ix, iy = np.meshgrid(np.arange(d), np.arange(d), indexing="ij")
    distance = np.hypot(ix - person.ix, iy - person.iy)
    return {float(at): float(losses[distance == at].max()) for at in np.unique(distance)}


def promised_loss(scene: Scene, name: str, cells: float) -> float:
    """What the mechanism promises at a distance."""
    mechanism = scene.mechanisms[name]
    return mechanism.epsilon_per_cell * cells if is_geo_i(name) else mechanism.epsilon


def times_at(losses: Losses, cells: float) -> str:
    """How many times likelier, at most, a report is from here than from the distance nearest to this one, or the
    reverse."""
    return times_of(loss_at(losses, cells))


def loss_at(losses: Losses, cells: float) -> float:
    """The loss at the distance nearest to this one."""
    return losses[min(losses, key=lambda distance: abs(distance - cells))]


def times_of(loss: float) -> str:
    """A loss as a factor; of one so close to 1 that two digits would hide it, three."""
    if math.isinf(loss):
        return "infinitely many"
    return f"{math.exp(loss):.3g}" if loss < _NEARLY_NONE else times(loss)


LOSS_HEAD = "At most … times likelier"


def loss_rows(scene: Scene, curves: dict[str, Losses]) -> list[dict[str, str]]:
    """The factors at the reference distances, as the rows of a table."""
    marks = reference_distances(scene)
    return [
        {
            LOSS_HEAD: name,
            **{f"{what} ({scene.length(at)})": times_at(curve, at) for what, at in marks.items()},
        }
        for name, curve in curves.items()
    ]
