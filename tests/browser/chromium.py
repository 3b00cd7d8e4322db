"""Find a Chromium, or install one: `python -m tests.browser.chromium`.

The browser tests run in a real browser or not at all: when none can be had, this ends with one clear line.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
ADVICE = (
    "The browser tests need Chromium or Chrome and none was found or could be installed. Install it "
    "(Debian, Ubuntu: apt-get install chromium; others: {python} -m playwright install chromium) "
    "or set CHROMIUM to the path of its program, then run the tests again."
)


def find() -> str | None:
    """Path of a Chromium on this machine; the environment variable CHROMIUM goes first."""
    named = os.environ.get("CHROMIUM")
    if named:
        return shutil.which(named)
    for name in NAMES:
        path = shutil.which(name)
        if path:
            return path
    return next((place for place in (*PLACES, _playwrights_own()) if place and Path(place).exists()), None)


def _playwrights_own() -> str:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return playwright.chromium.executable_path


def _install() -> None:
    """Try the system's packages, then Playwright's own download. What fails is tried no further."""
    if shutil.which("apt-get"):
        root = [] if os.geteuid() == 0 else ["sudo", "-n"]
        if not root or shutil.which("sudo"):
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
            for step in (["update"], ["install", "-y", "chromium"]):
                subprocess.run([*root, "apt-get", *step], check=False, env=environment, **quiet)
    if find() is None:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False, timeout=600)


def required() -> str:
    """Path of a Chromium; ends with one clear line if there is none."""
    path = find()
    if path is None:
        raise SystemExit(ADVICE.format(python=sys.executable))
    return path


if __name__ == "__main__":
    if find() is None and "CHROMIUM" not in os.environ:
        print("Installing Chromium for the browser tests …", flush=True)
        _install()
    print(f"Browser tests use {required()}")
