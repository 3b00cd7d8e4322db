"""From a move of the slider to new pixels, in a real browser: `python -m benchmarks.dashboard`.

San Francisco, 261,552 people, ε around 3.5: the ε slider is moved by one step and the time is taken until the recovered
map on the screen is another one (its canvas is looked at on every frame). Every move asks a question that has not been
asked before, so nothing comes from a cache. Then the Compare page with its four mechanisms at d = 15.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

#: Resolves with the milliseconds from the key press to the first frame on which a few hundred pixels have changed.
_WATCH = """() => {
  const canvas = document.querySelector(".st-key-map-recovered canvas");
  const look = () => {
    const small = document.createElement("canvas");
    small.width = small.height = 64;
    const pen = small.getContext("2d", { willReadFrequently: true });
    pen.drawImage(canvas, 0, 0, 64, 64);
    return pen.getImageData(0, 0, 64, 64).data;
  };
  window.stopwatch = new Promise((resolve) => {
    requestAnimationFrame(() => {
      const before = look();
      let start = null;
      document.addEventListener("keydown", () => { start = performance.now(); }, { once: true, capture: true });
      const tick = () => {
        const now = look();
        let changed = 0, drawn = 0;
        for (let i = 3; i < now.length; i += 4) {
          drawn += now[i] > 0;
          changed += Math.abs(now[i - 1] - before[i - 1]) + Math.abs(now[i - 2] - before[i - 2]) > 6;
        }
        // An empty canvas is one that is just being drawn.
        if (start !== null && drawn > 100 && changed > 20) resolve(performance.now() - start);
        else requestAnimationFrame(tick);
      };
      requestAnimationFrame(tick);
    });
  });
}"""


#: Resolves with the milliseconds until the error under the maps is another one: the recovery is final.
_WATCH_ERROR = """() => {
  const read = () => document.querySelector("[data-testid=stMetric]")?.innerText;
  const before = read();
  window.errorwatch = new Promise((resolve) => {
    let start = null;
    document.addEventListener("keydown", () => { start = performance.now(); }, { once: true, capture: true });
    const tick = () => {
      const now = read();
      if (start !== null && now?.includes("cells") && now !== before) resolve(performance.now() - start);
      else requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
}"""


def _slider_to_pixels(page: Any, url: str, d: int, moves: int) -> tuple[list[float], list[float]]:
    """Milliseconds to new pixels of the recovered map, and to its final error."""
    page.goto(f"{url}/?d={d}&eps=3.5&seed={1000 + d}")
    page.get_by_test_id("stMetric").first.wait_for(timeout=300_000)
    page.wait_for_timeout(3_000)
    page.get_by_role("slider", name="Privacy budget").focus()
    pixels, finals = [], []
    for move in range(moves):
        page.evaluate(_WATCH)
        page.evaluate(_WATCH_ERROR)
        page.wait_for_timeout(200)
        page.keyboard.press("ArrowRight" if move % 4 < 2 else "ArrowLeft")
        pixels.append(float(page.evaluate("window.stopwatch")))
        finals.append(float(page.evaluate("window.errorwatch")))
        page.wait_for_timeout(600)
        if move % 4 == 3:
            # Back where it began: a new draw, so that no answer is known yet.
            page.get_by_role("button", name="Draw again").click()
            page.wait_for_timeout(500 + 2 * max(finals))
            page.get_by_role("slider", name="Privacy budget").focus()
    return pixels, finals


def _compare(page: Any, url: str) -> float:
    page.goto(f"{url}/compare?d=15&seed=77")
    page.get_by_text("Least error here:").wait_for(timeout=120_000)
    page.wait_for_timeout(1_000)
    slider = page.get_by_role("slider", name="Privacy budget")
    slider.focus()
    before = page.locator(".st-key-small-maps").inner_text()
    start = page.evaluate("performance.now()")
    page.keyboard.press("ArrowRight")
    page.wait_for_function(
        "before => { const t = document.querySelector('.st-key-small-maps')?.innerText ?? ''; "
        "const now = t.match(/[0-9.]+ cells/g) ?? [], was = before.match(/[0-9.]+ cells/g); "
        "return now.length == 4 && now.every((v, i) => v != was[i]); }",
        arg=before, timeout=120_000,
    )  # fmt: skip
    return float(page.evaluate("performance.now()") - start)


def main() -> None:
    """Print medians in milliseconds."""
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import launch, start

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--moves", type=int, default=8)
    parser.add_argument("--d", type=int, nargs="*", default=[15, 30, 50, 100])
    options = parser.parse_args()
    app = start(Path(tempfile.mkdtemp()))
    try:
        with sync_playwright() as playwright:
            page = launch(playwright).new_page(viewport={"width": 1440, "height": 1000})
            print(f"load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
            for d in options.d:
                times, finals = _slider_to_pixels(page, app.url, d, options.moves)
                print(
                    f"slider → pixels, d = {d:<3}  median {median(times):6.0f} ms   "
                    f"({min(times):.0f} … {max(times):.0f} ms, {len(times)} moves);  final {median(finals):6.0f} ms",
                    flush=True,
                )
            print(f"Compare, four mechanisms, d = 15, five repeats each: {_compare(page, app.url):6.0f} ms")
            print(f"load of the machine after: {os.getloadavg()[0]:.1f}")
    finally:
        app.process.terminate()


if __name__ == "__main__":
    main()
