"""What can change along a curve, and where a curve has points."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real

from spatialldp import _validation as validate
from spatialldp.experiments.calibrated import USUAL
from spatialldp.experiments.plan import Plan
from spatialldp.mechanisms import MECHANISMS
from spatialldp.mechanisms.radius import optimal_radius

#: What can change along a curve, and what an axis calls it.
AXES = {
    "epsilon": "privacy budget ε",
    "d": "cells per side d",
    "b": "radius b, cells",
    "users": "people who take part",
}
_EPSILONS = (0.5, 1.0, 1.5, 2.0, 3.5, 5.0, 7.0, 9.0)
#: One cell, where there is nothing to search for, and the grids for which calibrated ε are stored.
_GRIDS = (1, *USUAL)
_SHARES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
_FEWEST_USERS = 10


@validate.takes(plan=Plan)
def axis_values(over: str, plan: Plan, everybody: int) -> list[float]:
    """Where a curve is worth a point.

    Args:
        over: what changes along the curve, one of `AXES`.
        plan: what its points have in common.
        everybody: how many people there are.

    Returns:
        About a dozen values, ascending; the plan's own is always one of them.

    Raises:
        ValueError: there is no such axis.

    Example:
        >>> from spatialldp.experiments import Plan
        >>> from spatialldp.experiments.axes import axis_values
        >>> axis_values("d", Plan(d=6), everybody=3293)
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 15.0, 20.0, 25.0, 30.0]
    """
    validate.one_of("over", over, tuple(AXES))
    if over == "epsilon":
        return sorted({*_EPSILONS, plan.epsilon})
    if over == "d":
        return [float(d) for d in sorted({*_GRIDS, plan.d})]
    if over == "b":
        best = int(plan.d * optimal_radius(plan.epsilon))
        steps = {round(max(best, 1) * third / 3) for third in range(7)}
        return [float(b) for b in sorted({*steps, best, *([] if plan.b is None else [plan.b])})]
    everybody = validate.people("everybody", everybody)
    chosen = everybody if plan.users is None else plan.users
    return [float(n) for n in sorted({*(max(round(everybody * share), _FEWEST_USERS) for share in _SHARES), chosen})]


@validate.takes(plan=Plan)
def varied(plan: Plan, over: str, value: float) -> Plan:
    """The plan with one value replaced.

    Args:
        plan: the plan.
        over: what is replaced, one of `AXES`.
        value: by what.

    Returns:
        The plan of one point of a curve.

    Raises:
        ValueError: the value is out of range, or must be a whole number and is not one.

    Example:
        >>> from spatialldp.experiments import Plan
        >>> from spatialldp.experiments.axes import varied
        >>> varied(Plan(), "d", 20.0).d
        20
    """
    return plan.with_changes(**{over: checked_value(over, value, plan.d)})


def checked_value(over: str, value: float, d: int = validate.LARGEST_D) -> float | int:
    """`value` as the plan takes it, on d×d cells: an ε, or for what is counted the whole number it must be."""
    if validate.one_of("over", over, tuple(AXES)) == "epsilon":
        return validate.privacy_budget(value)
    # A whole number as it is: one beyond 2⁵³ would be rounded.
    whole = int(value) if isinstance(value, float) and value.is_integer() else value
    if over == "d":
        return validate.cells_per_side(whole)
    return validate.people(over, whole) if over == "users" else validate.radius(whole, d)


@validate.takes(names=[str])
def curve_names(over: str, names: Sequence[str]) -> list[str]:
    """The mechanisms that have a curve: a radius can be chosen only where there is one.

    Args:
        over: what changes along the curve, one of `AXES`.
        names: of mechanisms, keys of `spatialldp.MECHANISMS`.

    Returns:
        Those of the names that have one, in the same order.

    Example:
        >>> from spatialldp.experiments.axes import curve_names
        >>> curve_names("b", ["DAM", "MDSW", "HUEM"]), curve_names("d", ["DAM", "MDSW"])
        (['DAM', 'HUEM'], ['DAM', 'MDSW'])
    """
    validate.one_of("over", over, tuple(AXES))
    known = [validate.one_of("names", name, tuple(MECHANISMS)) for name in names]
    return [name for name in known if over != "b" or MECHANISMS[name].parameter("b") is not None]


@validate.takes(plan=Plan, values=[Real])
def curve_values(over: str, plan: Plan, name: str, values: Sequence[float]) -> list[float]:
    """Where the curve of a mechanism has points: the range of a radius is its own.

    Args:
        over: what changes along the curve, one of `AXES`.
        plan: what its points have in common.
        name: of the mechanism, a key of `spatialldp.MECHANISMS`.
        values: of `axis_values`.

    Returns:
        Those of the values that the mechanism takes, in the same order.

    Example:
        >>> from spatialldp.experiments import Plan
        >>> from spatialldp.experiments.axes import curve_values
        >>> curve_values("b", Plan(d=6), "DAM", [0.0, 2.0, 12.0, 13.0])
        [0.0, 2.0, 12.0]
    """
    validate.one_of("over", over, tuple(AXES))
    validate.one_of("name", name, tuple(MECHANISMS))
    parameter = MECHANISMS[name].parameter("b") if over == "b" else None
    if parameter is None:
        return list(values)
    return [value for value in values if parameter.lowest(plan.d) <= value <= parameter.highest(plan.d)]


@validate.takes(plan=Plan)
def on_curve(plan: Plan, name: str) -> Plan:
    """The plan for another mechanism: a radius chosen by hand belongs to the plan's own.

    Args:
        plan: the plan.
        name: of the mechanism, a key of `spatialldp.MECHANISMS`.

    Returns:
        The plan with that mechanism, at its optimal radius if it is another one.

    Example:
        >>> from spatialldp.experiments import Plan
        >>> from spatialldp.experiments.axes import on_curve
        >>> on_curve(Plan("DAM", b=5), "HUEM").b, on_curve(Plan("DAM", b=5), "DAM").b
        (None, 5)
    """
    validate.one_of("name", name, tuple(MECHANISMS))
    return plan if name == plan.mechanism else plan.with_changes(mechanism=name, b=None)
