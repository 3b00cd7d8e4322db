"""Shares, factors and lists as the sentences of the lesson have them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from spatialldp.formatting import times

#: A simulated or rounded share this close to 1 is 1.
_ALL = 1 - 1e-9


def in_percent(share: float, decimals: int = 0) -> str:
    """A share in percent with so many decimals, and below 1% with two digits that mean something. What would be rounded
    up to all, and is less, says so.

    >>> in_percent(0.2732), in_percent(0.041), in_percent(0.000717, 1), in_percent(0.9997), in_percent(1.0)
    ('27%', '4%', '0.072%', 'over 99%', '100%')
    """
    if not 0 < share < _ALL:
        return f"{share:.0%}"
    digits = decimals if share >= 0.01 else max(decimals, 1 - math.floor(math.log10(100 * share)))
    limit = 100 - 10.0**-digits
    text = f"{share:.{digits}%}"
    return f"over {limit:.{digits}f}%" if float(text[:-1]) >= 100 else text


def as_many_times(factor: float) -> str:
    """A factor for "… times as much": two digits that mean something, a fraction where it is small.

    >>> as_many_times(219.4), as_many_times(5.72), as_many_times(0.26), as_many_times(0.0012)
    ('220', '5.7', '0.26', '1/830')
    """
    return f"1/{times(-math.log(factor))}" if factor < 0.1 else times(math.log(factor))


def listed(names: Sequence[str], last: str = "and") -> str:
    """Names one after the other: "A", "A and B", "A, B and C"."""
    return f" {last} ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def people(number: int) -> str:
    """A number of people: "1 person", "2,000 people"."""
    return "1 person" if number == 1 else f"{number:,} people"


def budget_number(epsilon: float) -> str:
    """ε′ of a Geo-I mechanism with as many digits as Compare gives it.

    >>> budget_number(0.690406), budget_number(12.2189)
    ('0.6904', '12.22')
    """
    return f"{epsilon:.4g}"


def per_cell(epsilon: float) -> str:
    """The same with its unit.

    >>> per_cell(0.690406)
    '0.6904 per cell'
    """
    return f"{budget_number(epsilon)} per cell"
