"""Two mechanisms that exist in this file alone, one of each notion, walked through all there is.

Adding a mechanism is one file and one line in the registry: whatever breaks here asks for more than that.
"""

import json
from fractions import Fraction
from functools import cached_property

import numpy as np
import pytest

from spatialldp import MECHANISMS
from spatialldp.__main__ import main
from spatialldp._exact import exact_budget, exponential_floor, uniform_below
from spatialldp.estimation import closed_form, on_simplex
from spatialldp.experiments import make_mechanism, simulate
from spatialldp.experiments.export import cell_table, to_csv
from spatialldp.mechanisms import CellReportMechanism, Mechanism, NamedCells, Parameter, ReportMap, TruthfulShare
from spatialldp.operators import DenseOperator
from spatialldp.population import Population
from spatialldp.privacy import audit, calibration, exact_check, local_privacy, max_privacy_loss, protection, risk
from tests.dashboard.driving import decks, said, started, value_of


class Blocks(Mechanism):
    """LDP: k-ary randomised response on blocks of s×s cells. A report is the number of a block, not a cell."""

    full_name = "Randomised response on blocks"
    notion = "LDP"
    summary = "Reports a block of cells, the true one more often than any other."
    reference = "made up for a test"
    in_lesson = True
    parameters = (
        Parameter(
            "s",
            "Side of a block",
            "cells",
            "How many cells a block is wide.",
            lambda d: 1,
            lambda d: d,
            lambda epsilon, d: min(d, 2),
        ),
    )

    def __init__(self, epsilon, d, s=None):
        super().__init__(epsilon, d)
        self.s = min(d, 2) if s is None else s

    @cached_property
    def blocks(self):
        """Block of every cell, (d, d)."""
        along = np.arange(self.d) // self.s
        return along[:, None] * (along[-1] + 1) + along[None, :]

    @property
    def n_outputs(self):
        return int(self.blocks.max()) + 1

    @cached_property
    def weights(self):
        """Of the true block and of any other; the rounding is on the safe side."""
        rare = 2**40
        return int(rare * exponential_floor(exact_budget(self.epsilon))), rare

    def device_weights(self, ix, iy):
        own, rare = self.weights
        weights = np.full(self.n_outputs, rare)
        weights[self.blocks[ix, iy]] = own
        return weights

    def largest_device_ratio(self):
        return Fraction(*self.weights) if self.n_outputs > 1 else Fraction(1)

    def randomize(self, ix, iy, rng=None):
        ix, iy = self._checked_cells(ix, iy)
        own, rare = self.weights
        total = own + rare * (self.n_outputs - 1)
        u = uniform_below(total, ix.size, rng)
        true = self.blocks[ix, iy]
        other = np.maximum(u - own, 0) // rare
        return np.where(u < own, true, other + (other >= true))[:, None]

    def transition_matrix(self):
        rows = np.array([self.device_weights(*divmod(cell, self.d)) for cell in range(self.d**2)], dtype=float)
        return rows / rows.sum(axis=1, keepdims=True)

    def likelihoods(self, reports, cells=None):
        rows = self._checked_rows(reports, 1)[:, 0]
        return self.transition_matrix()[self._checked_flat_cells(cells)][:, rows].T

    def aggregate(self, reports):
        return np.bincount(self._checked_rows(reports, 1)[:, 0], minlength=self.n_outputs)

    def perturb(self, counts, rng):
        counts = self._checked_counts(counts)
        return rng.multinomial(counts.ravel(), self.transition_matrix()).sum(axis=0)

    def _estimate(self, reports, options):
        own, rare = (weight / sum(self.device_weights(0, 0).tolist()) for weight in self.weights)
        share = on_simplex((reports / reports.sum() - rare) / (own - rare))
        sizes = np.bincount(self.blocks.ravel())
        return closed_form((share / sizes)[self.blocks])

    def report_map(self, reports):
        sizes = np.bincount(self.blocks.ravel())
        return ReportMap((reports / sizes)[self.blocks], (0, 0), "reports per cell of the block")

    def named_cells(self, reports):
        rows = self._checked_rows(reports, 1)[:, 0]
        report, cell = np.nonzero(self.blocks.ravel()[None, :] == rows[:, None])
        return NamedCells(np.stack(np.divmod(cell, self.d), axis=1), report)

    @property
    def report_meaning(self):
        return f"a report names a block of {self.s} × {self.s} cells"

    def truthful_share(self, counts):
        own, _ = self.weights
        return TruthfulShare(own / float(self.device_weights(0, 0).sum()), "name their own block")


