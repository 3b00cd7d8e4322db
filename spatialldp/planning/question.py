"""What is asked: a plan, an accepted error or an offered ε, whose curves over what, and a second plan to compare with.

A question can be written as a command that answers it, and its second plan as one word.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from spatialldp import _validation as validate
from spatialldp.experiments import defaults
from spatialldp.experiments.axes import AXES
from spatialldp.experiments.plan import Plan
from spatialldp.formatting import command_word
from spatialldp.grid import Bounds, Grid, checked_box
from spatialldp.mechanisms import MECHANISMS
from spatialldp.privacy.protection import LOCAL_PRIVACY


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
    """What is considered."""
    bounds: Bounds | None = None
    """The box (west, south, east, north) in the data set; None for all of it."""
    seed: int = defaults.SEED
    """The first random seed; repeats take the following ones."""
    repeats: int = defaults.REPEATS
    """How often everything is measured; at least 2."""
    reports: int = defaults.REPORTS
    """How many reports of one person the attacker sees."""
    over: str = defaults.OVER
    """What the curves vary, one of `spatialldp.experiments.AXES`."""
    names: tuple[str, ...] = (defaults.MECHANISM,)
    """The mechanisms that have a curve."""
    target: float | None = None
    """The error that can be accepted, in the map's unit; None where the plan's ε is offered instead."""
    pinned: Plan | None = None
    """A second plan to compare with."""

    def __post_init__(self) -> None:
        validate.instance("data", self.data, str)
        for name, plan in (("plan", self.plan), ("pinned", self.plan if self.pinned is None else self.pinned)):
            validate.instance(name, plan, Plan)
        if self.bounds is not None:
            checked_box(self.bounds)
        validate.seed(self.seed)
        validate.repeats(self.repeats)
        validate.reports_per_person(self.reports)
        validate.one_of("over", self.over, tuple(AXES))
        names = validate.instance("names", self.names, [str])
        object.__setattr__(self, "names", tuple(validate.one_of("names", name, tuple(MECHANISMS)) for name in names))
        validate.not_a_text("target", self.target)
        validate.real_number("target", 1.0 if self.target is None else self.target, above=0.0)

    def marked_value(self, users: int) -> float:
        """Where the plan itself lies on the axis of the curves; `users` how many people take part in it."""
        if self.over == "users":
            return float(validate.people("users", users))
        value = getattr(self.plan, self.over)
        return float(self.plan.make().radius or 0) if value is None else float(value)


@validate.takes(grid=Grid)
def default_target(grid: Grid) -> float:
    """A length to begin with: 1, 2 or 5 times a power of ten, near a twenty-fifth of the map's side.

    Args:
        grid: of the map.

    Returns:
        The length, in metres or the map's own unit.

    Example:
        >>> from spatialldp import Grid
        >>> from spatialldp.planning import default_target
        >>> default_target(Grid.from_bounds((-122.52, 37.70, -122.35, 37.83), d=15))  # about 15 km
        500.0
    """
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
    parts.append(f"--epsilon {plan.epsilon:g} --d {plan.d}")
    parts += [f"--b {plan.b}"] if plan.b is not None else []
    parts += [f"--users {plan.users}"] if plan.users is not None else []
    parts += [] if plan.calibrated else ["--same-epsilon"]
    parts += [f"--by {plan.by.replace(' ', '-')}"] if plan.calibrated and plan.by != LOCAL_PRIVACY else []
    parts += [f"--bounds {','.join(map(repr, question.bounds))}"] if question.bounds else []
    parts += [f"--target {question.target:g}"] if question.target is not None else []
    parts.append(f"--over {question.over} --mechanisms {command_word(','.join(question.names))}")
    parts.append(f"--reports {question.reports} --repeats {question.repeats} --seed {question.seed}")
    if question.pinned is not None:
        parts.append(f"--pinned {command_word(pinned_text(question.pinned))}")
    return " ".join([*parts, "--output printable-report.html"])


@validate.takes(plan=Plan)
def pinned_text(plan: Plan) -> str:
    """A second plan in one word: mechanism, ε, d, b or nothing, people or nothing.

    Args:
        plan: the plan.

    Returns:
        Its values, separated by commas.

    Example:
        >>> from spatialldp.planning import Plan, pinned_text
        >>> pinned_text(Plan("HUEM", 2.0, 10, users=500))
        'HUEM,2,10,,500'
    """
    radius, users = ("" if value is None else str(value) for value in (plan.b, plan.users))
    return f"{plan.mechanism},{plan.epsilon:g},{plan.d},{radius},{users}"


@validate.takes(text=str)
def read_pinned(text: str, calibrated: bool = True, by: str = LOCAL_PRIVACY) -> Plan:
    """The plan of `pinned_text`.

    Args:
        text: five values, separated by commas.
        calibrated: as in `Plan`, of which the text says nothing.
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
    if text.count(",") != 4:
        raise ValueError("it must have five parts")
    mechanism, epsilon, d, radius, everybody = text.split(",")
    try:
        budget, cells = float(epsilon), int(d)
        b, users = (int(part) if part else None for part in (radius, everybody))
    except ValueError:
        raise ValueError("ε, d, b and people must be numbers, the last three whole ones") from None
    return Plan(mechanism, budget, cells, b, users, calibrated, by).check_fits()
