"""From a move of the slider to new pixels, in a real browser: `python -m benchmarks.dashboard`.

San Francisco, 261,552 people, ε around 3.5: the ε slider is moved by one step and the time is taken until the recovered
map on the screen is another one. Every move asks a question that has not been asked before, so nothing comes from a
cache. `--size` sets the window: larger maps take longer to draw. The browser draws without a graphics card, as in the
tests; one with a card is faster. Then the Compare page with its four mechanisms at d = 15, and for every page the
longest time in which it shows no sign of life.
"""

from __future__ import annotations

import argparse
import os
import re
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

#: Resolves with the milliseconds from the key press until deck.gl has drawn another recovered map. Asked of
#: deck.gl itself, because a canvas it has drawn on cannot be read back, and a screenshot takes longer than a redraw.
_WATCH = """() => {
  const cells = () => {
    const canvas = document.querySelector(".st-key-map-recovered canvas");
    const name = canvas && Object.keys(canvas).find((k) => k.startsWith("__reactFiber$"));
    for (let fiber = name && canvas[name]; fiber; fiber = fiber.return)
      for (let hook = fiber.memoizedState; hook && typeof hook === "object"; hook = hook.next) {
        const kept = hook.memoizedState, deck = (Array.isArray(kept) && kept[0]?.deck) || kept?.current?.deck;
        const found = deck?.layerManager?.getLayers().find((layer) => layer.id === "cells");
        if (found) return found;
      }
  };
  const before = cells()?.props.image;
  window.stopwatch = new Promise((resolve) => {
    let start = null;
    document.addEventListener("keydown", () => { start = performance.now(); }, { once: true, capture: true });
    const tick = () => {
      const layer = start !== null && cells();
      if (layer && layer.isLoaded && layer.props.image && layer.props.image !== before)
        // The picture is on its way to the screen: it is there when the next frame begins.
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - start)));
      else requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
}"""

