"""Every number of a story, computed anew for the view that it opens; transport is POT's."""

import math

import numpy as np
import ot
import pytest

from spatialldp import DAM
from spatialldp.dashboard.shared.choices import Choices, opened, parse
from spatialldp.dashboard.shared.pages import Page
from spatialldp.dashboard.shared.stories import STORIES, next_story
from spatialldp.experiments.run import make_mechanism, simulate
from spatialldp.mechanisms import Mechanism
from spatialldp.population import Population
from spatialldp.wasserstein import wasserstein2
from tests.experiments.plain_transport import counted, pot_w2, recovered_map, side_of, spread_evenly, without_cells


def maps_of(chosen: Choices) -> tuple[Population, np.ndarray]:
    """The people of a view and the map that is recovered there."""
    people = Population.of(chosen.data, chosen.d)
    mechanism = make_mechanism(chosen.mechanism, chosen.epsilon, chosen.d, chosen.radius)
    return people, simulate(people.counts, mechanism, chosen.seed).estimate.distribution


def metres_off(chosen: Choices) -> float:
    people, recovered = maps_of(chosen)
    return pot_w2(people.counts, recovered, side_of(people))


def named_rightly(mechanism: Mechanism) -> float:
    """How often the likeliest cell after a report is the right one, for somebody who may be in any cell."""
    chances = mechanism.transition_matrix()
    return float(chances.max(axis=0).sum() / chances.shape[0])


def test_the_city():
    chosen = opened("city")
    people, recovered = maps_of(chosen)
    text = STORIES["city"].text
    assert f"{100 - 100 * named_rightly(DAM(chosen.epsilon, chosen.d)):.0f} times in 100" in text
    assert f"{people.users:,} reports" in text
    assert f"**{metres_off(chosen):.0f} m**" in text
    true, shown = (set(np.argsort(-np.ravel(values))[:5]) for values in (people.counts, recovered))
    assert f"with {len(true & shown)} of the 5 fullest cells right" in text


def test_the_town():
    text = STORIES["town"].text
    assert f"The {Population.of('new-haven', 15).users:,} people" in text
    assert f"off by **{metres_off(opened('town')):.0f} m** instead of {metres_off(Choices()):.0f} m" in text


def test_the_promise():
    chosen, text = opened("promise"), STORIES["promise"].text
    assert f"off by **{metres_off(chosen):.0f} m**" in text
    assert f"at the same ε = {chosen.epsilon:g} DAM’s is off by {metres_off(Choices()):.0f} m" in text
    set_reported = make_mechanism("SEM-Geo-I", chosen.epsilon, chosen.d)
    right = (named_rightly(mechanism) for mechanism in (set_reported, DAM(chosen.epsilon, chosen.d)))
    there, with_dam = (f"{100 * share:.0f}" for share in right)
    assert f"in {there} of 100 cases**, with DAM in {with_dam}." in text


def test_the_target():
    # The plan is searched for by the page; here 30 × 30 cells are simulated with draws of their own.
    people, text = Population.of("san-francisco", 30), STORIES["target"].text
    assert opened("target").target == 500
    on = {cells: counted(people, cells) for cells in (30, 60)}

    def mean_error(epsilon: float) -> float:
        rng, mechanism, errors = np.random.default_rng(7), DAM(epsilon, 30), []
        for _ in range(4):
            shares = recovered_map(people.counts, mechanism, rng)
            sizes = [wasserstein2(on[n], spread_evenly(shares, n // 30)) * side_of(people) / n for n in on]
            errors.append(without_cells(*sizes, 2))
        return float(np.mean(errors))

    assert "**ε = 0.95 is enough**, on 30 × 30 cells" in text
    assert mean_error(0.95) < 500 < mean_error(0.6)
    assert f"{math.exp(0.95):.1f} times likelier" in text


def test_where_the_error_is():
    chosen = opened("error")
    assert chosen.difference
    assert chosen.flows
    people, recovered = maps_of(chosen)
    places = np.stack(np.meshgrid(*[np.arange(chosen.d)] * 2, indexing="ij"), axis=-1).reshape(-1, 2)
    apart = np.abs(places[:, None, :] - places[None, :, :])
    plan = ot.emd(
        people.counts.ravel() / people.users, recovered.ravel() / recovered.sum(), (apart**2).sum(-1).astype(float)
    )
    moved = 1 - np.trace(plan)
    assert f"**{100 * moved:.0f} of 100 people**" in STORIES["error"].text
    next_door = plan[apart.max(axis=-1) == 1].sum()
    assert next_door > 0.98 * moved


@pytest.mark.parametrize("name", STORIES)
def test_a_story_is_told_in_two_sentences(name):
    plain = STORIES[name].text.replace("**", "")
    assert plain.count(". ") == 1
    assert plain.endswith(".")
    assert len(plain) < 250  # two lines on a small laptop


@pytest.mark.parametrize("name", STORIES)
def test_the_link_of_a_story_opens_it(name):
    link = opened(name).query(STORIES[name].page)
    assert link == {"v": "2", "story": name}
    chosen, notices = parse(link)
    assert notices == []
    assert chosen == opened(name)
    assert chosen.as_told
    assert all(getattr(chosen, field) == value for field, value in STORIES[name].values.items())


def test_stories_go_round():
    order, name = [], "city"
    for _ in STORIES:
        order.append(name)
        name = next_story(name)
    assert order == ["city", "town", "promise", "target", "error"]
    assert name == "city"


def test_a_story_is_left_by_another_setting_but_not_by_another_look():
    told = opened("error")
    assert told.changed(view="swipe", present=True, step=3).as_told
    # This story is about the lines on the map.
    assert not told.changed(flows=False).as_told
    assert opened("city").changed(flows=True).as_told
    assert not opened("city").changed(epsilon=1.1).as_told
    assert not opened("city").changed(seed=2).as_told


def test_a_link_says_what_was_changed_in_a_story():
    chosen = opened("city").changed(epsilon=3.5)
    assert chosen.link(Page.EXPLORE) == "v=2&eps=3.5&story=city"
    assert parse(chosen.query(Page.EXPLORE)) == (chosen, [])
    # Elsewhere nothing is told, and the default needs no words.
    assert chosen.link(Page.COMPARE) == "v=2"
    # There is no word for "no target".
    offered = opened("target").changed(target=None)
    assert offered.link(Page.TRADE_OFF) == "v=2"


def test_a_story_that_does_not_exist_is_named():
    chosen, notices = parse({"story": "war"})
    assert chosen == Choices()
    assert notices == ["Ignored story = “war” in the link: it is not one of city, town, promise, target, error."]
