"""The package where it is installed: a source archive, its wheel, a new environment, an empty folder.

Nothing is fetched: the new environment borrows the dependencies of the one that runs the tests, and nothing else.
"""

import json
import os
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

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

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
    assert "Which mechanism keeps most of the map?" in [element.heading.body for element in elements]
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
