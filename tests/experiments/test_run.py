"""A whole run, and the mechanism it takes."""

import numpy as np
import pytest

from spatialldp import MECHANISMS, wasserstein2
from spatialldp.experiments import Run, Stage, make_mechanism, simulate, simulate_in_stages

COUNTS = np.arange(25).reshape(5, 5) * 40


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_stages_end_in_the_run(name):
    mechanism = make_mechanism(name, 2.0, 5)
    *stages, last = simulate_in_stages(COUNTS, mechanism, 7)
    assert all(isinstance(stage, Stage) for stage in stages)
    assert isinstance(last, Run)
    run = simulate(COUNTS, mechanism, 7)
    assert np.array_equal(run.estimate.distribution, last.estimate.distribution)
    assert run.w2_cells == last.w2_cells == wasserstein2(COUNTS, run.estimate.distribution)
    assert simulate(COUNTS, mechanism, 8).w2_cells != run.w2_cells


def test_a_radius_only_where_there_is_one():
    assert make_mechanism("DAM", 3.5, 15).b == 3
    assert make_mechanism("DAM", 3.5, 15, 0).b == 0
    with pytest.raises(ValueError, match="no radius"):
        make_mechanism("MDSW", 3.5, 15, 2)
    with pytest.raises(ValueError, match="must be one of"):
        make_mechanism("nothing", 3.5, 15)


#: The analyst believes, wrongly, that the whole first column is empty.
MASK = np.ones((5, 5), dtype=bool)
MASK[0] = False


@pytest.mark.parametrize("name", [name for name in MECHANISMS if MECHANISMS[name].honours_mask])
def test_a_mask_changes_the_recovery_and_nothing_else(name):
    mechanism = make_mechanism(name, 2.0, 5)
    plain, masked = simulate(COUNTS, mechanism, 7), simulate(COUNTS, mechanism, 7, MASK)
    assert np.array_equal(plain.reports, masked.reports)
    assert np.array_equal(plain.counts, masked.counts)
    assert plain.estimate.distribution[0].any()
    assert not masked.estimate.distribution[0].any()
    assert masked.estimate.distribution.sum() == pytest.approx(1)
    assert masked.w2_cells == wasserstein2(COUNTS, masked.estimate.distribution)
    *stages, last = simulate_in_stages(COUNTS, mechanism, 7, mask=MASK)
    assert last.w2_cells == masked.w2_cells
    for stage in stages[1:]:
        assert not stage.rough.distribution[0].any()


@pytest.mark.parametrize("name", [name for name in MECHANISMS if not MECHANISMS[name].honours_mask])
def test_a_mechanism_that_cannot_use_a_mask_says_so(name):
    mechanism = make_mechanism(name, 2.0, 5)
    with pytest.raises(ValueError, match=r"mask must be left out: .* without knowing which cells are empty"):
        simulate(COUNTS, mechanism, 7, MASK)


def test_a_mask_of_another_grid_is_refused_before_anybody_reports():
    with pytest.raises(ValueError, match=r"mask must be a boolean array of shape \(5, 5\)"):
        next(simulate_in_stages(COUNTS, make_mechanism("DAM", 2.0, 5), 7, mask=MASK[:4, :4]))


def test_a_rough_map_comes_first_where_the_map_of_all_cells_is_found_step_by_step():
    stages = {name: list(simulate_in_stages(COUNTS, make_mechanism(name, 2.0, 5), 7)) for name in MECHANISMS}
    rough = {name for name, found in stages.items() if len(found) == 3}
    assert rough == {"DAM", "DAM-NS", "HUEM", "Planar Laplace"}
    for first, *between, _ in stages.values():
        assert first.rough is None
        assert all(stage.rough.stopping == "converged" for stage in between)
