"""Protection in words: readings, jumps and winners."""

import re

import numpy as np
import pytest

from spatialldp import DAM, SEMGeoI
from spatialldp.experiments import compare
from spatialldp.experiments.comparison import alike
from spatialldp.experiments.comparison_sentences import (
    figures,
    jump_sentence,
    loss,
    reading,
    result,
    side_name,
    told_apart,
    winner_sentence,
    with_interval,
)
from spatialldp.privacy import Measured, local_privacy
from tests.experiments.scores import HIDDEN, entry, scored

COUNTS = np.arange(25).reshape(5, 5) * 40
#: At d = 5 no ε′ of SEM-Geo-I has the local privacy of DAM at this ε.
JUMPED = 2.2


def test_the_sentences_name_a_winner_only_if_it_holds_on_both_sides():
    sure = winner_sentence([entry("DAM", 0.4), entry("SEM-Geo-I", 1.1, 0.8)], 1000.0)
    assert sure == (
        "Least error on both sides of the jump: DAM, 0.400 cells (400 m); next is SEM-Geo-I with 1.100 cells (1,100 m) "
        "below and 0.800 cells (800 m) above the jump."
    )
    unsure = winner_sentence([entry("DAM", 0.9), entry("SEM-Geo-I", 1.1, 0.8)], None)
    assert unsure == (
        "Tied for least error: DAM with 0.900 cells and SEM-Geo-I with 1.100 cells below and 0.800 cells above the "
        "jump. Which is better depends on the side of the jump."
    )
    assert "both sides" not in winner_sentence([entry("DAM", 0.9), entry("HUEM", 0.95)], None)
    # Who is next may depend on the side, too.
    three = winner_sentence([entry("DAM", 0.4), entry("MDSW", 0.9), entry("SEM-Geo-I", 1.1, 0.8)], None)
    assert three.endswith(
        "; next are MDSW with 0.900 cells and SEM-Geo-I with 1.100 cells below and 0.800 cells above the jump."
    )
    same = [entry("DAM", 0.2), entry("HUEM", 0.2)]
    assert winner_sentence(same, None) == (
        "Least error: DAM and HUEM, 0.200 cells: here they are one and the same mechanism."
    )
    assert winner_sentence([*same, entry("MDSW", 0.9)], None).startswith("Least error: DAM and HUEM, 0.200 cells; next")
    assert alike(same) == ["DAM", "HUEM"]
    assert alike([entry("a", 0.85), entry("b", 0.8, 0.9)]) == []
    assert alike([entry("a", 1.0), entry("b", 0.8, 0.9)]) == ["b"]
    assert winner_sentence([entry("DAM", 0.9)], None) == ""


def test_those_that_cannot_be_told_apart_are_tied():
    tied = winner_sentence([entry("DAM", 0.95, spread=0.1), entry("MDSW", 0.9), entry("HUEM", 8.0)], 1000.0)
    assert tied == (
        "Tied for least error: MDSW with 0.900 cells (900 m) and DAM with 0.950 cells (950 m). "
        "Their 95% intervals overlap: more repeats may tell them apart."
    )
    # The overlap with the other side of the jump counts too.
    assert "overlap" in winner_sentence([entry("DAM", 0.7, spread=0.01), entry("SEM-Geo-I", 1.1, 0.75)], None)
    three = winner_sentence([entry(name, 0.9, spread=0.1) for name in ("a", "b", "c")], None)
    # The very same figures: one mechanism under three names.
    assert three == "Least error: a, b and c, 0.900 cells: here they are one and the same mechanism."


def test_one_draw_cannot_tell_who_is_best():
    one = scored("one", [0.2], [0.05], [4.0])
    two = scored("two", [0.9], [0.01], [4.0])
    assert winner_sentence([one, two], None) == (
        "Least error in this draw: one, 0.200 cells. One draw cannot tell which is best: raise the repeats."
    )
    assert winner_sentence([one, two], None, "hot spots") == (
        "Most top cells recovered in this draw: one and two, 4 of 5. One draw cannot tell which is best: raise the "
        "repeats."
    )


def test_every_measure_has_its_sentence_and_unit():
    one = scored("one", [0.2, 0.2], [0.0512, 0.0512], [4.0, 4.5])
    two = scored("two", [0.9, 0.9], [0.01, 0.01], [4.0, 4.0])
    assert winner_sentence([one, two], None, "range error") == (
        "Least range error: two, 10.0 people per 1,000; next is one with 51.2 people per 1,000."
    )
    assert winner_sentence([one, two], None, "hot spots").startswith(
        "Tied for most top cells recovered: one with 4.25 of 5 and two with 4 of 5. Their"
    )
    assert result(one, 100.0) == "0.200 cells (20 m)"
    # Student's t of one degree of freedom: 12.706·0.25.
    assert with_interval(one, "hot spots") == "4.2 ± 3.2 of 5"
    assert with_interval(scored("one", [0.2], [0.05], [4.0]), "range error") == "50.0 people per 1,000"


def test_the_sentence_about_a_jump():
    (found,) = compare(COUNTS, ["SEM-Geo-I"], JUMPED, seed=4, repeats=1)
    said = jump_sentence(found, "local privacy")
    lengths = [float(number) for number in re.findall(r"([\d.]+) cells", said)]
    assert lengths == pytest.approx(
        [local_privacy(m).value for m in (DAM(JUMPED, 5), SEMGeoI(found.epsilon, 5), SEMGeoI(found.beyond.epsilon, 5))],
        abs=0.006,
    )
    assert "cannot match DAM here" in said
    assert "SEM-Geo-I’s setting “cells named k” goes from 2 to 1, and its" in said
    assert jump_sentence(found.beyond, "local privacy") == ""
    assert "DAM’s best-guess distance is " in jump_sentence(found, "best guess distance")
    assert [side_name(side, found) for side in found.sides] == ["just below the jump", "just above the jump"]
    assert side_name(found.beyond, found.beyond) == ""


def test_readings_have_as_many_digits_as_tell_them_apart():
    values = [Measured(0.4012, 0), Measured(0.4038, 0), Measured(0.2, 0)]
    assert told_apart(values, "local privacy") == ["0.401 cells", "0.404 cells", "0.200 cells"]
    assert told_apart([Measured(0.0141, 0), Measured(0.01406, 0)], "hit rate") == ["1.410%", "1.406%"]
    assert told_apart([Measured(3.5, 0), Measured(13.2, 0)], "worst case") == ["3.5 (33 times)", "13.2 (540,000 times)"]


def test_figures_have_units():
    assert figures(HIDDEN) == {
        "Local privacy": "5.16 cells",
        "Best guess off by": "3.59 ± 0.02 cells",
        "Right cell named": "4.1%",
        "95% region": "176 cells",
        "Worst case": "3.5 (33 times)",
    }
    assert loss(13.2) == "13.2 (540,000 times)"
    assert loss(94.0) == "94 (10^41 times)"
    assert loss(0.5) == "0.5 (1.6 times)"
    assert loss(np.inf) == "unlimited"
    assert reading(Measured(0.0031, 0.0002), "hit rate") == "0.31% ± 0.04%"
    assert reading(Measured(3.5, 0), "worst case") == "3.5 (33 times)"
