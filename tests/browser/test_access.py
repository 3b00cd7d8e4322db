"""Everyone: no serious finding of axe-core on any page, maps with names, a keyboard that can be seen, less motion."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.looking import wait_for_maps
from tests.contrast import READABLE, contrast

#: What axe finds inside Streamlit's own widgets, where nothing of ours can change it: the rule, a selector that the
#: element or one around it has, and why it stands.
EXCUSED: dict[tuple[str, str], str] = {}
#: Every page, with what is there when it is drawn.
PAGES = {
    "/?d=5&diff=1": ".st-key-map-difference canvas",
    "/?d=5&view=swipe": ".st-key-swipe img",
    "/?story=town": ".st-key-story",
    "/compare?data=new-haven&d=5&repeats=1": ".st-key-small-maps img",
    "/tradeoff?data=new-haven&d=5": ".st-key-plan-maps img",
    "/lesson?data=new-haven&d=5": ".st-key-step-next button",
    "/how_it_works?data=new-haven&d=5": ".st-key-kernel-huem img",
    "/how_it_works?data=new-haven&d=5&part=recovery": ".st-key-player img",
    "/?d=5&present=1": ".st-key-leave button",
    "/?d=5&bare=1": "[data-testid=stLinkButton]",
}


def findings(page: Page) -> list[str]:
    """Serious and critical violations, one line per element."""
    found = []
    for violation in Axe().run(page).response["violations"]:
        if violation["impact"] not in ("serious", "critical"):
            continue
        for node in violation["nodes"]:
            # The last selector is that of the element; those before it lead into parts of the page of its own.
            path = [part for step in node["target"] for part in ([step] if isinstance(step, str) else step)]
            excuses = [selector for rule, selector in EXCUSED if rule == violation["id"]]
            if len(path) > 1 or not any(page.locator(path[0]).first.evaluate(_WITHIN, excuse) for excuse in excuses):
                found.append(f"{violation['id']}: {node['html'][:200]} {node['failureSummary']}")
    return found


_WITHIN = "(element, selector) => Boolean(element.closest(selector))"


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing_serious(visit, path, theme):
    page = visit(path, color_scheme=theme).page
    page.locator(PAGES[path]).first.wait_for()
    page.wait_for_function("!document.querySelector('[data-testid=stSkeleton]')")
    assert findings(page) == []


#: Pages with charts; axe does not look into them.
CHARTS = [
    "/how_it_works?data=new-haven&d=5",
    "/compare?data=new-haven&d=5&repeats=1&with=DAM,k-RR",
    "/tradeoff?data=new-haven&d=5&repeats=2",
]
_INKS = """words => words.filter((word) => word.textContent.trim()).map((word) => [
  word.textContent, getComputedStyle(word).fill, getComputedStyle(document.querySelector(".stApp")).backgroundColor,
])"""


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("path", CHARTS)
def test_words_in_charts_stand_out(visit, path, theme):
    page = visit(path, color_scheme=theme).page
    words = page.locator(".stVegaLiteChart svg text")
    words.first.wait_for()
    inks = words.evaluate_all(_INKS)
    assert len(inks) > 5
    assert [said for said, ink, ground in inks if contrast(_hexadecimal(ink), _hexadecimal(ground)) < READABLE] == []


def _hexadecimal(colour: str) -> str:
    """ "#33333d" for "rgb(51, 51, 61)"."""
    return "#" + "".join(f"{int(band):02x}" for band in re.fullmatch(r"rgb\((\d+), (\d+), (\d+)\)", colour).groups())


def test_axe_would_find_what_is_ours(visit):
    page = visit("/how_it_works?d=5").page
    expect(page.get_by_role("heading", level=1)).to_have_text("How it works")
    page.evaluate("document.querySelector('h1').insertAdjacentHTML('afterend', '<img src=data:,>')")
    assert {finding.split(":")[0] for finding in findings(page)} >= {"image-alt"}


def test_maps_have_names_that_say_where_most_people_are(visit):
    page = visit("/?data=new-haven&d=5").page
    wait_for_maps(page)
    for name in ("True", "Perturbed", "Recovered"):
        figure = page.get_by_role("figure", name=re.compile(rf"^{name} map, \d+ by \d+ cells; fullest cell in the "))
        expect(figure).to_have_count(1)
    page.get_by_role("link", name="Compare").click()
    named = re.compile("^True map: known only in a simulation; fullest cell in the .*column")
    expect(page.get_by_role("img", name=named)).to_have_count(1)


def test_the_keyboard_is_seen_and_not_taken_for_the_current_page(visit):
    page = visit("/how_it_works?d=5").page
    link, current = (page.get_by_role("link", name=name) for name in ("Compare", "How it works"))
    expect(page.locator(".st-key-kernel-huem img")).to_be_visible()
    expect(current).to_have_css("outline-style", "none")
    for _ in range(40):
        page.keyboard.press("Tab")
        if link.evaluate("element => element === document.activeElement"):
            break
    expect(link).to_be_focused()
    # A style may come a moment later than what it is for.
    expect(link).to_have_css("outline-style", "solid")
    expect(link).to_have_css("outline-width", "3px")
    expect(current).to_have_css("outline-style", "none")


def test_everything_wrong_with_a_link_is_one_folded_notice(visit):
    page = visit("/how_it_works?eps=abc&d=9999&mech=none&data=nowhere").page
    notice = page.locator(".st-key-notices")
    expect(notice).to_have_count(1)
    expect(notice.get_by_text("4 parts of the link could not be used")).to_be_visible()
    expect(page.get_by_text("Ignored eps")).to_be_hidden()
    notice.locator("summary").click()
    expect(notice.get_by_text("Ignored eps = “abc” in the link: it is not a number from 0.5 to 9.")).to_be_visible()
    assert notice.get_by_role("listitem").count() == 4


def test_motion_is_reduced_where_that_is_wished(visit):
    page = visit("/how_it_works?data=new-haven&d=5&part=recovery", reduced_motion="reduce").page
    expect(page.locator(".st-key-player img").first).to_be_visible()
    longest = """Math.max(...[...document.querySelectorAll('*')].flatMap((element) => {
      const style = getComputedStyle(element);
      return [style.transitionDuration, style.animationDuration].flatMap((times) => times.split(', ').map(parseFloat));
    }))"""
    assert page.evaluate(longest) <= 0.01
    # It does not play by itself then: each press is one step.
    slider = page.locator(".st-key-player").get_by_role("slider")
    begun = int(slider.input_value())
    page.get_by_role("button", name="Next step").click()
    expect(slider).to_have_value(str(begun + 1))
    page.wait_for_timeout(1_200)
    expect(slider).to_have_value(str(begun + 1))


def test_a_telephone_hides_no_control_from_the_keyboard_but_shows_it(visit):
    page = visit("/how_it_works?d=5", width=420, height=900).page
    sliders = page.get_by_role("slider", name=re.compile("Privacy budget"))
    expect(sliders).to_have_count(1)
    # Not `to_be_in_viewport`: the field itself lies clipped below the handle that is seen.
    box = sliders.bounding_box()
    assert 0 <= box["y"] <= 900 - box["height"]
