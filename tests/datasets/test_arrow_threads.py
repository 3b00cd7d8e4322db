"""Arrow reads files in the thread that asks for them.

Its own threads are still tidying up when it returns, and a program that ends just then is aborted
(https://github.com/apache/arrow/issues/34314): on a busy machine one `load` in a hundred was.
"""

import ast
from pathlib import Path

import spatialldp

PACKAGE = Path(spatialldp.__file__).parent
#: Calls that read with many threads unless told otherwise; `read` where it is that of a Parquet file.
THREADED = {"iter_batches", "ReadOptions", "read_table", "read_row_group", "read_row_groups"}


def reads(tree: ast.AST) -> list[ast.Call]:
    """The calls of a module that make Arrow read."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    return [
        call
        for call in calls
        if call.func.attr in THREADED or (call.func.attr == "read" and "ParquetFile" in ast.unparse(call.func.value))
    ]


def is_threaded(call: ast.Call) -> bool:
    return not any(keyword.arg == "use_threads" and ast.unparse(keyword.value) == "False" for keyword in call.keywords)


def test_every_reading_call_of_the_package_does_without_threads():
    modules = {path: reads(ast.parse(path.read_text("utf-8"))) for path in PACKAGE.rglob("*.py")}
    found = [f"{path.name}:{call.lineno}" for path, calls in modules.items() for call in calls if is_threaded(call)]
    assert found == []
    assert sum(map(len, modules.values())) >= 5


def test_a_threaded_call_is_found():
    calls = reads(
        ast.parse("pq.ParquetFile(file).read()\nfile.iter_batches(3, use_threads=False)\npq.read_table(file)")
    )
    assert [is_threaded(call) for call in sorted(calls, key=lambda call: call.lineno)] == [True, False, True]
