"""The lesson, without a browser."""

import json
import math
import re
from urllib.parse import parse_qsl

import numpy as np
import pytest

from spatialldp import DAM, SEMGeoI
from spatialldp.dashboard.shared.choices import parse
from spatialldp.experiments import calibrated_epsilon, make_mechanism, population, score
from spatialldp.experiments.calibrated import equal_protection
from spatialldp.experiments.measures import loneliest_cell
from spatialldp.privacy import conclusion, local_privacy, privacy_loss_from, protection, repeated_risk, risk
from spatialldp.teaching import QUIZ
from tests.dashboard.driving import cards, choose_place, decks, layer, said, started

NAMES = ("DAM", "SEM-Geo-I", "Planar Laplace")
LESSON = "pages/lesson.py"


def mechanisms(epsilon: float, d: int) -> dict:
    budgets = {"DAM": epsilon} | {name: calibrated_epsilon(name, epsilon, d) for name in NAMES[1:]}
    return {name: make_mechanism(name, budget, d) for name, budget in budgets.items()}


def place_of(app) -> str:
    return app.selectbox(key="person-place").value.name


def table_of(app, number: int = 0):
    return app.table[number].value


@pytest.mark.parametrize("step", range(1, 7))
@pytest.mark.parametrize("data", ["new-haven", "normal"])
def test_every_step_asks_a_question_and_has_an_answer(step, data):
    app = started(LESSON, data=data, d="5", step=str(step), repeats="2")
    assert app.button_group(key="step").value == step
    assert any("Question for the class" in info.value for info in app.info)
    assert "Answer" in [expander.label for expander in app.expander]
    assert not app.error
    assert "nan" not in said(app)


def test_the_steps_go_by_buttons_and_stay_in_the_choices():
    app = started(LESSON, d="5")
    for step in range(2, 7):
        app.button(key="step-next").click().run()
        assert not app.exception
        assert app.session_state.choices.step == step
    assert app.button(key="step-next").disabled
    app.button(key="step-back").click().run()
    assert app.session_state.choices.step == 5
    app.switch_page("app.py").run()
    app.switch_page(LESSON).run()
    assert app.session_state.choices.step == 5


@pytest.mark.parametrize("step", ["99", "abc", "0", "-1", "2.5"])
def test_an_unknown_step_in_the_link_is_said_and_ignored(step):
    app = started(LESSON, d="4", step=step)
    assert f"Ignored step = “{step}” in the link" in said(app)
    assert app.button_group(key="step").value == 1


def test_step_one_has_the_probabilities_of_the_library_and_its_reports():
    app = started(LESSON, d="6", seed="3", at="-72.9272,41.3083", data="new-haven")
    people = population("new-haven", 6)
    ix, iy, _ = people.grid.cells_of(-72.9272, 41.3083)
    table = table_of(app)
    for name, mechanism in mechanisms(3.5, 6).items():
        reports = mechanism.randomize(np.full(2000, ix[0]), np.full(2000, iy[0]), np.random.default_rng(3))
        own = (
            (reports == ix[0] * 6 + iy[0]).any(axis=1)
            if name == "SEM-Geo-I"
            else (reports == [ix[0], iy[0]]).all(axis=1)
        )
        # The table is exact: 2,000 reports are within four standard errors of it.
        shown = float(table.loc[name, "Own cell named"].rstrip("%")) / 100
        assert abs(shown - own.mean()) < 4 * math.sqrt(own.mean() * (1 - own.mean()) / 2000)
        if name != "SEM-Geo-I":
            away = np.hypot(*(reports - [ix[0], iy[0]]).T)
            metres = float(np.quantile(away, 0.9)) * people.grid.cell_size_m
            assert table.loc[name, "Nine in ten within"] == f"{metres / 1000:.2f} km"
    assert len(decks(app)) == 3
    for deck in decks(app):
        assert layer(deck, "BitmapLayer")
        marks = {entry["id"]: entry for entry in layer(deck, "ScatterplotLayer")}
        assert marks["person"]["data"][0]["p"] == [-72.9272, 41.3083]
        assert len(marks["dots"]["data"]) >= 100


