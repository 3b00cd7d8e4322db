"""A ruler is fooled: which mechanism protects better by which ruler."""

import re

import numpy as np
import pytest

from spatialldp import DAM, SEMGeoI, wasserstein2
from spatialldp.experiments import simulate
from spatialldp.privacy import MEASURES, protection
from spatialldp.teaching import Findings, Scene, texts
from spatialldp.teaching.ruler import RULERS, belief_pictures, example_scores, map_pictures, verdict
from spatialldp.teaching.tasks import tasks


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


def belief_captions(seed: int) -> list[str]:
    scene = Scene.of("san-francisco", d=5, seed=seed)
    return [picture.caption for picture, _ in belief_pictures(scene, scene.example_population)]


def test_the_picture_shows_a_report_that_names_her_cell_whatever_the_seed():
    # After such a report each of three cells has about a quarter of the belief; after one that misses her, under 2%.
    for seed in range(24):
        share = re.search(r"(\d+)% in her cell", belief_captions(seed)[1])[1]
        assert 20 <= int(share) <= 35


def test_how_often_a_report_names_her_cell_is_said_where_such_a_one_is_shown(scene, scores):
    ix = np.full(20_000, 9)
    sent = SEMGeoI(3.0, 15, 3).randomize(ix, ix, np.random.default_rng(8))
    named = (sent == 9 * 15 + 9).any(axis=1).mean()
    assert named == pytest.approx(0.79, abs=0.012)  # four standard errors
    honest, fooling = belief_captions(seed=1)
    assert "as 79% do" in fooling
    assert honest.startswith("belief after one report: ")
    words = texts.ruler(scene, scores)
    assert "one that names her cell, as 79% do" in words.text
    assert "in 79% of reports the third is the true cell" in words.answer


@pytest.mark.parametrize(("data", "winner"), [("san-francisco", 1), ("new-haven", 0), ("normal", 0)])
def test_the_key_knows_who_has_the_better_map(data, winner):
    found = Findings(Scene.of(data, d=5), 1)
    counts = found.scene.example_population.counts
    errors = [
        wasserstein2(counts, simulate(counts, mechanism, 1).estimate.distribution)
        for mechanism in (DAM(3.5, 15), SEMGeoI(3.0, 15, 3))
    ]
    assert int(np.argmin(errors)) == winner
    task = tasks(found, 4)[2]
    assert f"DAM {errors[0]:.2f} cells, SEM-Geo-I (three cells) {errors[1]:.2f} cells" in task.answer
    if winner == 1:
        assert "Why is that no reason to choose it?" in task.question
        assert "the map of DAM is better" not in task.answer
    else:
        assert "Why is that no reason" not in task.question
        assert "here the map of DAM is better" in task.answer
        assert "With more people it may be the other one" in task.question
    assert "A map may be good because people were hardly protected" in task.answer


def test_with_a_hundred_times_as_many_people_the_other_map_wins():
    counts = 100 * Scene.of("new-haven", d=5).example_population.counts
    errors = [
        wasserstein2(counts, simulate(counts, mechanism, 1).estimate.distribution)
        for mechanism in (DAM(3.5, 15), SEMGeoI(3.0, 15, 3))
    ]
    assert errors[1] < errors[0]


def test_on_too_few_cells_nobody_is_said_to_be_fooled():
    scene = Scene.of_counts([[40, 10], [0, 50]], (0, 0, 1, 1), crs=None)
    fooling, honest = protection(SEMGeoI(3.0, 2, 3)), protection(DAM(3.5, 2))
    assert fooling.local_privacy.value > honest.local_privacy.value
    assert fooling.hit_rate.value < honest.hit_rate.value
    answer = Findings(scene, 1).text(4).answer
    assert "On a map of 2 × 2 cells the ruler is not fooled" in answer


def test_maps_share_a_scale_and_beliefs_add_up(scene, scores):
    pictures, _ = map_pictures(scene.example_population, scores)
    np.testing.assert_allclose(pictures[0].values, scene.example_population.shares)
    assert [picture.values.sum() for picture in pictures] == pytest.approx([1, 1, 1])
    for picture, scale in belief_pictures(scene, scene.example_population):
        assert picture.values.sum() == pytest.approx(1)
        assert scale.high == picture.values.max()
