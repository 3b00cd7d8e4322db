"""What a lesson is about: the person, the mechanisms, the people."""

import numpy as np
import pytest

from spatialldp import MECHANISMS
from spatialldp.datasets import DataError
from spatialldp.experiments import calibrated_epsilon, population
from spatialldp.teaching import Scene
from spatialldp.teaching.scene import lesson_names


def test_the_reference_comes_first_then_ldp_then_geo_i(monkeypatch):
    assert lesson_names() == ("DAM", "SEM-Geo-I", "Planar Laplace")
    monkeypatch.setattr(MECHANISMS["OUE"], "in_lesson", True)
    assert lesson_names() == ("DAM", "OUE", "SEM-Geo-I", "Planar Laplace")


def test_a_scene_has_the_mechanisms_at_equal_protection_and_their_reports():
    scene = Scene.of("new-haven", epsilon=2.5, d=6, seed=4, person=(-72.9264, 41.2975))
    assert {name: mechanism.epsilon for name, mechanism in scene.mechanisms.items()} == {
        "DAM": 2.5,
        "SEM-Geo-I": pytest.approx(calibrated_epsilon("SEM-Geo-I", 2.5, 6)),
        "Planar Laplace": pytest.approx(calibrated_epsilon("Planar Laplace", 2.5, 6)),
    }
    ix, iy, _ = population("new-haven", 6).grid.cells_of(-72.9264, 41.2975)
    assert (scene.person.ix, scene.person.iy) == (ix[0], iy[0])
    assert scene.person.neighbours == population("new-haven", 6).counts[ix[0], iy[0]]
    rng = np.random.default_rng(4)
    expected = scene.mechanisms["DAM"].randomize(np.full(2000, ix[0]), np.full(2000, iy[0]), rng)
    np.testing.assert_array_equal(scene.reports["DAM"], expected)
    assert scene.example_population.grid.d == 15
    assert scene.example_population.users == scene.population.users


def test_counted_people_make_the_scene_of_the_data_they_were_counted_from():
    scene = Scene.of("new-haven", d=6, person=(-72.9264, 41.2975))
    again = Scene.of_counts(
        scene.population.counts.tolist(),
        scene.population.grid.bounds,
        person=(-72.9264, 41.2975),
        example_counts=scene.example_population.counts.tolist(),
    )
    assert again.data is None
    assert again.population.users == 3293
    assert again.side == pytest.approx(scene.side)
    assert again.person == scene.person
    for name in scene.mechanisms:
        np.testing.assert_array_equal(again.reports[name], scene.reports[name])
    assert again.example_population.counts.shape == (15, 15)


def test_a_person_outside_the_cells_stands_at_the_first_place():
    assert Scene.of("new-haven", d=5, person=(2.35, 48.85)).person == Scene.of("new-haven", d=5).person


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"d": 31}, "d must be"),
        ({"epsilon": 0}, "epsilon"),
        ({"data": "atlantis"}, "atlantis"),
        ({"seed": -1}, "seed"),
        ({"bounds": (1, 1, 0, 0)}, "bounds"),
    ],
)
def test_what_cannot_be_a_lesson_is_refused_in_a_sentence(settings, problem):
    with pytest.raises((ValueError, DataError), match=problem):
        Scene.of(**{"data": "new-haven", "d": 4, **settings})


def test_the_box_is_known_where_it_is_not_the_whole_data_set():
    box = (-72.945, 41.295, -72.905, 41.325)
    assert Scene.of("new-haven", d=4, bounds=box).bounds == box
    assert Scene.of("new-haven", d=4).bounds is None
