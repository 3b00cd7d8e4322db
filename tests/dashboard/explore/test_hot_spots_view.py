"""The table of the fullest cells, without a browser."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from spatialldp.dashboard.explore.hot_spots_view import _remark
from spatialldp.experiments import HotSpot, Rank, make_mechanism, population, simulate
from tests.dashboard.driving import said, started


def unfolded(**query: str) -> AppTest:
    app = started(**query)
    app.session_state["hot-spots"] = True
    app.run()
    assert not app.exception
    return app


def test_folded_nothing_of_it_is_sent():
    assert not started(d="6").dataframe


@pytest.mark.parametrize("data", ["san-francisco", "new-haven"])
def test_the_table_has_the_fullest_cells_with_both_ranks_and_all_their_people(data):
    app = unfolded(data=data, d="6")
    place = population(data, 6)
    recovered = simulate(place.counts, make_mechanism("DAM", 3.5, 6), 1).estimate.distribution * place.users
    table = app.dataframe[0].value
    columns, rows = table["Column"].to_numpy() - 1, table["Row"].to_numpy() - 1
    assert table["People"].tolist() == place.counts[columns, rows].tolist()
    assert table["Recovered people"].tolist() == np.round(recovered[columns, rows]).tolist()
    # Rank 1 is the fullest: as many as are fuller, and one.
    assert table["True rank"].tolist() == [1 + int((place.counts > people).sum()) for people in table["People"]]
    fuller = [1 + int((recovered > recovered[ix, iy]).sum()) for ix, iy in zip(columns, rows, strict=True)]
    assert table["Recovered rank"].tolist() == fuller
    assert table["People"].tolist()[:10] == sorted(place.counts.ravel(), reverse=True)[:10]
    taken_for_hot = set(np.argsort(-recovered.ravel())[:10])
    assert taken_for_hot <= set((6 * columns + rows).tolist())
    assert ("Postcode" in table) == (data == "san-francisco")
    survivors = len(taken_for_hot & set(np.argsort(-place.counts.ravel())[:10]))
    assert f"**{survivors} of the 10** fullest cells" in said(app)
    assert all(table[name].dtype.kind == "i" for name in ("True rank", "Recovered rank", "People", "Recovered people"))


def test_a_remark_says_what_a_rank_alone_does_not():
    spot = HotSpot(0, 0, 40.0, 42.0, Rank(2, 2), Rank(3, 5))
    assert _remark(spot, of=10) == "shares recovered ranks 3–5"
    assert _remark(spot._replace(recovered_rank=Rank(11, 11)), of=10) == "missed"
    assert _remark(spot._replace(true_rank=Rank(12, 14)), of=10) == (
        "not a top cell, shares true ranks 12–14, shares recovered ranks 3–5"
    )
    assert _remark(spot._replace(recovered_rank=Rank(10, 10)), of=10) == ""
