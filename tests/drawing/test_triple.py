"""True, perturbed and recovered maps: whose cells, which values, one scale."""

import numpy as np
import pytest

from spatialldp import DAM
from spatialldp.drawing.triple import map_triple
from spatialldp.experiments import make_mechanism
from spatialldp.mechanisms import MECHANISMS
from spatialldp.population import Population


@pytest.fixture(scope="module")
def population() -> Population:
    return Population.of("new-haven", 6)


def test_each_map_has_its_cells_its_shares_and_the_frame_of_the_true_area(population):
    mechanism = DAM(3.5, 6, 2)
    reports = mechanism.perturb(population.counts, np.random.default_rng(1))
    recovered = np.full((6, 6), 1 / 36)
    maps = map_triple(population, mechanism, reports, recovered)
    assert [panel.title for panel in maps.panels] == ["True", "Perturbed", "Recovered"]
    assert np.array_equal(maps.true.values, population.counts / 3_293)
    assert np.array_equal(maps.recovered.values, recovered)
    # Ten cells per side: two more at each end, where reports may fall; none in the cut-off corners.
    assert maps.perturbed.values.shape == (10, 10)
    assert np.isnan(maps.perturbed.values[0, 0])
    assert np.nansum(maps.perturbed.values) == pytest.approx(1)
    assert np.nanargmax(maps.perturbed.values) == np.argmax(reports)
    west, south, _, _ = population.grid.bounds
    width, height = population.grid.cell_size
    assert maps.perturbed.grid.bounds[:2] == pytest.approx((west - 2 * width, south - 2 * height))
    assert maps.perturbed.frame is population.grid
    assert (maps.true.frame, maps.recovered.frame) == (None, None)
    assert maps.report_map.values[2:8, 2:8].sum() == reports[2:8, 2:8].sum()


def test_the_scale_is_made_for_the_true_map_so_that_a_spike_elsewhere_does_not_pale_it(population):
    mechanism = DAM(3.5, 6)
    reports = mechanism.perturb(population.counts, np.random.default_rng(1))
    spike = np.zeros((6, 6))
    spike[0, 0] = 1.0
    scale = map_triple(population, mechanism, reports, spike).scale(dark=False)
    assert scale.low == 0
    *_, second, fullest = np.sort(population.shares, axis=None)
    assert second < scale.high < fullest


def test_before_the_recovery_there_are_two_maps(population):
    mechanism = DAM(3.5, 6)
    maps = map_triple(population, mechanism, mechanism.perturb(population.counts, np.random.default_rng(1)), None)
    assert [panel.title for panel in maps.panels] == ["True", "Perturbed"]


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_perturbed_map_of_every_mechanism_fits_the_scale(name, population):
    mechanism = make_mechanism(name, 4.0, 6)
    reports = mechanism.perturb(population.counts, np.random.default_rng(1))
    maps = map_triple(population, mechanism, reports, None)
    assert maps.perturbed.values.shape == (maps.perturbed.grid.d, maps.perturbed.grid.d)
    assert 0 < np.nanmax(maps.perturbed.values) <= 1
    assert maps.perturbed.caption


def test_a_picture_is_a_square_in_the_colours_of_the_scale(population):
    mechanism = DAM(3.5, 6)
    maps = map_triple(population, mechanism, mechanism.perturb(population.counts, np.random.default_rng(1)), None)
    scale = maps.scale(dark=False)
    picture = maps.true.image(scale, 60)
    assert picture.size == (60, 60)
    # The cell in the south-west, ten pixels wide, is at the bottom left.
    expected = scale.colours(np.array(maps.true.values[0, 0])).tolist()
    assert list(picture.getpixel((5, 55))) == expected
