"""Compare, without a browser: what is made equal, both sides of a jump, and the ruler that can be fooled."""

import re

import numpy as np
import pyarrow as pa
import pytest

from spatialldp import DAM, SEMGeoI
from spatialldp.experiments import compare, population, score
from spatialldp.experiments.comparison import best
from spatialldp.experiments.comparison_sentences import figures, winner_sentence
from spatialldp.mechanisms import MECHANISMS
from spatialldp.privacy import local_privacy, protection, risk
from tests.dashboard.driving import link_of, said, started

COMPARE = "pages/compare.py"
PAIR = {"with": "DAM,SEM-Geo-I"}
SIDES = ["SEM-Geo-I, just below the jump", "SEM-Geo-I, just above the jump"]


def tables(app):
    """(errors, protection) by mechanism."""
    return app.table[0].value, app.table[1].value


def test_the_default_shows_both_sides_of_the_jump_and_says_why():
    app = started(COMPARE, repeats="3", **PAIR)
    errors, hidden = tables(app)
    assert errors.index.tolist() == ["DAM", *SIDES]
    assert [text.startswith("★ ") for text in errors["W2, cells"]] == [True, False, False]
    assert hidden.index.tolist() == ["DAM", *SIDES]
    counts = population("san-francisco", 15).binned.counts
    found = score(counts, "SEM-Geo-I", 3.5, 1, 3)
    for side, row in zip(found.sides, SIDES, strict=True):
        assert errors.loc[row, "W2, cells"].startswith(f"{side.mean:.3f} ± ")
        assert hidden.loc[row, "Local privacy"] == f"{local_privacy(SEMGeoI(side.epsilon, 15)).value:.2f} cells"
    assert hidden.loc["DAM"].tolist() == ["5.16 cells", "3.59 cells", "4.1%", "176 cells", "3.5 (33 times)"]
    (info,) = [info.value for info in app.info]
    assert "cannot match DAM here. DAM’s local privacy is 5.16 cells." in info
    assert re.search(r"jumps from 6\.27 cells to 4\.72 cells", info)
    assert "Least error on both sides of the jump: DAM" in said(app)
    assert "ruler can be fooled" in said(app)


def test_compare_has_the_four_mechanisms_and_the_choices_of_explore():
    app = started(COMPARE, eps="2.5", d="6", repeats="2")
    assert app.slider(key="eps").value == 2.5
    table = app.table[0].value.reset_index()
    names = [name.partition(",")[0] for name in table["Mechanism"]]
    assert list(dict.fromkeys(names)) == ["DAM", "HUEM", "MDSW", "SEM-Geo-I"]
    scores = list(compare(population("san-francisco", 6).binned.counts, list(dict.fromkeys(names)), 2.5, 1, 2))
    # Which of DAM and SEM-Geo-I has less error depends on the side of a jump here.
    assert best(scores) is None
    assert not any(text.startswith("★") for text in table["W2, cells"])
    assert "**Tied for least error: " in said(app)
    errors = [float(text.split(" ")[0]) for text in table["W2, cells"]]
    assert np.isfinite(errors).all()
    assert "local privacy" in said(app)
    app.slider(key="eps").set_value(4.0).run()
    app.switch_page("app.py").run()
    assert app.slider(key="eps").value == 4.0


def test_compare_at_the_same_epsilon_and_with_every_mechanism():
    names = ",".join(MECHANISMS)
    app = started(COMPARE, d="5", repeats="1", geo="same", **{"with": names})
    table = app.table[0].value
    assert len(table) == len(MECHANISMS)
    assert table["ε used"].tolist() == ["3.5 per cell" if "Geo" in n or "Laplace" in n else "3.5" for n in MECHANISMS]
    assert "bought with less protection" in said(app)


def test_compare_with_nothing_ticked():
    app = started(COMPARE, d="5", **{"with": ""})
    assert "Select at least one" in said(app)


def test_bars_name_both_sides():
    app = started(COMPARE, d="5", eps="2.2", repeats="2", **PAIR)
    for chart in app.get("vega_lite_chart"):
        assert "SEM-Geo-I, just below the jump" in chart.proto.spec
        assert "split(datum.label, '|')" in chart.proto.spec


def test_three_measures_are_tabs_of_one_chart_and_columns_of_one_table():
    app = started(COMPARE, d="6", eps="5", repeats="4", **{"with": "DAM,MDSW"})
    assert [tab.label for tab in app.tabs] == ["W2 between grids", "Range error", "Top cells"]
    people = population("san-francisco", 6)
    dam, mdsw = compare(people.counts, ["DAM", "MDSW"], 5.0, 1, 4)
    errors = tables(app)[0]
    assert errors.loc["MDSW", "Range error, people per 1,000"].startswith(
        f"{1000 * mdsw.mean_of('range error'):.1f} ± "
    )
    assert errors.loc["MDSW", "Top cells, of 5"].startswith(f"{mdsw.mean_of('hot spots'):.1f} ± ")
    for tab, measure, better in zip(
        app.tabs, ("W2", "range error", "hot spots"), ("shorter", "shorter", "longer"), strict=True
    ):
        (chart,) = tab.get("vega_lite_chart")
        assert f"(mean of 4 draws; {better} is better)" in chart.proto.spec
        sentence = winner_sentence([dam, mdsw], people.grid.cell_size_m, measure)
        # The one by W2 stands above the maps.
        assert (sentence in " ".join(m.value for m in tab.markdown)) == (measure != "W2")
        assert sentence in said(app)
    assert "people per 1,000" in app.tabs[1].get("vega_lite_chart")[0].proto.spec
    assert "Each figure is the mean of 4 draws" in said(app)


