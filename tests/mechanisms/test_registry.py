"""The menus are made from the registry: every entry must be complete and behave like the others."""

import numpy as np
import pytest

from spatialldp import MECHANISMS, Estimate
from spatialldp.mechanisms import Mechanism, ReportMap


def test_the_names_of_the_menus():
    assert list(MECHANISMS) == ["DAM", "HUEM", "MDSW", "SEM-Geo-I", "DAM-NS", "k-RR", "OUE", "Planar Laplace"]


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_entry_introduces_itself(name):
    kind = MECHANISMS[name]
    assert kind.full_name[0].isupper()
    assert kind.notion == ("Geo-I" if name in ("SEM-Geo-I", "Planar Laplace") else "LDP")
    assert kind.summary.endswith(".")
    assert "ε" not in kind.summary
    assert len(kind.reference) > 10


@pytest.mark.parametrize("d", [1, 2, 6])
@pytest.mark.parametrize("name", MECHANISMS)
def test_every_entry_goes_from_people_to_a_map(name, d):
    mechanism: Mechanism = MECHANISMS[name](1.5, d)
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 200, (d, d)) + 1
    for reports in (
        mechanism.perturb(counts, rng),
        mechanism.aggregate(mechanism.randomize(*np.divmod(np.repeat(np.arange(d * d), counts.ravel()), d), rng)),
    ):
        estimate = mechanism.estimate(reports)
        assert isinstance(estimate, Estimate)
        assert estimate.distribution.shape == (d, d)
        assert estimate.distribution.min() >= 0
        assert estimate.distribution.sum() == pytest.approx(1.0)
        picture = mechanism.report_map(reports)
        assert isinstance(picture, ReportMap)
        side = d - 2 * picture.origin[0]
        assert picture.values.shape == (side, side)
        assert picture.origin[0] == picture.origin[1] <= 0
        assert np.nanmax(picture.values) > 0


@pytest.mark.parametrize("name", MECHANISMS)
def test_one_report_and_its_likelihoods(name):
    mechanism = MECHANISMS[name](2.0, 4)
    report = mechanism.randomize(1, 2)
    assert report.shape[0] == 1
    likelihood = mechanism.likelihoods(report)
    assert likelihood.shape == (1, 16)
    assert (likelihood > 0).all()
    np.testing.assert_allclose(mechanism.likelihoods(report, [3, 9]), likelihood[:, [3, 9]])
    with pytest.raises(ValueError, match=r"cells must hold cell indices from 0 to 15, got 16"):
        mechanism.likelihoods(report, [16])