@pytest.mark.parametrize("prior", ["uniform", "density"])
def test_step_two_shows_the_librarys_belief(prior):
    app = started(LESSON, data="new-haven", d="6", step="2", prior=prior, at="-72.9272,41.3083")
    people = population("new-haven", 6)
    ix, iy, _ = people.grid.cells_of(-72.9272, 41.3083)
    known = people.binned.counts if prior == "density" else None
    table = table_of(app)
    side = people.grid.cell_size_m

    def length(cells: float) -> str:
        metres = cells * side
        return f"{metres / 1000:.2f} km" if metres >= 1000 else f"{metres:.0f} m"

    for name, mechanism in mechanisms(3.5, 6).items():
        report = mechanism.randomize(np.full(2000, ix[0]), np.full(2000, iy[0]), np.random.default_rng(1))[0]
        found = conclusion(mechanism, report, known)
        row = table.loc[name]
        assert row["This report: expected error"] == length(found.expected_distance)
        assert row["95% of the belief"].startswith(f"{found.region.sum()} cells")
        assert row["Belief in the true cell"] == f"{found.belief[ix[0], iy[0]]:.1%}"
        assert row["All reports: expected error"] == length(risk(mechanism, known).expected_distance)
    assert all(layer(deck, "PathLayer") for deck in decks(app))


def test_the_prior_is_a_switch_and_water_is_warned_of():
    app = started(LESSON, d="10", step="2", at="-122.51,37.83")
    assert "nobody lives in this cell" in said(app)
    before = table_of(app)["This report: expected error"].tolist()
    app.toggle(key="prior").set_value(True).run()
    assert app.session_state.choices.knows_city
    assert "will never think of it" in said(app)
    assert table_of(app)["This report: expected error"].tolist() != before
    seed = app.session_state.choices.seed
    app.button(key="another").click().run()
    assert app.session_state.choices.seed == seed + 1


def test_step_three_has_the_losses_of_the_library():
    app = started(LESSON, data="normal", d="7", step="3", at="0,0")
    people = population("normal", 7)
    ix, iy, _ = people.grid.cells_of(0.0, 0.0)
    table = table_of(app)
    farthest = table.columns[-1]
    for name, mechanism in mechanisms(3.5, 7).items():
        loss = privacy_loss_from(mechanism, int(ix[0]), int(iy[0]))
        x, y = np.meshgrid(np.arange(7) - ix[0], np.arange(7) - iy[0], indexing="ij")
        away = np.hypot(x, y)
        worst = math.exp(loss[np.isclose(away, away.max())].max())
        shown = float(table.loc[name, farthest].replace(",", ""))
        assert shown == pytest.approx(worst, rel=0.05)  # two digits are shown
    assert [column.partition(" (")[0] for column in table.columns] == [
        "next cell",
        "a fifth of the map",
        "far end of the map",
    ]


def test_where_no_epsilon_is_equal_the_lesson_says_so():
    # On 5×5 cells SEM-Geo-I jumps past the local privacy that DAM has at ε = 2.2.
    app = started(LESSON, data="normal", d="5", eps="2.2", step="4")
    (warning,) = [warning.value for warning in app.warning]
    sides = equal_protection("SEM-Geo-I", 2.2, 5)
    below, above = (local_privacy(make_mechanism("SEM-Geo-I", side, 5)).value for side in sides)
    lengths = [float(number) for number in re.findall(r"([\d.]+) cells", warning)]
    assert lengths == pytest.approx([below, above, local_privacy(DAM(2.2, 5)).value], abs=0.06)
    assert below > lengths[2] > above
    assert "protects more" in warning
    chart = app.get("vega_lite_chart")[0].proto.spec
    assert "SEM-Geo-I jumps past it at" in chart
    app = started(LESSON, data="normal", d="5", eps="2.2", step="1")
    assert "Planar Laplace protects as much as DAM and SEM-Geo-I protects more than DAM here" in said(app)
    app = started(LESSON, data="normal", d="5", eps="5", step="4")
    assert not app.warning
    assert "SEM-Geo-I reaches it at" in app.get("vega_lite_chart")[0].proto.spec
    app = started(LESSON, data="normal", d="5", eps="5", step="1")
    assert "SEM-Geo-I and Planar Laplace protect as much as DAM here" in said(app)


def test_step_four_shows_the_calibrated_budgets_and_both_maps():
    app = started(LESSON, d="5", step="4")
    for name in NAMES[1:]:
        assert f"**{calibrated_epsilon(name, 3.5, 5):.4g} per cell** for {name}" in said(app)
    people = population("san-francisco", 5)
    for name in NAMES[1:]:
        for footing, equal in (("same ε", False), ("ε′", True)):
            entry = score(people.binned.counts, name, 3.5, 1, 1, equal)
            metres = f"{entry.mean * people.grid.cell_size_m:,.0f} m"
            assert f"{name}, {footing}: W2 {metres}, {'ε′' if equal else 'ε'} = {entry.epsilon:.4g} per cell" in cards(
                app
            )
    assert "Computing" not in said(app)


