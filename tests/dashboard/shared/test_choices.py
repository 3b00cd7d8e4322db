"""Every choice in a link, and nothing a link says can break a page."""

from dataclasses import fields
from urllib.parse import parse_qsl

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spatialldp.dashboard.shared import choices as choices_module
from spatialldp.dashboard.shared.choices import (
    FOOTINGS,
    LINK_VERSION,
    PARTS,
    PLAYED,
    VIEWS,
    Choices,
    parse,
)
from spatialldp.dashboard.shared.pages import Page
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
    mask=st.booleans(),
    equal=st.booleans(),
    view=st.sampled_from(VIEWS),
    play=st.sampled_from(PLAYED),
    counted=st.none() | boxes,
    compared=st.lists(st.sampled_from(list(MECHANISMS)), unique=True).map(tuple),
    drawn=st.lists(st.sampled_from(list(MECHANISMS)), unique=True).map(tuple),
    footing=st.sampled_from(list(FOOTINGS)),
    purpose=st.sampled_from(["places", "counts"]),
    decided_for=st.sampled_from(["recommended", "present"]),
    repeats=st.integers(1, 20),
    target=st.none() | st.floats(0.001, 1e5).map(lambda value: float(f"{value:.10g}")),
    people=st.integers(1, 10_000),
    over=st.sampled_from(["epsilon", "d", "b", "users", "crowds"]),
    reports=st.integers(1, 30),
    scenarios=st.lists(
        st.sampled_from(["A=DAM,3.5,15,,", "für uns=HUEM,0.75,9,3,1200", "50 %=Planar Laplace,9,2,,"]), unique=True
    ).map(tuple),
    step=st.integers(1, 5),
    person=st.none() | st.tuples(coordinate, coordinate),
    knows_city=st.booleans(),
    part=st.sampled_from(PARTS),
    present=st.booleans(),
    bare=st.booleans(),
)


#: What each page has controls for, or works with: the names in a link.
USED = {
    Page.EXPLORE: {"data", "box", "mech", "eps", "d", "b", "seed"}
    | {"diff", "flows", "mask", "equal", "view", "play", "count"},
    Page.COMPARE: {"data", "box", "eps", "d", "seed", "with", "geo", "repeats"},
    Page.TRADE_OFF: {"data", "box", "mech", "eps", "d", "b", "seed", "draw", "geo", "repeats"}
    | {"target", "purpose", "plan", "pop", "over", "k", "s"},
    Page.LESSON: {"data", "box", "eps", "d", "seed", "repeats", "step", "at", "prior"},
    Page.HOW_IT_WORKS: {"data", "box", "eps", "d", "b", "seed", "part"},
}
for names in USED.values():
    names |= {"present", "bare"}
#: Every choice at another value than its default, and how a link says so.
CHANGED = {
    "data": ({"data": "new-haven"}, "new-haven"),
    "box": ({"box": (-122.43, 37.77, -122.39, 37.81)}, "-122.43,37.77,-122.39,37.81"),
    "mech": ({"mechanism": "k-RR"}, "k-RR"),
    "eps": ({"epsilon": 2.25}, "2.25"),
    "d": ({"d": 20}, "20"),
    "b": ({"b": 4}, "4"),
    "seed": ({"seed": 7}, "7"),
    "diff": ({"difference": True}, "1"),
    "flows": ({"flows": True}, "1"),
    "mask": ({"mask": True}, "1"),
    "equal": ({"equal": True}, "1"),
    "view": ({"view": "swipe"}, "swipe"),
    "play": ({"play": "d"}, "d"),
    "count": ({"counted": "94110"}, "94110"),
    "with": ({"compared": ("DAM", "k-RR")}, "DAM,k-RR"),
    "draw": ({"drawn": ("MDSW",)}, "MDSW"),
    "geo": ({"footing": "worst"}, "worst"),
    "repeats": ({"repeats": 3}, "3"),
    "target": ({"target": 512.5}, "512.5"),
    "purpose": ({"purpose": "counts"}, "counts"),
    "plan": ({"decided_for": "present"}, "present"),
    "pop": ({"people": 50}, "50"),
    "over": ({"over": "users"}, "users"),
    "k": ({"reports": 3}, "3"),
    "s": ({"scenarios": ("A=DAM,2,10,,", "bold=HUEM,5,20,3,900")}, "A=DAM,2,10,,;bold=HUEM,5,20,3,900"),
    "step": ({"step": 4}, "4"),
    "at": ({"person": (-122.4, 37.75)}, "-122.4,37.75"),
    "prior": ({"knows_city": True}, "density"),
    "part": ({"part": "paper"}, "paper"),
    "present": ({"present": True}, "1"),
    "bare": ({"bare": True}, "1"),
}
#: A link as it was made when links wrote everything out.
OLD_LINK = (
    "v=1&data=new-haven&mech=HUEM&eps=2.5&d=8&seed=3&box=-72.945,41.295,-72.905,41.325&b=2&diff=1&with=DAM,OUE&geo=hit"
    "&repeats=4&pop=50&over=d&k=2&step=3&prior=density&part=recovery&target=250&a=DAM,2,10,,&at=-72.92,41.3"
)


