"""What is asked: an accepted error or an offered ε, the present plan, saved scenarios, whose curves over what.

A question can be written as a command that answers it, and a plan as one word.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from spatialldp import _validation as validate
from spatialldp.experiments import defaults
from spatialldp.experiments.axes import AXES
from spatialldp.experiments.map_error import COUNTS, PLACES, PURPOSES
from spatialldp.experiments.plan import Plan
from spatialldp.formatting import command_word, exact_number
from spatialldp.grid import Bounds, Grid, checked_box
from spatialldp.mechanisms import MECHANISMS
from spatialldp.privacy.protection import LOCAL_PRIVACY, MEASURES

#: What curves can show: one setting that changes, or ε for several numbers of people.
CROWDS = "crowds"
CURVES = {**AXES, CROWDS: "privacy budget ε, for several numbers of people"}
#: Which plan is decided for: the recommended one, or the present one.
RECOMMENDED, PRESENT = "recommended", "present"
DECIDED_FOR = (RECOMMENDED, PRESENT)
#: Scenarios beyond these do not fit side by side.
MOST_SCENARIOS = 4
LONGEST_NAME = 24
#: How a plan in one word says that a Geo-I mechanism runs at the same ε, or by which ruler it protects as much as DAM.
_SAME = "same"
_RULERS = {ruler.replace(" ", "-"): ruler for ruler in MEASURES} | {_SAME: LOCAL_PRIVACY}


class Scenario(NamedTuple):
    """A plan that somebody has saved to compare with.

    Attributes:
        name: what they call it.
        plan: the plan.

    Example:
        >>> from spatialldp.planning import Plan, Scenario
        >>> Scenario("cautious", Plan(epsilon=1.0)).plan.epsilon
        1.0
    """

    name: str
    plan: Plan


@dataclass(frozen=True)
class Question:
    """Everything a study depends on.

    Raises:
        ValueError: a value is out of range, or of another type.

    Example:
        >>> from spatialldp.planning import Plan, Question
        >>> question = Question("new-haven", Plan(epsilon=2.0, d=6), target=2_000)
        >>> question.repeats, question.over
        (5, 'epsilon')
    """

    data: str
    """Id of the data set."""
    plan: Plan
    """The present setting: its mechanism and people are those of the recommended plan, too."""
    bounds: Bounds | None = None
    """The box (west, south, east, north) in the data set; None for all of it."""
    seed: int = defaults.SEED
    """Random seed of the maps that are shown. Errors are measured with seeds of their own, the same for everybody: a
    question has one answer."""
    repeats: int = defaults.REPEATS
    """How many collections are simulated per plan; at least 2. A budget that is searched for takes several times as
    many."""
    reports: int = defaults.REPORTS
    """How many reports of one person the attacker sees."""
    over: str = defaults.OVER
    """What the curves vary, one of `CURVES`."""
    names: tuple[str, ...] = (defaults.MECHANISM,)
    """The mechanisms that have a curve."""
    target: float | None = None
    """The error that can be accepted, in the map's unit or in people per thousand; None where the plan's ε is offered
    instead."""
    scenarios: tuple[Scenario, ...] = ()
    """Saved plans to compare with, at most four."""
    purpose: str = PLACES
    """What the map is for, one of `spatialldp.experiments.PURPOSES`."""
    decided_for: str = RECOMMENDED
    """Which plan the curves and the printable report are about, one of `DECIDED_FOR`."""

    def __post_init__(self) -> None:
        validate.instance("data", self.data, str)
        validate.instance("plan", self.plan, Plan)
        if self.bounds is not None:
            checked_box(self.bounds)
        validate.seed(self.seed)
        validate.repeats(self.repeats)
        validate.reports_per_person(self.reports)
        validate.one_of("over", self.over, tuple(CURVES))
        names = validate.instance("names", self.names, [str])
        object.__setattr__(self, "names", tuple(validate.one_of("names", name, tuple(MECHANISMS)) for name in names))
        validate.not_a_text("target", self.target)
        validate.real_number("target", 1.0 if self.target is None else self.target, above=0.0)
        scenarios = validate.instance("scenarios", self.scenarios, [Scenario])
        saved = [
            Scenario(checked_name(scenario.name), validate.instance("scenarios", scenario.plan, Plan))
            for scenario in scenarios
        ]
        if len(saved) > MOST_SCENARIOS:
            raise ValueError(f"scenarios must be at most {MOST_SCENARIOS}, got {len(saved)}: remove some")
        if len({scenario.name for scenario in saved}) < len(saved):
            raise ValueError(f"scenarios must have different names, got {[scenario.name for scenario in saved]}")
        object.__setattr__(self, "scenarios", tuple(saved))
        validate.one_of("purpose", self.purpose, PURPOSES)
        validate.one_of("decided_for", self.decided_for, DECIDED_FOR)


@validate.takes(plan=Plan)
def marked_value(over: str, plan: Plan, users: int) -> float:
    """Where a plan lies on the axis of curves.

    Args:
        over: what the curves vary, one of `CURVES`.
        plan: the plan.
        users: how many people take part in it.

    Returns:
        The value on the axis.

    Raises:
        ValueError: there is no such axis.

    Example:
        >>> from spatialldp.planning import Plan, marked_value
        >>> marked_value("d", Plan(d=7), users=900), marked_value("users", Plan(), users=900)
        (7.0, 900.0)
    """
    if validate.one_of("over", over, tuple(CURVES)) == "users":
        return float(validate.people("users", users))
    value = getattr(plan, "epsilon" if over == CROWDS else over)
    return float(plan.make().radius or 0) if value is None else float(value)


@validate.takes(grid=Grid)
def default_target(grid: Grid, purpose: str = PLACES) -> float:
    """An accepted error to begin with: 1, 2 or 5 times a power of ten, near a twenty-fifth of the map's side.

    Args:
        grid: of the map.
        purpose: what the map is for, one of `spatialldp.experiments.PURPOSES`.

    Returns:
        The length, in metres or the map's own unit; for counts 20 people per thousand.

    Example:
        >>> from spatialldp import Grid
        >>> from spatialldp.planning import default_target
        >>> default_target(Grid.from_bounds((-122.52, 37.70, -122.35, 37.83), d=15))  # about 15 km
        500.0
    """
    if validate.one_of("purpose", purpose, PURPOSES) == COUNTS:
        return 20.0
    side = grid.d * (grid.cell_size_m or grid.cell_size[1]) / 25
    power = 10.0 ** math.floor(math.log10(side))
    return float(min((power * lead for lead in (1, 2, 5, 10)), key=lambda value: abs(math.log(value / side))))


@validate.takes(question=Question)
def report_command(question: Question) -> str:
    """The command line that makes the same printable report.

    Args:
        question: what is asked.

    Returns:
        One line for a shell.

    Example:
        >>> from spatialldp.planning import Plan, Question, report_command
        >>> command, *options = report_command(Question("new-haven", Plan(d=6))).split(" --")
        >>> command, options[:4]
        ('python -m spatialldp report', ['data new-haven', 'mechanism DAM', 'epsilon 3.5', 'd 6'])
    """
    plan = question.plan
    parts = [f"python -m spatialldp report --data {question.data} --mechanism {command_word(plan.mechanism)}"]
    parts.append(f"--epsilon {exact_number(plan.epsilon)} --d {plan.d}")
    parts += [f"--b {plan.b}"] if plan.b is not None else []
    parts += [f"--users {plan.users}"] if plan.users is not None else []
    parts += [] if plan.calibrated else ["--same-epsilon"]
    parts += [f"--by {plan.by.replace(' ', '-')}"] if plan.calibrated and plan.by != LOCAL_PRIVACY else []
    parts += [f"--bounds {','.join(map(repr, question.bounds))}"] if question.bounds else []
    parts += [f"--target {exact_number(question.target)}"] if question.target is not None else []
    parts.append(f"--over {question.over} --mechanisms {command_word(','.join(question.names))}")
    parts.append(f"--reports {question.reports} --repeats {question.repeats} --seed {question.seed}")
    parts += [f"--scenario {command_word(scenario_text(scenario))}" for scenario in question.scenarios]
    parts += [f"--purpose {question.purpose}"] if question.purpose != PLACES else []
    parts.append(f"--for {question.decided_for}")
    return " ".join([*parts, "--output printable-report.html"])


@validate.takes(plan=Plan)
def pinned_text(plan: Plan) -> str:
    """A plan in one word: mechanism, ε, d, b or nothing, people or nothing; and of a Geo-I mechanism by which ruler it
    protects as much as DAM, or "same" where it runs at the same ε.

    Args:
        plan: the plan.

    Returns:
        Its values, separated by commas.

    Example:
        >>> from spatialldp.planning import Plan, pinned_text
        >>> pinned_text(Plan("HUEM", 2.0, 10, users=500)), pinned_text(Plan("SEM-Geo-I", by="hit rate"))
        ('HUEM,2,10,,500', 'SEM-Geo-I,3.5,15,,,hit-rate')
    """
    radius, users = ("" if value is None else str(value) for value in (plan.b, plan.users))
    words = [plan.mechanism, exact_number(plan.epsilon), str(plan.d), radius, users]
    if MECHANISMS[plan.mechanism].notion == "Geo-I":
        words.append(plan.by.replace(" ", "-") if plan.calibrated else _SAME)
    return ",".join(words)


@validate.takes(text=str)
def read_pinned(text: str, calibrated: bool = True, by: str = LOCAL_PRIVACY) -> Plan:
    """The plan of `pinned_text`.

    Args:
        text: five values, or six, separated by commas.
        calibrated: as in `Plan`, where the text says nothing of it.
        by: as in `Plan` likewise.

    Returns:
        The plan.

    Raises:
        ValueError: the text is not of that form, or the plan cannot be run.

    Example:
        >>> from spatialldp.planning import read_pinned
        >>> read_pinned("HUEM,2,10,,500").users
        500
    """
    if text.count(",") not in (4, 5):
        raise ValueError("it must have five parts, or six for a Geo-I mechanism")
    mechanism, epsilon, d, radius, everybody, *ruler = text.split(",")
    if ruler:
        if mechanism not in MECHANISMS or MECHANISMS[mechanism].notion != "Geo-I" or ruler[0] not in _RULERS:
            raise ValueError(f"a sixth part says how a Geo-I mechanism is made comparable: {', '.join(_RULERS)}")
        calibrated, by = ruler[0] != _SAME, _RULERS[ruler[0]]
    try:
        budget, cells = float(epsilon), int(d)
        b, users = (int(part) if part else None for part in (radius, everybody))
    except ValueError:
        raise ValueError("ε, d, b and people must be numbers, the last three whole ones") from None
    return Plan(mechanism, budget, cells, b, users, calibrated, by).check_fits()


@validate.takes(scenario=Scenario)
def scenario_text(scenario: Scenario) -> str:
    """A scenario in one word: its name, "=" and its plan.

    Args:
        scenario: the scenario.

    Returns:
        The text that `read_scenario` reads.

    Example:
        >>> from spatialldp.planning import Plan, Scenario, scenario_text
        >>> scenario_text(Scenario("cautious", Plan("HUEM", 2.0, 10, users=500)))
        'cautious=HUEM,2,10,,500'
    """
    return f"{scenario.name}={pinned_text(scenario.plan)}"


@validate.takes(text=str)
def read_scenario(text: str, calibrated: bool = True, by: str = LOCAL_PRIVACY) -> Scenario:
    """The scenario of `scenario_text`; a plan without a name is called "A".

    Args:
        text: a name, "=" and a plan.
        calibrated: as in `Plan`, where the text says nothing of it.
        by: as in `Plan` likewise.

    Returns:
        The scenario.

    Raises:
        ValueError: the text is not of that form, or the plan cannot be run.

    Example:
        >>> from spatialldp.planning import read_scenario
        >>> read_scenario("cautious=HUEM,2,10,,500").plan.users
        500
    """
    name, _, plan = text.rpartition("=")
    return Scenario(checked_name(name or "A"), read_pinned(plan, calibrated, by))


def checked_name(name: object) -> str:
    """The name of a scenario, if it is one: letters, digits and simple signs, which are the same in a link, a command
    and a table."""
    text = validate.instance("name", name, str).strip()
    if not 0 < len(text) <= LONGEST_NAME or not all(letter.isalnum() or letter in " -_.+%" for letter in text):
        raise ValueError(
            f"the name of a scenario must be 1 to {LONGEST_NAME} letters, digits, spaces or - _ . + %, got "
            f"{validate.shown(name)}"
        )
    return text
