"""How searches look at plans: first roughly and a few times, then as often as the answer takes to be sure.

First looks have seeds of their own, and an answer is measured with others: the draws that led to it would flatter it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from spatialldp.experiments.map_error import COUNTS, MapError
from spatialldp.experiments.measurements import Collection, GivenMap, Level, Measurements, Task
from spatialldp.experiments.plan import Plan
from spatialldp.planning.answers import Outlook

#: A coarser grid is preferred to one that is better by no more than this: it has fewer cells and says as much.
AS_GOOD = 1.05
#: Collections of a plan in a first look: this many, and twice as many again and again, up to this many, for those that
#: may be as good as the best one, until their means are sure to this share (one standard error).
_FIRST_LOOK, _LONGEST_LOOK, _LOOKED_SURE = 2, 16, 0.035
#: Plans within this of the best by a first look have their shift to the fine grid measured.
_NEARLY_AS_GOOD = 1.15
#: Seeds of first looks begin this far from those of all other measurements, and those that locate an answer once more.
_APART = 1_000_000
#: How many times the usual repeats an answer is measured at least, and at most.
_FEWEST_TIMES, _MOST_TIMES = 4, 32
#: A plan is located no further once it lies so many standard errors to one side, and given up once one in so many of
#: its collections has been measured and their mean misses the target.
_CLEARLY, _GOOD_PART = 2.5, 4
#: How many plans are usually looked at until one lies on either side of the target.
_USUALLY_LOCATED = 3
#: By how many times the target is missed, at most, as far as the next guess is concerned.
FARTHEST = 1e6

Found = TypeVar("Found")
Steps = Generator[Task | Outlook, None, Found]
#: How sure an amount, an ε or a number of people, is to be.
SureTo = Callable[[float], float]


@dataclass(frozen=True)
class Look:
    """What a first look at a plan has found.

    Attributes:
        error: its mean error, roughly.
        varies: standard deviation of the error of one collection, as a share of it.
        collections: how many it is the mean of.
    """

    error: float
    varies: float
    collections: int

    @property
    def unsure(self) -> float:
        """Standard error of the mean, as a share of it."""
        return self.varies / math.sqrt(self.collections)


def choice(looks: Sequence[Look]) -> int:
    """The number of the first plan, in an order of preference, that is as good as the best (`AS_GOOD`)."""
    enough = AS_GOOD * min(look.error for look in looks)
    return next(index for index, look in enumerate(looks) if look.error <= enough)


def _unclear(looks: Sequence[Look]) -> list[int]:
    """The numbers of the plans that should be looked at more often: those that may after all be chosen, or keep the
    chosen one from being as good as the best; and that one itself."""
    chosen = choice(looks)
    enough = AS_GOOD * min(look.error for look in looks)

    def may_matter(index: int, look: Look) -> bool:
        least = look.error * (1 - 2 * look.unsure)
        return least <= enough if index <= chosen else AS_GOOD * least < looks[chosen].error

    return [
        index
        for index, look in enumerate(looks)
        if look.unsure > _LOOKED_SURE and look.collections < _LONGEST_LOOK and may_matter(index, look)
    ]


@dataclass(frozen=True)
class Search:
    """What all searches of one question have in common."""

    measurements: Measurements
    """What has been measured of the people."""
    seed: int
    """Of the first collection with which an answer is measured."""
    repeats: int
    """How often a plan is usually measured."""
    purpose: str
    """What the map is for, one of `spatialldp.experiments.PURPOSES`."""

    def first_look(self, plans: Sequence[Plan], collections: int = _FIRST_LOOK) -> Steps[list[Look]]:
        """A first idea of the errors of some plans, which are looked at together."""
        return (yield from self._look(plans, [collections] * len(plans), [False] * len(plans)))

    def closer_look(self, plans: Sequence[Plan]) -> Steps[list[Look]]:
        """The same, until it is clear enough which of the plans is the first that is as good as the best (`choice`)."""
        collections, shifted = [_FIRST_LOOK] * len(plans), [False] * len(plans)
        looks = yield from self._look(plans, collections, shifted)
        while unclear := _unclear(looks):
            for index in unclear:
                collections[index] *= 2
            looks = yield from self._look(plans, collections, shifted)
        if self.purpose != COUNTS:
            enough = _NEARLY_AS_GOOD * min(look.error for look in looks)
            shifted = [look.error <= enough for look in looks]
            if sum(shifted) > 1:
                looks = yield from self._look(plans, collections, shifted)
        return looks

    def _look(self, plans: Sequence[Plan], collections: Sequence[int], shifted: Sequence[bool]) -> Steps[list[Look]]:
        level, apart = Level.COUNTED if self.purpose == COUNTS else Level.ROUGH, self.seed + _APART
        tasks: list[Task] = []
        for plan, number, exactly in zip(plans, collections, shifted, strict=True):
            tasks += [Collection(plan, apart + index, level) for index in range(number)]
            # The first of those that the answer is measured with: how much it is shifted says nothing of how lucky it
            # is.
            tasks += [Collection(plan, self.seed)] if exactly else []
        yield from self.measurements.measuring(tasks)
        errors = [
            self.measurements.rough_errors(plan, apart, number, self.purpose, self.seed if exactly else None)
            for plan, number, exactly in zip(plans, collections, shifted, strict=True)
        ]
        # Of one plan there are too few to say by how much they vary; plans that are looked at together vary alike.
        variances = [(found.std(ddof=1) / max(float(found.mean()), 1e-300)) ** 2 for found in errors]
        varies = float(np.sqrt(np.mean(variances)))
        return [Look(float(found.mean()), varies, found.size) for found in errors]

    def error(self, plan: Plan, repeats: int) -> Steps[MapError]:
        """The error of a plan."""
        yield from self.measurements.measuring(self.measurements.tasks(plan, self.seed, repeats, self.purpose))
        return self.measurements.error(plan, self.seed, repeats, self.purpose)

    def cell_part(self, d: int) -> Steps[float]:
        """The part of the error that comes from cell size, on d×d cells."""
        task = GivenMap(d, self.purpose, "cell")
        yield from self.measurements.measuring([task])
        return float(self.measurements.result(task))

    def sharp(
        self, plans: Sequence[Plan], amounts: Sequence[float], start: int, power: float, target: float, sure_to: SureTo
    ) -> Steps[tuple[int | None, dict[int, MapError]]]:
        """The first of `plans`, in an order in which the error falls as `amounts` grow, that meets the target for sure.

        `start` is where it probably is, `power` how the error falls (as this power of the amount), and `sure_to` how
        sure an amount is to be. Returns the number of that plan, or None, and what was measured.

        It is first located with draws of its own. Only then is it measured, with others, and its neighbours as far as
        need be: a plan that is measured until one meets the target would be the luckiest and not the first.
        """

        def wanted(index: int) -> float:
            return sure_to(amounts[index]) * power * target / amounts[index]

        measured: dict[int, MapError] = {}

        def meets(index: int) -> Steps[bool]:
            measured[index] = yield from self._sure(plans[index], target, wanted(index))
            return measured[index].high <= target

        here = yield from self._located(plans, amounts, start, power, target, wanted)
        if (yield from meets(here)):
            while here > 0 and (yield from meets(here - 1)):
                here -= 1
            return here, measured
        while here + 1 < len(plans):
            here += 1
            if (yield from meets(here)):
                return here, measured
        return None, measured

    def _located(
        self,
        plans: Sequence[Plan],
        amounts: Sequence[float],
        start: int,
        power: float,
        target: float,
        wanted: Callable[[int], float],
    ) -> Steps[int]:
        """Where the first plan is whose mean is below the target by what is `wanted` of its interval; or the last."""
        low, high, here = -1, len(plans), start
        while high - low > 1:
            here = min(max(here, low + 1), high - 1)
            bracketed = low >= 0 and high < len(plans)
            others = math.ceil(math.log2(high - low)) - 1 if bracketed else _USUALLY_LOCATED
            mean = yield from self._about(plans[here], target, wanted(here), others)
            upper = mean + wanted(here)
            low, high = (low, here) if upper <= target else (here, high)
            if low >= 0 and high < len(plans):
                here = (low + high) // 2
            else:
                # As far as it will take by the power.
                needed = amounts[here] * min(upper / target, FARTHEST) ** (1 / power)
                here = next((index for index, other in enumerate(amounts) if other >= needed), len(plans) - 1)
        return min(high, len(plans) - 1)

    def _about(self, plan: Plan, target: float, wanted: float, others: int) -> Steps[float]:
        """The mean error of a plan with draws that no answer is measured with, sure to about twice what is `wanted` of
        an answer: its neighbours are measured, too. So many `others` will probably be looked at after it."""
        seed, number = self.seed + 2 * _APART, _FEWEST_TIMES * self.repeats
        shifted_by = None if self.purpose == COUNTS else self.seed
        level = Level.COUNTED if self.purpose == COUNTS else Level.ROUGH
        while True:
            tasks: list[Task] = [Collection(plan, seed + index, level) for index in range(number)]
            tasks += [] if shifted_by is None else [Collection(plan, shifted_by)]
            yield from self.measurements.measuring(tasks)
            errors = self.measurements.rough_errors(plan, seed, number, self.purpose, shifted_by)
            mean, spread = float(errors.mean()), float(errors.std(ddof=1))
            enough = self._enough(spread, 2 * wanted)
            later = others * enough + self._with_a_neighbour(self._enough(spread, wanted))
            if number >= enough or abs(mean + wanted - target) > _CLEARLY * spread / math.sqrt(number):
                yield Outlook(later)
                return mean
            former, number = number, min(2 * number, enough)
            yield Outlook(number - former + later)

    def _sure(self, plan: Plan, target: float, wanted: float) -> Steps[MapError]:
        """The error of a plan, its interval about `wanted` on either side; less sure where it surely misses the
        target."""
        number = _FEWEST_TIMES * self.repeats
        while True:
            error = yield from self.error(plan, number)
            enough = self._enough(error.spread, wanted)
            # Given up only where it surely misses, or a good part of all collections says so: a few may be unlucky.
            missed = error.low > target or (error.mean > target and number * _GOOD_PART >= enough)
            if number >= enough or missed:
                return error
            former, number = number, min(2 * number, enough)
            yield Outlook(self._with_a_neighbour(enough) - former)

    def _with_a_neighbour(self, number: int) -> int:
        """So many collections of an answer, and those of the plan next to it, which is mostly given up early."""
        return number + max(number // _GOOD_PART, _FEWEST_TIMES * self.repeats)

    def _enough(self, spread: float, wanted: float) -> int:
        """How many collections make an interval about `wanted` wide on either side, as far as anybody would wait."""
        most = _MOST_TIMES * self.repeats
        # Where `wanted` is a very small share of the spread, its square is no number.
        if wanted <= 0 or 2 * spread / wanted >= math.sqrt(most):
            return most
        return max(math.ceil((2 * spread / wanted) ** 2 / self.repeats), _FEWEST_TIMES) * self.repeats
