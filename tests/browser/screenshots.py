"""Pictures of every page, light and dark, wide and narrow, in screenshots/: `make screenshots`.

With --readme two of them, small, go into docs/.
"""

import argparse
import io
import re
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tests.browser.conftest import ROOT, launch, start
from tests.browser.looking import wait_for_maps

PAGES = {
    "explore": "/",
    "explore-error": "/?diff=1&flows=1",
    "explore-swipe": "/?view=swipe",
    "explore-play": "/?view=play",
    "explore-play-d": "/?view=play&play=d",
    "explore-columns": "/?view=columns",
    "compare": "/compare",
    "tradeoff": "/tradeoff?target=500&k=3&s=careful%3DDAM,2,10,,",
    **{f"lesson-{step}": f"/lesson?step={step}" for step in range(1, 7)},
    **{f"how-{part}": f"/how_it_works?part={part}" for part in ("kernel", "recovery", "paper")},
}
#: As tall as the longest page, because Streamlit scrolls inside the window.
WHOLE = {"wide": (1440, 1480), "narrow": (420, 3600)}
#: What a visitor sees without scrolling, of the pages whose maps fill the screen.
SCREENS = {"1280": (1280, 720), "1440": (1440, 900), "1920": (1920, 1080), "420": (420, 900)}
MAPS_FIRST = ("explore", "compare", "tradeoff")
FOLDER = ROOT / "screenshots"
#: What is there when a part of "How it works" is.
SHOWN = {
    "kernel": ".st-key-kernel-huem img",
    "recovery": ".st-key-player img",
    "paper": ".st-key-slip-laplace-radius table",
}
README = {"explore": ("/", 800), "compare": ("/compare", 1250)}


def open_page(page: Page, address: str, path: str) -> None:
    """Until everything is drawn."""
    page.goto(address + path)
    if "compare" in path or "step=5" in path:
        page.get_by_text(re.compile("^(Least|Tied for least) error")).wait_for(timeout=120_000)
    elif "tradeoff" in path:
        # Its printable report is ready when everything is computed.
        page.locator(".st-key-get-report button:enabled").wait_for(timeout=300_000)
    elif "lesson" in path:
        page.locator(".st-key-step-next button").wait_for(timeout=120_000)
        page.wait_for_timeout(2_000)
    elif "how_it_works" in path:
        page.locator(SHOWN[path.rpartition("=")[2]]).first.wait_for(timeout=120_000)
    elif "view=" in path:
        if "columns" in path:
            wait_for_maps(page, ("columns",))
        else:
            page.locator(".st-key-swipe img, .st-key-play-player img").first.wait_for(timeout=120_000)
        if "play" in path:
            page.get_by_text(re.compile(r"^All \d+ pictures are ready")).wait_for(timeout=120_000)
        page.get_by_text("On average (root mean square)").wait_for(timeout=120_000)
    else:
        wait_for_maps(page)
        page.get_by_text("On average (root mean square)").wait_for(timeout=120_000)
    # Parts of Streamlit's own page are fetched when they are first needed.
    page.wait_for_function("!document.querySelector('[data-testid=stSkeleton]')")
    page.wait_for_timeout(1_500)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--readme", action="store_true", help="make the pictures of the README instead")
    options = parser.parse_args()
    app = start(Path(tempfile.mkdtemp()))
    try:
        with sync_playwright() as playwright:
            browser = launch(playwright)
            if options.readme:
                for name, (path, height) in README.items():
                    page = browser.new_page(viewport={"width": 1440, "height": height})
                    open_page(page, app.url, path)
                    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
                    small = picture.resize((960, 960 * height // 1440), Image.Resampling.LANCZOS)
                    few_colours = small.quantize(256, kmeans=2, dither=Image.Dither.NONE)
                    few_colours.save(ROOT / "docs" / f"{name}.png", optimize=True)
                    print(f"docs/{name}.png")
                return
            FOLDER.mkdir(exist_ok=True)
            for theme in ("light", "dark"):
                for size, (width, height) in (WHOLE | SCREENS).items():
                    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme)
                    page = context.new_page()
                    for name, path in PAGES.items():
                        if size in SCREENS and not name.startswith(MAPS_FIRST):
                            continue
                        open_page(page, app.url, path)
                        file = FOLDER / f"{name}-{theme}-{size}.png"
                        page.screenshot(path=file)
                        print(file.relative_to(ROOT), flush=True)
                    context.close()
            browser.close()
    finally:
        app.process.terminate()


if __name__ == "__main__":
    main()