def test_the_defaults_are_those_of_this_version_of_links():
    # Links leave defaults out. Whoever changes one here raises LINK_VERSION and keeps the former ones in _DEFAULTS_OF.
    assert LINK_VERSION == "2"
    assert Choices() == Choices(
        data="san-francisco",
        box=None,
        mechanism="DAM",
        epsilon=3.5,
        d=15,
        b=None,
        seed=1,
        difference=False,
        flows=False,
        mask=False,
        equal=False,
        view="three",
        play="eps",
        counted=None,
        compared=("DAM", "HUEM", "MDSW", "SEM-Geo-I"),
        drawn=(),
        footing="equal",
        repeats=5,
        target=None,
        purpose="places",
        decided_for="recommended",
        people=100,
        over="epsilon",
        reports=1,
        scenarios=(),
        step=1,
        person=None,
        knows_city=False,
        part="kernel",
        story=None,
        present=False,
        bare=False,
    )


@pytest.mark.parametrize("page", Page)
def test_the_link_of_the_defaults_carries_its_version_only(page):
    assert Choices().link(page) == "v=2"


@pytest.mark.parametrize("page", Page)
@pytest.mark.parametrize("name", CHANGED)
def test_a_changed_value_is_in_the_links_of_the_pages_that_use_it_and_in_no_other(name, page):
    fields, text = CHANGED[name]
    expected = {"v": "2", name: text} if name in USED[page] else {"v": "2"}
    assert Choices(**fields).query(page) == expected


def test_every_choice_is_used_by_a_page_and_tried_here():
    assert set().union(*USED.values()) == set(CHANGED)
    tried = {field for fields, _ in CHANGED.values() for field in fields}
    # A story stands for several values at once: tests/dashboard/shared/test_stories.py.
    assert tried | {"story"} == {field.name for field in fields(Choices)}


@pytest.mark.parametrize("page", Page)
@given(every_choice)
def test_a_link_opens_with_everything_its_page_uses_and_defaults_for_the_rest(page, choices):
    opened, notices = parse(choices.query(page))
    assert notices == []
    for name, (changed, _) in CHANGED.items():
        (field,) = changed
        expected = getattr(choices if name in USED[page] else Choices(), field)
        assert getattr(opened, field) == expected, name


def test_a_link_reads_like_an_address():
    choices = Choices(epsilon=2.0, compared=("DAM", "Planar Laplace"), box=(1.5, 2.0, 3.0, 4.25))
    assert choices.link(Page.COMPARE) == "v=2&eps=2&box=1.5,2,3,4.25&with=DAM,Planar+Laplace"


def test_an_old_link_that_writes_everything_out_still_means_the_same():
    choices, notices = parse(dict(parse_qsl(OLD_LINK)))
    assert notices == []
    assert choices == Choices(
        data="new-haven",
        box=(-72.945, 41.295, -72.905, 41.325),
        mechanism="HUEM",
        epsilon=2.5,
        d=8,
        b=2,
        seed=3,
        difference=True,
        flows=False,
        mask=False,
        equal=False,
        compared=("DAM", "OUE"),
        drawn=("DAM", "OUE"),
        footing="hit",
        repeats=4,
        target=250.0,
        people=50,
        over="d",
        reports=2,
        scenarios=("A=DAM,2,10,,",),
        step=3,
        person=(-72.92, 41.3),
        knows_city=True,
        part="recovery",
    )


def test_an_old_link_with_defaults_written_out_means_the_defaults():
    query = "v=1&data=san-francisco&mech=DAM&eps=3.5&d=15&seed=1&with=DAM,HUEM,MDSW,SEM-Geo-I&geo=equal&repeats=5"
    query += "&pop=100&over=epsilon&k=1&step=1&prior=uniform&part=kernel"
    # In that version the Trade-off drew the curves of what Compare compares.
    drawn = ("DAM", "HUEM", "MDSW", "SEM-Geo-I")
    assert parse(dict(parse_qsl(query))) == (Choices(drawn=drawn), [])
    assert parse({"v": "1"}) == (Choices(drawn=drawn), [])
    assert parse({"with": "DAM"}) == (Choices(compared=("DAM",)), [])


def test_saved_scenarios_are_named_in_the_link_and_an_old_one_is_called_a():
    two = Choices(scenarios=("A=DAM,2,10,,", "für uns=HUEM,5,20,3,900"))
    assert parse(dict(parse_qsl(two.link(Page.TRADE_OFF)))) == (two, [])
    assert parse({"a": "DAM,2,10,,"}) == (Choices(scenarios=("A=DAM,2,10,,",)), [])
    assert parse({"s": ""}) == (Choices(), [])