class Fading(CellReportMechanism):
    """Geo-I: the exponential mechanism, P(cell) ∝ e^(−ε·distance/2), in whole numbers."""

    full_name = "Exponential mechanism on cells"
    notion = "Geo-I"
    summary = "Reports near cells more often than far ones."
    reference = "made up for a test"
    in_lesson = True

    @property
    def n_outputs(self):
        return self.d**2

    @cached_property
    def output_cells(self):
        return np.argwhere(np.ones((self.d, self.d)))

    @cached_property
    def table(self):
        """A row of whole numbers with one total per cell, (d², d²)."""
        offset = self.output_cells[:, None] - self.output_cells[None]
        # A hair below ε, to pay for rounding; never 0, or a report would give its cell away.
        shares = np.exp(-0.4999 * self.epsilon * np.hypot(offset[..., 0], offset[..., 1]))
        table = np.maximum(2**50 * shares / shares.sum(axis=1, keepdims=True), 1).astype(np.int64)
        table[np.diag_indices_from(table)] += 2**50 - table.sum(axis=1)
        return table

    def device_weights(self, ix, iy):
        return self.table[ix * self.d + iy]

    def randomize(self, ix, iy, rng=None):
        ix, iy = self._checked_cells(ix, iy)
        cumulated = self.table.cumsum(axis=1)
        u = uniform_below(int(cumulated[0, -1]), ix.size, rng)
        cell = (cumulated[ix * self.d + iy] <= u[:, None]).sum(axis=1)
        return np.stack(np.divmod(cell, self.d), axis=1)

    def transition_matrix(self):
        return self.table / self.table.sum(axis=1, keepdims=True)

    def likelihoods(self, reports, cells=None):
        rows = self._checked_rows(reports, 2)
        return self.transition_matrix()[self._checked_flat_cells(cells)][:, rows[:, 0] * self.d + rows[:, 1]].T

    @cached_property
    def operator(self):
        return DenseOperator(self.transition_matrix(), (self.d, self.d), (self.d, self.d))

    def aggregate(self, reports):
        rows = self._checked_rows(reports, 2)
        return np.bincount(rows[:, 0] * self.d + rows[:, 1], minlength=self.d**2).reshape(self.d, self.d)

    def perturb(self, counts, rng):
        counts = self._checked_counts(counts)
        return rng.multinomial(counts.ravel(), self.transition_matrix()).sum(axis=0).reshape(self.d, self.d)

    def _checked_reports(self, reports):
        return np.asarray(reports, dtype=np.float64)

    def report_map(self, reports):
        return ReportMap(self._checked_reports(reports), (0, 0), "reports per cell")


class Banded(Fading):
    """The same with a parameter "b" of a narrow range, none of which is the 0 to 2·d of the disks."""

    parameters = (Parameter("b", "Bands b", "bands", "How many.", lambda d: 1, lambda d: 4, lambda epsilon, d: 2),)
    in_lesson = False

    def __init__(self, epsilon, d, b=None):
        super().__init__(epsilon, d)
        self.b = 2 if b is None else b
        if not 1 <= self.b <= 4:
            raise ValueError(f"b must be a whole number from 1 to 4, got {b!r}")


class Hidden(Blocks):
    """One whose reports have no picture, and that knows only small grids."""

    largest_d = 6

    def report_map(self, reports):
        return ReportMap(np.full((self.d, self.d), np.nan), (0, 0), "nothing to see")


BOTH = pytest.mark.parametrize("name", ["Blocks", "Fading"])


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    """One line each in the registry."""
    monkeypatch.setitem(MECHANISMS, "Blocks", Blocks)
    monkeypatch.setitem(MECHANISMS, "Fading", Fading)


