"""Worksheets and their key: whole in themselves, about the class's own settings."""

import base64
import io
import re

import pytest
from PIL import Image

from spatialldp import DAM
from spatialldp.experiments import calibrated_epsilon
from spatialldp.privacy import local_privacy
from spatialldp.teaching import Findings, Scene, worksheet
from spatialldp.teaching.texts import TITLES
from spatialldp.teaching.worksheet import command, prose


@pytest.fixture(scope="module")
def found():
    return Findings(Scene.of("new-haven", epsilon=2.5, d=5, seed=3, person=(-72.9264, 41.2975)), repeats=1)


@pytest.fixture(scope="module")
def sheets(found):
    return worksheet(found), worksheet(found, key=True)


def test_all_steps_are_there_and_nothing_is_fetched(sheets):
    for text in sheets:
        assert re.findall(r"<h1>(\d)\. (.+?)</h1>", text) == [(str(n), t) for n, t in enumerate(TITLES, 1)]
        addresses = re.findall(r'(?:src|href)="(.{11})', text)
        assert addresses
        assert set(addresses) == {"data:image/"}
        assert "http" not in re.sub(r'"data:[^"]*"', "", text)
        assert "<script" not in text
        assert all(re.findall(r'<img [^>]*alt="(.*?)"', text))


def test_pictures_are_maps_and_charts(sheets):
    pngs = re.findall(r'src="data:image/png;base64,([^"]+)"', sheets[0])
    # Three mechanisms in steps 1 and 2, five pictures each in 4 and 6; step 5: the true map and every mechanism, of a
    # jump both sides.
    assert len(pngs) in (3 + 3 + 5 + 4 + 5, 3 + 3 + 5 + 5 + 5)
    for png in pngs:
        image = Image.open(io.BytesIO(base64.b64decode(png)))
        assert image.size == (420, 420)
        assert len(image.convert("RGB").getcolors(200_000)) > 3
    svgs = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', sheets[0])
    assert [b"<svg" in base64.b64decode(svg)[:200] for svg in svgs] == [True, True]


def test_the_sheet_has_lines_and_the_key_has_answers(sheets, found):
    sheet, key = sheets
    assert 'class="line"' in sheet
    assert 'class="answer"' not in sheet
    assert 'class="line"' not in key
    assert len(re.findall(r"<li>", key)) == len(re.findall(r'class="answer"', key)) >= 18
    assert prose(found.text(6).answer) in key
    assert prose(found.text(6).answer) not in sheet
    assert f"{local_privacy(DAM(3.5, 15)).value:.2f} cells" in key


def test_one_step_alone_is_a_file_of_its_own(found):
    text = worksheet(found, [3], key=True)
    assert re.findall(r"<h1>(\d)", text) == ["3"]
    assert "2.5" in text


def test_the_settings_and_the_command_are_those_of_the_class(found, sheets):
    assert "ε = 2.5, 5 × 5 cells" in sheets[0]
    assert command(found.scene, "key", 2) == (
        "spatialldp teach key --step 2 --data new-haven --epsilon 2.5 --d 5 --seed 3 --at -72.9264,41.2975"
    )
    assert command(found.scene, "key", 5, repeats=2).endswith(" --repeats 2")
    assert "--repeats" not in command(found.scene, "key", 5, repeats=5)  # what the command does by itself
    counted = Scene.of_counts([[40, 10], [0, 50]], (0, 0, 1, 1), crs=None)
    assert command(counted, "key") == ""


def test_a_budget_is_the_same_number_in_every_step(found, sheets):
    budget = f"{calibrated_epsilon('Planar Laplace', 2.5, 5):.4g}"
    for text in sheets:
        numbers = set(re.findall(r"Planar Laplace · Geo-I, ε′ = ([\d.]+) per cell", text))
        numbers |= set(re.findall(r"Planar Laplace</td><td>ε′ = ([\d.]+) per cell", text))
        assert numbers == {budget}


def test_on_one_cell_there_is_no_curve_of_distances():
    text = worksheet(Findings(Scene.of("new-haven", d=1), 1), [3], key=True)
    assert "<img" not in text
    assert "there is no distance on it" in text


def test_a_name_in_a_file_of_somebodys_own_is_text():
    scene = Scene.of_counts([[40, 10], [0, 50]], (0, 0, 1, 1), "<script>alert(1)</script>", crs=None)
    assert "<script" not in worksheet(Findings(scene, 1), [1])


def test_words_in_bold_and_italic():
    assert prose("**a** and *b* < c") == "<b>a</b> and <i>b</i> &lt; c"
