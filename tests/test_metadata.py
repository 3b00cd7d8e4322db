"""What the project says about itself agrees: versions, pinned sets, declared dependencies."""

import re
import tomllib
from pathlib import Path

import pytest

import spatialldp

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def pinned(file: str) -> dict[str, str]:
    """Package → version of a requirements file, names as an index compares them."""
    lines = (ROOT / file).read_text("utf-8").splitlines()
    rows = [line.split("==") for line in lines if line and not line.startswith(("#", "-r "))]
    assert all(len(row) == 2 for row in rows), f"{file} has a line that is not a pin"
    return {normal(name): version for name, version in rows}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_citation_has_the_version_of_the_package():
    assert re.findall(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.M) == [spatialldp.__version__]


@pytest.mark.parametrize("extra", [None, *PROJECT["optional-dependencies"]])
def test_every_declared_dependency_is_pinned_at_a_version_it_allows(extra):
    declared = PROJECT["dependencies"] if extra is None else PROJECT["optional-dependencies"][extra]
    versions = pinned("requirements.txt")
    for requirement in declared:
        name, least = requirement.split(">=")
        chosen = versions[normal(name)]
        numbers = [tuple(map(int, re.findall(r"\d+", text))) for text in (least, chosen)]
        assert numbers[0] <= numbers[1], f"{requirement}, but {chosen} is pinned"


def test_no_package_is_pinned_twice():
    assert not pinned("requirements.txt").keys() & pinned("requirements-dev.txt").keys()
