"""Names and calls that other programs rely on: whatever moves inside, these stay."""

import json
from pathlib import Path

import numpy as np
import pytest

from spatialldp.__main__ import main
from spatialldp.dashboard.shared.choices import parse
from spatialldp.datasets import DATASETS

ROOT = Path(__file__).parents[1]


def test_a_map_goes_through_a_mechanism_and_back():
    from spatialldp import DAM, Grid, transport, wasserstein2

    rng = np.random.default_rng(1)
    grid = Grid.from_bounds((-1.0, -1.0, 1.0, 1.0), d=15, crs=None)
    counts = grid.histogram(*rng.uniform(-1, 1, (2, 3_000)))
    assert (counts.shape, counts.sum()) == ((15, 15), 3_000)
    m = DAM(epsilon=3.5, d=15)
    assert m.b == 3
    assert m.n_outputs == len(m.output_cells) == 225 + 180 - 12 - 1 + 45
    assert m.output_cells.tolist() == sorted(m.output_cells.tolist())
    assert (m.output_cells.min(), m.output_cells.max()) == (-3, 17)
    assert m.transition_matrix().shape == (225, m.n_outputs)
    assert m.perturb(counts, rng).shape == (21, 21)
    one = m.randomize(np.repeat(np.arange(15), 15), np.tile(np.arange(15), 15))
    assert one.shape == (225, 2)
    rep = m.aggregate(one)
    assert (rep.shape, rep.sum()) == ((21, 21), 225)
    est = m.estimate(rep, stopping="adaptive", rng=None)
    fields = ("distribution", "iterations", "converged", "log_likelihood", "stopping")
    assert [hasattr(est, name) for name in fields] == [True] * 5
    t = transport(counts, est.distribution)
    assert t.value == pytest.approx(wasserstein2(counts, est.distribution))
    assert (t.relative_gap, t.plan.shape) == (0, (225, 225))
    assert t.dual == pytest.approx(t.value)
    assert grid.cell_size_m is None
    assert Grid.from_bounds((8.0, 47.0, 8.1, 47.1), d=15).cell_size_m > 0


def test_every_mechanism_has_its_name_and_the_same_three_calls():
    from spatialldp import DAM, DAMNS, HUEM, KRR, MDSW, MECHANISMS, OUE, PlanarLaplace, SEMGeoI

    assert list(MECHANISMS.items()) == [
        ("DAM", DAM),
        ("HUEM", HUEM),
        ("MDSW", MDSW),
        ("SEM-Geo-I", SEMGeoI),
        ("DAM-NS", DAMNS),
        ("k-RR", KRR),
        ("OUE", OUE),
        ("Planar Laplace", PlanarLaplace),
    ]
    for kind in MECHANISMS.values():
        m = kind(epsilon=2.0, d=4)
        reports = m.aggregate(m.randomize([0, 1, 2], [3, 2, 1]))
        assert m.estimate(reports).distribution.shape == (4, 4)
        values, origin, caption = m.report_map(reports)
        assert values.ndim == len(origin) == 2
        assert caption
    assert SEMGeoI(epsilon=0.5, d=4).k >= 1
    assert MDSW(epsilon=0.5, d=8).marginal_matrix().shape == (8 + 2 * MDSW(0.5, 8).b, 8)
    assert PlanarLaplace(1.0, 4).draw_offsets(5, np.random.default_rng(0)).shape == (5, 2)


def test_privacy_is_measured_by_the_calls_it_always_was():
    from spatialldp import DAM, SEMGeoI
    from spatialldp.privacy import LocalPrivacy, audit, calibrate, local_privacy, max_privacy_loss, worst_case_loss

    assert isinstance(local_privacy(DAM(2.0, 4)), LocalPrivacy)
    value, standard_error = local_privacy(DAM(2.0, 4))
    assert (value > 0, standard_error) == (True, 0)
    for branch in ("exact", "authors"):
        assert isinstance(calibrate(SEMGeoI, to=DAM(5.0, 4), branch=branch), SEMGeoI)
    for by in ("local privacy", "best guess distance", "hit rate", "worst case"):
        assert calibrate(SEMGeoI, to=DAM(5.0, 4), by=by).epsilon > 0
    assert max_privacy_loss(DAM(2.0, 4)) == worst_case_loss(DAM(2.0, 4)) == pytest.approx(2.0)
    assert audit(DAM(2.0, 4), 1_000, np.random.default_rng(1)).lower_bound <= 2.0


def test_run_prints_the_keys_that_programs_read_and_seconds_last(capsys):
    arguments = (
        "run --data new-haven --mechanism DAM --epsilon 3.5 --d 5 --b 1 --bounds -72.95,41.28,-72.90,41.33 --seed 2"
    )
    assert main([*arguments.split(), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    promised = [
        "data",
        "mechanism",
        "epsilon",
        "d",
        "b",
        "seed",
        "users",
        "w2_cells",
        "w2_metres",
        "iterations",
        "converged",
        "stopping",
        "distribution",
    ]
    assert [key for key in printed if key in promised] == promised
    assert list(printed)[-1] == "seconds"
    assert (printed["epsilon"], printed["d"], printed["b"], printed["seed"]) == (3.5, 5, 1, 2)
    assert np.shape(printed["distribution"]) == (5, 5)


def test_every_command_is_there(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    shown = capsys.readouterr().out
    assert all(command in shown for command in ("run", "compare", "sweep", "report", "data", "app"))


def test_data_sets_keep_their_ids():
    parts = ["", "-a", "-b", "-c"]
    assert set(DATASETS) == {
        "san-francisco",
        "new-haven",
        *(f"chicago-crimes-2022{part}" for part in parts),
        *(f"nyc-green-taxi-2016{part}" for part in parts),
        "normal",
        "szipf",
        "mnormal",
    }


def test_links_keep_their_names():
    query = {"data": "new-haven", "box": "-72.95,41.28,-72.9,41.33", "mech": "HUEM", "eps": "2.5", "d": "9", "b": "2"}
    chosen, notices = parse({**query, "seed": "7"})
    assert not notices
    assert (chosen.data, chosen.mechanism, chosen.epsilon, chosen.d, chosen.b) == ("new-haven", "HUEM", 2.5, 9, 2)
    assert (chosen.box, chosen.seed) == ((-72.95, 41.28, -72.9, 41.33), 7)


def test_pages_are_where_they_were():
    for page in ("app.py", *(f"pages/{name}.py" for name in ("compare", "tradeoff", "lesson", "how_it_works"))):
        assert len((ROOT / page).read_text(encoding="utf-8").splitlines()) < 60, "a page is a thin file"


def test_snippets_that_the_app_handed_out_still_run():
    scope: dict = {}
    exec(
        "from spatialldp.experiments import make_mechanism, population, simulate\n"
        'place = population("new-haven", d=5)\n'
        'mechanism = make_mechanism("DAM", epsilon=3.5, d=5)\n'
        "run = simulate(place.binned.counts, mechanism, seed=1)\n"
        "print(run.w2_cells, place.grid.cell_size_m)\n",
        scope,
    )
    assert scope["run"].estimate.distribution.sum() == pytest.approx(1.0)
