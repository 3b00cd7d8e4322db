"""What can be said of a result without computing it a second time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from spatialldp.estimation import Estimate
from spatialldp.grid import Binned
from spatialldp.mechanisms import InclusionCounts
from tests.fuzz.calls import Call


class UnsoundError(Exception):
    """A result that cannot be right."""


#: Results that may hold NaN or infinity, and why.
MAY_BE_INFINITE = {
    "device_ratio": "a report that only one of the cells can send",
    "largest_device_ratio": "the same",
    "device_losses_from": "the same",
    "largest_ratio": "the same",
    "worst_case_loss": "the same",
    "max_privacy_loss": "the same",
    "privacy_loss_by_distance": "the same, and NaN for distances that no two cells have",
    "privacy_loss_from": "the same",
    "exact_check": "the same",
    "report_map": "NaN where no report can lie",
    "comparable": "the same",
    "map_triple": "the same",
    "half_width_of_mean": "of a single value",
    "half_width_of_next": "of a single value",
    "Score": "half-width of a single repeat",
    "kernel_loss": "a weight that is not above 0",
    "szipf_formula": "the paper's formula, as printed",
}


def check_result(call: Call, result: Any) -> None:
    """Raise `UnsoundError` where the result cannot be right."""
    name = call.target.method or call.target.short_name
    if call.target.keeps_whatever_it_gets:
        return
    if name not in MAY_BE_INFINITE:
        _finite(result, call.target.name)
    _records(result)
    check = CHECKS.get(name)
    if check is not None:
        check(call, result)


def _finite(value: Any, where: str, depth: int = 0) -> None:
    if isinstance(value, (float, np.floating)):
        _require(math.isfinite(value), f"{where} is {value}")
    elif isinstance(value, np.ndarray) and value.dtype.kind == "f":
        _require(bool(np.isfinite(value).all()), f"{where} holds {value[~np.isfinite(value)][:3]}")
    elif depth < 3 and isinstance(value, (tuple, list)):
        for entry in value[:50]:
            _finite(entry, where, depth + 1)


def _records(value: Any) -> None:
    """Estimates and sums of reports, wherever they turn up."""
    if isinstance(value, Estimate):
        _distribution(value.distribution)
    elif isinstance(value, InclusionCounts):
        _require(bool((value.counts >= 0).all() and (value.counts <= value.users).all()), "more sets than users")
    elif isinstance(value, Binned) and isinstance(value.counts, np.ndarray) and value.counts.dtype.kind == "i":
        _require(bool((value.counts >= 0).all()), "a count is negative")


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise UnsoundError(what)


def _distribution(values: Any) -> None:
    if not isinstance(values, np.ndarray) or values.dtype.kind != "f":
        return
    _require(bool((values >= 0).all()), f"a share is negative: {values.min()}")
    _require(abs(float(values.sum()) - 1) < 1e-6, f"shares add up to {values.sum()}")


def _sums_to_the_people(call: Call, reports: Any) -> None:
    people = int(np.sum(np.asarray(call.arguments["counts"], dtype=object)))
    if hasattr(reports, "users"):
        _require(reports.users == people, f"{reports.users} users of {people} people")
    else:
        # Two marginals of the square wave hold everybody twice.
        each = 2 if type(call.receiver).__name__ == "MDSW" and np.ndim(reports) == 2 and len(reports) == 2 else 1
        total = int(np.sum(np.asarray(reports, dtype=object)))
        _require(total in (people, each * people), f"{total} reports of {people} people")
    _require(bool((np.asarray(getattr(reports, "counts", reports)) >= 0).all()), "a number of reports is negative")


def _rows_sum_to_one(call: Call, matrix: np.ndarray) -> None:
    _require(bool((matrix >= 0).all()), "a probability is negative")
    _require(bool(np.abs(matrix.sum(axis=1) - 1).max() < 1e-9), "a row does not add up to 1")


def _not_negative(call: Call, value: Any) -> None:
    _require(bool((np.asarray(value) >= 0).all()), f"{value} is negative")


def _length_of_reports(call: Call, reports: np.ndarray) -> None:
    given = call.arguments.get("ix", call.arguments.get("values"))
    _require(len(reports) == np.atleast_1d(np.asarray(given)).size, "not one report per person")


def _all_points(call: Call, binned: Any) -> None:
    if call.arguments.get("weights") is None:
        total = binned.inside + binned.left_out
        _require(total == np.size(np.asarray(call.arguments["x"])), f"{total} points counted")


def _a_distribution(call: Call, values: Any) -> None:
    _distribution(values)


def _shares(call: Call, value: Any) -> None:
    share = value.share if hasattr(value, "share") else value
    _require(0 <= share <= 1 + 1e-12, f"{share} is no share")


def _has_the_side(call: Call, value: Any) -> None:
    given = call.arguments
    d = given["d"] if "d" in given else given["population"].grid.d
    # A lesson is about people, too.
    counts = getattr(value, "population", value).counts
    _require(counts.shape == (int(d), int(d)), f"{counts.shape} cells for d = {d}")


def _within_the_budget(call: Call, check: Any) -> None:
    _require(check.holds, f"loss {check.loss} of {check.allowed} allowed")


def _text(call: Call, value: Any) -> None:
    _require(isinstance(value, str), f"{value!r} is no text")


CHECKS: dict[str, Callable[[Call, Any], None]] = {
    "perturb": _sums_to_the_people,
    "transition_matrix": _rows_sum_to_one,
    "randomize": _length_of_reports,
    "likelihoods": _not_negative,
    "device_weights": _not_negative,
    "truthful_share": _shares,
    "wasserstein2": _not_negative,
    "wasserstein2_many": _not_negative,
    "sinkhorn_w2": _not_negative,
    "transport": lambda call, found: _not_negative(call, found.value),
    "histogram": _not_negative,
    "bin": _all_points,
    "posterior": _a_distribution,
    "exact_check": _within_the_budget,
    "population": _has_the_side,
    "of": _has_the_side,
    "of_points": _has_the_side,
    "variance": _not_negative,
    "local_privacy": lambda call, found: _not_negative(call, found.value),
    "risk": lambda call, found: _shares(call, found.hit_rate),
    "repeated_risk": lambda call, found: _shares(call, found.hit_rate),
    "max_privacy_loss": _not_negative,
    "command": _text,
    "snippet": _text,
    "winner_sentence": _text,
}
