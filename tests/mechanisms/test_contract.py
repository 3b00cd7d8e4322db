"""What every mechanism says of itself, against what it does."""

import numpy as np
import pytest

from spatialldp import MECHANISMS, SEMGeoI
from spatialldp.estimation import EMOptions
from spatialldp.mechanisms import DAM, DAMNS, HUEM, KRR, MDSW, OUE, Mechanism, PlanarLaplace
from spatialldp.privacy import max_privacy_loss, privacy_loss_by_distance, worst_case_loss

EVERY = pytest.mark.parametrize("name", list(MECHANISMS))
COUNTS = np.random.default_rng(3).integers(0, 400, (6, 6))


@EVERY
def test_it_introduces_itself(name):
    kind = MECHANISMS[name]
    assert kind.notion in ("LDP", "Geo-I")
    assert all(text.strip() for text in (kind.full_name, kind.summary, kind.reference))
    assert kind.summary.endswith(".")
    assert kind(2.0, 6).report_meaning.startswith("a report ")


@EVERY
def test_its_parameters_are_those_of_the_constructor_with_their_ranges(name):
    kind = MECHANISMS[name]
    assert kind(2.0, 6).settings == {entry.name: entry.usual(2.0, 6) for entry in kind.parameters}
    for entry in kind.parameters:
        for value in (entry.lowest(6), entry.highest(6)):
            assert kind(2.0, 6, **{entry.name: value}).settings[entry.name] == value
        assert entry.lowest(6) <= entry.usual(2.0, 6) <= entry.highest(6)
        with pytest.raises(ValueError, match=f"{entry.name} must be a whole number"):
            kind(2.0, 6, **{entry.name: entry.lowest(6) - 1})
        assert kind.parameter(entry.name) is entry
        assert entry.label
        assert entry.help.endswith(".")
    assert kind.parameter("no such thing") is None


def test_which_mechanisms_have_which_parameters():
    assert {name: [entry.name for entry in kind.parameters] for name, kind in MECHANISMS.items()} == {
        "DAM": ["b"],
        "HUEM": ["b"],
        "MDSW": [],
        "SEM-Geo-I": ["k"],
        "DAM-NS": ["b"],
        "k-RR": [],
        "OUE": [],
        "Planar Laplace": [],
    }
    assert {kind(3.5, 15).radius for kind in (DAM, DAMNS, HUEM)} == {3}
    # ⌊15·((3.5 − 1)e^3.5 + 1)/(2e^3.5(e^3.5 − 4.5))⌋ = ⌊15·83.788/(2·33.115·28.615)⌋ = 0
    assert MDSW(3.5, 15).radius == 0
    assert MDSW(0.5, 15).radius == 5
    assert {kind(3.5, 15).radius for kind in (KRR, OUE, PlanarLaplace, SEMGeoI)} == {None}


@EVERY
def test_one_call_recovers_the_map_with_or_without_options(name):
    mechanism = MECHANISMS[name](3.0, 6)
    reports = mechanism.perturb(COUNTS, np.random.default_rng(1))
    plain = mechanism.estimate(reports)
    assert plain.distribution.sum() == pytest.approx(1.0)
    if not mechanism.uses_em:
        for options in ("converged", EMOptions()):
            with pytest.raises(ValueError, match=r"options must be left out: .* recovers the map by a formula"):
                mechanism.estimate(reports, options)
        assert not mechanism.honours_mask
        assert not mechanism.takes_long
        return
    by_name = mechanism.estimate(reports, "converged", max_iterations=40)
    by_object = mechanism.estimate(reports, EMOptions("converged", max_iterations=40))
    by_keyword = mechanism.estimate(reports, stopping="converged", max_iterations=40)
    mixed = mechanism.estimate(reports, EMOptions("converged"), max_iterations=40)
    for other in (by_object, by_keyword, mixed):
        np.testing.assert_array_equal(other.distribution, by_name.distribution)
        assert (other.iterations, other.stopping) == (by_name.iterations, "converged")
    assert by_name.iterations <= 40


@EVERY
def test_a_mask_is_honoured_where_it_says_so(name):
    mechanism = MECHANISMS[name](3.0, 6)
    mask = np.ones((6, 6), dtype=bool)
    mask[2:, 3:] = False
    reports = mechanism.perturb(np.where(mask, COUNTS, 0), np.random.default_rng(1))
    if mechanism.honours_mask:
        assert mechanism.estimate(reports, mask=mask).distribution[~mask].sum() == 0
    else:
        with pytest.raises(ValueError, match="options must be left out"):
            mechanism.estimate(reports, mask=mask)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"stopping": "whenever"}, "stopping must be one of"),
        ({"max_iterations": 0}, "max_iterations must be a whole number ≥ 1"),
        ({"tolerance": 1e-3}, "tolerance must be None"),
        ({"stopping": "paper", "tolerance": -1.0}, "tolerance must be"),
        ({"smoothing": "no"}, "smoothing must be True, False or None"),
        ({"rng": 3}, "rng must be a numpy.random.Generator"),
    ],
)
def test_wrong_options_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        EMOptions(**settings)