def bars(app, tab):
    """The table behind the bars of a tab, by column."""
    (chart,) = app.tabs[tab].get("vega_lite_chart")
    return pa.ipc.open_stream(chart.proto.datasets[0].data.data).read_all().to_pydict()


def test_the_best_has_a_star_and_a_colour_of_its_own():
    app = started(COMPARE, d="6", eps="5", repeats="4", **{"with": "DAM,MDSW"})
    assert bars(app, 0)["best"] == [True, False]
    assert [text.startswith("★ ") for text in tables(app)[0]["W2, cells"]] == [True, False]
    assert "**Least error: DAM, " in said(app)


@pytest.mark.parametrize(
    ("repeats", "words"), [("3", "Their 95% intervals overlap"), ("1", "One draw cannot tell which is best: raise the")]
)
def test_those_that_are_tied_have_no_star_and_one_colour(repeats, words):
    app = started(COMPARE, d="15", eps="3.5", repeats=repeats, **{"with": "DAM,HUEM"})
    assert words in said(app)
    errors = tables(app)[0]
    for tab in range(3):
        assert bars(app, tab)["best"] == [False, False]
    assert "★" not in "".join(text for column in errors.columns for text in errors[column])
    assert ("· best" in said(app)) is False


def test_the_small_maps_name_their_draw_and_the_table_its_mean():
    app = started(COMPARE, d="6", repeats="2", **{"with": "DAM,MDSW"})
    place = population("san-francisco", 6)
    dam = score(place.counts, "DAM", 3.5, 1, 2)
    metres = dam.w2_cells[0] * place.grid.cell_size_m
    (cards,) = [c.proto for c in app.get("bidi_component") if "map_cards" in c.proto.component_name]
    assert f"{dam.w2_cells[0]:.3f} cells ({metres:,.0f} m), one draw" in cards.json
    assert tables(app)[0].loc["DAM", "W2, cells"].removeprefix("★ ").startswith(f"{dam.mean:.3f} ± ")


def test_without_a_jump_there_is_one_row_and_no_warning():
    app = started(COMPARE, d="5", eps="5", repeats="2", **PAIR)
    errors, hidden = tables(app)
    assert errors.index.tolist() == ["DAM", "SEM-Geo-I"]
    assert hidden.loc["SEM-Geo-I", "Local privacy"] == hidden.loc["DAM", "Local privacy"]
    assert not app.info
    assert "side" not in next(text.value for text in app.markdown if "least error" in text.value.lower())


@pytest.mark.parametrize(
    ("geo", "column", "words"),
    [
        ("guess", "Best guess off by", "makes the best guess"),
        ("hit", "Right cell named", "names the likeliest cell"),
        ("worst", "Worst case", "as LDP promises"),
    ],
)
def test_another_ruler_makes_its_own_column_equal(geo, column, words):
    app = started(COMPARE, d="6", eps="5", repeats="1", geo=geo, **{"with": "DAM,Planar Laplace"})
    assert app.selectbox(key="footing").value == geo
    hidden = tables(app)[1]
    assert hidden.loc["Planar Laplace", column] == hidden.loc["DAM", column]
    others = [name for name in hidden.columns if hidden.loc["Planar Laplace", name] != hidden.loc["DAM", name]]
    assert len(others) >= 3
    assert words in said(app)
    assert f"For Geo-I mechanisms, “{column}” is made equal to DAM’s" in said(app)


def test_the_choice_is_kept_and_reaches_the_trade_off():
    app = started(COMPARE, d="5", eps="5", repeats="2", mech="SEM-Geo-I", **PAIR)
    assert app.selectbox(key="footing").value == "equal"
    app.selectbox(key="footing").set_value("worst").run()
    assert not app.exception
    assert "geo=worst" in link_of(app)
    assert tables(app)[1].loc["SEM-Geo-I", "Worst case"] == "5 (150 times)"
    app.switch_page("pages/tradeoff.py").run()
    assert "DAM at ε = 5, by worst case" in app.table[-1].value.loc["Privacy budget"].iloc[-1]
    app.switch_page(COMPARE).run()
    app.selectbox(key="footing").set_value("same").run()
    assert set(tables(app)[0].loc[:, "ε used"]) == {"5", "5 per cell"}
    assert "is made equal" not in said(app)


def test_the_example_that_fools_local_privacy_has_the_librarys_figures():
    app = started(COMPARE, d="5", repeats="2", data="new-haven", **PAIR)
    assert "nearly always the true one" not in said(app)
    app.session_state["ruler-example"] = True
    app.run()
    assert not app.exception
    example = app.table[2].value
    honest, fooling = example.columns
    assert example[honest].drop("Error W2").to_dict() == figures(protection(DAM(3.5, 15)))
    found = risk(SEMGeoI(3.0, 15, 3))
    assert example.loc["Right cell named", fooling] == f"{found.hit_rate:.1%}" == "26.3%"
    assert float(example.loc["95% region", fooling].split()[0]) == pytest.approx(16, abs=0.2)
    privacy = [float(example.loc["Local privacy", name].split()[0]) for name in (honest, fooling)]
    assert privacy[0] < privacy[1]
    assert all(re.fullmatch(r"\d\.\d\d cells = [\d,]+ m", text) for text in example.loc["Error W2"])
    assert "gives the right cell away in 26.3% of cases (DAM: 4.1%)" in said(app)