def test_step_five_has_the_errors_of_the_library():
    app = started(LESSON, data="new-haven", d="5", step="5", repeats="2", eps="2.5")
    counts = population("new-haven", 5).binned.counts
    table = table_of(app).reset_index()
    errors = [float(text.split(" ")[0]) for text in table["W2, cells"]]
    sides = [side for name in NAMES for side in score(counts, name, 2.5, 1, 2).sides]
    assert errors == pytest.approx([side.mean for side in sides], abs=6e-4)
    assert len(errors) == 4  # no ε′ of SEM-Geo-I is equal here: both sides of the jump


@pytest.mark.parametrize(
    ("ruler", "winner"),
    [
        ("local privacy", "SEM-Geo-I (three cells)"),
        ("best guess distance", "SEM-Geo-I (three cells)"),
        ("hit rate", "DAM"),
        ("worst case", "DAM"),
    ],
)
def test_the_class_chooses_the_ruler_and_sees_who_wins(ruler, winner):
    app = started(LESSON, data="new-haven", d="5", step="4")
    assert "protects better.**" not in said(app)
    app.button_group(key="ruler").set_value(ruler).run()
    assert f"**{winner} protects better.**" in said(app)
    readings = [reading.value for reading in app.markdown if "protects better.**" in reading.value]
    hidden = {"DAM": protection(DAM(3.5, 15)), "SEM": protection(SEMGeoI(3.0, 15, 3))}
    if ruler == "hit rate":
        assert f"DAM: {hidden['DAM'].hit_rate.value:.1%}" in readings[0]
        assert f"{hidden['SEM'].hit_rate.value:.1%}" in readings[0]
    pictures = pictures_of(app)
    assert len(pictures) == 5
    assert "recovered map" in pictures[1]
    assert "belief after one report" in pictures[3]
    assert "belief after a report that names her cell" in pictures[4]


def pictures_of(app) -> list[str]:
    """What is said of the pictures in a row to those who cannot see them."""
    return [words for html in app.get("html") for words in re.findall(r'<img [^>]*alt="(.*?)"', html.proto.body)]


def test_step_six_has_the_curve_of_the_library():
    app = started(LESSON, data="new-haven", d="6", step="6", prior="density")
    counts = population("new-haven", 6).binned.counts
    spec = json.loads(app.get("vega_lite_chart")[0].proto.spec)
    rows = [row for entry in spec["layer"] for row in entry["data"]["values"] if row.get("kind")]
    fresh = {row["x"]: row["y"] for row in rows if row["kind"] == "a fresh draw each time"}
    stored = {row["x"]: row["y"] for row in rows if row["kind"] == "one stored draw"}
    assert sorted(fresh) == sorted(stored) == list(range(1, 31))
    for reports in (1, 10, 30):
        other = repeated_risk(DAM(3.5, 6), reports, counts, most_people=3000, rng=np.random.default_rng(5))
        assert fresh[reports] == pytest.approx(other.hit_rate, abs=0.04)
    assert set(stored.values()) == {fresh[1]}
    assert [words.partition(":")[0] for words in pictures_of(app)] == [
        "Belief after 1 report",
        "Belief after 5 fresh reports",
        "Belief after 10 fresh reports",
        "Belief after 30 fresh reports",
        "Belief after 30 copies of one",
    ]


def test_the_quiz_explains_every_answer_and_records_nothing():
    app = started(LESSON, data="new-haven", d="4", step="6")
    before = app.session_state.choices
    for number, asked in enumerate(QUIZ):
        wrong = (asked.right + 1) % len(asked.choices)
        app.radio(key=f"quiz-{number}").set_value(wrong).run()
        assert f"The answer is: {asked.choices[asked.right]}. {asked.why}" in said(app)
        app.radio(key=f"quiz-{number}").set_value(asked.right).run()
        assert f"**Right.** {asked.why}" in "".join(entry.value for entry in app.success)
    assert "**8 of 8 right.**" in said(app)
    assert app.session_state.choices == before


def with_kit(app):
    """As a click on the teacher's kit does: what is in it is sent only then."""
    app.session_state["kit"] = True
    return app.run()


