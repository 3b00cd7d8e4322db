"""The stored ε′: all there, each equal by its ruler or on both sides of a jump, checked by other means."""

import json
import random
import shutil

import numpy as np
import pytest

from spatialldp import DAM, MECHANISMS, PlanarLaplace, SEMGeoI
from spatialldp.datasets import DataError
from spatialldp.experiments import calibrated
from spatialldp.experiments.calibrated import (
    GEO_I,
    USUAL,
    EqualProtection,
    calibrated_epsilon,
    equal_protection,
    is_stored,
)
from spatialldp.privacy import MEASURES, calibration, privacy_loss_by_distance
from tests.cells import distances
from tests.datasets.flipping import flip
from tests.privacy.brute_force import protects_at_least, readings

#: An entry is equal within this, relatively.
WITHIN = 0.005


def test_every_usual_pair_is_stored_for_every_ruler():
    for by in MEASURES:
        for name in GEO_I:
            for d, budgets in USUAL.items():
                assert all(is_stored(name, epsilon, d, by) for epsilon in budgets), (by, name, d)


def test_the_better_protected_side_has_the_smaller_epsilon_and_the_larger_k():
    table = json.loads(calibrated._FILE.read_text("utf-8"))
    sides = [
        (int(d), *entry)
        for grids in table.values()
        for d, row in grids["SEM-Geo-I"].items()
        for entry in row.values()
        if isinstance(entry, list)
    ]
    assert len(sides) > 100
    for d, below, above in sides:
        assert SEMGeoI(below, d).k == SEMGeoI(above, d).k + 1
    assert not any(
        isinstance(entry, list)
        for grids in table.values()
        for row in grids["Planar Laplace"].values()
        for entry in row.values()
    )


def check(found: EqualProtection, name: str, epsilon: float, d: int, by: str, read, noise: float = 0.0) -> None:
    """`read` a mechanism by other means; `noise` its relative standard error."""
    target = read(DAM(epsilon, d), by)
    reached = read(MECHANISMS[name](found.epsilon, d), by)
    where = (name, epsilon, d, by)
    if found.beyond is None:
        assert reached == pytest.approx(target, rel=WITHIN + 4 * noise), where
        return
    other = read(MECHANISMS[name](found.beyond, d), by)
    assert protects_at_least(reached, target, by, 4 * noise + 1e-9), where
    assert not protects_at_least(other, target, by, -4 * noise if noise else 0.0), where


def by_the_matrix(mechanism, by: str) -> float:
    return readings(mechanism.transition_matrix(), mechanism.d)[by]


@pytest.mark.parametrize("by", MEASURES)
@pytest.mark.parametrize("name", GEO_I)
@pytest.mark.parametrize("d", [2, 3, 4])
def test_small_grids_by_listing_every_report(name, d, by):
    for epsilon in USUAL[d][:: 1 if d < 4 else 4]:
        check(equal_protection(name, epsilon, d, by), name, epsilon, d, by, by_the_matrix)


def by_drawing(mechanism, by: str) -> float:
    """As the definition says, from people and the sets they report, drawn by rejection: a uniform set is accepted with
    the probability e^(−ε·distance) that SEM-Geo-I gives it, up to a factor. LDP and planar Laplace by their matrix.
    """
    if not isinstance(mechanism, SEMGeoI):
        return by_the_matrix(mechanism, by)
    d, m = mechanism.d, mechanism.d**2
    away, rng = distances(d), np.random.default_rng(7)
    null = mechanism.null_probabilities.ravel() / m
    figures = []
    while len(figures) < DRAWN:
        sets = rng.integers(m, size=(20_000, mechanism.k))
        sets = sets[(np.diff(np.sort(sets, axis=1), axis=1) > 0).all(axis=1)]  # different cells: uniform sets
        people = rng.integers(m, size=len(sets))
        from_person = away[people[:, None], sets].min(axis=1)
        accepted = rng.random(len(sets)) < np.exp(-mechanism.epsilon * from_person)
        belief = np.exp(-mechanism.epsilon * away[:, sets[accepted]].min(axis=2).T)
        belief /= belief.sum(axis=1, keepdims=True)
        figures += list(figure_of(belief, away, by))
    from_null = figure_of(null[None] / null.sum(), away, by)[0] if null.sum() > 0 else 0.0
    return float((1 - null.sum()) * np.mean(figures) + null.sum() * from_null)


#: Sets drawn: of distances their relative standard error is then 0.3%.
DRAWN, NOISE = 12_000, 0.003


def figure_of(belief: np.ndarray, away: np.ndarray, by: str) -> np.ndarray:
    expected = belief @ away
    return {
        "local privacy": (belief * expected).sum(axis=1),
        "best guess distance": expected.min(axis=1),
        "hit rate": belief.max(axis=1),
    }[by]


