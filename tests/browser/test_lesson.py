"""A teacher in front of a class: the lesson step by step, and how it works."""

import re

import nbformat
import numpy as np
import pytest
from playwright.sync_api import Page, expect

from spatialldp import DAM
from spatialldp.experiments import calibrated_epsilon, equal_protection, make_mechanism, population, score
from spatialldp.privacy import conclusion
from spatialldp.recovery_path import recovery_path
from spatialldp.teaching import QUIZ, Findings, Scene, worksheet
from spatialldp.wasserstein import wasserstein2
from tests.browser.lesson import D, expect_step
from tests.browser.looking import expect_data, pixels, wait_for_maps, wait_for_other_pixels

MAPS = ("dam", "sem-geo-i", "planar-laplace")
NAMES = ("DAM", "SEM-Geo-I", "Planar Laplace")
CITY_HALL = (-122.4193, 37.7793)


def cell_of_city_hall() -> tuple[int, int]:
    ix, iy, _ = population("san-francisco", D).grid.cells_of(*CITY_HALL)
    return int(ix[0]), int(iy[0])


def mechanism_of(name: str):
    budget = 3.5 if name == "DAM" else calibrated_epsilon(name, 3.5, D)
    return make_mechanism(name, budget, D)


def reports_of(name: str) -> np.ndarray:
    ix, iy = cell_of_city_hall()
    return mechanism_of(name).randomize(np.full(2000, ix), np.full(2000, iy), np.random.default_rng(1))


def ask_and_answer(page: Page, number: int, title: str, answer: str) -> None:
    """The heading, the question, and the answer once it is unfolded."""
    expect(page.get_by_role("heading", name=f"{number}. {title}")).to_be_visible(timeout=60_000)
    expect(page.get_by_text("Question for the class.")).to_be_visible()
    expect(page.get_by_text(re.compile(answer))).not_to_be_visible()
    page.locator(f".st-key-answer-{number} summary").click()
    expect(page.get_by_text(re.compile(answer))).to_be_visible()


def row(page: Page, name: str):
    return page.get_by_role("row").filter(has=page.get_by_role("rowheader", name=re.compile(f"^{name}$")))


def test_the_questions_answers_and_figures_of_all_six_steps(visit):
    page = visit(f"/lesson?d={D}&repeats=2").page
    side = population("san-francisco", D).grid.cell_size_m

    wait_for_maps(page, MAPS)
    ask_and_answer(page, 1, "What leaves the phone", "does not tell")
    ix, iy = cell_of_city_hall()
    own = mechanism_of("DAM").transition_matrix()[ix * D + iy].max()
    expect(row(page, "DAM")).to_contain_text(f"{own:.1%}")

    page.get_by_role("button", name="Next: What an attacker concludes").click()
    ask_and_answer(page, 2, "What an attacker concludes", "an island in a lake")
    wait_for_maps(page, MAPS)
    for name in NAMES:
        found = conclusion(mechanism_of(name), reports_of(name)[0])
        metres = found.expected_distance * side
        shown = f"{metres / 1000:.2f} km" if metres >= 1000 else f"{metres:.0f} m"
        expect(row(page, name)).to_contain_text(shown)
        expect(row(page, name)).to_contain_text(f"{found.region.sum()} cells")
    before = pixels(page, "dam")
    page.get_by_text("The attacker knows where people live").click()
    knowing = conclusion(mechanism_of("DAM"), reports_of("DAM")[0], population("san-francisco", D).binned.counts)
    expect(row(page, "DAM")).to_contain_text(f"{knowing.region.sum()} cells")
    expect(page).to_have_url(re.compile("step=2&prior=density"))
    wait_for_other_pixels(page, "dam", before)

    page.get_by_role("button", name="Next: Loss against distance").click()
    ask_and_answer(page, 3, "Loss against distance", "LDP suits the second")
    expect(page.get_by_test_id("stVegaLiteChart").locator("canvas, svg").first).to_be_visible()
    expect(row(page, "DAM")).to_contain_text("33")

    page.get_by_role("button", name="Next: Can the ruler be fooled?").click()
    ask_and_answer(page, 4, "Can the ruler be fooled?", "No ruler says everything")
    page.get_by_role("button", name="Local privacy").or_(page.get_by_role("radio", name="Local privacy")).click()
    expect(page.get_by_text("SEM-Geo-I (three cells) protects better.")).to_be_visible()
    page.get_by_role("button", name="Right cell named").or_(page.get_by_role("radio", name="Right cell named")).click()
    expect(page.get_by_text(re.compile("^DAM protects better."))).to_be_visible()
    expect(page.get_by_text(f"{calibrated_epsilon('SEM-Geo-I', 3.5, D):.4g}").first).to_be_visible()
    expect(page.locator(".st-key-lesson-maps img")).to_have_count(6, timeout=60_000)

    page.get_by_role("button", name="Next: The whole city").click()
    ask_and_answer(page, 5, "The whole city", "There is no winner for all cases")
    # Who is best after two draws is not the lesson's business: either way it is said.
    expect(page.get_by_text(re.compile("^(Tied for least|Least) error"))).to_be_visible(timeout=60_000)
    counts = population("san-francisco", D).binned.counts
    for name in NAMES:
        expect(row(page, name).first).to_contain_text(f"{score(counts, name, 3.5, 1, 2).mean:.3f}")

    page.get_by_role("button", name="Next: Again and again").click()
    ask_and_answer(page, 6, "Again and again", "Store the draw")
    expect(row(page, "30")).to_contain_text("105")
    expect(page.get_by_role("button", name="The end")).to_be_disabled()


