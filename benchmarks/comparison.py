"""All mechanisms side by side, and what becomes of the paper's claims: `python -m benchmarks.comparison`.

Every population is randomised and recovered ten times by every mechanism, at equal ε and, for the two that are only
geo-indistinguishable, also at equal local privacy with DAM. Results are kept in benchmarks/results and not computed
again; `--full` takes all ε of the paper, `--fresh` starts over.
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
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from benchmarks.timing import print_table
from spatialldp import DAM, DAMNS, HUEM, KRR, MDSW, OUE, PlanarLaplace, SEMGeoI, sinkhorn_w2, wasserstein2
from spatialldp.datasets import DATASETS
from spatialldp.mechanisms import Mechanism, optimal_radius
from spatialldp.privacy import calibrate

REPEATS = 10
SETS = ("normal", "szipf", "mnormal")
#: Streets, for the claim about road-like data: real addresses.
STREETS = "san-francisco"
SIDES = (5, 10, 15, 20)
BUDGETS = (0.7, 2.1, 3.5, 5.0, 9.0)
ALL_BUDGETS = (0.7, 1.4, 2.1, 2.8, 3.5, 5.0, 6.0, 7.0, 8.0, 9.0)
LABELS = (
    "DAM", "HUEM", "DAM-NS", "MDSW", "MDSW (EM)", "SEM = LP", "SEM = ε", "Laplace = LP", "Laplace = ε", "k-RR", "OUE",
)  # fmt: skip
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
    """One mechanism on one population; `b` only where it is not the optimal radius; `measure` "W2" or "Sinkhorn"."""

    data: str
    d: int
    epsilon: float
    label: str
    b: int | None = None
    measure: str = "W2"


@cache
def population(data: str, d: int) -> NDArray[np.int64]:
    return DATASETS[data].grid(d).bin(*DATASETS[data].load()).counts


@cache
def calibrated(kind: type[Mechanism], d: int, epsilon: float, branch: str) -> Mechanism:
    return calibrate(kind, to=DAM(epsilon, d), branch=branch)


def mechanism_of(case: Case) -> Mechanism:
    d, epsilon = case.d, case.epsilon
    if case.label == "DAM":
        return DAM(epsilon, d, case.b)
    # The authors' own tables were made with their reading of equal local privacy.
    branch = "exact" if case.measure == "W2" else "authors"
    if case.label.endswith("= LP"):
        return calibrated(SEMGeoI if case.label.startswith("SEM") else PlanarLaplace, d, epsilon, branch)
    kinds: dict[str, type[Mechanism]] = {
        "HUEM": HUEM, "DAM-NS": DAMNS, "MDSW": MDSW, "MDSW (EM)": MDSW, "k-RR": KRR, "OUE": OUE,
        "SEM = ε": SEMGeoI, "Laplace = ε": PlanarLaplace,
    }  # fmt: skip
    return kinds[case.label](epsilon, d)


def errors_of(case: Case) -> list[float]:
    """The error of each repeat, cells."""
    counts = population(case.data, case.d)
    mechanism = mechanism_of(case)
    options: dict[str, object] = {"smoothing": False} if case.label == "MDSW (EM)" else {}
    if case.measure == "Sinkhorn" and case.label == "DAM":
        options["stopping"] = "paper"
    distance = wasserstein2 if case.measure == "W2" else sinkhorn_w2
    errors = []
    for repeat in range(REPEATS):
        reports = mechanism.perturb(counts, np.random.default_rng([repeat, case.d]))
        errors.append(distance(counts, mechanism.estimate(reports, **options).distribution))
    return errors


def cases(budgets: Iterable[float]) -> Iterator[Case]:
    for data, d, epsilon, label in product(SETS, SIDES, budgets, LABELS):
        yield Case(data, d, epsilon, label)
    for d, epsilon, label in product((15,), (2.1, 3.5, 5.0), ("DAM", "DAM-NS")):
        yield Case(STREETS, d, epsilon, label)
    for data, b in product((*SETS, STREETS), sweep_radii()):
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
    """Mean and the half-width of its 95 % interval."""
    half = student.ppf(0.975, errors.size - 1) * errors.std(ddof=1) / np.sqrt(errors.size)
    return f"{errors.mean():.3f}±{half:.3f}"


def verdict(errors: dict[Case, NDArray[np.float64]], pairs: list[tuple[Case, Case]]) -> list[str]:
    """[in how many the first is better, worse, neither (95 %, paired by nothing: Welch), where it is worse]."""
    better, worse, open_cases = 0, [], 0
    for first, second in pairs:
        a, b = errors[first], errors[second]
        spread = np.sqrt(a.var(ddof=1) / a.size + b.var(ddof=1) / b.size)
        score = (b.mean() - a.mean()) / spread if spread > 0 else 0.0
        if score > 2.1:  # Student's 97.5 % point for the 18 or so degrees of freedom
            better += 1
        elif score < -2.1:
            worse.append(f"{first.data} d={first.d} ε={first.epsilon:g}")
        else:
            open_cases += 1
    listed = "; ".join(worse[:6]) + (f"; and {len(worse) - 6} more" if len(worse) > 6 else "")
    return [f"{better}", f"{len(worse)}", f"{open_cases}", listed]


def claims(errors: dict[Case, NDArray[np.float64]], budgets: tuple[float, ...]) -> list[list[str]]:
    """A row for each claim of the paper."""
    grid = list(product(SETS, SIDES, budgets))

    def against(label: str, where: Iterable[tuple[str, int, float]]) -> list[tuple[Case, Case]]:
        return [(Case(*place, "DAM"), Case(*place, label)) for place in where]

    large_d = [(data, 20, 5.0) for data in SETS]
    large_e = [(data, 15, e) for data, e in product(SETS, budgets) if e >= 5]
    small = [(data, 5, e) for data, e in product(SETS, budgets) if e <= 2.1]
    streets = [(STREETS, 15, e) for e in (2.1, 3.5, 5.0)]
    radii = sweep_radii()
    sweep = [
        (Case(data, 15, 3.5, "DAM", radii[2]), Case(data, 15, 3.5, "DAM", b))
        for data in (*SETS, STREETS) for b in radii if b != radii[2]
    ]  # fmt: skip
    finer = [(Case(data, a, e, "DAM"), Case(data, b, e, "DAM"))
             for data, e in product(SETS, budgets) for a, b in pairwise(SIDES)]  # fmt: skip
    richer = [(Case(data, d, b, "DAM"), Case(data, d, a, "DAM"))
              for data, d in product(SETS, SIDES) for a, b in pairwise(budgets)]  # fmt: skip
    return [
        ["1 DAM beats MDSW always (smoothed, as in the paper)", *verdict(errors, against("MDSW", grid))],
        ["1 … MDSW without smoothing", *verdict(errors, against("MDSW (EM)", grid))],
        ["2 DAM beats HUEM (mostly)", *verdict(errors, against("HUEM", grid))],
        ["3 DAM beats DAM-NS on road-like data", *verdict(errors, against("DAM-NS", streets))],
        ["3 … on the generated sets", *verdict(errors, against("DAM-NS", grid))],
        ["4 DAM beats SEM at equal LP for d = 20, ε = 5", *verdict(errors, against("SEM = LP", large_d))],
        ["5 DAM beats SEM at equal LP for d = 15, ε ≥ 5", *verdict(errors, against("SEM = LP", large_e))],
        ["5 … but not for d = 5, ε ≤ 2.1", *verdict(errors, against("SEM = LP", small))],
        ["6 W2 is least at the optimal radius", *verdict(errors, sweep)],
        ["7 W2 in cells grows with d", *verdict(errors, finer)],
        ["7 … and falls with ε", *verdict(errors, richer)],
        ["8 DAM beats LDPTrace and PivotTrace", "–", "–", "–", "trajectories are not measured here"],
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="all ε of the paper")
    parser.add_argument("--fresh", action="store_true", help="forget earlier results")
    options = parser.parse_args()
    budgets = ALL_BUDGETS if options.full else BUDGETS
    errors = computed(list(dict.fromkeys(cases(budgets))), options.fresh)
    for data in SETS:
        rows = [
            [f"{d}", f"{epsilon:g}", *(interval(errors[Case(data, d, epsilon, label)]) for label in LABELS)]
            for d, epsilon in product(SIDES, budgets)
        ]
        print_table(f"{data}: W2 in cells, mean of {REPEATS} runs and its 95 % interval", ["d", "ε", *LABELS], rows)
    radii = sweep_radii()
    rows = [[data, *(interval(errors[Case(data, 15, 3.5, "DAM", b)]) for b in radii)] for data in (*SETS, STREETS)]
    print_table("Radius: W2 in cells, DAM, d = 15, ε = 3.5", ["set", *(f"b = {b}" for b in radii)], rows)
    rows = [
        [label, *(f"{errors[Case('szipf', 5, e, label, None, 'Sinkhorn')].mean():.3f} ({theirs:.3f})"
                  for e, theirs in zip(AUTHORS_BUDGETS, AUTHORS[label], strict=True))]
        for label in AUTHORS
    ]  # fmt: skip
    header = ["", *(f"ε = {e:g}" for e in AUTHORS_BUDGETS)]
    print_table(
        "The paper's Sinkhorn value, SZipf, d = 5: ours and, in brackets, the authors' stored mean", header, rows
    )
    print_table(
        "The paper's claims, by exact W2: cases in which they hold, fail, or cannot be told (95 %)",
        ["claim", "holds", "fails", "open", "fails for"],
        claims(errors, budgets),
    )


if __name__ == "__main__":
    main()