@BOTH
def test_its_promise_is_checked_by_whole_numbers_and_by_its_reports(name):
    mechanism = MECHANISMS[name](0.8, 4)
    assert exact_check(mechanism).holds
    assert exact_check(mechanism).pairs == 16 * 15 * (2 if name == "Fading" else 1)
    assert 0 < max_privacy_loss(mechanism) <= 0.8 * (1 if name == "Blocks" else 3 * 2**0.5)
    found = audit(mechanism, 20_000, np.random.default_rng(1))
    assert 0 < found.lower_bound <= found.claimed


@BOTH
def test_its_protection_is_measured(name):
    mechanism = MECHANISMS[name](1.0, 4)
    figures = protection(mechanism)
    assert figures.local_privacy == pytest.approx(local_privacy(mechanism, exact=True), abs=1e-12)
    drawn = risk(mechanism, exact=False, relative_error=0.01, rng=np.random.default_rng(2))
    assert drawn.hit_rate == pytest.approx(figures.hit_rate.value, abs=5 * drawn.hit_rate_error)


def test_the_geo_indistinguishable_one_is_calibrated_to_the_other():
    target = Blocks(2.0, 4)
    found = calibration(Fading, to=target)
    assert found.reached.value == pytest.approx(local_privacy(target).value, rel=1e-6)


@BOTH
def test_a_run_recovers_the_map_and_can_be_taken_away(name):
    population = Population.of("new-haven", 6)
    run = simulate(population.counts, make_mechanism(name, 4.0, 6), 1)
    assert run.w2_cells < 1.5
    table = cell_table(run, make_mechanism(name, 4.0, 6), population.grid)
    assert len(table["ix"]) == 36
    assert to_csv(table).startswith(b"ix,iy,")


