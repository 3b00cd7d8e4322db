"""Public names are documented: parameters, results, fields one by one, and examples that run where they are pasted.

pytest also runs the examples of every module: it collects spatialldp as well as tests.
"""

import ast
import dataclasses
import doctest
import importlib
import inspect
import itertools
import re
import textwrap
import tomllib
from pathlib import Path

import pytest

from tests.public_interface import PUBLIC_IN_MODULES, PUBLIC_PACKAGES

ROOT = Path(__file__).parents[1]

#: Sections of a docstring, in the order in which they stand.
SECTIONS = ("Args", "Attributes", "Returns", "Yields", "Raises", "Example")


def library_modules():
    """Every module of the library by name, with its file. The dashboard is an app, and `__main__` a command."""
    for file in sorted((ROOT / "spatialldp").rglob("*.py")):
        parts = file.relative_to(ROOT).with_suffix("").parts
        if "dashboard" not in parts and parts[-1] != "__main__":
            yield ".".join(parts).removesuffix(".__init__"), file


MODULES = dict(library_modules())


def examples_in(name):
    """How many examples the text of a module has, whether or not doctest finds them."""
    return len(re.findall(r"^ *>>> ", MODULES[name].read_text("utf-8"), re.MULTILINE))


def exported(packages):
    return {package: importlib.import_module(package).__all__ for package in packages}


def functions_and_classes(exports):
    """Those among the names that modules export, once each, by the name under which a reader finds them."""
    found = {}
    for module, names in exports.items():
        for name in names:
            value = getattr(importlib.import_module(module), name)
            if inspect.isclass(value) or inspect.isfunction(value):
                found.setdefault(value, f"{module}.{name}")
    return {name: value for value, name in found.items()}


PUBLIC = functions_and_classes(exported(PUBLIC_PACKAGES) | PUBLIC_IN_MODULES)
FUNCTIONS = {name: value for name, value in PUBLIC.items() if inspect.isfunction(value)}
CLASSES = {name: value for name, value in PUBLIC.items() if inspect.isclass(value)}


def is_record(value):
    """Whether a class is a dataclass or a NamedTuple."""
    return dataclasses.is_dataclass(value) or (issubclass(value, tuple) and hasattr(value, "_fields"))


def records():
    """All dataclasses and NamedTuples of the library with a public name, by where they are defined."""
    found = {}
    for name in MODULES:
        if any(part.startswith("_") for part in name.split(".")):
            continue
        for value in vars(importlib.import_module(name)).values():
            own = inspect.isclass(value) and value.__module__ == name and not value.__name__.startswith("_")
            if own and is_record(value):
                found[f"{name}.{value.__name__}"] = value
    return found


RECORDS = records()


def sections(value):
    """The sections of a docstring, in its order: title → lines, without their indent."""
    found = {}
    for line in inspect.cleandoc(value.__doc__ or "").splitlines():
        heading = re.fullmatch(r"([A-Z][a-z]+):", line)
        if heading:
            assert heading[1] not in found, f"{heading[1]}: stands twice"
            found[heading[1]] = []
        elif found and (line.startswith("    ") or not line):
            found[list(found)[-1]].append(line[4:])
        else:
            assert not found, f"{line!r} stands behind a section and belongs to none"
    return found


def entries(lines):
    """The names that a section explains, in its order; those of `*args` and `**settings` without their stars."""
    return [entry[1] for line in lines if (entry := re.match(r"\*{0,2}(\w+): \S", line))]


def parameters(value):
    return [name for name in inspect.signature(value).parameters if name != "self"]


@pytest.mark.parametrize("name", sorted({value.__module__ for value in PUBLIC.values()}))
def test_examples_of_the_module_run_where_they_are_pasted_and_give_what_they_show(name):
    runner, attempted, failed, output = doctest.DocTestRunner(verbose=False), 0, 0, []
    # Without the names of the module, and to the last digit: what a reader sees who tries it.
    for test in doctest.DocTestFinder().find(importlib.import_module(name), globs={}):
        result = runner.run(test, out=output.append)
        attempted, failed = attempted + result.attempted, failed + result.failed
    assert not failed, "".join(["\n", *output])
    # An example in a comment, or in a docstring that doctest does not look into, would never run.
    assert attempted == examples_in(name)