def test_the_quiz_and_what_a_teacher_takes_away(visit, browser, tmp_path):
    page = visit("/lesson?d=5&step=6&data=new-haven&repeats=1").page
    page.get_by_text("Quiz: eight questions").click()
    for number, asked in enumerate(QUIZ):
        group = page.locator(f".st-key-quiz-{number}")
        group.get_by_text(asked.choices[asked.right], exact=True).click()
        expect(page.get_by_text(asked.why)).to_be_visible()
    expect(page.get_by_text("8 of 8 right.")).to_be_visible()
    assert "quiz" not in page.url

    page.get_by_text("Teacher’s kit").click()
    files = {}
    for label in ("Worksheet, step 6", "All keys", "Notebook"):
        with page.expect_download(timeout=120_000) as waiting:
            page.get_by_role("button", name=label).click()
        files[label] = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(files[label])
    book = nbformat.read(files["Notebook"], 4)
    nbformat.validate(book)
    assert "data='new-haven'" in book.cells[2].source

    asked_for: list[str] = []
    context = browser.new_context(offline=True)
    sheet = context.new_page()
    sheet.on("request", lambda request: asked_for.append(request.url))
    for label, sections in (("Worksheet, step 6", 1), ("All keys", 6)):
        sheet.goto(files[label].as_uri())
        expect(sheet.locator("section")).to_have_count(sections)
        assert sheet.evaluate("[...document.images].every((image) => image.complete && image.naturalWidth > 0)")
    assert sheet.locator("img").count() > 20
    assert all(url.startswith(("file:", "data:")) for url in asked_for)
    context.close()

    links = page.get_by_test_id("stCode").filter(has_text="6. Again and again").inner_text()
    link = re.search(r"http\S+step=3\S*", links)[0]
    page.goto(link)
    expect_step(page, 3)
    expect_data(page, "New Haven police cases")


@pytest.mark.parametrize("data", ["san-francisco", "new-haven"])
def test_every_sheet_and_every_key_is_one_page(browser, tmp_path, data):
    context = browser.new_context()
    paper = context.new_page()
    found = Findings(Scene.of(data), repeats=1)
    for key in (False, True):
        for step in range(1, 7):
            file = tmp_path / f"{step}-{key}.html"
            file.write_text(worksheet(found, [step], key=key), "utf-8")
            paper.goto(file.as_uri())
            pages = re.findall(rb"/Type\s*/Page\b", paper.pdf(prefer_css_page_size=True))
            assert len(pages) == 1, f"step {step}, {'key' if key else 'sheet'}"
    context.close()


