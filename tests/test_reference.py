"""`make docs`: the API reference, built from the docstrings."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = (
    "spatialldp",
    "spatialldp.datasets",
    "spatialldp.experiments",
    "spatialldp.mechanisms",
    "spatialldp.privacy",
)


@pytest.fixture(scope="module")
def reference(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("reference") / "api"
    command = [sys.executable, "-m", "docs.build_reference", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"wrote {folder / 'index.html'}\n"
    return folder


def test_every_public_name_has_its_place_on_the_page_of_its_package(reference):
    for package in PACKAGES:
        page = (reference / f"{package.replace('.', '/')}.html").read_text("utf-8")
        for name in importlib.import_module(package).__all__:
            assert f'<section id="{name}"' in page, f"{package}.{name}"


def test_its_pages_load_nothing_from_another_host(reference):
    pages = list(reference.rglob("*.html"))
    assert len(pages) > len(PACKAGES)
    for page in pages:
        assert re.findall(r"(?:src|href)=\"https?://(?!pdoc\.dev\")[^\"]*\"", page.read_text("utf-8")) == [], page


def test_neither_the_dashboard_nor_private_modules_are_in_it(reference):
    for page in reference.rglob("*.html"):
        path = page.relative_to(reference).with_suffix("").parts
        assert "dashboard" not in path
        assert not any(part.startswith("_") for part in path), path
