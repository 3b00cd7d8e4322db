"""One decorator through which every compiled function of the transport solver passes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

_Function = TypeVar("_Function", bound=Callable[..., object])


def _source_fingerprint() -> str:
    """Digest of all modules of this package."""
    digest = hashlib.sha256()
    for module in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(module.read_bytes())
    return digest.hexdigest()


_FINGERPRINT = _source_fingerprint()


def compiled(function: _Function) -> _Function:
    """Compile ``function`` with numba: no Python objects, no GIL, machine code kept on disk where possible.

    numba looks for a writable cache directory when a function is *decorated* and raises ``RuntimeError``
    when there is none (a read-only install without a writable home and without ``NUMBA_CACHE_DIR``).
    Such an install must still work, so it falls back to compiling once in every process.
    """
    try:
        dispatcher = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:
        dispatcher = numba.njit(nogil=True)(function)
    _tie_cache_to_package(dispatcher)
    return cast(_Function, dispatcher)


def _tie_cache_to_package(dispatcher: Any) -> None:
    """Make cached machine code stale as soon as *any* module of this package changes.

    Machine code contains that of the functions called, also from other modules, yet numba compares only the
    file of the function itself; after a change elsewhere it would go on using the old code.  This reaches
    into a private attribute; should numba rename it, its own rule applies again.
    """
    cache_file: Any = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if hasattr(cache_file, "_source_stamp"):
        cache_file._source_stamp = (cache_file._source_stamp, _FINGERPRINT)
