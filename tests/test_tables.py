"""The whole numbers devices draw from: made as they should be, decoded as they say, and proof of ε by fractions."""

import gc
import math
import sys
from decimal import Decimal, localcontext
from itertools import pairwise

import numpy as np
import pytest

from spatialldp import DAM, DAMNS, HUEM, KRR, MDSW, OUE, PlanarLaplace
from spatialldp._exact import exact_budget
from spatialldp.mechanisms import Mechanism
from spatialldp.oracles import OptimizedUnaryEncoding
from spatialldp.privacy import exact_check
from spatialldp.tables import WeightTable, with_slack

SMALL = [
    DAM(3.5, 5),
    DAM(0.7, 3),
    DAMNS(1.0, 4, 2),
    HUEM(2.1, 5),
    DAM(50.0, 3),
    PlanarLaplace(0.8, 4),
    PlanarLaplace(6.0, 3),
]


def test_the_table_of_the_default_is_the_one_worked_out_by_hand():
    # DAM at ε = 3.5 on 15×15 cells, b = 3, worked out apart from this program.
    table = DAM(3.5, 15).table
    assert (table.far, len(table.outputs), table.total) == (5894763910170, 437, 9006697878034239)
    extras = dict(zip(map(tuple, np.abs(table.offsets).tolist()), table.extras, strict=True))
    inside = [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (3, 0)]
    assert {extras[offset] for offset in inside} == {189313007164897}
    assert extras[3, 1] == 117576105188492
    assert (3, 2) not in extras
    assert (3, 3) not in extras


def boundaries(table: WeightTable) -> list[int]:
    """Every u at which the report may change, and the number before it."""
    starts = [table.far * i for i in range(len(table.outputs) + 1)]
    starts += (table.blind + np.cumsum(table.extras)).tolist()
    return sorted({u for start in starts for u in (start - 1, start) if 0 <= u < table.total})


def drawn_weights(mechanism, ix: int, iy: int) -> dict[tuple[int, ...], int]:
    """How many u decode to each report, counted from one boundary to the next."""
    table = mechanism.table
    starts = [*boundaries(table), table.total]
    counted: dict[tuple[int, ...], int] = {}
    for start, end in pairwise(starts):
        report = table.decode(start, ix, iy)
        assert table.decode(end - 1, ix, iy) == report
        counted[report] = counted.get(report, 0) + end - start
    return counted


