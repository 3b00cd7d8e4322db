"""The plan of the house, read from docs/architecture.md and held against every import in the package."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "spatialldp"
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def layers() -> list[str]:
    """The names in the numbered list under "Layers", top to bottom, left to right."""
    section = ARCHITECTURE.split("\n## Layers\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\d+\. (.*?)(?: — |$)", section, flags=re.MULTILINE)
    return [name for row in rows for name in re.findall(r"`(\w+)`", row)]


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def imports(path: Path, types: bool = True) -> Iterator[str]:
    """Every module of the package that a file imports, wherever in it: a late import is a dependency as well, and so is
    one for the type checker, unless `types` is False."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if not types:
        for node in ast.walk(tree):
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
                node.body = [ast.Pass()]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "spatialldp")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "spatialldp":
            for alias in node.names:
                submodule = f"{node.module}.{alias.name}"
                # The version is the one thing that the package itself gives to its modules.
                if alias.name != "__version__":
                    yield submodule if submodule in FILES else str(node.module)


def layer_of(module: str) -> str:
    """The first part of a module's name below the package; the package itself stands before all layers."""
    return module.split(".")[1] if "." in module else ""


GRAPH = {module: sorted(set(imports(path)) - {module}) for module, path in FILES.items()}


def test_every_part_of_the_package_has_its_place_in_the_plan():
    parts = {layer_of(module) for module in FILES} - {"", "__main__"}
    assert parts == set(layers())
    assert len(layers()) == len(set(layers()))


def test_data_flows_one_way_each_layer_knows_only_those_above_it():
    order = {name: number for number, name in enumerate(layers())}
    wrong = [
        f"{module} imports {other}"
        for module, others in GRAPH.items()
        if layer_of(module) in order
        for other in others
        # The public face imports everything, so nothing inside may import it.
        if layer_of(other) == "" or order[layer_of(other)] > order[layer_of(module)]
    ]
    assert not wrong


def test_no_module_imports_itself_in_a_circle():
    # What stands under TYPE_CHECKING is read by the type checker and never imported.
    TopologicalSorter({module: set(imports(path, types=False)) - {module} for module, path in FILES.items()}).prepare()


def test_modules_of_one_package_import_each_other_and_not_their_package():
    gathered = [
        f"{module} imports {other}"
        for module, others in GRAPH.items()
        for other in others
        if FILES[other].name == "__init__.py" and module.startswith(f"{other}.") and _gathers(other)
    ]
    assert not gathered


def _gathers(package: str) -> bool:
    """Whether the package's own file imports from its modules: importing it from one of them is then a circle."""
    return any(name.startswith(f"{package}.") for name in GRAPH[package])


def test_a_late_import_cannot_hide_from_these_checks(tmp_path):
    file = tmp_path / "late.py"
    file.write_text("def f():\n    from spatialldp.dashboard import shared\n    import spatialldp.cli\n")
    assert set(imports(file)) == {"spatialldp.dashboard.shared", "spatialldp.cli"}


def test_every_import_names_its_module_in_full():
    # A relative import, or one by a text, would not be seen by the checks above.
    for module, path in FILES.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert not [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level], module
        called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
        assert not called & {"__import__", "import_module", "importlib.import_module"}, module


def test_pages_do_not_import_each_other():
    pages = {path.name for path in (PACKAGE / "dashboard").iterdir() if (path / "__init__.py").exists()} - {"shared"}
    assert len(pages) == 5
    sideways = [
        f"{module} imports {other}"
        for module, others in GRAPH.items()
        if module.startswith("spatialldp.dashboard.")
        for other in others
        if other.startswith("spatialldp.dashboard.")
        and other.split(".")[2] in pages
        and other.split(".")[2] != module.split(".")[2]
    ]
    assert not sideways


def test_only_the_dashboard_imports_streamlit():
    for module, path in FILES.items():
        if layer_of(module) != "dashboard":
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                assert not [name for name in names if name.split(".")[0] == "streamlit"], module


def test_importing_the_library_does_not_load_streamlit():
    code = "import sys, spatialldp; sys.exit('streamlit' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def _concrete_mechanisms() -> set[str]:
    """Every class of mechanisms/ but the contract itself."""
    return {
        node.name
        for path in (PACKAGE / "mechanisms").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and node.name != "Mechanism"
    }


def asks_what_class(tree: ast.AST, concrete: set[str]) -> list[str]:
    """isinstance and issubclass of a concrete mechanism, comparisons of a type with one, getattr(…, "b")."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            named = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
            named |= {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}
            if node.func.id in ("isinstance", "issubclass") and named & concrete:
                found.append(ast.unparse(node))
            if node.func.id in ("getattr", "hasattr") and any(
                isinstance(part, ast.Constant) and part.value in ("b", "k") for part in node.args
            ):
                found.append(ast.unparse(node))
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for (one, other), operator in zip(pairwise(sides), node.ops, strict=True):
                sides_named = [part for side in (one, other) for part in getattr(side, "elts", [side])]
                names = {part.id for part in sides_named if isinstance(part, ast.Name)}
                names |= {part.attr for part in sides_named if isinstance(part, ast.Attribute)}
                asked = (ast.Is, ast.IsNot, ast.Eq, ast.NotEq, ast.In, ast.NotIn)
                if isinstance(operator, asked) and names & concrete:
                    found.append(ast.unparse(node))
        elif isinstance(node, ast.MatchClass) and ast.unparse(node.cls).split(".")[-1] in concrete:
            found.append(ast.unparse(node))
    return found


def test_nobody_outside_asks_which_class_a_mechanism_is():
    concrete = _concrete_mechanisms()
    assert {"DAM", "SAM", "SEMGeoI", "CellReportMechanism", "MDSW"} <= concrete
    found = {
        str(path.relative_to(ROOT)): asks
        for path in [*PACKAGE.rglob("*.py"), ROOT / "app.py", *(ROOT / "pages").glob("*.py")]
        if "mechanisms" not in path.relative_to(ROOT).parts
        if (asks := asks_what_class(ast.parse(path.read_text(encoding="utf-8")), concrete))
    }
    assert not found


@pytest.mark.parametrize(
    "line",
    [
        "isinstance(m, (SAM, PlanarLaplace))",
        "issubclass(MECHANISMS[name], mechanisms.DAM)",
        "getattr(m, 'b', None)",
        "hasattr(m, 'k')",
        "MECHANISMS[name] is not KRR",
        "type(m) == DAM",
        "type(m) is mechanisms.DAM",
        "type(m) in (DAM, HUEM)",
        "match m:\n    case DAM():\n        pass",
    ],
)
def test_the_check_finds_every_way_of_asking(line):
    assert asks_what_class(ast.parse(line), _concrete_mechanisms())


def test_nothing_reads_global_random_state():
    for path in FILES.values():
        text = path.read_text(encoding="utf-8")
        for legacy in (r"np\.random\.(seed|rand|choice)", r"\b(import|from) random\b"):
            assert not re.search(legacy, text), (path, legacy)
