"""A folder per page and a shared one: who may import whom, and where names of the session stand."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DASHBOARD = ROOT / "spatialldp" / "dashboard"
SHARED = "shared"
PAGES = {"explore", "compare", "tradeoff", "lesson", "how_it_works"}


def modules(folder: str) -> list[Path]:
    return sorted((DASHBOARD / folder).rglob("*.py"))


def imported(file: Path) -> Iterator[str]:
    """Full names of all modules and members that a file imports, wherever in it."""
    package = ".".join(file.relative_to(ROOT).with_suffix("").parts[:-1])
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.rsplit(".", node.level - 1)[0] if node.level > 1 else package
            source = ".".join(filter(None, [above if node.level else "", node.module]))
            yield from (f"{source}.{alias.name}" for alias in node.names)


def folders(file: Path) -> set[str]:
    """The folders of the dashboard that a file imports from."""
    parts = (name.split(".") for name in imported(file))
    return {name[2] for name in parts if name[:2] == ["spatialldp", "dashboard"] and len(name) > 2}


def test_there_is_a_folder_for_each_page_and_a_shared_one():
    assert {path.name for path in DASHBOARD.iterdir() if path.is_dir() and path.name != "__pycache__"} == {
        *PAGES,
        SHARED,
    }


@pytest.mark.parametrize("page", sorted(PAGES))
def test_no_page_imports_another(page):
    for file in modules(page):
        assert folders(file) <= {page, SHARED}, file


def test_what_pages_share_imports_no_page():
    for file in modules(SHARED):
        assert folders(file) <= {SHARED}, file


@pytest.mark.parametrize("file", ["app.py", *(f"pages/{name}.py" for name in sorted(PAGES - {"explore"}))])
def test_the_thin_file_of_a_page_imports_its_own_folder_only(file):
    own = "explore" if file == "app.py" else Path(file).stem
    assert folders(ROOT / file) == {own, SHARED}


def test_the_dashboard_has_no_import_cycle():
    files = {".".join(file.relative_to(ROOT).with_suffix("").parts): file for file in DASHBOARD.rglob("*.py")}
    files = {name.removesuffix(".__init__"): file for name, file in files.items()}

    def needed(name: str) -> set[str]:
        # A name under TYPE_CHECKING is not imported when the program runs.
        tree = ast.parse(files[name].read_text("utf-8"))
        idle = {
            id(inner)
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
            for inner in ast.walk(node)
        }
        found = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module and id(node) not in idle:
                for full in (f"{node.module}.{alias.name}" for alias in node.names):
                    found.add(full if full in files else node.module)
        return (found & files.keys()) - {name}

    done: set[str] = set()
    waiting = set(files)
    while ready := {name for name in waiting if needed(name) <= done}:
        done |= ready
        waiting -= ready
    assert waiting == set()


def session_literals(file: Path) -> Iterator[str]:
    """Uses of `st.session_state` with a name written on the spot: ["name"], .get("name"), .name."""
    methods = {"get", "pop", "setdefault", "items", "keys", "values", "update", "clear", "to_dict"}
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "st.session_state":
            if not isinstance(node.slice, (ast.Name, ast.Attribute)):
                yield ast.unparse(node)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).startswith("st.session_state."):
            if any(isinstance(argument, (ast.Constant, ast.JoinedStr)) for argument in node.args[:1]):
                yield ast.unparse(node)
        elif (
            isinstance(node, ast.Attribute)
            and ast.unparse(node.value) == "st.session_state"
            and node.attr not in methods
        ):
            yield ast.unparse(node)


def test_names_in_the_session_stand_in_one_module():
    for file in [*DASHBOARD.rglob("*.py"), ROOT / "app.py", *(ROOT / "pages").glob("*.py")]:
        if file.name != "session.py":
            assert list(session_literals(file)) == [], file


def test_the_check_of_names_in_the_session_sees_them(tmp_path):
    file = tmp_path / "page.py"
    file.write_text(
        'import streamlit as st\nst.session_state["a"]\nst.session_state.get("b")\nst.session_state.c = 1\n'
        'st.session_state[f"d-{1}"]\nst.session_state[KEY]\nst.session_state.get(KEY)\n'
    )
    assert sorted(session_literals(file)) == [
        "st.session_state.c",
        "st.session_state.get('b')",
        "st.session_state['a']",
        "st.session_state[f'd-{1}']",
    ]


def test_only_watch_waits_in_a_loop():
    for file in DASHBOARD.rglob("*.py"):
        if file.name not in ("waiting.py", "jobs.py"):
            loops = [node for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.While)]
            calls = [ast.unparse(node.func) for loop in loops for node in ast.walk(loop) if isinstance(node, ast.Call)]
            assert not [call for call in calls if call.endswith((".wait", "sleep"))], file