def test_the_kit_has_a_link_to_every_step_with_the_settings_on_the_page():
    app = with_kit(started(LESSON, data="new-haven", d="4", eps="2", step="3", at="-72.9264,41.2975", prior="density"))
    links = re.findall(r"\?(\S+)", next(block.value for block in app.code if "6. Again and again" in block.value))
    assert len(links) == 6
    for step, link in enumerate(links, 1):
        opened, notices = parse(dict(parse_qsl(link)))
        assert not notices
        assert opened == app.session_state.choices.changed(step=step)
    (one,) = [block.value for block in app.code if block.value.endswith(links[2]) and "\n" not in block.value]
    assert "/lesson?" in one


def test_the_kit_offers_sheets_keys_and_a_notebook_and_the_command_that_makes_them():
    app = with_kit(started(LESSON, data="new-haven", d="4", eps="2", step="3", repeats="2"))
    labels = [button.proto.label for button in app.get("download_button")]
    assert labels == ["Worksheet, step 3", "Key, step 3", "All worksheets", "All keys", "Notebook"]
    (command,) = [block for block in app.code if block.value.startswith("spatialldp teach")]
    assert "--step 3 --data new-haven --epsilon 2 --d 4" in command.value
    assert command.value.endswith("--repeats 2")
    # As long as it is, none of it is out of sight.
    assert command.proto.wrap_lines


def test_places_are_chosen_from_a_list_and_a_place_elsewhere_is_not_lost():
    app = started(LESSON)
    assert place_of(app) == "City Hall"
    choose_place(app, "Treasure Island, in the bay")
    assert app.session_state.choices.person == (-122.3706, 37.8235)
    choose_place(app, "The loneliest cell somebody lives in")
    people = population("san-francisco", 15)
    ix, iy, _ = people.grid.cells_of(*app.session_state.choices.person)
    assert ix[0] * 15 + iy[0] == loneliest_cell(people.binned.counts)
    elsewhere = started(LESSON, d="5", at="2.35,48.85")
    assert place_of(elsewhere) == "City Hall"
    by_hand = started(LESSON, d="5", at="-122.45,37.76")
    assert place_of(by_hand) == "a place of your own"


@pytest.mark.parametrize("step", range(1, 7))
def test_one_cell_is_no_error(step):
    app = started(LESSON, d="1", step=str(step), repeats="1")
    assert not app.error


def test_on_one_cell_there_is_no_distance():
    app = started(LESSON, data="new-haven", d="1", step="3")
    assert not app.get("vega_lite_chart")
    assert "there is no distance on it" in said(app)
    assert "times likelier from her cell" not in said(app)


def test_a_budget_is_the_same_number_in_every_step():
    numbers = set()
    for step in range(1, 6):
        app = started(LESSON, data="new-haven", d="15", step=str(step), repeats="1")
        shown = "\n".join([said(app), *cards(app), *(table.value.to_string() for table in app.table)])
        numbers |= set(re.findall(r"(?:ε′ = |\*\*|\s)([\d.]+) per cell", shown))
    named = {f"{calibrated_epsilon(name, 3.5, 15):.4g}" for name in NAMES[1:]}
    sides = {f"{side:.4g}" for side in equal_protection("SEM-Geo-I", 3.5, 15) if side is not None}
    # The same number as ε, and that of the pair which fools a ruler.
    assert named <= numbers <= named | sides | {"3.5", "3"}


def test_local_privacy_has_one_unit_in_all_steps_and_metres_beside_it():
    app = started(LESSON, data="san-francisco", d="15", step="4")
    (warning,) = [warning.value for warning in app.warning]
    side = population("san-francisco", 15).grid.cell_size_m
    cells = [float(number) for number in re.findall(r"([\d.]+) cells \(", warning)]
    kilometres = [float(number) for number in re.findall(r"cells \(([\d.]+) km\)", warning)]
    assert cells[2] == pytest.approx(local_privacy(DAM(3.5, 15)).value, abs=0.03)
    assert kilometres == pytest.approx([value * side / 1000 for value in cells], abs=0.011)
    chart = app.get("vega_lite_chart")[0].proto.spec
    assert f"Local privacy, cells of {side:.0f} m" in chart


@pytest.mark.parametrize("step", [1, 2, 4, 6])
def test_tiny_data_is_no_error(step):
    app = started(LESSON, data="new-haven", box="-72.93,41.305,-72.927,41.308", d="5", eps="0.5", step=str(step))
    assert not app.error


def test_an_empty_box_is_said():
    app = started(LESSON, box="-122.9,37.2,-122.8,37.3")
    assert "Nobody is in this area" in said(app)
    assert app.button(key="whole-again")


def test_a_fine_grid_is_coarsened_and_that_is_said():
    app = started(LESSON, d="60", step="3", eps="9")
    assert "at most 30 × 30 cells" in said(app)
