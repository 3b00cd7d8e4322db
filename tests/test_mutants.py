"""The mutants: every patch still fits the tree, and the command reports what it must.

`make mutants` runs them all; here the runner runs on a package of one line.
"""

import re
from pathlib import Path

import pytest

from tests.mutants.patch import MisfitError, Mutant, mutants
from tests.mutants.running import TREE, run

MUTANTS = mutants()


@pytest.mark.parametrize("mutant", MUTANTS, ids=[mutant.name for mutant in MUTANTS])
def test_the_patch_fits_and_its_first_tests_are_there(mutant):
    changed = mutant.changed(TREE)
    assert changed
    assert all(file.startswith("spatialldp/") for file in changed)
    assert re.fullmatch(r"[A-Z].*\.", mutant.description)
    for test in mutant.tests:
        file, _, name = test.partition("::")
        assert f"def {name}" in (TREE / file).read_text(encoding="utf-8")


SAMPLERS = (
    *("dam", "dam-ns", "huem", "mdsw", "krr", "oue", "sem", "planar-laplace"),
    *("olh", "randomized-response", "square-wave"),
)


def test_every_sampler_has_a_mutant_with_a_larger_budget():
    assert {f"epsilon-{sampler}" for sampler in SAMPLERS} <= {mutant.name for mutant in MUTANTS}


SOURCE = """\
def doubled(x):
    # Not squared.
    return 2 * x


def halved(x):
    return x / 2
"""

TESTS = """\
import pytest
from package import doubled

def test_three_is_doubled():
    assert doubled(3) == 6

def test_two_is_doubled():
    assert doubled(2) == 4

@pytest.mark.parametrize("number", range(20))
def test_whole_numbers_stay_whole(number):
    assert doubled(number) == int(doubled(number))
"""

PATCH = """\
It is {what}.
tests: test_package.py::{test}
--- a/package.py
+++ b/package.py
@@ -{line} +{line} @@
-{before}
+{after}
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "package.py").write_text(SOURCE)
    (tmp_path / "tree" / "test_package.py").write_text(TESTS)
    return tmp_path / "tree"


def mutant(
    tree: Path, name: str, after: str, before: str = "    return 2 * x", test: str = "test_two_is_doubled"
) -> Mutant:
    path = tree.parent / f"{name}.patch"
    path.write_text(PATCH.format(what=name, test=test, line=3, before=before, after=after))
    return Mutant.read(path)


def outcomes(tree: Path, *chosen: Mutant) -> dict[str, str]:
    found = {outcome.mutant.name: outcome for outcome in run(chosen, tree, whole=["test_package.py", "-n", "2"])}
    good = {name for name, outcome in found.items() if outcome.is_good}
    assert good == {name for name, outcome in found.items() if "killed by" in str(outcome)}
    # Nothing is left behind in the tree.
    assert (tree / "package.py").read_text() == SOURCE
    assert sorted(file.name for file in tree.iterdir()) == ["package.py", "test_package.py"]
    return {name: str(outcome) for name, outcome in found.items()}


def test_a_mutant_is_killed_by_its_first_tests_or_by_the_others_or_survives(tree):
    found = outcomes(
        tree,
        mutant(tree, "tripled", "    return 3 * x"),
        mutant(tree, "squared", "    return x * x"),
        mutant(tree, "added", "    return x + x"),
    )
    assert found == {
        "tripled": "tripled → killed by test_package.py::test_two_is_doubled",
        "squared": "squared → killed by test_package.py::test_three_is_doubled",
        "added": "added → SURVIVES",
    }


def test_a_patch_that_does_not_fit_is_an_error(tree):
    found = outcomes(
        tree,
        mutant(tree, "gone", "    return 3 * x", before="    return 2.0 * x"),
        mutant(tree, "twice", "def tripled(x):", before=""),
        mutant(tree, "no-change", "    # Not tripled.", before="    # Not squared."),
        mutant(tree, "no-python", "    return 2 *"),
        mutant(tree, "tripled", "    return 3 * x"),
    )
    assert re.match(r"gone → ERROR: gone: these lines are in package.py 0 times, not once:\n", found["gone"])
    assert re.match(r"twice → ERROR: twice: these lines are in package.py [23] times, not once:\n", found["twice"])
    assert found["no-change"] == "no-change → ERROR: no-change: package.py is the same program as before"
    assert found["no-python"].startswith("no-python → ERROR: no-python: it is not Python any more: ")
    assert found["tripled"].startswith("tripled → killed by")


def test_a_mutant_whose_tests_do_not_run_or_fail_anyway_is_an_error(tree):
    unknown = mutant(tree, "unknown", "    return 3 * x", test="test_nothing")
    assert outcomes(tree, unknown)["unknown"].startswith("unknown → ERROR: without any mutant: pytest ended with")
    breaking = mutant(tree, "breaking", "def trebled(x):", before="def doubled(x):")
    assert outcomes(tree, breaking)["breaking"].startswith("breaking → ERROR: pytest ended with")
    (tree / "test_package.py").write_text(TESTS.replace("== 4", "== 5"))
    found = outcomes(tree, mutant(tree, "tripled", "    return 3 * x"))
    assert found["tripled"] == "tripled → ERROR: without any mutant: test_package.py::test_two_is_doubled"


@pytest.mark.parametrize(
    "text", ["", "Only words.\n", "It is wrong.\n--- a/package.py\n", "\ntests: test_a.py\n--- a/b\n"]
)
def test_a_patch_without_its_two_lines_is_refused(tmp_path, text):
    path = tmp_path / "wrong.patch"
    path.write_text(text)
    with pytest.raises(MisfitError, match=r"wrong.patch must begin with a description"):
        Mutant.read(path)
