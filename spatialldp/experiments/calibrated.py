"""ε′ of the Geo-I mechanisms that protect as much as DAM, by each ruler, ready to use for the usual ε and d.

A search takes seconds on large grids, so the usual values ship in calibrated.json, made by
`python -m spatialldp.experiments.calibrated` (some minutes); any other pair is searched for when asked. Where a jump
skips the target an entry holds both of its sides.
"""

from __future__ import annotations

import json
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from spatialldp import _validation as validate
from spatialldp import engines
from spatialldp.datasets import DataError
from spatialldp.datasets.storage import sha256
from spatialldp.mechanisms import DAM, MECHANISMS
from spatialldp.privacy import MEASURES, calibration
from spatialldp.privacy.curve import Curve
from spatialldp.privacy.protection import LOCAL_PRIVACY

_FILE = Path(__file__).with_name("calibrated.json")
#: Steps of the page's slider on the grids most used, half steps and the paper's values on others.
_FINE = tuple(step / 10 for step in range(5, 91))
_COARSE = tuple(sorted({*(step / 2 for step in range(1, 19)), 0.7, 1.4, 2.1, 2.8}))
USUAL = {d: _FINE if d <= 15 else _COARSE for d in (2, 3, 4, 5, 8, 10, 12, 15, 20, 25, 30)}
GEO_I = tuple(name for name, kind in MECHANISMS.items() if kind.notion == "Geo-I")
#: Of simulated readings while the table is made: two of them are then still within half a percent.
_RELATIVE_ERROR = 0.0015

#: ε′, or where a jump skips the target [just below it, just above it].
Entry = float | list[float]
#: By ruler, mechanism, d and ε.
Table = dict[str, dict[str, dict[str, dict[str, Entry]]]]


class EqualProtection(NamedTuple):
    """ε′, per cell, at which a mechanism protects as much as required. Where a jump skips the target, no ε′ does.

    Attributes:
        epsilon: ε′, or where there is a jump the ε just below it, which protects more.
        beyond: the ε just above the jump, which protects less; None where there is none.

    Example:
        >>> from spatialldp.experiments import equal_protection
        >>> equal_protection("SEM-Geo-I", epsilon=5.0, d=5)
        EqualProtection(epsilon=2.670581, beyond=None)
        >>> jump = equal_protection("SEM-Geo-I", epsilon=2.2, d=5)  # no ε′ has the local privacy of DAM at 2.2
        >>> jump.jumped, round(jump.epsilon, 4), jump.beyond - jump.epsilon < 1e-9
        (True, 1.1976, True)
    """

    epsilon: float
    beyond: float | None

    @property
    def jumped(self) -> bool:
        """Whether the target lies in a jump."""
        return self.beyond is not None


def equal_protection(mechanism: str, epsilon: float, d: int, by: str = LOCAL_PRIVACY) -> EqualProtection:
    """The ε′ of a Geo-I mechanism that protects as much as DAM does at ε, or both sides of the jump that skips it.

    Args:
        mechanism: the name of a Geo-I mechanism, a key of `spatialldp.MECHANISMS`.
        epsilon: privacy budget of DAM.
        d: cells per side of both.
        by: the ruler, one of `spatialldp.privacy.MEASURES`.

    Returns:
        One ε′, or two where no ε′ protects as much. The usual ε and d are looked up; others are searched for, which
        takes seconds on large grids.

    Raises:
        ValueError: there is no such mechanism or ruler, ε or d is out of range, or no ε′ from 0.001 to 50 protects as
            much.

    Example:
        >>> from spatialldp.experiments import equal_protection
        >>> found = equal_protection("Planar Laplace", epsilon=3.5, d=15)
        >>> round(found.epsilon, 3), found.jumped
        (0.386, False)
        >>> round(equal_protection("Planar Laplace", epsilon=3.5, d=15, by="hit rate").epsilon, 3)
        0.416
    """
    validate.one_of("mechanism", mechanism, tuple(MECHANISMS))
    validate.one_of("by", by, tuple(MEASURES))
    epsilon, d = validate.privacy_budget(epsilon), validate.cells_per_side(d)
    stored = _stored(mechanism, epsilon, d, by)
    if stored is None:
        return _searched(mechanism, epsilon, d, by)
    return EqualProtection(*stored) if isinstance(stored, list) else EqualProtection(stored, None)