def test_the_sheet_of_step_five_has_the_figures_of_the_page(visit, tmp_path):
    page = visit("/lesson?d=5&step=5&data=new-haven&repeats=4").page
    expect(page.get_by_text(re.compile("^(Tied for least|Least) error"))).to_be_visible(timeout=60_000)
    expect(row(page, "Planar Laplace").first).to_contain_text("±")
    rows = [one.inner_text() for one in page.get_by_role("row").all()]
    # The mean by W2 comes first in the row of a mechanism, or of one side of its jump.
    shown = [found[1] for text in rows if (found := re.search(r"(\d\.\d{3}) ±", text))]
    page.get_by_text("Teacher’s kit").click()
    with page.expect_download(timeout=120_000) as waiting:
        page.get_by_role("button", name="Key, step 5").click()
    waiting.value.save_as(tmp_path / "key.html")
    key = (tmp_path / "key.html").read_text("utf-8")
    assert len(shown) == 3 + equal_protection("SEM-Geo-I", 3.5, 5).jumped
    assert re.findall(r"<td>(\d\.\d{3}) cells", key) == shown
    assert "the mean of 4 runs" in key


def test_a_click_an_arrow_key_and_the_list_place_the_person(visit):
    page = visit(f"/lesson?d={D}").page
    wait_for_maps(page, MAPS)
    before = pixels(page, "dam")
    page.get_by_role("button", name="Place the person").click()
    canvas = page.locator(".st-key-person-map canvas")
    expect(canvas).to_be_visible()
    box = canvas.bounding_box()
    page.mouse.click(box["x"] + 0.25 * box["width"], box["y"] + 0.85 * box["height"])
    expect(page.get_by_text("Column 3 from the west, row 2 from the south")).to_be_visible()
    west, south, east, north = population("san-francisco", D).grid.bounds
    expect(page).to_have_url(re.compile("at="))
    x, y = (float(value) for value in re.search(r"at=([-\d.]+),([-\d.]+)", page.url).groups())
    assert x == pytest.approx(west + 0.25 * (east - west), abs=0.01 * (east - west))
    assert y == pytest.approx(north - 0.85 * (north - south), abs=0.01 * (north - south))
    wait_for_other_pixels(page, "dam", before)
    canvas.focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("Column 4 from the west, row 2 from the south")).to_be_visible()
    page.get_by_role("combobox", name=re.compile("Where is the person")).click()
    page.get_by_role("option", name=re.compile("Treasure Island")).click()
    expect(page).to_have_url(re.compile(r"at=-122\.3706,37\.8235"))


def test_a_click_is_understood_after_the_window_has_changed_its_width(visit):
    page = visit(f"/lesson?d={D}", width=360).page
    wait_for_maps(page, MAPS)
    page.get_by_role("button", name="Place the person").click()
    canvas = page.locator(".st-key-person-map canvas")
    narrow = canvas.bounding_box()["width"]
    page.set_viewport_size({"width": 1500, "height": 1000})
    page.wait_for_function(
        "(narrow) => document.querySelector('.st-key-person-map')?.getBoundingClientRect().width > narrow + 30",
        arg=narrow,
    )
    page.wait_for_timeout(500)
    box = canvas.bounding_box()
    page.mouse.click(box["x"] + 0.25 * box["width"], box["y"] + 0.85 * box["height"])
    expect(page.get_by_text("Column 3 from the west, row 2 from the south")).to_be_visible()
    west, _, east, _ = population("san-francisco", D).grid.bounds
    expect(page).to_have_url(re.compile("at="))
    x = float(re.search(r"at=([-\d.]+),", page.url)[1])
    assert x == pytest.approx(west + 0.25 * (east - west), abs=0.01 * (east - west))


