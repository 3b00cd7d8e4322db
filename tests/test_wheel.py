"""The package where it is installed: a source archive, its wheel, a new environment, an empty folder.

Nothing is fetched: the new environment borrows the dependencies of the one that runs the tests, and nothing else.
"""

import json
import math
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

from spatialldp import DAM, SEMGeoI
from spatialldp.population import Population
from spatialldp.privacy import posterior, protection
from spatialldp.teaching import Scene, notebook

ROOT = Path(__file__).parents[1]
NOT_SOURCE = (".git", ".venv", "__pycache__", ".*_cache", ".hypothesis", "build", "dist", "*.egg-info", "screenshots")
#: A busy machine is slow, not wrong.
PATIENCE_S = 120


@dataclass(frozen=True)
class Installed:
    """A wheel, an environment in which it is installed, and an empty folder to work in."""

    wheel: Path
    programs: Path
    folder: Path

    def run(self, *command: str) -> str:
        """What a command of the environment prints; its error stream if it fails."""
        done = subprocess.run(
            [self.programs / command[0], *command[1:]], cwd=self.folder, env=clean(), capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


def clean() -> dict[str, str]:
    """The variables of this process without those that lead Python to a checkout."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "STREAMLIT_"))}


def python(*arguments: str, cwd: Path) -> None:
    done = subprocess.run([sys.executable, *arguments], cwd=cwd, env=clean(), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    place = tmp_path_factory.mktemp("installed")
    source, archives, environment, empty = (place / name for name in ("source", "archives", "environment", "empty"))
    # A copy, because a build leaves folders behind where it runs.
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(*NOT_SOURCE))
    python("-c", f"from setuptools.build_meta import build_sdist; build_sdist({str(archives)!r})", cwd=source)
    (archive,) = archives.glob("spatialldp-*.tar.gz")
    offline = ("--quiet", "--no-deps", "--no-index")
    python("-m", "pip", "wheel", *offline, "--no-build-isolation", "-w", str(archives), str(archive), cwd=place)
    (wheel,) = archives.glob("spatialldp-*.whl")
    shutil.rmtree(source)

    python("-m", "venv", "--without-pip", str(environment), cwd=place)
    paths = {"base": str(environment), "platbase": str(environment)}
    programs = Path(sysconfig.get_path("scripts", "venv", paths))
    python("-m", "pip", "--python", str(programs / "python"), "install", *offline, str(wheel), cwd=place)
    packages = Path(sysconfig.get_path("purelib", "venv", paths))
    (packages / "borrowed.pth").write_text("\n".join({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}))
    empty.mkdir()
    return Installed(wheel, programs, empty)


def test_the_wheel_carries_the_files_of_the_top_level_and_no_test(installed):
    names = set(zipfile.ZipFile(installed.wheel).namelist())
    top_level = [Path("app.py"), Path(".streamlit/config.toml"), Path("data/README.md")]
    for folder in ("pages", "data/points", "data/outlines", "data/licences"):
        top_level += [file.relative_to(ROOT) for file in (ROOT / folder).iterdir() if file.is_file()]
    assert len(top_level) > 15
    for file in top_level:
        assert f"spatialldp/_bundled/{file.as_posix()}" in names
    assert "spatialldp/py.typed" in names
    sources = {file.relative_to(ROOT).as_posix() for file in (ROOT / "spatialldp").rglob("*.py")}
    assert sources <= names
    assert {name.split("/")[0].split("-")[0] for name in names} == {"spatialldp"}


def test_the_new_environment_imports_the_installed_package_and_not_the_checkout(installed):
    code = "import spatialldp, spatialldp.datasets.embedded as e; print(spatialldp.__file__); print(e.DATA_FOLDER)"
    for path in installed.run("python", "-c", code).splitlines():
        assert Path(path).is_relative_to(installed.programs.parent)


def test_run_prints_the_numbers_of_the_checkout(installed):
    command = [sys.executable, "-m", "spatialldp", "run", "--json"]
    here = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    expected, found = json.loads(here), json.loads(installed.run("spatialldp", "run", "--json"))
    del expected["seconds"], found["seconds"]
    assert found == expected
    assert found["users"] == 261_552  # Everybody of the embedded San Francisco.
    assert list(installed.folder.iterdir()) == []


def test_the_data_sets_are_listed_and_the_usage_names_the_program_as_it_was_called(installed):
    assert "san-francisco" in installed.run("spatialldp", "data", "list")
    assert installed.run("spatialldp", "--help").startswith("usage: spatialldp [-h]")
    assert installed.run("python", "-m", "spatialldp", "--help").startswith("usage: python -m spatialldp [-h]")


#: Runs a notebook where it is called, and prints what each cell gave.
RUN_NOTEBOOK = """
import json, sys, nbclient, nbformat, spatialldp
found = nbformat.read(sys.argv[1], 4)
nbclient.NotebookClient(found, timeout=600, kernel_name="python3").execute()
cells = [cell for cell in found.cells if cell.cell_type == "code"]
print(json.dumps({"package": spatialldp.__file__, "cells": cells}))
"""


def said_by(cell: dict) -> str:
    """Everything that a cell printed or showed."""
    texts = [output.get("text", "") for output in cell["outputs"]]
    for output in cell["outputs"]:
        texts += [str(shown) for shown in output.get("data", {}).values()]
    return "\n".join(texts)


@pytest.mark.parametrize("own", [False, True])
def test_the_lesson_runs_as_a_notebook_on_the_installed_package(installed, tmp_path, own):
    file = tmp_path / "lesson.ipynb"
    if own:
        # An own file, as the page has it, comes along as people per cell.
        people = Population.of("new-haven", 15)
        scene = Scene.of_counts(people.counts, people.grid.bounds, "my file", person=(-72.9272, 41.3083))
        file.write_text(notebook(scene), encoding="utf-8")
    else:
        settings = ("--data", "new-haven", "--epsilon", "3.5", "--d", "15", "--at", "-72.9272,41.3083")
        installed.run("spatialldp", "teach", "notebook", *settings, "--output", str(file))
        people = Population.of("new-haven", 15)
    ran = json.loads(installed.run("python", "-c", RUN_NOTEBOOK, str(file)))
    assert Path(ran["package"]).is_relative_to(installed.programs.parent)
    cells = ran["cells"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert not [output for cell in cells for output in cell["outputs"] if output["output_type"] == "error"]
    said = "\n".join(map(said_by, cells))
    # Maps: three mechanisms in steps 1 and 2, five pictures in 4 and 6, and those of 5; a chart each in 3 and 6.
    assert said.count("data:image/png;base64,") >= 3 + 3 + 5 + 4 + 5
    assert said.count("data:image/svg+xml;base64,") == 2
    ix, iy, _ = people.grid.cells_of(-72.9272, 41.3083)
    rng = np.random.default_rng(1)
    reports = DAM(3.5, 15).randomize(np.full(2000, ix[0]), np.full(2000, iy[0]), rng)
    # One of the cells that are reported most: all of them together count as 33.97 such, of 437 in all.
    assert f"{math.exp(3.5) / (math.expm1(3.5) * 33.9685 + DAM(3.5, 15).n_outputs):.1%}" in said
    belief = posterior(DAM(3.5, 15), reports[0])[ix[0], iy[0]]
    assert f"{belief:.1%}" in said
    assert f"{protection(SEMGeoI(3.0, 15, 3)).hit_rate.value:.1%}" in said
    # Thirty fresh reports: worked out here for people drawn anew.
    everywhere = rng.integers(0, 15, (2, 1000))
    joint = np.ones((1000, 225))
    for _ in range(30):
        joint *= DAM(3.5, 15).likelihoods(DAM(3.5, 15).randomize(*everywhere, rng))
        joint /= joint.sum(axis=1, keepdims=True)
    shown = re.search(r"right one in (\d+)% of cases; after one", said)
    assert int(shown[1]) / 100 == pytest.approx(joint.max(axis=1).mean(), abs=0.04)


@pytest.fixture
def served(installed: Installed) -> Iterator[int]:
    """The port at which `spatialldp app` of the installed package answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = installed.programs.parent / "server.log"
    with log.open("w") as stream:
        process = subprocess.Popen(
            [installed.programs / "spatialldp", "app", "--port", str(port), "--address", "127.0.0.1"],
            cwd=installed.folder,
            env=clean(),
            stdout=stream,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_until_healthy(port, process, log)
        yield port
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
        assert f"Serving the app at http://127.0.0.1:{port} " in log.read_text()
        assert "Traceback" not in log.read_text()
    finally:
        process.kill()
        process.wait()


def wait_until_healthy(port: int, process: subprocess.Popen, log: Path) -> None:
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"the app did not start:\n{log.read_text()}")


def messages(port: int, page: str, query: str) -> Iterator[ForwardMsg]:
    """What a browser is sent until the page is complete, which may begin again when a result is there.

    Any address is answered with the same HTML, which has no page in it; pages are drawn from these messages.
    """
    ask = BackMsg()
    ask.rerun_script.page_name, ask.rerun_script.query_string = page, query
    address = f"ws://127.0.0.1:{port}/_stcore/stream"
    with connect(address, subprotocols=["streamlit"], max_size=None, proxy=None) as browser:
        browser.send(ask.SerializeToString())
        while True:
            message = ForwardMsg.FromString(browser.recv(timeout=PATIENCE_S))
            yield message
            again = message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN
            if message.WhichOneof("type") == "script_finished" and not again:
                return


def test_the_app_serves_its_pages_with_its_settings_from_an_empty_folder(served, installed):
    received = list(messages(served, "compare", "d=3&repeats=1&with=DAM"))
    assert received[-1].script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
    elements = [message.delta.new_element for message in received if message.WhichOneof("type") == "delta"]
    kinds = [element.WhichOneof("type") for element in elements]
    assert "exception" not in kinds
    assert "Which mechanism preserves the map best?" in [element.heading.body for element in elements]
    assert len({element.page_link.page for element in elements if element.HasField("page_link")}) == 5

    session = next(message.new_session for message in received if message.WhichOneof("type") == "new_session")
    assert Path(session.main_script_path).is_relative_to(installed.programs.parent)
    # Three settings of .streamlit/config.toml that are not Streamlit's own defaults.
    assert session.config.hide_sidebar_nav
    assert not session.config.gather_usage_stats
    assert {element.file_uploader.max_upload_size_mb for element in elements if element.HasField("file_uploader")} == {
        50
    }
    assert list(installed.folder.iterdir()) == []
