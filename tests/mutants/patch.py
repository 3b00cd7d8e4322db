"""A mutant: a patch in the usual unified format, with two lines above it.

What it does wrong, in one line.
tests: the tests that are run first, as pytest is given them
--- a/spatialldp/grid.py
+++ b/spatialldp/grid.py
…
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

PATCHES = Path(__file__).parent / "patches"


class MisfitError(Exception):
    """The patch cannot be read, or does not fit the tree exactly."""


@dataclass(frozen=True)
class Hunk:
    """One place of a file: the lines that must stand there, and those that replace them."""

    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True)
class Mutant:
    """A deliberate mistake. `tests` are those that are run first; `hunks` its changes by file, from the top level."""

    name: str
    description: str
    tests: tuple[str, ...]
    hunks: dict[str, tuple[Hunk, ...]]

    @classmethod
    def read(cls, path: Path) -> Mutant:
        """The mutant in a file. Raises MisfitError where it is not written as it must be."""
        description, tests, *lines = (path.read_text(encoding="utf-8") + "\n\n").split("\n")
        if not description.strip() or not re.match(r"tests: \S", tests) or not lines[0].startswith("--- a/"):
            raise MisfitError(f"{path.name} must begin with a description, a line 'tests: …' and '--- a/…'")
        hunks: dict[str, list[list[str]]] = {}
        for line in lines:
            if line.startswith("--- a/"):
                current = hunks.setdefault(line.removeprefix("--- a/"), [])
            elif line.startswith("@@"):
                current.append([])
            elif line and not line.startswith("+++ b/"):
                current[-1].append(line)
        return cls(
            path.stem,
            description,
            tuple(tests.removeprefix("tests: ").split()),
            {file: tuple(_hunk(part) for part in parts) for file, parts in hunks.items()},
        )

    def changed(self, tree: Path) -> dict[str, str]:
        """The new text of each file, by its name. Raises MisfitError unless every hunk fits in exactly one place and
        the program becomes another one."""
        texts = {}
        for file, hunks in self.hunks.items():
            if not (tree / file).is_file():
                raise MisfitError(f"{self.name}: there is no {file}")
            original = (tree / file).read_text(encoding="utf-8")
            lines = original.split("\n")
            for hunk in hunks:
                lines = self._with(hunk, lines, file)
            texts[file] = "\n".join(lines)
            if file.endswith(".py") and _program(texts[file], self.name) == _program(original, file):
                raise MisfitError(f"{self.name}: {file} is the same program as before")
        return texts

    def _with(self, hunk: Hunk, lines: list[str], file: str) -> list[str]:
        size = len(hunk.before)
        places = [at for at in range(len(lines) - size + 1) if tuple(lines[at : at + size]) == hunk.before]
        if len(places) != 1:
            shown = "\n".join(hunk.before)
            raise MisfitError(f"{self.name}: these lines are in {file} {len(places)} times, not once:\n{shown}")
        at = places[0]
        return [*lines[:at], *hunk.after, *lines[at + size :]]


def _hunk(lines: list[str]) -> Hunk:
    return Hunk(
        tuple(line[1:] for line in lines if line[0] in " -"), tuple(line[1:] for line in lines if line[0] in " +")
    )


def _program(text: str, name: str) -> str:
    try:
        return ast.dump(ast.parse(text))
    except SyntaxError as error:
        raise MisfitError(f"{name}: it is not Python any more: {error}") from None


def mutants(folder: Path = PATCHES) -> list[Mutant]:
    """All mutants, by name."""
    return [Mutant.read(path) for path in sorted(folder.glob("*.patch"))]
