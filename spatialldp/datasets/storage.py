"""Files kept on disk: they appear whole or not at all, carry a checksum, and are written by one program at a time."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

_ASK_AGAIN_S = 0.1


def sha256(content: bytes) -> str:
    """The checksum of some bytes, 64 hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


# -- one file after another ------------------------------------------------------------------------


def unfinished(final: Path) -> Path:
    """A name beside the final one that no other process and no other thread uses."""
    return final.with_suffix(f".{os.getpid()}-{threading.get_ident()}.unfinished")


def publish(temporary: Path, final: Path) -> None:
    """Give a finished file its final name: it is there whole or not at all, even after a power cut."""
    with temporary.open("rb+") as handle:
        os.fsync(handle.fileno())
    temporary.replace(final)
    # Not every system can open a folder; there the rename itself has to do.
    with contextlib.suppress(OSError):
        folder = os.open(final.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


# -- checksums beside files ------------------------------------------------------------------------


def checksum_file(path: Path) -> Path:
    """Where the checksum of a file is kept, in the form that `sha256sum -c` reads."""
    return path.with_name(f"{path.name}.sha256")


def publish_with_checksum(temporary: Path, final: Path) -> None:
    """Publish a file and its checksum.

    The checksum comes first: a power cut between the two leaves a file that does not fit and is fetched again.
    """
    listed = checksum_file(final)
    former = listed.read_bytes() if listed.is_file() else None
    _write_checksum(final, sha256(temporary.read_bytes()))
    try:
        publish(temporary, final)
    except BaseException:
        with contextlib.suppress(OSError):
            if former is None:
                listed.unlink()
            else:
                listed.write_bytes(former)
        raise


def _write_checksum(path: Path, checksum: str) -> None:
    listed = checksum_file(path)
    temporary = unfinished(listed)
    try:
        temporary.write_text(_line(path, checksum), "utf-8")
        publish(temporary, listed)
    finally:
        temporary.unlink(missing_ok=True)


def _line(path: Path, checksum: str) -> str:
    return f"{checksum}  {path.name}\n"


def is_as_listed(path: Path, content: bytes) -> bool:
    """Whether a file's content fits the checksum beside it. One without any is from before there were checksums: it is
    taken as it is, and its checksum is noted from now on."""
    line = _line(path, sha256(content))
    try:
        return checksum_file(path).read_bytes() == line.encode()
    except FileNotFoundError:
        # Not where one has come meanwhile, nor into a folder that cannot be written to.
        with contextlib.suppress(OSError), checksum_file(path).open("x", encoding="utf-8") as listed:
            listed.write(line)
        return True


# -- one writer at a time --------------------------------------------------------------------------


@contextlib.contextmanager
def only_writer(lock: Path, on_wait: Callable[[], None]) -> Iterator[bool]:
    """Keep all other processes and threads from doing the same; gives whether one of them had to be waited for.

    `on_wait` is called again and again meanwhile. The file `lock` is there only as long; one that a program left behind
    when it was killed locks nothing.
    """
    waited = False
    while True:
        handle = lock.open("ab")
        try:
            if _try_to_lock(handle) and _is_still_there(handle, lock):
                break
        except BaseException:
            handle.close()
            raise
        handle.close()
        waited = True
        on_wait()
        time.sleep(_ASK_AGAIN_S)
    try:
        yield waited
    finally:
        # Windows removes no open file; there it stays, empty.
        with contextlib.suppress(OSError):
            lock.unlink()
        handle.close()


def _is_still_there(handle: IO[Any], lock: Path) -> bool:
    """Whether the file that was locked is the one that others will find: its last owner may have removed it."""
    try:
        return os.path.samestat(os.fstat(handle.fileno()), lock.stat())
    except FileNotFoundError:
        return False


def _try_to_lock(handle: IO[Any]) -> bool:
    """Lock an open file until it is closed; False where somebody else has done so."""
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
    else:
        import fcntl

        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            # Some network folders know no locks. Two writers then do the work twice, under names of their own.
            return True
    return True
