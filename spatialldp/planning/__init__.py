"""From a question to a decision: what error or budget is accepted, searched, answered in numbers and in sentences.

`Plan` what every device does, on which grid, and how many take part; `measure` the error of its map, a `MapError`. Both
    are in `experiments.plan`, because curves are made of them too.
`decision` both sides of the trade for one plan (`assess`), and what follows from an accepted error (`decide`) or an
    offered ε (`offer`).
`searches` the smallest ε, the finest useful grid and the fewest people, by bisection.
`sentences` all of that as sentences to read aloud.
`question` what is asked, and how a command line says it.
`study` the whole answer: the list of the work (`parts`) and what comes of it (`assemble`). `study.study`, which does
    all of it in turn, is not imported here, because it would hide its module; `spatialldp.report` has it.
"""

from spatialldp.experiments.plan import MapError, Plan, measure
from spatialldp.planning.decision import Assessment, Decision, assess, decide, offer
from spatialldp.planning.question import Question, default_target, pinned_text, read_pinned, report_command
from spatialldp.planning.searches import (
    BudgetAnswer,
    GridAnswer,
    UsersAnswer,
    budget_for,
    budget_on_any_grid,
    finest_useful_grid,
    users_for,
)
from spatialldp.planning.study import Findings, Part, Study, assemble, parts, population_on_any_grid

__all__ = [
    "Assessment",
    "BudgetAnswer",
    "Decision",
    "Findings",
    "GridAnswer",
    "MapError",
    "Part",
    "Plan",
    "Question",
    "Study",
    "UsersAnswer",
    "assemble",
    "assess",
    "budget_for",
    "budget_on_any_grid",
    "decide",
    "default_target",
    "finest_useful_grid",
    "measure",
    "offer",
    "parts",
    "pinned_text",
    "population_on_any_grid",
    "read_pinned",
    "report_command",
    "users_for",
]