def test_the_examples_of_all_modules_are_collected_with_the_tests():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]["ini_options"]
    assert "--doctest-modules" in settings["addopts"]
    assert "spatialldp" in settings["testpaths"]


@pytest.mark.parametrize("name", PUBLIC)
def test_public_name_has_an_example(name):
    value = PUBLIC[name]
    examples = doctest.DocTestParser().get_examples(inspect.cleandoc(value.__doc__ or ""))
    assert examples
    assert not any(example.options for example in examples), "an example is run as it stands"
    # A result is mostly shown by the function that returns it.
    if inspect.isfunction(value):
        assert any(value.__name__ + "(" in example.source for example in examples)


@pytest.mark.parametrize("name", PUBLIC)
def test_docstring_of_public_name_has_the_usual_sections_in_the_usual_order(name):
    titles = list(sections(PUBLIC[name]))
    assert titles == [title for title in SECTIONS if title in titles]
    assert titles[-1] == "Example"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_public_function_explains_every_parameter(name):
    function = FUNCTIONS[name]
    assert entries(sections(function).get("Args", [])) == parameters(function)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_public_function_says_what_it_returns(name):
    function = FUNCTIONS[name]
    returns = sections(function).get(
        "Yields" if inspect.isgeneratorfunction(inspect.unwrap(function)) else "Returns", []
    )
    assert any(returns) == (inspect.signature(function).return_annotation != "None")


@pytest.mark.parametrize("name", [name for name, value in CLASSES.items() if not is_record(value)])
def test_public_class_explains_every_parameter_of_its_constructor(name):
    value = CLASSES[name]
    # An exception takes its message, and nothing that needs explaining.
    expected = [] if issubclass(value, Exception) else parameters(value)
    assert entries(sections(value).get("Args", [])) == expected


@pytest.mark.parametrize("name", CLASSES)
def test_methods_that_explain_parameters_explain_all_of_them(name):
    for method in vars(CLASSES[name]).values():
        function = inspect.unwrap(getattr(method, "__func__", method))
        if inspect.isfunction(function) and "Args" in sections(function):
            expected = [parameter for parameter in parameters(function) if parameter != "cls"]
            assert entries(sections(function)["Args"]) == expected, function.__qualname__


def explained_below(value):
    """The fields of a class with a string right below them."""
    [definition] = ast.parse(textwrap.dedent(inspect.getsource(value))).body
    return [
        field.target.id
        for field, below in itertools.pairwise(definition.body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(below, ast.Expr)
        and isinstance(below.value, ast.Constant)
        and isinstance(below.value.value, str)
    ]


@pytest.mark.parametrize("name", RECORDS)
def test_record_explains_every_field_on_a_line_of_its_own(name):
    value = RECORDS[name]
    fields = [field.name for field in dataclasses.fields(value)] if dataclasses.is_dataclass(value) else value._fields
    # In the docstring of the class, which is how public ones do it, or right below each.
    explained = entries(sections(value).get("Attributes", []))
    assert (explained or explained_below(value)) == list(fields)


def exists(name):
    """Whether a dotted name is a module, or an attribute of one, however deep."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for part in parts[end:]:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False


@pytest.mark.parametrize("name", MODULES)
def test_every_name_of_the_library_that_a_docstring_mentions_exists(name):
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    tree = ast.parse(MODULES[name].read_text("utf-8"))
    for text in (ast.get_docstring(node) or "" for node in ast.walk(tree) if isinstance(node, documented)):
        for mentioned in re.findall(r"`(spatialldp(?:\.\w+)+)`", text):
            assert exists(mentioned), f"{name} mentions {mentioned}"