def test_options_that_do_not_exist_or_come_twice_are_refused():
    mechanism = DAM(3.0, 6)
    reports = mechanism.perturb(COUNTS, np.random.default_rng(1))
    with pytest.raises(TypeError, match="patience must be left out: the options are stopping, max_iterations"):
        mechanism.estimate(reports, patience=3)
    with pytest.raises(TypeError, match="stopping must be given once"):
        mechanism.estimate(reports, "paper", stopping="adaptive")


@EVERY
def test_the_cells_it_says_are_named_are_those_that_its_map_counts(name):
    mechanism = MECHANISMS[name](1.0, 5)
    ix, iy = np.divmod(np.arange(500) % 25, 5)
    reports = mechanism.randomize(ix, iy, np.random.default_rng(2))
    named = mechanism.named_cells(reports)
    assert named.cells.shape == (named.report.size, 2)
    assert (np.diff(named.report) >= 0).all()
    # 500 reports reach as far as reports can.
    assert named.cells.min() == -mechanism.reports_outside
    assert named.cells.max() == 4 + mechanism.reports_outside
    if name == "MDSW":  # Its map has a strip for each axis; a report names a whole column or row.
        assert named.report.size == 500 * 5
        assert ((named.cells[:, 0] == reports[named.report, 1]) | (named.cells[:, 1] == reports[named.report, 1])).all()
        return
    picture = mechanism.report_map(mechanism.aggregate(reports))
    counted = np.zeros(picture.values.shape)
    np.add.at(counted, tuple((named.cells - picture.origin).T), 1)
    if mechanism.map_shows == "share of reports":
        counted /= 500
    np.testing.assert_allclose(np.nan_to_num(picture.values), counted)


@EVERY
def test_the_share_it_calls_truthful_is_that_of_many_reports(name):
    mechanism = MECHANISMS[name](1.5, 5)
    counts = np.random.default_rng(4).multinomial(60_000, np.full(25, 1 / 25)).reshape(5, 5)
    ix, iy = np.divmod(np.repeat(np.arange(25), counts.ravel()), 5)
    named = mechanism.named_cells(mechanism.randomize(ix, iy, np.random.default_rng(5)))
    own = (named.cells[:, 0] == ix[named.report]) & (named.cells[:, 1] == iy[named.report])
    share = mechanism.truthful_share(counts).share
    assert np.unique(named.report[own]).size / counts.sum() == pytest.approx(
        share, abs=5 * np.sqrt(share * (1 - share) / counts.sum())
    )


@EVERY
def test_shares_on_the_common_colour_scale(name):
    mechanism = MECHANISMS[name](2.0, 8)
    picture = mechanism.report_map(mechanism.perturb(np.full((8, 8), 500), np.random.default_rng(1)))
    shares = mechanism.comparable(picture.values)
    if name == "MDSW":
        # Each strip as if its reports were spread along the eight cells of a column or row: an even map stays even.
        middle = shares[~np.isnan(shares) & (shares > np.nanmedian(shares))]
        assert middle.mean() == pytest.approx(1 / 64, rel=0.35)
    else:
        assert np.nansum(shares) == pytest.approx(1.0)
        np.testing.assert_allclose(shares * np.nansum(picture.values), picture.values)


@EVERY
def test_the_reports_it_lists_are_all_and_mirror_images_count_for_each_other(name):
    mechanism = MECHANISMS[name](1.2, 4)
    every, folded = mechanism.listed_reports(), mechanism.listed_reports(mirrored=True)
    assert (every is not None) == mechanism.lists_reports == (folded is not None)
    if every is None:
        return
    likelihood = mechanism.likelihoods(every.reports)
    np.testing.assert_allclose(likelihood.sum(axis=0), 1.0)
    np.testing.assert_allclose(likelihood.T, mechanism.transition_matrix())
    assert folded.images.sum() == len(every.reports) > len(folded.reports)
    # The mean over evenly spread people of the probability of what was sent: the same in a mirror.
    means = mechanism.likelihoods(folded.reports).mean(axis=1)
    assert folded.images @ means == pytest.approx(1.0)