def calibrated_epsilon(mechanism: str, epsilon: float, d: int, by: str = LOCAL_PRIVACY) -> float:
    """ε′, per cell, at which a Geo-I mechanism protects as much as DAM(epsilon, d).

    Args:
        mechanism: its short name, a key of `spatialldp.MECHANISMS`.
        epsilon: budget of DAM, above 0.
        d: cells per side.
        by: the ruler, one of `spatialldp.privacy.MEASURES`.

    Returns:
        ε′; where a jump skips equality, the largest that still protects more.

    Raises:
        ValueError: there is no such mechanism or ruler, or no ε′ from 0.001 to 50 protects as much.

    Example:
        >>> from spatialldp.experiments import calibrated_epsilon
        >>> f'{calibrated_epsilon("SEM-Geo-I", epsilon=5.0, d=5):.3f}'
        '2.671'
    """
    return equal_protection(mechanism, epsilon, d, by).epsilon


def is_stored(mechanism: str, epsilon: float, d: int, by: str = LOCAL_PRIVACY) -> bool:
    """Whether `equal_protection` answers at once.

    Args:
        mechanism: the name of a mechanism.
        epsilon: privacy budget of DAM.
        d: cells per side.
        by: the ruler, one of `spatialldp.privacy.MEASURES`.

    Returns:
        True where the answer is in the table that ships; False where it would be searched for.

    Example:
        >>> from spatialldp.experiments.calibrated import is_stored
        >>> is_stored("SEM-Geo-I", 3.5, 15), is_stored("SEM-Geo-I", 3.51, 15)
        (True, False)
    """
    validate.one_of("mechanism", mechanism, tuple(MECHANISMS))
    validate.one_of("by", by, tuple(MEASURES))
    return _stored(mechanism, validate.privacy_budget(epsilon), validate.cells_per_side(d), by) is not None


def _stored(mechanism: str, epsilon: float, d: int, by: str) -> Entry | None:
    return _table().get(by, {}).get(mechanism, {}).get(str(d), {}).get(_key(epsilon))


@cache
def _table() -> Table:
    try:
        content, listed = _FILE.read_bytes(), _checksum_file().read_bytes()
    except OSError:
        content, listed = b"", b""
    if listed != _checksum(content):
        raise DataError(
            f"{_FILE} or {_checksum_file().name} beside it is missing or damaged: install the package again, or in a "
            "checkout restore both with 'git checkout spatialldp/experiments'"
        )
    table: Table = json.loads(content)
    return table


def _checksum(content: bytes) -> bytes:
    """What stands in the file beside the table."""
    return (json.dumps({"sha256": sha256(content)}) + "\n").encode()


def _checksum_file() -> Path:
    return _FILE.with_name(f"{_FILE.stem}_checksum.json")


def _key(epsilon: float) -> str:
    return f"{epsilon:.10g}"


@lru_cache(maxsize=512)
def _searched(mechanism: str, epsilon: float, d: int, by: str) -> EqualProtection:
    found = calibration(MECHANISMS[mechanism], DAM(epsilon, d), by=by)
    return EqualProtection(found.mechanism.epsilon, None if found.beyond is None else found.beyond.epsilon)


def entries(mechanism: str, d: int) -> dict[str, dict[str, Entry]]:
    """All entries of one mechanism and grid, by ruler and ε; one curve lends its evaluations to all of them."""
    curve = Curve(MECHANISMS[mechanism], d, _RELATIVE_ERROR)
    found: dict[str, dict[str, Entry]] = {}
    for by in MEASURES:
        for epsilon in USUAL[d]:
            entry = calibration(MECHANISMS[mechanism], DAM(epsilon, d), by=by, curve=curve)
            here, past = entry.mechanism.epsilon, entry.beyond
            found.setdefault(by, {})[_key(epsilon)] = _rounded(here, curve) if past is None else [here, past.epsilon]
    return found


def _rounded(epsilon: float, curve: Curve) -> float:
    """Seven digits are plenty, but beside a jump rounding could step over it."""
    beside = any(abs(epsilon - end) <= 1e-6 * end for stretch in curve.stretches for end in stretch)
    return epsilon if beside else float(f"{epsilon:.7g}")


def _entries(task: tuple[str, int]) -> dict[str, dict[str, Entry]]:
    return entries(*task)


def main() -> None:
    """Search for every usual pair and write the table."""
    # The largest first, so that no core ends up alone with one of them.
    tasks = [(name, d) for d in sorted(USUAL, reverse=True) for name in GEO_I]
    results = {}
    every = engines.map(_entries, tasks, workers=engines.available_cores())
    for done, (task, found) in enumerate(zip(tasks, every, strict=True), 1):
        results[task] = found
        print(f"{done}/{len(tasks)}  {task[0]} d={task[1]}", flush=True)
    table: Table = {by: {name: {str(d): results[name, d][by] for d in USUAL} for name in GEO_I} for by in MEASURES}
    content = (json.dumps(table, indent=0) + "\n").encode()
    _FILE.write_bytes(content)
    _checksum_file().write_bytes(_checksum(content))


if __name__ == "__main__":
    main()
