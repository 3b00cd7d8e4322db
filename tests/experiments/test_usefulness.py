"""Three measures of recovered maps, and which way is better."""

import numpy as np
import pytest

from spatialldp import wasserstein2
from spatialldp.experiments import USEFULNESS, range_error, surviving_hotspots, usefulness
from spatialldp.experiments.usefulness import more_is_better

COUNTS = np.arange(25).reshape(5, 5) * 40


def test_every_map_is_measured_by_all_three():
    maps = [COUNTS / COUNTS.sum(), np.ones((5, 5)), COUNTS[::-1]]
    found = usefulness(COUNTS, maps)
    for number, one in enumerate(maps):
        assert found.by("W2")[number] == pytest.approx(wasserstein2(COUNTS, one))
        assert found.by("range error")[number] == pytest.approx(range_error(COUNTS, one))
        assert found.by("hot spots")[number] == pytest.approx(surviving_hotspots(COUNTS, one)[0])
    # The right map, chance alone, and the wrong end of the map.
    assert found.hot_spots.tolist() == [5, 5 * 5 / 25, 0]
    assert found.hottest == 5


def test_only_of_hot_spots_more_is_better():
    assert [measure for measure in USEFULNESS if more_is_better(measure)] == ["hot spots"]


def test_what_cannot_be_measured_is_named():
    with pytest.raises(ValueError, match="maps must be a sequence of at least one map"):
        usefulness(COUNTS, [])
    with pytest.raises(ValueError, match=r"maps must have shape \(5, 5\)"):
        usefulness(COUNTS, [np.ones((4, 4))])
    with pytest.raises(ValueError, match="measure must be one of 'W2', 'range error', 'hot spots'"):
        usefulness(COUNTS, [COUNTS]).by("beauty")