@EVERY
def test_the_loss_by_distance_has_the_largest_loss_at_its_top(name):
    mechanism = MECHANISMS[name](0.8, 4)
    table = privacy_loss_by_distance(mechanism)
    assert max_privacy_loss(mechanism) == pytest.approx(table[:, 1].max(), rel=1e-5)
    assert worst_case_loss(mechanism) == max_privacy_loss(mechanism)
    allowed = mechanism.epsilon * (table[:, 0] if mechanism.notion == "Geo-I" else 1.0)
    assert (table[:, 1] <= allowed + 1e-12).all()
    assert sorted(set(table[:, 0].tolist())) == table[:, 0].tolist()


def test_no_registered_mechanism_is_interactive_yet():
    assert {(kind.interactive, kind(1.0, 3).rounds) for kind in MECHANISMS.values()} == {(False, 1)}


def test_the_part_of_a_border_cell_that_counts_has_the_area_of_its_share():
    mechanism = DAM(3.5, 15)
    cells = mechanism.partial_cells()
    assert len(cells) == ((mechanism.kernel > 0) & (mechanism.kernel < 1)).sum()
    for cell in cells:
        assert mechanism.kernel[cell.x + 3, cell.y + 3] == cell.share == pytest.approx(cell.width * cell.height)
        # It lies inside the cell, at the corner nearest to the truth.
        assert cell.x - 0.5 <= cell.left <= cell.left + cell.width <= cell.x + 0.5 + 1e-12
        assert cell.y - 0.5 <= cell.low <= cell.low + cell.height <= cell.y + 0.5 + 1e-12
        corner = (cell.x - np.sign(cell.x) / 2, cell.y - np.sign(cell.y) / 2)
        assert cell.left in (pytest.approx(corner[0]), pytest.approx(corner[0] - cell.width)) or cell.x == 0
    assert not DAMNS(3.5, 15).partial_cells()
    assert not HUEM(3.5, 15).partial_cells()


@EVERY
def test_the_words_for_a_truthful_report_say_how_many_cells_it_names(name):
    mechanism = MECHANISMS[name](1.5, 5)
    ix, iy = np.divmod(np.arange(500) % 25, 5)
    named = mechanism.named_cells(mechanism.randomize(ix, iy, np.random.default_rng(6)))
    sizes = set(np.unique(named.report, return_counts=True)[1].tolist())
    first = named.cells[named.report == named.report[0]]
    if sizes == {1}:
        expected = "name their own cell"
    elif any(np.unique(first[:, axis]).size == 1 for axis in (0, 1)) and sizes == {5}:
        expected = "name their own row/column"
    else:
        expected = f"own cell, among {sizes.pop() if len(sizes) == 1 else 'many'} named"
    assert mechanism.truthful_share(np.full((5, 5), 20)).meaning == expected


CONTRACT = (
    "n_outputs",
    "randomize",
    "aggregate",
    "perturb",
    "_estimate",
    "report_map",
    "named_cells",
    "report_meaning",
    "truthful_share",
    "likelihoods",
)


def test_a_mechanism_that_leaves_out_a_part_of_the_contract_cannot_be_made():
    whole = {name: getattr(OUE, name) for name in CONTRACT}
    assert type("Whole", (Mechanism,), whole)(1.0, 3).d == 3
    for missing in CONTRACT:
        rest = {name: part for name, part in whole.items() if name != missing}
        with pytest.raises(TypeError, match=f"abstract method '?{missing}'?"):
            type("Incomplete", (Mechanism,), rest)(1.0, 3)


@EVERY
@pytest.mark.parametrize("cell", [-1, 36, 1.0, None, [0]])
def test_a_cell_that_is_not_in_the_grid_has_no_numbers_to_draw_from(name, cell):
    mechanism = MECHANISMS[name](2.0, 6)
    for call in (
        lambda: mechanism.device_ratio(cell, 0),
        lambda: mechanism.device_ratio(0, cell),
        lambda: mechanism.device_losses_from(cell),
    ):
        with pytest.raises(ValueError, match=r"must be a whole number from 0 to 35, got"):
            call()


@pytest.mark.parametrize("kind", [DAM, DAMNS, HUEM, KRR, MDSW, PlanarLaplace])
@pytest.mark.parametrize("cell", [(-1, 0), (0, -1), (6, 0), (0, 6), (0.0, 0), (None, 0)])
def test_a_place_outside_the_grid_has_no_weights(kind, cell):
    # Numbers below 0 once counted from the other end and answered for somebody else.
    with pytest.raises(ValueError, match=r"must be a whole number from 0 to 5, got"):
        kind(2.0, 6).device_weights(*cell)