#: Resolves with the milliseconds until the error above the maps is another one: the recovery is final.
_WATCH_ERROR = """() => {
  const read = () => document.querySelector("[data-testid=stMetric]")?.textContent; // innerText lays out the page again
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


#: What stands on the small maps. They are a component, whose text is in a shadow root, where innerText does not look.
_ON_THE_MAPS = """(() => {
  const text = (node) => node.nodeType === Node.TEXT_NODE ? node.data : node.nodeName === "STYLE" ? ""
    : [...(node.shadowRoot?.childNodes ?? []), ...node.childNodes].map(text).join(" ");
  const maps = document.querySelector(".st-key-small-maps");
  return maps ? text(maps) : "";
})()"""

#: Whether every mechanism has a map, none is being computed, and the maps are others than those `before`.
_ALL_COMPARED = f"""before => {{
  const now = {_ON_THE_MAPS};
  const names = ["DAM", "HUEM", "MDSW", "SEM-Geo-I"];
  const computing = document.body.innerText.includes("mechanisms are done; computing");
  return now !== before && names.every((name) => now.includes(name)) && !computing;
}}"""


def _compare(page: Any, url: str) -> float:
    page.goto(f"{url}/compare?d=15&seed=77")
    page.wait_for_function(_ALL_COMPARED, arg="", timeout=120_000)
    page.wait_for_timeout(1_000)
    slider = page.get_by_role("slider", name="Privacy budget")
    slider.focus()
    before = page.evaluate(_ON_THE_MAPS)
    start = page.evaluate("performance.now()")
    page.keyboard.press("ArrowRight")
    page.wait_for_function(_ALL_COMPARED, arg=before, timeout=120_000)
    return float(page.evaluate("performance.now()") - start)


def _trade_off(page: Any, url: str, query: str) -> tuple[float, float]:
    """Seconds until the Trade-off page has its sentence, and until everything on it is there; nothing is cached."""
    start = time.perf_counter()
    page.goto(f"{url}/tradeoff?{query}")
    page.locator("#advice").wait_for(timeout=120_000)
    first = time.perf_counter() - start
    page.locator(".st-key-get-report button:enabled").wait_for(timeout=240_000)
    return first, time.perf_counter() - start


#: Resolves with the longest time, in ms, in which nothing on the page changed while the server was at work.
_WATCH_SILENCE = """() => {
  window.silence = new Promise((resolve) => {
    const at_work = () => document.querySelector("[data-test-script-state]")
      ?.getAttribute("data-test-script-state") === "running";
    let last = null, longest = 0, idle = 0;
    const note = () => {
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
    };
    document.addEventListener("keydown", () => { last = performance.now(); }, { once: true, capture: true });
    new MutationObserver(() => { if (last !== null) note(); })
      .observe(document.body, { childList: true, characterData: true, subtree: true, attributes: true });
    setInterval(() => {
      idle = last === null || at_work() ? 0 : idle + 100;
      if (idle >= 1500) resolve(longest);
      // Silence after the work is done is not a fault.
      if (last !== null && !at_work()) last = performance.now();
    }, 100);
  });
}"""

_TOWN = "data=new-haven&target=1000"
#: Every page at its slowest settings that a slider reaches in one move; none of it is in a cache.
_PAGES = {
    "Explore, d = 100": "/?d=100&eps=1&seed=4242",
    "Compare, d = 30": "/compare?d=30&seed=4242&repeats=2",
    "Trade-off, d = 30": "/tradeoff?d=30&seed=4242&target=500&repeats=2",
    **{f"Lesson, step {step}, d = 30": f"/lesson?step={step}&d=30&seed=4242" for step in range(1, 6)},
    **{
        f"How it works, {part}": f"/how_it_works?part={part}&d=30&seed=4242" for part in ("kernel", "recovery", "paper")
    },
}


def _longest_silence(page: Any, address: str) -> float:
    page.goto(address)
    slider = page.get_by_role("slider", name="Privacy budget")
    slider.wait_for(timeout=120_000)
    page.wait_for_timeout(3_000)
    slider.focus()
    page.evaluate(_WATCH_SILENCE)
    page.keyboard.press("ArrowRight")
    return float(page.evaluate("window.silence"))


def _size(text: str) -> tuple[int, int]:
    """A window "1440x900" as (width, height)."""
    found = re.fullmatch(r"(\d+)x(\d+)", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"must be WIDTHxHEIGHT, got {text!r}")
    return int(found[1]), int(found[2])


def main() -> None:
    """Print medians in milliseconds."""
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import launch, start

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--moves", type=int, default=8)
    parser.add_argument("--size", type=_size, default="1440x900", help="of the window, in pixels: WIDTHxHEIGHT")
    parser.add_argument("--d", type=int, nargs="*", default=[15, 30, 50, 100])
    options = parser.parse_args()
    app = start(Path(tempfile.mkdtemp()))
    try:
        with sync_playwright() as playwright:
            width, height = options.size
            page = launch(playwright).new_page(viewport={"width": width, "height": height})
            print(f"window of {width}×{height} pixels")
            print(f"load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
            for d in options.d:
                times, finals = _slider_to_pixels(page, app.url, d, options.moves)
                print(
                    f"slider → pixels, {width}×{height}, d = {d:<3}  median {median(times):6.0f} ms   "
                    f"({min(times):.0f} … {max(times):.0f} ms, {len(times)} moves);  final {median(finals):6.0f} ms",
                    flush=True,
                )
            print(f"Compare, four mechanisms, d = 15, five repeats each: {_compare(page, app.url):6.0f} ms")
            for name, query in (("offered ε", ""), ("500 m", "target=500"), ("New Haven, 1,000 m", _TOWN)):
                first, whole = _trade_off(page, app.url, query)
                print(
                    f"Trade-off, {name:<20} sentence after {first:4.1f} s, everything after {whole:4.1f} s", flush=True
                )
            for name, path in _PAGES.items():
                silence = _longest_silence(page, app.url + path)
                print(f"longest time without a sign of life: {name:<24} {silence:6.0f} ms", flush=True)
            print(f"load of the machine after: {os.getloadavg()[0]:.1f}")
    finally:
        app.process.terminate()


if __name__ == "__main__":
    main()
