"""`spatialldp app`: its options, and what it says where Streamlit is missing; tests/test_wheel.py serves pages."""

import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from spatialldp.cli.app_command import browser_url
from spatialldp.cli.main import main

ROOT = Path(__file__).parents[2]


def without(modules: Sequence[str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line where some modules cannot be imported."""
    code = (
        f"import sys; sys.modules |= dict.fromkeys({modules!r}); from spatialldp.cli.main import main; sys.exit(main())"
    )
    return subprocess.run([sys.executable, "-c", code, *arguments], cwd=ROOT, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("module", "extra", "arguments"),
    [
        ("streamlit", "app", ["app"]),
        ("PIL", "report", ["report", "--d", "5"]),
        ("vl_convert", "report", ["report", "--d", "5"]),
    ],
)
def test_a_missing_extra_is_one_line_that_says_how_to_install_it(module, extra, arguments):
    done = without([module], *arguments)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == f'spatialldp: {module} is not installed: pip install "spatialldp[{extra}]"\n'


def test_a_missing_module_that_no_extra_installs_is_not_hidden():
    done = without(["numba", "ot"], "run", "--d", "5")
    assert done.returncode == 1
    assert "ModuleNotFoundError: import of ot halted" in done.stderr
    assert "pip install" not in done.stderr


@pytest.mark.parametrize("port", ["0", "65536", "-1", "http", "8501.0"])
def test_an_invalid_port_is_refused(capsys, port):
    with pytest.raises(SystemExit) as caught:
        main(["app", f"--port={port}"])
    assert caught.value.code == 2
    assert f"must be a whole number from 1 to 65535, got {port!r}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("address", "shown"), [("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "localhost"), ("::1", "[::1]"), ("::", "localhost")]
)
def test_the_address_it_prints_is_one_that_a_browser_can_open(address, shown):
    assert browser_url(address, 8600) == f"http://{shown}:8600"


@pytest.mark.parametrize("address", ["127.0.0.1", "localhost"])
def test_it_fails_without_a_traceback_on_a_port_in_use(address):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "spatialldp", "app", "--port", str(port), "--address", address]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"spatialldp: cannot listen on {address}, port {port} (Address already in use): ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("address", ["256.0.0.1", "no such host", "a" * 300, "ε", "\x80"])
def test_an_address_where_nobody_can_listen_is_one_line(capsys, address):
    assert main(["app", "--port", "8599", "--address", address]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"spatialldp: cannot listen on {address}, port 8599 (")
    assert error.count("\n") == 1