def test_a_link_opens_at_a_step_and_any_step_is_a_jump_away(visit):
    page = visit(f"/lesson?step=4&d={D}&eps=3.5").page
    expect(page.get_by_role("heading", name="4. Can the ruler be fooled?")).to_be_visible(timeout=60_000)
    page.get_by_text("3 · Distance").click()
    expect(page.get_by_role("heading", name="3. Loss against distance")).to_be_visible()
    expect(page).to_have_url(re.compile("step=3"))


def test_the_kernel_follows_the_radius(visit):
    page = visit("/how_it_works").page
    drawing = page.locator(".st-key-kernel-dam img")
    expect(drawing).to_be_visible(timeout=60_000)
    expect(page.get_by_text(f"{DAM(3.5, 15, 3).kernel.sum():.4f}")).to_be_visible()
    before = drawing.get_attribute("src")
    slider = page.get_by_role("slider", name="Radius b, cells")
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text(f"{DAM(3.5, 15, 5).kernel.sum():.4f}")).to_be_visible()
    expect(page.get_by_text(f"{DAM(3.5, 15, 5).n_outputs:,}").first).to_be_visible()
    expect(drawing).not_to_have_attribute("src", before)
    expect(page).to_have_url(re.compile("b=5"))
    page.get_by_role("button", name="Optimum, b = 3").click()
    expect(page.get_by_text(f"{DAM(3.5, 15, 3).kernel.sum():.4f}")).to_be_visible()


def test_the_recovery_plays_and_stops_where_the_library_does(visit):
    page = visit("/how_it_works?part=recovery&d=8&data=new-haven").page
    counts = population("new-haven", 8).binned.counts
    mechanism = DAM(3.5, 8)
    path = recovery_path(mechanism, mechanism.perturb(counts, np.random.default_rng(1)))
    player = page.locator(".st-key-player")
    error = wasserstein2(counts, path.distributions[path.chosen])
    said = player.get_by_role("status")
    expect(said).to_contain_text(f"Step {path.chosen} – chosen. Error W2 {error:.3f} cells", timeout=60_000)
    expect(player.get_by_role("img", name=re.compile("Held-out reports"))).to_be_visible()
    slider = player.get_by_role("slider", name="Recovery step")
    slider.focus()
    page.keyboard.press("Home")
    expect(said).to_contain_text("Step 0")
    start = player.get_by_role("img", name=re.compile("Recovered map")).get_attribute("src")
    player.get_by_role("button", name="Play").click()
    expect(said).to_contain_text(re.compile(r"Step [3-9]\b|Step \d\d"))
    player.get_by_role("button", name="Pause").click()
    expect(player.get_by_role("button", name="Play")).to_be_visible()
    assert player.get_by_role("img", name=re.compile("Recovered map")).get_attribute("src") != start
    slider.focus()
    page.keyboard.press("End")
    last = len(path.distributions) - 1
    expect(said).to_contain_text(f"Step {last}. Error W2 {wasserstein2(counts, path.distributions[last]):.3f} cells")


def test_the_slips_show_the_broken_promise(visit):
    page = visit("/how_it_works?part=paper&d=5").page
    first = page.locator(".st-key-slip-unclipped")
    expect(first).to_contain_text("3.5846", timeout=60_000)
    expect(page.locator("[class*='st-key-slip-'] table")).to_have_count(14, timeout=60_000)


@pytest.mark.parametrize(
    ("path", "shows"),
    [
        ("/lesson?d=6", ".st-key-map-planar-laplace canvas"),
        ("/how_it_works?d=6", ".st-key-kernel-huem img"),
        ("/how_it_works?part=recovery&d=6", ".st-key-player img"),
    ],
)
def test_a_telephone_shows_everything_without_scrolling_sideways(visit, path, shows):
    page = visit(path, width=420, height=900, color_scheme="dark").page
    expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=60_000)
    shown = page.locator(shows).first
    expect(shown).to_be_visible(timeout=60_000)
    box = shown.bounding_box()
    assert 0 <= box["x"] < box["x"] + box["width"] <= 420
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
