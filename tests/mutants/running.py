"""Running the tests on mutants, each in a copy of the tree that is thrown away."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.mutants.patch import MisfitError, Mutant

TREE = Path(__file__).parents[2]
#: What a copy does without. A .pyc is told from another by the time and size of its source, and a mutant may change
#: neither: no copy has any, and none is written. Machine code is tied to the text of the solver and is copied along.
_NOT_COPIED = shutil.ignore_patterns(
    ".git", ".venv", "*.pyc", ".*_cache", ".hypothesis", "build", "dist", "*.egg-info", "screenshots", "api"
)
#: In a mutant the patch itself no longer fits, which must not be what kills it.
_ABOUT_PATCHES = "tests/test_mutants.py"
#: Everything but the browser's tests, in the order in which pytest finds it.
_WHOLE = ("--ignore=tests/browser", "--ignore=tests/mutants", "-n", "2")
_CORES = 2
#: A mutant may go round in circles.
_LONGEST_S = 1_800


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant: the test that killed it; or it survived; or an error, in words."""

    mutant: Mutant
    killed_by: str | None = None
    error: str | None = None

    def __str__(self) -> str:
        verdict = "SURVIVES" if self.killed_by is None else f"killed by {self.killed_by}"
        return f"{self.mutant.name} → {verdict if self.error is None else f'ERROR: {self.error}'}"

    @property
    def is_good(self) -> bool:
        return self.killed_by is not None and self.error is None


class BrokenRunError(Exception):
    """The tests did not run through: nothing can be said about the mutant."""


def run(chosen: Sequence[Mutant], tree: Path = TREE, whole: Sequence[str] = _WHOLE) -> Iterator[Outcome]:
    """The outcome of each mutant, as they come: first all that their own tests decide, two at a time; then those that
    survived them, each with the whole suite (`whole`: arguments of pytest). Without mutants, all must pass."""
    fitting = []
    for mutant in chosen:
        try:
            mutant.changed(tree)
        except MisfitError as misfit:
            yield Outcome(mutant, error=str(misfit))
        else:
            fitting.append(mutant)
    if not fitting:
        return
    with TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(_CORES) as cores:
        clean = _clean_copy(tree, Path(folder))
        first = sorted({test for mutant in fitting for test in mutant.tests})
        try:
            failed = first_failure(clean, [*first, *(("-n", str(_CORES)) if len(first) > 1 else ())])
        except BrokenRunError as broken:
            failed = str(broken)
        if failed is not None:
            yield from (Outcome(mutant, error=f"without any mutant: {failed}") for mutant in fitting)
            return
        survivors = []
        for outcome in cores.map(lambda mutant: _tried(mutant, clean, mutant.tests), fitting):
            if outcome.is_good or outcome.error:
                yield outcome
            else:
                survivors.append(outcome.mutant)
        for mutant in survivors:
            yield _confirmed(_tried(mutant, clean, whole), clean)


def _tried(mutant: Mutant, clean: Path, arguments: Sequence[str]) -> Outcome:
    with _copy(clean) as copy:
        for file, text in mutant.changed(copy).items():
            (copy / file).write_text(text, encoding="utf-8")
        try:
            return Outcome(mutant, first_failure(copy, arguments))
        except BrokenRunError as broken:
            return Outcome(mutant, error=str(broken))


def _confirmed(outcome: Outcome, clean: Path) -> Outcome:
    """A test of the whole suite that kills must pass without the mutant; for the first tests that is known."""
    if outcome.killed_by is None:
        return outcome
    try:
        fails_anyway = first_failure(clean, [outcome.killed_by]) is not None
    except BrokenRunError as broken:
        return Outcome(outcome.mutant, error=str(broken))
    return Outcome(outcome.mutant, error=f"{outcome.killed_by} fails without it too") if fails_anyway else outcome


def _clean_copy(tree: Path, folder: Path) -> Path:
    clean = folder / "clean"
    shutil.copytree(tree, clean, ignore=_NOT_COPIED)
    (clean / _ABOUT_PATCHES).unlink(missing_ok=True)
    if (clean / "spatialldp" / "_transport").is_dir():
        # Compiled once and copied, or every mutant would compile the solver again.
        command = [sys.executable, "-c", "from spatialldp.wasserstein import warm_up; warm_up()"]
        subprocess.run(command, cwd=clean, env=_environment(clean), check=True)
    return clean


@contextmanager
def _copy(clean: Path) -> Iterator[Path]:
    with TemporaryDirectory(prefix="mutant-", dir=clean.parent) as folder:
        yield Path(shutil.copytree(clean, Path(folder) / "tree"))


def _environment(copy: Path) -> dict[str, str]:
    """Nothing is written outside the copy and its folder, and nothing imported from the tree it was made of."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "PYTEST_", "PYTHON"))}
    home = copy.parent / "home"
    home.mkdir(exist_ok=True)
    return kept | {
        "PYTHONDONTWRITEBYTECODE": "1",
        "XDG_CACHE_HOME": str(home),
        "XDG_DATA_HOME": str(home),
        "TMPDIR": str(home),
        "COLUMNS": "500",  # the name of a test is never cut
    }


def first_failure(copy: Path, arguments: Sequence[str]) -> str | None:
    """The name of the first test that fails in the copy; None where all pass. Raises BrokenRunError where they do not
    run through."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--tb=short", "-rfE", "-p", "no:cacheprovider", *arguments]
    try:
        done = subprocess.run(
            command, cwd=copy, env=_environment(copy), capture_output=True, text=True, timeout=_LONGEST_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise BrokenRunError(f"the tests took more than {_LONGEST_S} s") from None
    if done.returncode == 0:
        return None
    named = re.search(r"^(?:FAILED|ERROR) (\S+::.+?)(?: - .*)?$", done.stdout, re.MULTILINE)
    # Tests that run side by side are interrupted by the first that fails, which pytest tells apart.
    if done.returncode not in (1, 2) or named is None:
        raise BrokenRunError(f"pytest ended with {done.returncode}: {(done.stdout + done.stderr).strip()[-600:]}")
    return named[1]
