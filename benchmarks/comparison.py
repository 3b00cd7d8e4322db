"""All mechanisms side by side, and what becomes of the paper's claims: `python -m benchmarks.comparison`.

Every population is randomised and recovered ten times by every mechanism, at equal ε and, for the two that are only
geo-indistinguishable, also at equal protection with DAM: by local privacy as in the paper, and SEM-Geo-I by the best
guess's distance, the hit rate and the worst case too. Where a jump skips the target both sides of it run, and a claim
holds (or fails) only if it does on both. Results are kept in benchmarks/results and not computed again; `--full` takes
all ε of the paper, `--fresh` starts over, `--sets`, `--sides` and `--budgets` take less.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from itertools import pairwise, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.timing import print_table
from spatialldp import DAM, DAMNS, HUEM, KRR, MDSW, OUE, PlanarLaplace, SEMGeoI, sinkhorn_w2, wasserstein2
from spatialldp.datasets import DATASETS
from spatialldp.experiments.comparison import both_sides
from spatialldp.experiments.repeats import half_width_of_mean
from spatialldp.mechanisms import Mechanism, optimal_radius
from spatialldp.privacy import calibrate
from spatialldp.privacy.protection import BEST_GUESS, HIT_RATE, LOCAL_PRIVACY, WORST_CASE

REPEATS = 10
SETS = ("normal", "szipf", "mnormal")
#: Streets, for the claim about road-like data: real addresses.
STREETS = "san-francisco"
SIDES = (5, 10, 15, 20)
BUDGETS = (0.7, 2.1, 3.5, 5.0, 9.0)
ALL_BUDGETS = (0.7, 1.4, 2.1, 2.8, 3.5, 5.0, 6.0, 7.0, 8.0, 9.0)
LABELS = (
    "DAM",
    "HUEM",
    "DAM-NS",
    "MDSW",
    "MDSW (EM)",
    "SEM = LP",
    "SEM = guess",
    "SEM = hit",
    "SEM = worst",
    "SEM = ε",
    "Laplace = LP",
    "Laplace = ε",
    "k-RR",
    "OUE",
)
#: What is made equal to DAM, by the end of a label.
RULERS = {"= LP": LOCAL_PRIVACY, "= guess": BEST_GUESS, "= hit": HIT_RATE, "= worst": WORST_CASE}
#: Marks the side of a case: a jump skips the target, and it ran just above it, less protected than DAM.
BEYOND = "beyond"
#: The radii of the paper's sweep, as shares of the optimal one, at d = 15 and ε = 3.5.
SHARES = (1 / 3, 2 / 3, 1.0, 4 / 3, 5 / 3)
#: Ten-run means stored by the authors' program: Sinkhorn value, SZipf, d = 5, by ε.
AUTHORS_BUDGETS = (0.7, 1.4, 2.1, 2.8, 3.5)
AUTHORS = {
    "DAM": (0.450, 0.329, 0.281, 0.221, 0.198),
    "SEM = LP": (0.394, 0.281, 0.236, 0.217, 0.185),
    "MDSW": (0.596, 0.477, 0.356, 0.296, 0.267),
}
RESULTS = Path(__file__).with_name("results") / "comparison.jsonl"


class Case(NamedTuple):
    """One mechanism on one population; `b` only where it is not the optimal radius; `measure` "W2" or "Sinkhorn";
    `side` BEYOND for the other side of a jump that skips equal protection."""

    data: str
    d: int
    epsilon: float
    label: str
    b: int | None = None
    measure: str = "W2"
    side: str = ""


class Chosen(NamedTuple):
    """What runs: data sets, cells per side, ε."""

    sets: tuple[str, ...] = SETS
    sides: tuple[int, ...] = SIDES
    budgets: tuple[float, ...] = BUDGETS


@cache
def population(data: str, d: int) -> NDArray[np.int64]:
    return DATASETS[data].grid(d).bin(*DATASETS[data].load()).counts


def ruler_of(label: str) -> str | None:
    """By what a label is made equal to DAM; None where it runs at the same ε."""
    return next((by for end, by in RULERS.items() if label.endswith(end)), None)


def equalised(case: Case) -> list[Mechanism]:
    """The mechanism that protects as much as DAM; where a jump skips that, those on both of its sides."""
    by = ruler_of(case.label)
    assert by is not None
    if case.measure == "W2":
        name = "SEM-Geo-I" if case.label.startswith("SEM") else "Planar Laplace"
        return both_sides(name, case.epsilon, case.d, True, by)
    # The authors' own tables were made with their reading of equal local privacy.
    return [calibrate(SEMGeoI, to=DAM(case.epsilon, case.d), branch="authors")]


def with_other_side(case: Case) -> list[Case]:
    """The case, and the one beyond the jump where no ε′ protects as much as DAM."""
    jumped = ruler_of(case.label) is not None and len(equalised(case)) > 1
    return [case, case._replace(side=BEYOND)] if jumped else [case]


def mechanism_of(case: Case) -> Mechanism:
    d, epsilon = case.d, case.epsilon
    if case.label == "DAM":
        return DAM(epsilon, d, case.b)
    if ruler_of(case.label) is not None:
        return equalised(case)[-1 if case.side == BEYOND else 0]
    kinds: dict[str, type[Mechanism]] = {
        "HUEM": HUEM,
        "DAM-NS": DAMNS,
        "MDSW": MDSW,
        "MDSW (EM)": MDSW,
        "k-RR": KRR,
        "OUE": OUE,
        "SEM = ε": SEMGeoI,
        "Laplace = ε": PlanarLaplace,
    }
    return kinds[case.label](epsilon, d)


def errors_of(case: Case) -> list[float]:
    """The error of each repeat, cells."""
    counts = population(case.data, case.d)
    mechanism = mechanism_of(case)
    options: dict[str, Any] = {"smoothing": False} if case.label == "MDSW (EM)" else {}
    if case.measure == "Sinkhorn" and case.label == "DAM":
        options["stopping"] = "paper"
    distance = wasserstein2 if case.measure == "W2" else sinkhorn_w2
    errors = []
    for repeat in range(REPEATS):
        reports = mechanism.perturb(counts, np.random.default_rng([repeat, case.d]))
        errors.append(distance(counts, mechanism.estimate(reports, **options).distribution))
    return errors


def cases(chosen: Chosen) -> Iterator[Case]:
    for data, d, epsilon, label in product(chosen.sets, chosen.sides, chosen.budgets, LABELS):
        yield from with_other_side(Case(data, d, epsilon, label))
    for d, epsilon, label in product((15,), (2.1, 3.5, 5.0), ("DAM", "DAM-NS")):
        yield Case(STREETS, d, epsilon, label)
    for data, b in product((*chosen.sets, STREETS), sweep_radii()):
        yield Case(data, 15, 3.5, "DAM", b)
    for label, epsilon in product(AUTHORS, AUTHORS_BUDGETS):
        yield Case("szipf", 5, epsilon, label, None, "Sinkhorn")


def sweep_radii() -> list[int]:
    return [round(15 * optimal_radius(3.5) * share) for share in SHARES]


def computed(wanted: list[Case], fresh: bool) -> dict[Case, NDArray[np.float64]]:
    """Errors of every case; what an earlier run has left is read, the rest computed on both cores and kept."""
    RESULTS.parent.mkdir(exist_ok=True)
    if fresh:
        RESULTS.unlink(missing_ok=True)
    known: dict[Case, NDArray[np.float64]] = {}
    if RESULTS.exists():
        for line in RESULTS.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            known[Case(*record["case"])] = np.array(record["errors"])
    missing = [case for case in wanted if case not in known]
    print(f"{len(wanted) - len(missing):,} of {len(wanted):,} cases were computed before", flush=True)
    os.environ["OMP_NUM_THREADS"] = "1"
    with ProcessPoolExecutor(2) as pool, RESULTS.open("a", encoding="utf-8") as file:
        running = {pool.submit(errors_of, case): case for case in missing}
        for done, future in enumerate(as_completed(running), start=1):
            case = running[future]
            known[case] = np.array(future.result())
            file.write(json.dumps({"case": case, "errors": known[case].tolist()}) + "\n")
            file.flush()
            if done % 50 == 0:
                print(f"  {done:,} of {len(missing):,}", flush=True)
    return {case: known[case] for case in wanted}


def interval(errors: NDArray[np.float64]) -> str:
    """Mean and the half-width of its 95% interval."""
    return f"{errors.mean():.3f}±{half_width_of_mean(errors):.3f}"


def bracket(errors: dict[Case, NDArray[np.float64]], case: Case) -> str:
    """Mean and interval, of both sides of a jump where there are two."""
    return "|".join(interval(errors[side]) for side in (case, case._replace(side=BEYOND)) if side in errors)


def verdict(errors: dict[Case, NDArray[np.float64]], pairs: list[tuple[Case, Case]]) -> list[str]:
    """[in how many the first is better, worse, neither (95%, paired by nothing: Welch), where it is worse].

    Where the second has two sides of a jump, the first is better or worse only if it is so on both.
    """
    better, worse, open_cases = 0, [], 0
    for first, second in pairs:
        sides = [side for side in (second, second._replace(side=BEYOND)) if side in errors]
        signs = {_sign(errors[first], errors[side]) for side in sides}
        if signs == {1}:
            better += 1
        elif signs == {-1}:
            worse.append(f"{first.data} d={first.d} ε={first.epsilon:g}")
        else:
            open_cases += 1
    listed = "; ".join(worse[:6]) + (f"; and {len(worse) - 6} more" if len(worse) > 6 else "")
    return [f"{better}", f"{len(worse)}", f"{open_cases}", listed]


def _sign(a: NDArray[np.float64], b: NDArray[np.float64]) -> int:
    """1 where the first errors are surely smaller, −1 where larger, 0 where neither can be told."""
    spread = np.sqrt(a.var(ddof=1) / a.size + b.var(ddof=1) / b.size)
    score = (b.mean() - a.mean()) / spread if spread > 0 else 0.0
    # Student's 97.5% point for the 18 or so degrees of freedom.
    return int(score > 2.1) - int(score < -2.1)


#: The paper's claims about SEM-Geo-I: what, and where.
SEM_CLAIMS = {
    "4 DAM beats SEM for d = 20, ε = 5": lambda d, e: d == 20 and e == 5.0,
    "5 DAM beats SEM for d = 15, ε ≥ 5": lambda d, e: d == 15 and e >= 5,
    "5 … but not for d = 5, ε ≤ 2.1": lambda d, e: d == 5 and e <= 2.1,
}


def sem_claims(errors: dict[Case, NDArray[np.float64]], chosen: Chosen) -> list[list[str]]:
    """A row per claim about SEM-Geo-I and ruler: equal by what, and how many cases have a jump in them."""
    rows = []
    for (claim, where), (end, by) in product(SEM_CLAIMS.items(), RULERS.items()):
        places = [place for place in product(*chosen) if where(place[1], place[2])]
        pairs = [(Case(*place, "DAM"), Case(*place, f"SEM {end}")) for place in places]
        jumps = sum(second._replace(side=BEYOND) in errors for _, second in pairs)
        rows.append([claim, by, *verdict(errors, pairs)[:3], f"{jumps}", verdict(errors, pairs)[3]])
    return rows


def claims(errors: dict[Case, NDArray[np.float64]], chosen: Chosen) -> list[list[str]]:
    """A row per claim of the paper that is not about equal protection."""
    sets, sides, budgets = chosen
    grid = list(product(*chosen))

    def against(label: str, where: Iterable[tuple[str, int, float]]) -> list[tuple[Case, Case]]:
        return [(Case(*place, "DAM"), Case(*place, label)) for place in where]

    streets = [(STREETS, 15, e) for e in (2.1, 3.5, 5.0)]
    radii = sweep_radii()
    sweep = [
        (Case(data, 15, 3.5, "DAM", radii[2]), Case(data, 15, 3.5, "DAM", b))
        for data in (*sets, STREETS)
        for b in radii
        if b != radii[2]
    ]
    finer = [
        (Case(data, a, e, "DAM"), Case(data, b, e, "DAM"))
        for data, e in product(sets, budgets)
        for a, b in pairwise(sides)
    ]
    richer = [
        (Case(data, d, b, "DAM"), Case(data, d, a, "DAM"))
        for data, d in product(sets, sides)
        for a, b in pairwise(budgets)
    ]
    return [
        ["1 DAM beats MDSW always (smoothed, as in the paper)", *verdict(errors, against("MDSW", grid))],
        ["1 … MDSW without smoothing", *verdict(errors, against("MDSW (EM)", grid))],
        ["2 DAM beats HUEM (mostly)", *verdict(errors, against("HUEM", grid))],
        ["3 DAM beats DAM-NS on road-like data", *verdict(errors, against("DAM-NS", streets))],
        ["3 … on the generated sets", *verdict(errors, against("DAM-NS", grid))],
        ["6 W2 is least at the optimal radius", *verdict(errors, sweep)],
        ["7 W2 in cells grows with d", *verdict(errors, finer)],
        ["7 … and falls with ε", *verdict(errors, richer)],
        ["8 DAM beats LDPTrace and PivotTrace", "–", "–", "–", "trajectories are not measured here"],
    ]


def _list(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="all ε of the paper")
    parser.add_argument("--fresh", action="store_true", help="forget earlier results")
    parser.add_argument("--sets", type=_list, default=SETS, metavar="A,B,…", help="data sets")
    parser.add_argument("--sides", type=lambda t: tuple(map(int, _list(t))), default=SIDES, metavar="D,…", help="d")
    parser.add_argument("--budgets", type=lambda t: tuple(map(float, _list(t))), metavar="E,…", help="ε")
    options = parser.parse_args()
    chosen = Chosen(options.sets, options.sides, options.budgets or (ALL_BUDGETS if options.full else BUDGETS))
    errors = computed(list(dict.fromkeys(cases(chosen))), options.fresh)
    for data in chosen.sets:
        rows = [
            [f"{d}", f"{epsilon:g}", *(bracket(errors, Case(data, d, epsilon, label)) for label in LABELS)]
            for d, epsilon in product(chosen.sides, chosen.budgets)
        ]
        print_table(
            f"{data}: W2 in cells, mean of {REPEATS} runs and its 95% interval; a|b: below and above a jump that "
            "skips equal protection",
            ["d", "ε", *LABELS],
            rows,
        )
    radii = sweep_radii()
    rows = [
        [data, *(interval(errors[Case(data, 15, 3.5, "DAM", b)]) for b in radii)] for data in (*chosen.sets, STREETS)
    ]
    print_table("Radius: W2 in cells, DAM, d = 15, ε = 3.5", ["set", *(f"b = {b}" for b in radii)], rows)
    rows = [
        [
            label,
            *(
                f"{errors[Case('szipf', 5, e, label, None, 'Sinkhorn')].mean():.3f} ({theirs:.3f})"
                for e, theirs in zip(AUTHORS_BUDGETS, AUTHORS[label], strict=True)
            ),
        ]
        for label in AUTHORS
    ]
    header = ["", *(f"ε = {e:g}" for e in AUTHORS_BUDGETS)]
    print_table(
        "The paper's Sinkhorn value, SZipf, d = 5: ours and, in brackets, the authors' stored mean", header, rows
    )
    print_table(
        "The paper's claims, by exact W2: cases in which they hold, fail, or cannot be told (95%)",
        ["claim", "holds", "fails", "open", "fails for"],
        claims(errors, chosen),
    )
    print_table(
        "The claims about SEM-Geo-I by ruler; a case with a jump counts only if both sides agree",
        ["claim", "equal by", "holds", "fails", "open", "jumps", "fails for"],
        sem_claims(errors, chosen),
    )


if __name__ == "__main__":
    main()