@pytest.mark.parametrize("by", ["local privacy", "best guess distance", "hit rate"])
@pytest.mark.parametrize(("epsilon", "d"), [(3.5, 15), (5.0, 10), (9.0, 8), (2.1, 12)])
def test_sets_on_larger_grids_by_drawing_them(epsilon, d, by):
    check(equal_protection("SEM-Geo-I", epsilon, d, by), "SEM-Geo-I", epsilon, d, by, by_drawing, NOISE)


@pytest.mark.parametrize(("epsilon", "d"), [(5.0, 20), (2.8, 25), (7.0, 30)])
def test_local_privacy_on_the_largest_grids_by_drawing(epsilon, d):
    found = equal_protection("SEM-Geo-I", epsilon, d)
    check(found, "SEM-Geo-I", epsilon, d, "local privacy", by_drawing, NOISE)


@pytest.mark.parametrize("by", ["local privacy", "best guess distance", "hit rate"])
@pytest.mark.parametrize(("epsilon", "d"), [(0.5, 10), (3.5, 15), (9.0, 12)])
def test_planar_laplace_on_larger_grids_by_its_matrix(epsilon, d, by):
    check(equal_protection("Planar Laplace", epsilon, d, by), "Planar Laplace", epsilon, d, by, by_the_matrix)


@pytest.mark.parametrize("name", GEO_I)
@pytest.mark.parametrize(("epsilon", "d"), [(0.5, 8), (3.5, 12), (6.0, 10)])
def test_the_worst_case_on_larger_grids_by_all_pairs(name, epsilon, d):
    def largest(mechanism, by: str) -> float:
        return privacy_loss_by_distance(mechanism)[:, 1].max()

    check(equal_protection(name, epsilon, d, "worst case"), name, epsilon, d, "worst case", largest)


def test_other_values_are_searched_and_give_both_sides():
    assert not is_stored("SEM-Geo-I", 2.13, 3)
    found = equal_protection("SEM-Geo-I", 2.13, 3)
    fresh = calibration(SEMGeoI, DAM(2.13, 3))
    assert fresh.jumped
    assert found == (fresh.mechanism.epsilon, fresh.beyond.epsilon)
    assert found.jumped
    assert calibrated_epsilon("SEM-Geo-I", 2.13, 3) == found.epsilon
    smooth = equal_protection("Planar Laplace", 2.13, 3, "hit rate")
    assert smooth == (calibration(PlanarLaplace, DAM(2.13, 3), by="hit rate").mechanism.epsilon, None)
    assert not smooth.jumped
    with pytest.raises(ValueError, match="by must be one of"):
        equal_protection("SEM-Geo-I", 3.5, 15, "luck")
    with pytest.raises(ValueError, match="mechanism must be one of"):
        equal_protection("Magic", 3.5, 15)


@pytest.mark.parametrize("name", GEO_I)
def test_the_table_is_made_by_what_makes_it(name):
    for by, row in calibrated.entries(name, 2).items():
        for epsilon, entry in row.items():
            sides = entry if isinstance(entry, list) else [entry]
            kept = [side for side in equal_protection(name, float(epsilon), 2, by) if side is not None]
            assert sides == pytest.approx(kept, rel=1e-6), (by, epsilon)


def test_no_bit_of_the_table_or_of_its_checksum_can_change_unnoticed(monkeypatch, tmp_path):
    files = [calibrated._FILE, calibrated._FILE.with_name("calibrated_checksum.json")]
    for file in files:
        shutil.copy(file, tmp_path)
    monkeypatch.setattr(calibrated, "_FILE", tmp_path / "calibrated.json")
    load, said = (
        calibrated._table.__wrapped__,
        r"calibrated.json or .* is missing or damaged: install the package again",
    )
    assert set(load()) == set(MEASURES)
    for path in [tmp_path / file.name for file in files]:
        good = path.read_bytes()
        for bit in random.Random(path.name).sample(range(8 * len(good)), 30):
            flip(path, bit)
            with pytest.raises(DataError, match=said):
                load()
            path.write_bytes(good)
        path.unlink()
        with pytest.raises(DataError, match=said):
            load()
        path.write_bytes(good)


def test_the_program_that_makes_the_table_writes_it_from_worker_processes(monkeypatch, tmp_path, capsys):
    stored = json.loads(calibrated._FILE.read_text("utf-8"))
    monkeypatch.setattr(calibrated, "_FILE", tmp_path / "calibrated.json")
    monkeypatch.setattr(calibrated, "USUAL", {2: USUAL[2]})
    monkeypatch.setattr(calibrated.engines, "available_cores", lambda: 2)
    calibrated.main()
    made = json.loads((tmp_path / "calibrated.json").read_text("utf-8"))
    assert calibrated._table.__wrapped__() == made
    assert capsys.readouterr().out.splitlines() == ["1/2  SEM-Geo-I d=2", "2/2  Planar Laplace d=2"]
    for by in MEASURES:
        for name in GEO_I:
            assert list(made[by][name]) == ["2"]
            for epsilon, entry in made[by][name]["2"].items():
                assert entry == pytest.approx(stored[by][name]["2"][epsilon], rel=1e-6), (by, name, epsilon)
