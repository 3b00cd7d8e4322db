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
    side_name,
    told_apart,
    winner_sentence,
)
from spatialldp.privacy import Measured, local_privacy
from tests.experiments.scores import HIDDEN, entry

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
    assert unsure.startswith("No winner: it depends on the side of the jump (DAM has 0.900 cells; SEM-Geo-I has 1.100 ")
    assert "overlap" in winner_sentence([entry("DAM", 0.9, spread=0.1), entry("HUEM", 0.95)], None)
    # The overlap with the other side of the jump counts too.
    assert "overlap" in winner_sentence([entry("DAM", 0.7, spread=0.01), entry("SEM-Geo-I", 1.1, 0.75)], None)
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
        "95 % region": "176 cells",
        "Worst case": "3.5 (33 times)",
    }
    assert loss(13.2) == "13.2 (540,000 times)"
    assert loss(94.0) == "94 (10^41 times)"
    assert loss(0.5) == "0.5 (1.6 times)"
    assert loss(np.inf) == "unlimited"
    assert reading(Measured(0.0031, 0.0002), "hit rate") == "0.31% ± 0.04%"
    assert reading(Measured(3.5, 0), "worst case") == "3.5 (33 times)"
