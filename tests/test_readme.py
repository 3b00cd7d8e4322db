"""What the README prints is what happens."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

from spatialldp import MECHANISMS
from spatialldp import _validation as validate
from spatialldp.privacy.curve import HIGHEST, LOWEST

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_example_runs_as_printed(capsys):
    (example,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    assert len(example.strip().splitlines()) <= 12
    exec(compile(example, "README.md", "exec"), {})
    printed = capsys.readouterr().out.split()
    promised = re.search(r"prints `([^`]*)`", README)[1].split()
    assert len(printed) == len(promised)
    for got, said in zip(printed, promised, strict=True):
        try:
            assert float(got) == pytest.approx(float(said), rel=0.02)
        except ValueError:
            assert got == said


def test_what_it_types_at_the_prompt_gives_what_it_shows():
    session = "\n".join(re.findall(r"```pycon\n(.*?)```", README, flags=re.DOTALL))
    examples = doctest.DocTestParser().get_doctest(session, {}, "README.md", "README.md", 0)
    results = doctest.DocTestRunner().run(examples)
    assert results.attempted > 0
    assert results.failed == 0


def test_every_name_of_the_library_it_mentions_exists():
    for name in re.findall(r"`spatialldp\.([a-z_.0-9]+)`", README):
        module, _, attribute = f"spatialldp.{name}".rpartition(".")
        assert hasattr(importlib.import_module(module), attribute), name


def test_the_table_of_mechanisms_is_the_registry():
    table = README.split("\n## Mechanisms\n")[1].strip().split("\n\n")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
    assert [(name, kind.strip("`"), notion) for name, kind, notion, _ in rows] == [
        (name, kind.__name__, kind.notion) for name, kind in MECHANISMS.items()
    ]
    assert all(sentence for *_, sentence in rows)


def test_where_things_are_names_every_part_of_the_package():
    parts = {path.name for path in (ROOT / "spatialldp").iterdir() if not path.name.startswith(("_", "."))}
    named = set(re.findall(r"^\| `spatialldp/([\w.]+)` ", README, flags=re.MULTILINE))
    assert parts - {"py.typed"} == named


def test_every_path_it_names_exists():
    paths = re.findall(r"^\| `([\w./-]+)` ", README, flags=re.MULTILINE) + re.findall(r"\]\(([\w./-]+)\)", README)
    assert paths
    for path in paths:
        assert (ROOT / path).exists(), path


def test_it_gives_the_two_commands_and_the_plain_ones():
    for command in (
        "make run",
        "make test",
        "pip install -r requirements.txt",
        "streamlit run app.py",
        "python -m pytest",
    ):
        assert command in README


def test_the_limits_are_those_of_the_code():
    table = README.split("\n### Limits\n")[1].split("\n\n")[1]
    limits = {
        what: limit
        for what, limit, _ in ([c.strip() for c in line.strip("|").split("|")] for line in table.splitlines()[2:])
    }
    assert limits["cells per side d"] == f"{validate.LARGEST_D:,}"
    own = {name: f"{kind.largest_d:,}" for name, kind in MECHANISMS.items() if kind.largest_d < validate.LARGEST_D}
    told = {name: limit for what, limit in limits.items() if what.startswith("… of ") for name in what[5:].split(", ")}
    assert told == own
    assert limits["radius b"] == f"2·d, or {validate.LARGEST_RADIUS_ANYWHERE} on small grids"
    assert limits["ε"] == f"above 0, at most {validate.LARGEST_EPSILON:g}"
    assert limits["ε on the command line"] == f"{LOWEST:g} to {HIGHEST:g}"
    assert limits["people"] == "2⁵³"
    assert validate.MOST_PEOPLE == 2**53
    most = (validate.MOST_REPEATS, validate.MOST_REPORTS, validate.MOST_ITERATIONS)
    assert limits["repeats; reports per person; steps of EM"] == "; ".join(f"{number:,}" for number in most)
    few = {name for name, kind in MECHANISMS.items() if kind.most_people < validate.MOST_PEOPLE}
    assert few == {"SEM-Geo-I", "Planar Laplace"}
    assert f"{MECHANISMS['SEM-Geo-I'].most_people:,}" in table
    assert f"below {validate.SMALLEST_IN_DOUBLES:g} no map" in table
