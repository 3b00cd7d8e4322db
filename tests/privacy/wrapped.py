"""The sampler that once broke: probabilities summed up in 64 bits without a look at the sum."""

import numpy as np

from spatialldp import SEMGeoI
from spatialldp.mechanisms.subsets.first_rank import FirstRank, RankLaw


class WrappedSEM(SEMGeoI):
    """SEM-Geo-I whose thresholds pass 2⁶³ and wrap around for some cells and settings, such as ε = 3.6 and d = 30."""

    def _make_first_rank(self, cell: int) -> FirstRank:
        distance = np.sort(self.distances_from(np.array([cell]))[0])
        probability = np.exp(-self.epsilon * distance) * self._first_rank / self.omega
        table = FirstRank(RankLaw(distance, self.epsilon, self.k), 0.5)
        level = table.top
        whole = np.floor(np.minimum(probability, 1.0) * 2.0**63 * (1.0 - 2.0**-52)).astype(np.int64)
        # One level: every rank, then the null with what is left of 2⁶³.
        level.thresholds = np.cumsum(np.append(0, whole[: self.d**2 - self.k + 1]))
        level.total, level.final = 2**63, True
        level.__class__ = _OneLevel
        return table


class _OneLevel(type(FirstRank(RankLaw(np.zeros(2), 1.0, 1), 0.5).top)):
    @property
    def ranks(self) -> int:
        return self.thresholds.size
