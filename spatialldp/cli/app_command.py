"""`spatialldp app`: serves the dashboard from any folder, whether from a checkout or an installed package."""

from __future__ import annotations

import argparse
import importlib.util
import os
import runpy
import socket
import sys
from typing import Any

from spatialldp._top_level import TOP_LEVEL
from spatialldp.cli.options import UsageError

DEFAULT_PORT, DEFAULT_ADDRESS = 8501, "localhost"


def add_parser(commands: Any) -> None:
    """Add the sub-command `app`."""
    parser = commands.add_parser("app", help="serve the dashboard to a browser")
    parser.add_argument(
        "--port", type=_port, default=DEFAULT_PORT, metavar="N", help=f"port to listen on (default: {DEFAULT_PORT})"
    )
    parser.add_argument(
        "--address",
        default=DEFAULT_ADDRESS,
        metavar="A",
        help=f"address to listen on (default: {DEFAULT_ADDRESS}, this computer only; 0.0.0.0 lets others in)",
    )
    parser.set_defaults(run=_serve)


def _port(text: str) -> int:
    if not (text.isdecimal() and 1 <= int(text) <= 65_535):
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to 65535, got {text!r}")
    return int(text)


def _streamlit_arguments(port: int, address: str) -> list[str]:
    """What Streamlit is called with. The settings beside app.py, in .streamlit/config.toml, apply from any folder."""
    return [
        "streamlit",
        "run",
        str(TOP_LEVEL / "app.py"),
        *("--server.port", str(port)),
        *("--server.address", address),
        *("--server.headless", "true"),
        # For an address such as 0.0.0.0 Streamlit's greeting would ask another host for this one's address.
        *("--logger.hideWelcomeMessage", "true"),
    ]


def browser_url(address: str, port: int) -> str:
    """What to type into a browser of this computer."""
    host = "localhost" if address in ("0.0.0.0", "::") else address
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _check_place(address: str, port: int) -> None:
    """Raise UsageError where nobody can listen there: no such address, or somebody listens already."""
    try:
        # As the server does: it takes IPv6 only where the address is written that way.
        with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as trial:
            # A port that was in use a moment ago is free; on Windows this would let two programs share it.
            if os.name != "nt":
                trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind((address, port))
    except (OSError, UnicodeError, TypeError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise UsageError(
            f"cannot listen on {address}, port {port} ({reason}): choose another --address or --port"
        ) from None


def _serve(options: argparse.Namespace) -> int:
    if importlib.util.find_spec("streamlit") is None:
        raise ModuleNotFoundError("No module named 'streamlit'", name="streamlit")
    _check_place(options.address, options.port)
    print(f"Serving the app at {browser_url(options.address, options.port)}  (Ctrl-C stops it)", flush=True)
    sys.argv = _streamlit_arguments(options.port, options.address)
    # In this process, as `python -m streamlit` would be: a signal to stop reaches the server itself.
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)
    return 0
