"""Every choice in a link, and nothing a link says can break a page."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spatialldp.dashboard.shared.choices import FOOTINGS, PARTS, Choices, parse
from spatialldp.datasets import DATASETS
from spatialldp.mechanisms import MECHANISMS

coordinate = st.floats(-80, 80, allow_nan=False).map(lambda value: round(value, 6))
boxes = st.tuples(coordinate, coordinate, st.floats(0.01, 5), st.floats(0.01, 5)).map(
    lambda box: (box[0], box[1], round(box[0] + box[2], 6), round(box[1] + box[3], 6))
)
every_choice = st.builds(
    Choices,
    data=st.sampled_from(list(DATASETS)),
    box=st.none() | boxes,
    mechanism=st.sampled_from(list(MECHANISMS)),
    epsilon=st.integers(50, 900).map(lambda hundredths: hundredths / 100),
    d=st.integers(1, 100),
    b=st.none() | st.just(0) | st.just(2),
    seed=st.integers(0, 999_999),
    difference=st.booleans(),
    flows=st.booleans(),
    compared=st.lists(st.sampled_from(list(MECHANISMS)), unique=True).map(tuple),
    footing=st.sampled_from(list(FOOTINGS)),
    repeats=st.integers(1, 20),
    target=st.none() | st.floats(0.001, 1e5).map(lambda value: float(f"{value:.10g}")),
    people=st.integers(1, 10_000),
    over=st.sampled_from(["epsilon", "d", "b", "users"]),
    reports=st.integers(1, 30),
    pinned=st.none() | st.sampled_from(["DAM,3.5,15,,", "HUEM,0.75,9,3,1200", "Planar Laplace,9,2,,"]),
    step=st.integers(1, 5),
    person=st.none() | st.tuples(coordinate, coordinate),
    knows_city=st.booleans(),
    part=st.sampled_from(PARTS),
)


@given(every_choice)
def test_a_link_carries_every_choice(choices):
    assert parse(choices.query()) == (choices, [])


@settings(max_examples=300)
@given(
    st.dictionaries(
        st.sampled_from([*Choices().query(), "box", "b", "diff", "flows", "target", "a"]) | st.text(), st.text()
    )
)
def test_no_link_breaks_the_page_and_what_is_wrong_is_said(query):
    choices, notices = parse(query)
    assert parse(choices.query()) == (choices, [])
    assert all("\n" not in notice and "](" not in notice and "<" not in notice for notice in notices)


@pytest.mark.parametrize(
    ("query", "part"),
    [
        ({"eps": "abc"}, "eps"),
        ({"eps": "nan"}, "eps"),
        ({"eps": "1e9"}, "eps"),
        ({"d": "0"}, "d ="),
        ({"d": "101"}, "d ="),
        ({"d": "٣"}, "d ="),
        ({"b": "-1"}, "b ="),
        ({"seed": "9" * 5000}, "seed"),
        ({"data": "atlantis"}, "data"),
        ({"data": "upload"}, "own file"),
        ({"mech": "dam"}, "mech"),
        ({"box": "1,2,3"}, "four numbers"),
        ({"box": "3,2,1,4"}, "no box"),
        ({"box": "inf,2,3,4"}, "four numbers"),
        ({"with": "DAM,none"}, "with"),
        ({"geo": "x"}, "geo"),
        ({"target": "0"}, "target"),
        ({"target": "nan"}, "target"),
        ({"pop": "0"}, "pop"),
        ({"over": "time"}, "over"),
        ({"k": "31"}, "k ="),
        ({"a": "DAM,3.5,500,,"}, "a ="),
        ({"a": "DAM,3.5,5,,0"}, "a ="),
        ({"step": "99"}, "step"),
        ({"step": "abc"}, "step"),
        ({"at": "1"}, "two numbers"),
        ({"at": "nan,1"}, "two numbers"),
        ({"prior": "x"}, "prior"),
        ({"part": "x"}, "part"),
        ({"utm_source": "x"}, "utm_source"),
    ],
)
def test_garbage_is_ignored_with_a_notice(query, part):
    choices, notices = parse(query)
    assert choices == Choices()
    assert len(notices) == 1
    assert part in notices[0]


@pytest.mark.parametrize(
    ("geo", "calibrated", "by"),
    [
        ("equal", True, "local privacy"),
        ("same", False, "local privacy"),
        ("guess", True, "best guess distance"),
        ("hit", True, "hit rate"),
        ("worst", True, "worst case"),
    ],
)
def test_old_and_new_links_say_what_is_made_equal(geo, calibrated, by):
    choices, notices = parse({"geo": geo})
    assert (choices.calibrated, choices.by, notices) == (calibrated, by, [])
    assert choices.query()["geo"] == geo


def test_the_box_of_an_unknown_place_is_dropped_with_it():
    choices, _ = parse({"data": "atlantis", "box": "1,2,3,4", "at": "1,2"})
    assert choices.box is None
    assert choices.person is None


def test_a_box_belongs_to_its_data_and_a_radius_to_its_grid():
    choices = Choices(box=(1.0, 2.0, 3.0, 4.0), d=20, b=40)
    assert choices.changed(data="normal").box is None
    assert Choices(person=(1.0, 2.0)).changed(data="normal").person is None
    assert choices.changed(data=choices.data).box == choices.box
    assert choices.changed(d=5).b == 10
    assert Choices().changed(d=5).b is None
