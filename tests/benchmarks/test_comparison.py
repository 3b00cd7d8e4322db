"""The claims table counts a case with a jump only if both of its sides agree."""

import numpy as np
import pytest

from benchmarks import comparison
from benchmarks.comparison import (
    BEYOND,
    RULERS,
    Case,
    Chosen,
    bracket,
    mechanism_of,
    sem_claims,
    verdict,
    with_other_side,
)
from spatialldp import DAM, SEMGeoI
from spatialldp.privacy import local_privacy, risk, worst_case_loss

PLACE = ("szipf", 5, 5.0)
DAM_CASE, SEM_CASE = Case(*PLACE, "DAM"), Case(*PLACE, "SEM = LP")
OTHER = SEM_CASE._replace(side=BEYOND)


def around(mean: float) -> np.ndarray:
    return mean + 0.01 * np.array([-1.0, 0.0, 1.0])


@pytest.mark.parametrize(
    ("below", "above", "counts"),
    [
        (2.0, None, ["1", "0", "0"]),
        (0.5, None, ["0", "1", "0"]),
        (1.0, None, ["0", "0", "1"]),
        (2.0, 3.0, ["1", "0", "0"]),
        (0.5, 0.6, ["0", "1", "0"]),
        (2.0, 0.5, ["0", "0", "1"]),
        (0.5, 2.0, ["0", "0", "1"]),
        (2.0, 1.0, ["0", "0", "1"]),
    ],
)
def test_a_claim_holds_only_if_it_does_on_both_sides(below, above, counts):
    errors = {DAM_CASE: around(1.0), SEM_CASE: around(below)} | ({} if above is None else {OTHER: around(above)})
    assert verdict(errors, [(DAM_CASE, SEM_CASE)])[:3] == counts
    assert bracket(errors, SEM_CASE).count("|") == (above is not None)


def test_both_sides_of_a_jump_are_cases():
    jumped = Case("szipf", 15, 3.5, "SEM = LP")
    assert with_other_side(jumped) == [jumped, jumped._replace(side=BEYOND)]
    below, above = (mechanism_of(case) for case in with_other_side(jumped))
    assert (below.k, above.k) == (2, 1)
    assert local_privacy(above).value < local_privacy(DAM(3.5, 15)).value < local_privacy(below).value
    assert with_other_side(SEM_CASE) == [SEM_CASE]
    assert with_other_side(DAM_CASE) == [DAM_CASE]


def test_each_calibrated_label_equals_dam_by_its_ruler():
    dam = DAM(5.0, 5)
    found = {end: mechanism_of(Case(*PLACE, f"SEM {end}")) for end in RULERS}
    assert all(isinstance(mechanism, SEMGeoI) for mechanism in found.values())
    assert local_privacy(found["= LP"]).value == pytest.approx(local_privacy(dam).value, rel=1e-5)
    assert risk(found["= guess"]).expected_distance == pytest.approx(risk(dam).expected_distance, rel=1e-5)
    assert risk(found["= hit"]).hit_rate == pytest.approx(risk(dam).hit_rate, rel=1e-5)
    assert worst_case_loss(found["= worst"]) == pytest.approx(5.0, rel=1e-5)
    assert mechanism_of(Case(*PLACE, "SEM = ε")).epsilon == 5.0


def test_a_small_run_prints_a_row_per_claim_and_ruler(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(comparison, "RESULTS", tmp_path / "results" / "comparison.jsonl")
    monkeypatch.setattr(comparison, "REPEATS", 2)
    chosen = Chosen(("szipf",), (5,), (2.1,))
    cases = [
        case
        for label in ("DAM", *(f"SEM {end}" for end in RULERS))
        for case in with_other_side(Case("szipf", 5, 2.1, label))
    ]
    errors = comparison.computed(cases, fresh=True)
    assert all(len(found) >= 2 for found in errors.values())
    rows = sem_claims(errors, chosen)
    assert len(rows) == 3 * len(RULERS)
    by_ruler = {row[1]: row for row in rows if "d = 5" in row[0]}
    assert set(by_ruler) == set(RULERS.values())
    # At d = 5 and ε = 2.1 a jump skips the target of two rulers; that of local privacy by 0.3% only.
    assert [by_ruler[by][5] for by in RULERS.values()] == ["0", "1", "1", "0"]
    assert all(sum(map(int, row[2:5])) == 1 for row in by_ruler.values())
    assert "computed before" in capsys.readouterr().out
