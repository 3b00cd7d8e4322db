"""Docstrings show how a name is used. pytest runs the examples themselves: it collects spatialldp as well as tests."""

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

import spatialldp

ROOT = Path(__file__).parents[1]

#: Packages in which every public function and class has an example.
WITH_EXAMPLES = ("spatialldp.paper",)


def public(package: str) -> list[str]:
    """The names of the functions and classes in a package's `__all__`, after the name of the package."""
    module = importlib.import_module(package)
    named = {name: getattr(module, name) for name in module.__all__}
    return [f"{package}.{name}" for name, it in named.items() if inspect.isclass(it) or inspect.isfunction(it)]


def own_docstring(thing: object) -> str:
    """Not the one a class inherits."""
    return inspect.cleandoc(vars(thing).get("__doc__") or "") if inspect.isclass(thing) else inspect.getdoc(thing) or ""


@pytest.mark.parametrize("name", [name for package in WITH_EXAMPLES for name in public(package)])
def test_a_public_name_has_an_example_that_runs(name):
    package, _, last = name.rpartition(".")
    thing = getattr(importlib.import_module(package), last)
    examples = doctest.DocTestParser().get_examples(own_docstring(thing))
    assert examples, f"{name} has no >>> example in its docstring"
    assert not any(doctest.SKIP in example.options for example in examples), f"{name} has an example that is skipped"
    # A result is usually shown by the function that returns it.
    assert inspect.isclass(thing) or any(last in example.source for example in examples), f"no example calls {name}"


def test_the_examples_are_collected_with_the_tests():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
    assert "--doctest-modules" in settings["addopts"]
    assert "spatialldp" in settings["testpaths"]


def library_modules() -> list[str]:
    """Every module of the package but the dashboard's."""
    found = (module.name for module in pkgutil.walk_packages(spatialldp.__path__, "spatialldp."))
    return [name for name in found if not name.startswith("spatialldp.dashboard") and not name.endswith("__main__")]


def docstrings(module: ModuleType) -> list[str]:
    tree = ast.parse(inspect.getsource(module))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    return [text for node in ast.walk(tree) if isinstance(node, documented) and (text := ast.get_docstring(node))]


def exists(name: str) -> bool:
    """Whether a dotted name is a module, or an attribute of one, however deep."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            thing = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for part in parts[end:]:
            if not hasattr(thing, part):
                return False
            thing = getattr(thing, part)
        return True
    return False


@pytest.mark.parametrize("module", library_modules())
def test_every_name_of_the_library_that_a_docstring_mentions_exists(module):
    for text in docstrings(importlib.import_module(module)):
        for name in re.findall(r"`(spatialldp(?:\.\w+)+)`", text):
            assert exists(name), f"{module} mentions {name}"
