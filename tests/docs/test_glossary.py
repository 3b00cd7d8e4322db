"""docs/glossary.md: words in order, each with one meaning and a name that is really in the code."""

import importlib
import inspect
import re
from types import ModuleType

import pytest

from tests.docs import markdown

TEXT = markdown.read("glossary.md")
ENTRIES = re.findall(r"^\* \*\*(.+?)\*\*: (.+?)(?=^\* |\Z)", TEXT, flags=re.DOTALL | re.MULTILINE)


def resolve(name: str) -> object:
    """The module, class, function, attribute or field that a name means, counted from the package."""
    found: object = importlib.import_module("spatialldp")
    for part in name.removeprefix("spatialldp.").split("."):
        if hasattr(found, part):
            found = getattr(found, part)
        elif isinstance(found, ModuleType):
            found = importlib.import_module(f"{found.__name__}.{part}")
        elif isinstance(found, type) and any(part in inspect.get_annotations(kind) for kind in found.__mro__):
            found = part  # a field without a default: only instances have it
        else:
            raise AttributeError(f"{name}: {found!r} has no {part!r}")
    return found


def test_every_item_of_the_list_is_an_entry():
    assert len(ENTRIES) == len(re.findall(r"^\* ", TEXT, flags=re.MULTILINE)) >= 20


@pytest.mark.parametrize(("word", "meaning"), ENTRIES, ids=[word for word, _ in ENTRIES])
def test_an_entry_is_short_and_names_something_in_the_code(word, meaning):
    assert len(meaning.strip().splitlines()) <= 3
    names = markdown.code_spans(meaning)
    assert names
    for name in names:
        resolve(name)


@pytest.mark.parametrize(
    "name", ["grid.Gird", "grid.Grid.sides", "gird", "population.Population.of.nobody", "estimation.Estimate.steps"]
)
def test_a_name_that_is_not_there_is_noticed(name):
    with pytest.raises((AttributeError, ModuleNotFoundError)):
        resolve(name)


def test_all_names_in_the_introduction_exist_too():
    for name in markdown.code_spans(TEXT[: TEXT.index("* **")]):
        if name != "code":
            resolve(name)


def test_words_are_in_alphabetical_order_and_explained_once():
    words = [word.replace("ε", "epsilon").casefold() for word, _ in ENTRIES]
    assert words == sorted(set(words))


def test_links_lead_somewhere():
    assert markdown.broken_links("glossary.md") == []
