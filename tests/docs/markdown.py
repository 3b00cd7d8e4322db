"""Reading our own documents: sections, tables, links, and the plain words between formulas and code."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

_FENCED = re.compile(r"^```.*?^```$", flags=re.DOTALL | re.MULTILINE)
#: Never across an empty line, so that one that is not closed spoils its own paragraph only.
_FORMULA = re.compile(r"\$\$(?:[^$\n]|\n(?!\n))+\$\$|\$(?:[^$\n]|\n(?!\n))+\$")
_CODE = re.compile(r"`[^`\n]+`")
_LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")


def read(name: str) -> str:
    """The text of a document in docs/."""
    return (DOCS / name).read_text(encoding="utf-8")


def section(text: str, title: str) -> str:
    """What stands under the heading `title`, up to the next heading of the same or a higher level."""
    (heading,) = re.findall(rf"^(#+) {re.escape(title)}$", text, flags=re.MULTILINE)
    after = re.split(rf"^{heading} {re.escape(title)}$", text, maxsplit=1, flags=re.MULTILINE)[1]
    return re.split(rf"^#{{1,{len(heading)}}} ", after, maxsplit=1, flags=re.MULTILINE)[0]


def rows(text: str, heading: str) -> list[list[str]]:
    """The cells of every row of the table with this heading row, without it."""
    table = text.split(heading, 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table]


def code_spans(text: str) -> list[str]:
    """What stands in backticks, outside blocks of code and formulas."""
    return [span.strip("`") for span in _CODE.findall(_FORMULA.sub(" ", _FENCED.sub("", text)))]


def formulas(text: str) -> list[str]:
    """What stands between dollar signs, outside code."""
    return _FORMULA.findall(_CODE.sub("", _FENCED.sub("", text)))


def plain_words(text: str) -> str:
    """The text without code, formulas and the targets of links."""
    return _LINK.sub(r"\1", _FORMULA.sub(" ", _CODE.sub(" ", _FENCED.sub("", text))))


def broken_links(name: str) -> list[str]:
    """Links of a document that lead nowhere: to a file that is not there, or to a heading that its file has not."""
    text = read(name)
    broken = []
    for _, target in _LINK.findall(_CODE.sub("", _FENCED.sub("", text))):
        path, _, anchor = target.partition("#")
        file = (DOCS / path).resolve() if path else DOCS / name
        if not file.exists() or (anchor and anchor not in _anchors(file.read_text(encoding="utf-8"))):
            broken.append(target)
    return broken


def _anchors(text: str) -> set[str]:
    """Headings as the usual forges turn them into anchors."""
    headings = re.findall(r"^#+ (.+)$", _FENCED.sub("", text), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def link_pairs(text: str) -> list[tuple[str, str]]:
    """(words, target) of every link."""
    return _LINK.findall(text)