@pytest.mark.parametrize("mechanism", SMALL, ids=repr)
def test_decode_gives_each_report_as_often_as_the_weights_say(mechanism):
    for ix, iy in [(0, 0), (mechanism.d - 1, 1), (1, mechanism.d // 2)]:
        weights = mechanism.device_weights(ix, iy)
        listed = dict(zip(map(tuple, mechanism.table.outputs.tolist()), weights.tolist(), strict=True))
        assert drawn_weights(mechanism, ix, iy) == listed
        assert weights.sum() == mechanism.table.total


@pytest.mark.parametrize("mechanism", SMALL, ids=repr)
def test_all_at_once_decodes_as_one_at_a_time(mechanism):
    u = boundaries(mechanism.table) + np.random.default_rng(0).integers(0, mechanism.table.total, 500).tolist()
    for cell in [(0, 0), (mechanism.d - 1, 1)]:
        together = mechanism.table.decode_all(np.array(u), np.tile(cell, (len(u), 1)))
        assert together.tolist() == [list(mechanism.table.decode(number, *cell)) for number in u]


def instructions(table: WeightTable, decode, u: int, cell: tuple[int, int]) -> int:
    """Instructions of the interpreter that one call runs."""
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return trace

    before, collects = sys.gettrace(), gc.isenabled()
    gc.disable()  # a collection in between runs finalizers and callbacks, which would be counted too
    sys.settrace(trace)
    try:
        decode(table, u, *cell)
    finally:
        sys.settrace(before)
        if collects:
            gc.enable()
    return count


def branching(table: WeightTable, u: int, ix: int, iy: int) -> tuple[int, int]:
    """A decoder that takes the short way where it can: what must not be."""
    if u < table.blind:
        return tuple(table.outputs[u // table.far].tolist())
    rest = u - table.blind
    for offset, extra in zip(table.offsets.tolist(), table.extras, strict=True):
        if rest < extra:
            return ix + offset[0], iy + offset[1]
        rest -= extra
    raise AssertionError


def test_decode_does_the_same_work_for_every_number():
    table = DAM(3.5, 15).table
    u = [0, 1, table.far, table.blind - 1, table.blind, table.total // 2, table.total - 1]
    table.decode(0, 0, 0)  # what is worked out once
    assert len({instructions(table, WeightTable.decode, number, (7, 2)) for number in u}) == 1
    assert len({instructions(table, branching, number, (7, 2)) for number in u}) > 2


@pytest.mark.parametrize("d", [*range(1, 51), 100])
@pytest.mark.parametrize("kind", [DAM, DAMNS, HUEM, KRR, MDSW, OUE])
def test_no_ldp_device_of_the_app_loses_more_than_epsilon(kind, d):
    steps = range(5, 91) if d == 15 else range(5, 91, 5 if d <= 50 else 17)
    for epsilon in (step / 10 for step in steps):
        check = exact_check(kind(epsilon, d))
        assert check.holds
        assert check.loss <= epsilon
        # Nothing is given away for it either: the loss is ε but for rounding, where a ring leaves one of the cells out.
        assert check.loss > epsilon - 1e-10 or d == 1 or (kind, d) == (HUEM, 2)


@pytest.mark.parametrize("kind", [DAM, DAMNS, HUEM])
@pytest.mark.parametrize("d", [1, 4, 15, 50, 100])
def test_no_radius_of_the_app_makes_a_device_lose_more(kind, d):
    rng = np.random.default_rng(d)
    for b in sorted({0, 1, 2 * d, *rng.integers(0, 2 * d + 1, 5).tolist()}):
        epsilon = round(float(rng.uniform(0.5, 9.0)), 2)
        assert exact_check(kind(epsilon, d, b)).holds


@pytest.mark.parametrize("epsilon", [1e-17, 1e-9, 1e-3, 0.05, 12.0, 20.0, 36.0, 50.0, 100.0])
@pytest.mark.parametrize("kind", [DAM, DAMNS, HUEM, KRR, MDSW, OUE])
def test_budgets_beyond_the_app_are_kept_too(kind, epsilon):
    check = exact_check(kind(epsilon, 6))
    assert check.holds
    assert check.loss <= epsilon


@pytest.mark.parametrize("mechanism", [DAM(3.5, 8), HUEM(1.4, 8), DAMNS(0.05, 8), KRR(2.0, 5), DAM(9.0, 20)], ids=repr)
def test_the_weights_are_the_formula_to_twelve_digits(mechanism):
    matrix = mechanism.transition_matrix()
    for ix, iy in [(0, 0), (mechanism.d // 2, mechanism.d - 1)]:
        weights = mechanism.device_weights(ix, iy)
        np.testing.assert_allclose(weights / weights.sum(), matrix[ix * mechanism.d + iy], rtol=1e-11)


def test_mdsw_weighs_both_axes_as_its_formula():
    mechanism = MDSW(1.4, 9)
    weights = mechanism.device_weights(2, 8)
    np.testing.assert_allclose(weights / weights.sum(), mechanism.transition_matrix()[2 * 9 + 8], rtol=1e-11)
    assert weights[: 9 + 2 * mechanism.b].sum() == weights[9 + 2 * mechanism.b :].sum()


@pytest.mark.parametrize(
    "mechanism",
    [
        DAM(3.5, 5),
        HUEM(2.1, 5),
        DAMNS(1.0, 4, 2),
        KRR(2.0, 4),
        MDSW(1.4, 4),
        HUEM(2.1, 4, 20),
        DAM(1.0, 1),
        HUEM(0.5, 2),
    ],
    ids=repr,
)
def test_the_worst_of_all_pairs_is_found_without_going_through_them(mechanism):
    assert mechanism.largest_device_ratio() == Mechanism.largest_device_ratio(mechanism)


def changed(table: WeightTable, *, extra: int = 0) -> WeightTable:
    extras = [value + extra if value == max(table.extras) else value for value in table.extras]
    return WeightTable(table.far, extras, table.outputs, table.offsets, table.side)


@pytest.mark.parametrize("epsilon", [0.1, 0.7, 3.5, 9.0])
def test_the_smallest_mistake_in_a_table_is_seen(epsilon, monkeypatch):
    honest = DAM(epsilon, 12)
    assert exact_check(honest).holds
    # One number too many for the nearest cells.
    mutant = DAM(epsilon, 12)
    mutant.__dict__["table"] = changed(honest.table, extra=1)
    assert not exact_check(mutant).holds
    # Rounded up instead of down.
    monkeypatch.setattr("spatialldp.tables.math.floor", math.ceil)
    mutant = DAM(epsilon, 12)
    assert mutant.table.extras != honest.table.extras
    assert not exact_check(mutant).holds
    monkeypatch.undo()
    # A budget larger by a ten-millionth.
    mutant = DAM(epsilon, 12)
    mutant.__dict__["table"] = DAM(epsilon * 1.0000001, 12, honest.b).table
    assert not exact_check(mutant).holds


def test_a_kernel_above_one_gets_no_table():
    mechanism = DAM(1.0, 4, 1)
    mechanism.__dict__["kernel"] = mechanism.kernel * (1 + 1e-9)
    with pytest.raises(ValueError, match=r"shape must lie between 0 and 1, got .* no table keeps ε"):
        mechanism.randomize(0, 0)


def test_a_report_outside_the_outputs_gets_no_table():
    table = DAM(1.0, 6, 1).table
    with pytest.raises(ValueError, match=r"outputs must hold all that any cell can send"):
        WeightTable(table.far, table.extras, table.outputs[:-1], table.offsets, 6)
    with pytest.raises(ValueError, match=r"offsets must differ"):
        WeightTable(table.far, table.extras, table.outputs, np.zeros_like(table.offsets), 6)
    with pytest.raises(ValueError, match=r"outputs must differ"):
        WeightTable(1, table.extras, np.vstack([table.outputs, table.outputs[:1]]), table.offsets, 6)
    with pytest.raises(ValueError, match=r"weights ≥ 1 and a total below 2\^53"):
        WeightTable(0, table.extras, table.outputs, table.offsets, 6)
    for table in (DAM(0.7, 5).table, MDSW(0.7, 5).table):
        for at in (0, len(table.outputs) // 2):
            with pytest.raises(ValueError, match=r"outputs must hold all"):
                WeightTable(table.far, table.extras, np.delete(table.outputs, at, axis=0), table.offsets, 5)


def test_oue_rounds_the_rare_yes_up():
    for epsilon in (0.05, 0.7, 3.5, 9.0, 40.0):
        own, rare = OUE(epsilon, 4).device_bits
        assert own == 2**62
        with localcontext() as context:
            context.prec = 80
            exact = exact_budget(epsilon)
            limit = 2**63 / ((Decimal(exact.numerator) / Decimal(exact.denominator)).exp() + 1)
            assert rare - 1 < limit <= rare
        mutant = OUE(epsilon, 4)
        mutant.oracle.__class__ = type("Mutant", (OptimizedUnaryEncoding,), {"device_bits": (own, rare - 1)})
        assert not exact_check(mutant).holds


def test_the_slack_of_geo_i_devices_is_small_and_enough():
    assert with_slack(4.0) == 4.0 - 2.0**-22
    assert with_slack(2.0**-20) == 2.0**-20 - 2.0**-34
    for epsilon in (1e-6, 1e-3, 0.5, 9.0, 100.0):
        slack = epsilon - with_slack(epsilon)
        assert 2.0**-35 < slack < 1e-4 * epsilon
    with pytest.raises(ValueError, match=r"epsilon must be larger for a device that draws exactly, got 1e-11 per cell"):
        with_slack(1e-11)
    with pytest.raises(ValueError, match=r"epsilon must be larger for a device on 40×40 cells, got 1e-10"):
        PlanarLaplace(1e-10, 40).randomize(0, 0)


def test_planar_laplace_has_the_weights_its_proof_asks_for():
    mechanism = PlanarLaplace(0.5, 4)
    assert mechanism.table.far == 75  # (d + 1)²·(1 + ε)/ε
    assert PlanarLaplace(2.0, 4).table.far == 38
    extras = dict(zip(map(tuple, mechanism.table.offsets.tolist()), mechanism.table.extras, strict=True))
    slack, none = PlanarLaplace(0.5 * (1 - 2.0**-24), 4).kernel, mechanism.kernel
    for offset in [(1, 0), (3, 2), (-3, 3)]:
        at = (offset[0] + 4, offset[1] + 4)
        share = extras[offset] / extras[0, 0]
        assert share == pytest.approx(slack[at] / slack[4, 4], rel=1e-12)
        assert share != pytest.approx(none[at] / none[4, 4], rel=1e-9)


@pytest.mark.parametrize("epsilon", [1e-8, 1e-6, 1e-3, 0.5, 2.0])
def test_the_cell_of_the_cusp_is_right_to_twelve_digits(epsilon):
    # By the power series of the density, integrated term by term: Σ (−ε)^n/n! ∫∫ r^n over the unit cell.
    terms, angle = [], np.linspace(0, math.pi / 4, 20_001)
    for n in range(120):
        inner = (0.5 / np.cos(angle)) ** (n + 2) / (n + 2)
        simpson = (inner[0] + inner[-1] + 4 * inner[1:-1:2].sum() + 2 * inner[2:-1:2].sum()) * angle[1] / 3
        terms.append((-epsilon) ** n / math.factorial(n) * 8 * simpson)
    expected = epsilon**2 / (2 * math.pi) * math.fsum(terms)
    assert PlanarLaplace(epsilon, 3)._centre_cell() == pytest.approx(expected, rel=1e-11)