@BOTH
def test_every_command_knows_it(name, capsys, tmp_path):
    common = ["--data", "new-haven", "--d", "4"]
    assert main(["run", *common, "--mechanism", name, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["mechanism"] == name
    assert main(["compare", *common, "--mechanisms", f"DAM,{name}", "--repeats", "2", "--json"]) == 0
    scores = json.loads(capsys.readouterr().out)["scores"]
    assert [score["mechanism"] for score in scores] == ["DAM", name]
    swept = ["--mechanisms", f"{name},DAM", "--values", "1,4", "--repeats", "2", "--json"]
    assert main(["sweep", *common, "--over", "epsilon", *swept]) == 0
    points = json.loads(capsys.readouterr().out)
    assert [(point["mechanism"], point["epsilon"]) for point in points][:2] == [(name, 1.0), (name, 4.0)]
    # The error falls with ε, and the printable report has maps, curves and a table of this mechanism.
    assert points[1]["w2_cells"] < points[0]["w2_cells"]
    file = tmp_path / "report.html"
    named = ["--mechanism", name, "--mechanisms", "DAM,Blocks,Fading", "--repeats", "2"]
    assert main(["report", *common, *named, "--output", str(file)]) == 0
    page = file.read_text(encoding="utf-8")
    assert f"{name}: {MECHANISMS[name].full_name}" in page
    assert page.count('src="data:image/') == 7


@BOTH
def test_explore_shows_it(name):
    app = started(mech=name, data="new-haven", d="6")
    assert app.selectbox(key="mech").value == name
    assert MECHANISMS[name].summary in said(app)
    assert len(decks(app)) == 3
    assert not [slider for slider in app.slider if slider.label.startswith("Radius")]
    run = simulate(Population.of("new-haven", 6).counts, make_mechanism(name, 3.5, 6), 1)
    assert value_of(app, "Error W2") == f"{run.w2_cells:.3f} cells"
    assert value_of(app, "Truthful reports") == f"{make_mechanism(name, 3.5, 6).truthful_share(run.counts).share:.1%}"


def test_compare_shows_both():
    app = started("pages/compare.py", **{"with": "DAM,Blocks,Fading", "data": "new-haven", "d": "4", "repeats": "2"})
    assert not app.error
    names = app.table[0].value.index.tolist()
    assert [name for name in ("Blocks", "Fading") if name in names] == ["Blocks", "Fading"]


@BOTH
def test_trade_off_draws_its_curves(name):
    query = {"mech": name, "draw": "DAM,Blocks,Fading", "data": "new-haven", "d": "4", "repeats": "2"}
    app = started("pages/tradeoff.py", **query)
    assert not app.error
    assert name in "".join(str(part.value) for part in app.get("html")) + said(app)
    series = {row["series"] for chart in app.get("vega_lite_chart") for row in _rows(chart)}
    assert {"DAM", "Blocks", "Fading"} <= series


def _rows(chart):
    spec = json.loads(chart.proto.spec)
    return [row for layer in spec["layer"] for row in layer["data"]["values"] if "series" in row]


# Step 4 opens with a pair of its own, step 6 is about DAM alone.
@pytest.mark.parametrize("step", range(1, 6))
def test_every_step_of_the_lesson_shows_both(step):
    app = started("pages/lesson.py", data="new-haven", d="4", step=str(step), repeats="2")
    assert not app.error
    assert "nan" not in said(app)
    shown = said(app) + "".join(str(table.value) for table in app.table)
    assert "Blocks" in shown
    assert "Fading" in shown


def test_how_it_works_still_does():
    for part in ("kernel", "recovery", "paper"):
        app = started("pages/how_it_works.py", data="new-haven", d="4", part=part)
        assert not app.error


def test_a_parameter_b_keeps_to_its_own_range_on_pages_and_curves(monkeypatch, capsys):
    monkeypatch.setitem(MECHANISMS, "Banded", Banded)
    common = {"mech": "Banded", "data": "new-haven", "d": "4"}
    # A radius chosen for DAM stays chosen when the mechanism changes, and may be far too large for the next one.
    for chosen, shown in (("8", 4), ("0", 1)):
        app = started(**common, b=chosen)
        assert [slider.value for slider in app.slider if slider.label == "Bands b, bands"] == [shown]
    app = started("pages/tradeoff.py", **common, draw="DAM,Banded", over="b", b="8", repeats="2", plan="present")
    assert not app.error
    series = {row["series"] for chart in app.get("vega_lite_chart") for row in _rows(chart)}
    assert {"DAM", "Banded"} <= series
    swept = ["sweep", "--data", "new-haven", "--d", "4", "--over", "b", "--mechanisms", "Banded", "--repeats", "2"]
    # ε = 1 puts the optimum of the disks at 2, and points from 0 to 4 around it.
    assert main([*swept, "--epsilon", "1", "--json"]) == 0
    assert [point["b"] for point in json.loads(capsys.readouterr().out)] == [1, 2, 3, 4]


def test_reports_without_a_picture_are_no_warning_on_any_page(monkeypatch):
    monkeypatch.setitem(MECHANISMS, "Hidden", Hidden)
    app = started(data="new-haven", d="4", mech="Hidden")
    assert not app.warning
    assert any("all cells are empty" in chart.proto.alt for chart in app.get("deck_gl_json_chart"))
    monkeypatch.delitem(MECHANISMS, "Fading")
    monkeypatch.delitem(MECHANISMS, "Blocks")
    app = started("pages/lesson.py", data="new-haven", d="4", step="1", repeats="2")
    assert not app.warning
    assert "Hidden" in said(app) + "".join(str(table.value) for table in app.table)


def test_a_limit_of_its_own_is_a_sentence_on_the_page_and_on_the_command_line(monkeypatch, capsys):
    monkeypatch.setitem(MECHANISMS, "Hidden", Hidden)
    app = started(data="new-haven", d="7", mech="Hidden")
    assert [warning.value for warning in app.warning] == [
        r"This mechanism cannot do that\: d must be at most 6, got 7\: choose a coarser grid for Hidden."
    ]
    assert main(["compare", "--data", "new-haven", "--d", "7", "--mechanisms", "DAM,Hidden"]) == 1
    # Said before DAM is run.
    assert capsys.readouterr() == ("", "spatialldp: d must be at most 6, got 7: choose a coarser grid for Hidden\n")


def test_more_curves_than_chosen_colours_are_told_apart(monkeypatch):
    from spatialldp.drawing.colours import colour_of, shape_of

    for number in range(20):
        monkeypatch.setitem(MECHANISMS, f"Number {number}", Blocks)
    for dark in (False, True):
        looks = [(colour_of(name, dark), shape_of(name)) for name in MECHANISMS]
        assert len({colour for colour, _ in looks}) == len(MECHANISMS) == 30
        assert all(len(colour) == 7 and colour.startswith("#") for colour, _ in looks)
