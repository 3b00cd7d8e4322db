"""From a question to a decision: what error or budget is accepted, searched, answered in numbers and in sentences.

`Plan` what every device does, on which grid, and how many take part; `measure` the error of its map, a `MapError`. Both
    are in `experiments`, because curves are made of them too.
`searches` the smallest ε, the best grid and the fewest people.
`decision` both sides of the trade for one plan (`assess`), and the plan that follows from an accepted error (`decide`)
    or an offered ε (`offer`).
`sentences` all of that as sentences to read aloud.
`question` what is asked, and how a command line says it.
`study` the whole answer: the list of the work (`parts`) and what comes of it (`assemble`). `study.study`, which does
    all of it in turn, is not imported here, because it would hide its module; `spatialldp.report` has it.
"""

from spatialldp.experiments.map_error import MapError
from spatialldp.experiments.measurements import measure
from spatialldp.experiments.plan import Plan
from spatialldp.planning.decision import Assessment, Decision, assess, decide, offer
from spatialldp.planning.question import (
    Question,
    Scenario,
    default_target,
    marked_value,
    pinned_text,
    read_pinned,
    read_scenario,
    report_command,
    scenario_text,
)
from spatialldp.planning.searches import (
    BudgetAnswer,
    GridAnswer,
    UsersAnswer,
    best_grid,
    budget_for,
    budget_on_any_grid,
    measurements_of,
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
    "Scenario",
    "Study",
    "UsersAnswer",
    "assemble",
    "assess",
    "best_grid",
    "budget_for",
    "budget_on_any_grid",
    "decide",
    "default_target",
    "marked_value",
    "measure",
    "measurements_of",
    "offer",
    "parts",
    "pinned_text",
    "population_on_any_grid",
    "read_pinned",
    "read_scenario",
    "report_command",
    "scenario_text",
    "users_for",
]
