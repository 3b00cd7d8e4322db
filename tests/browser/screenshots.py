"""Pictures of every page, light and dark, wide and narrow, in screenshots/: `make screenshots`."""

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.conftest import ROOT, launch, start

PAGES = {"explore": "/"}
WIDTHS = {"wide": (1440, 1000), "narrow": (420, 900)}
FOLDER = ROOT / "screenshots"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    app = start(Path(tempfile.mkdtemp()))
    try:
        with sync_playwright() as playwright:
            browser = launch(playwright)
            for theme in ("light", "dark"):
                for size, (width, height) in WIDTHS.items():
                    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme)
                    page = context.new_page()
                    for name, path in PAGES.items():
                        page.goto(app.url + path)
                        page.locator("canvas").first.wait_for(timeout=60_000)
                        page.wait_for_timeout(4_000)
                        file = FOLDER / f"{name}-{theme}-{size}.png"
                        page.screenshot(path=file, full_page=True)
                        print(file.relative_to(ROOT))
                    context.close()
            browser.close()
    finally:
        app.process.terminate()


if __name__ == "__main__":
    main()
