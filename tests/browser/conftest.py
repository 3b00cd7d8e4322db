"""A real app in a real browser."""

import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect, sync_playwright

from tests.browser import chromium

ROOT = Path(__file__).parents[2]
#: A computer without a graphics card: WebGL in software, so that maps are drawn, and the page itself put together by
#: the processor, several times faster than WebGL in software would do it; no calls home of the browser's own.
FLAGS = [
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-gpu-compositing",
    "--disable-gpu-rasterization",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@dataclass
class App:
    """A running server and what it wrote to its log."""

    url: str
    process: subprocess.Popen
    log: Path


def start(folder: Path, server: str = "streamlit") -> App:
    """Serve app.py on a free port by the module `server` and wait until it answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = folder / "server.log"
    command = [sys.executable, "-m", server, "run", "app.py", "--server.port", str(port)]
    with log.open("w") as stream:
        process = subprocess.Popen(
            [*command, "--server.headless", "true", "--server.address", "127.0.0.1"],
            cwd=ROOT,
            stdout=stream,
            stderr=subprocess.STDOUT,
        )
    url = f"http://127.0.0.1:{port}"
    for _ in range(300):
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=1):
                return App(url, process, log)
        except OSError:
            if process.poll() is not None:
                break
            time.sleep(0.1)
    process.kill()
    raise RuntimeError(f"the app did not start:\n{log.read_text()}")


def launch(playwright: Playwright) -> Browser:
    return playwright.chromium.launch(executable_path=chromium.required(), args=FLAGS)


@contextmanager
def serving(folder: Path, server: str = "streamlit") -> Iterator[App]:
    """The app for a while; in the end its log must be clean."""
    running = start(folder, server)
    yield running
    running.process.terminate()
    running.process.wait(10)
    # What was under way when it was told to stop may end as it likes.
    log, *_ = running.log.read_text().partition("Stopping...")
    assert not re.search(r"Traceback|Warning|WARNING|ERROR|Exception", log), f"the server's log is not clean:\n{log}"


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    with serving(tmp_path_factory.mktemp("app")) as running:
        yield running


expect.set_options(timeout=30_000)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chrome = launch(playwright)
        yield chrome
        chrome.close()


@dataclass
class Watched:
    """A page, and everything on it that should not have happened."""

    page: Page
    foreign_requests: list[str] = field(default_factory=list)
    console_errors: list[str] = field(default_factory=list)


def watch(context: BrowserContext, app: App) -> Watched:
    watched = Watched(context.new_page())

    def on_request(request) -> None:
        if not request.url.startswith((app.url, "data:", "blob:", app.url.replace("http", "ws"))):
            watched.foreign_requests.append(request.url)

    watched.page.on("request", on_request)

    def on_console(message) -> None:
        # Opened on a page other than the first, Streamlit itself asks there for its own address, is told "not found"
        # and then finds it: https://github.com/streamlit/streamlit, getPossibleBaseUris. Not ours, and harmless.
        own_search = re.search(r"/\w+/_stcore/(health|host-config)$", message.location.get("url", ""))
        if message.type == "error" and not own_search:
            watched.console_errors.append(f"{message.text} ({message.location.get('url')})")

    watched.page.on("console", on_console)
    watched.page.on("pageerror", lambda error: watched.console_errors.append(str(error)))
    return watched


@pytest.fixture
def visit(app: App, browser: Browser) -> Iterator[Callable[..., Watched]]:
    """Opens pages as new visitors; fails the test on an error or a request to another host on any of them."""
    opened: list[tuple[BrowserContext, Watched]] = []

    def open_page(path: str = "/", width: int = 1440, height: int = 1000, **options) -> Watched:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(60_000)  # a busy machine is slow, not wrong
        watched = watch(context, app)
        opened.append((context, watched))
        watched.page.goto(app.url + path)
        return watched

    yield open_page
    for context, watched in opened:
        text = watched.page.inner_text("body")
        context.close()
        assert watched.foreign_requests == []
        assert watched.console_errors == []
        assert not re.search(r"Traceback|Exception|Error:", text)