def test_a_link_of_a_former_version_means_the_defaults_it_was_made_with(monkeypatch):
    monkeypatch.setattr(choices_module, "LINK_VERSION", "3")
    monkeypatch.setattr(choices_module, "_DEFAULTS_OF", {"2": Choices(epsilon=1.5, d=9), "3": Choices()})
    assert parse({"v": "2", "d": "5"}) == (Choices(epsilon=1.5, d=5), [])
    assert parse({"v": "3", "d": "5"}) == (Choices(d=5), [])
    assert Choices(epsilon=1.5).link(Page.EXPLORE) == "v=3&eps=1.5"
    opened, notices = parse({"v": "4", "d": "5"})
    assert opened == Choices(d=5)
    assert "another version" in notices[0]


@settings(max_examples=300)
@given(st.dictionaries(st.sampled_from(["v", *CHANGED]) | st.text(), st.text()), st.sampled_from(Page))
def test_no_link_breaks_the_page_and_what_is_wrong_is_said(query, page):
    choices, notices = parse(query)
    assert parse(choices.query(page))[1] == []
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
        ({"box": "3,2,1,4"}, "not a box"),
        ({"box": "0,0,1e-9,1e-9"}, "not a box"),
        ({"box": "inf,2,3,4"}, "four numbers"),
        ({"count": "Atlantis"}, "nor a district of this data set"),
        ({"count": "Bronx"}, "nor a district of this data set"),
        ({"count": "1,2,3"}, "neither a box"),
        ({"count": "3,2,1,4"}, "not a box"),
        ({"count": "-1e300,-1e300,1e300,1e300"}, "too far away"),
        ({"count": "-122,37,-121,91"}, "too far away"),
        ({"with": "DAM,none"}, "with"),
        ({"geo": "x"}, "geo"),
        ({"target": "0"}, "target"),
        ({"target": "nan"}, "target"),
        ({"pop": "0"}, "pop"),
        ({"over": "time"}, "over"),
        ({"k": "31"}, "k ="),
        ({"draw": "DAM,none"}, "draw"),
        ({"purpose": "x"}, "purpose"),
        ({"plan": "x"}, "plan"),
        ({"a": "DAM,3.5,500,,"}, "s ="),
        ({"s": "A=DAM,3.5,5,,0"}, "s ="),
        ({"s": "<b>=DAM,3.5,5,,"}, "s ="),
        ({"s": f"{'x' * 25}=DAM,3.5,5,,"}, "s ="),
        ({"s": "A=DAM,3.5,5,,;A=DAM,2,5,,"}, "alike"),
        ({"s": ";".join(f"{name}=DAM,3.5,5,," for name in "ABCDE")}, "more than 4"),
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


def test_a_radius_counts_only_where_the_mechanism_has_one_to_choose():
    assert Choices(b=4).radius == 4
    assert Choices(b=4, mechanism="k-RR").radius is None
    assert Choices(mechanism="HUEM").radius is None


@pytest.mark.parametrize(
    ("data", "text", "counted"),
    [
        ("san-francisco", "94110", "94110"),
        ("nyc-green-taxi-2016", "Staten Island", "Staten Island"),
        ("normal", "-400,0.25,400.5,1", (-400.0, 0.25, 400.5, 1.0)),
        ("new-haven", "-72.94,41.3,-72.9,41.32", (-72.94, 41.3, -72.9, 41.32)),
    ],
)
def test_a_link_says_where_people_are_counted(data, text, counted):
    choices, notices = parse({"data": data, "count": text})
    assert notices == []
    assert choices.counted == counted
    assert parse(dict(parse_qsl(choices.link(Page.EXPLORE)))) == (choices, [])


@pytest.mark.parametrize("count", ["1,2,3,4", "94110"])
def test_the_box_of_an_unknown_place_is_dropped_with_it(count):
    choices, notices = parse({"data": "atlantis", "box": "1,2,3,4", "at": "1,2", "count": count})
    assert choices.box is None
    assert choices.person is None
    assert choices.counted is None
    assert len(notices) == 1


def test_a_box_belongs_to_its_data_and_a_radius_to_its_grid():
    choices = Choices(box=(1.0, 2.0, 3.0, 4.0), d=20, b=40)
    assert choices.changed(data="normal").box is None
    assert Choices(person=(1.0, 2.0)).changed(data="normal").person is None
    assert Choices(counted="94110").changed(data="normal").counted is None
    assert Choices(counted="94110").changed(data="san-francisco", box=(1.0, 2.0, 3.0, 4.0)).counted == "94110"
    assert choices.changed(data=choices.data).box == choices.box
    assert choices.changed(d=5).b == 10
    assert Choices().changed(d=5).b is None
