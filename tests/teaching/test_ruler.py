"""A ruler is fooled: which mechanism protects better by which ruler."""

import numpy as np
import pytest

from spatialldp import DAM, SEMGeoI, wasserstein2
from spatialldp.experiments import simulate
from spatialldp.privacy import MEASURES, protection
from spatialldp.teaching import Scene
from spatialldp.teaching.ruler import RULERS, belief_pictures, example_scores, map_pictures, verdict


@pytest.fixture(scope="module")
def scene():
    return Scene.of("san-francisco", d=5)


@pytest.fixture(scope="module")
def scores(scene):
    return list(example_scores(scene.example_population, scene.seed))


def test_local_privacy_and_the_map_prefer_the_one_that_gives_people_away(scene, scores):
    dam, sem = protection(DAM(3.5, 15)), protection(SEMGeoI(3.0, 15, 3))
    assert dam.local_privacy.value < sem.local_privacy.value
    assert sem.hit_rate.value > 6 * dam.hit_rate.value
    assert sem.hit_rate.value == pytest.approx(0.26, abs=0.01)
    counts = scene.example_population.counts
    errors = []
    for mechanism in (DAM(3.5, 15), SEMGeoI(3.0, 15, 3)):
        errors.append(wasserstein2(counts, simulate(counts, mechanism, 1).estimate.distribution))
    assert [entry.mean for entry in scores] == pytest.approx(errors)
    assert errors[1] < errors[0]


def test_every_ruler_says_who_protects_better(scores):
    assert RULERS.keys() == MEASURES.keys()
    winners = {name: verdict(scores, name).winner for name in RULERS}
    # An average distance is fooled; what a single report gives away is not.
    assert winners == {"local privacy": 1, "best guess distance": 1, "hit rate": 0, "worst case": 0}
    assert verdict(scores, "hit rate").readings == ("4.1%", "26.3%")


def test_maps_share_a_scale_and_beliefs_add_up(scene, scores):
    pictures, _ = map_pictures(scene.example_population, scores)
    np.testing.assert_allclose(pictures[0].values, scene.example_population.shares)
    assert [picture.values.sum() for picture in pictures] == pytest.approx([1, 1, 1])
    for picture, scale in belief_pictures(scene, scene.example_population):
        assert picture.values.sum() == pytest.approx(1)
        assert scale.high == picture.values.max()
