"""What a proper value is for every parameter of the public interface, found by the parameter's name.

`VALID` is asked for "Class.method.parameter" or "function.parameter", then for "method.parameter", then for the name of
the parameter alone, so a new function with an `epsilon`, a `mechanism` and an `rng` needs nothing here. One that has a
parameter of a new name does: `strategy_of` raises KeyError, and a test says so.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import shapely

from spatialldp import DAM, MECHANISMS, Grid, teaching
from spatialldp.datasets import DATASETS, Columns
from spatialldp.datasets.readers import Limits
from spatialldp.datasets.synthetic import SYNTHETIC
from spatialldp.drawing.colours import Scale
from spatialldp.drawing.marks import Marks
from spatialldp.drawing.triple import MapTriple, Panel, map_triple
from spatialldp.engines import InProcess, Processes
from spatialldp.estimation import EMOptions
from spatialldp.experiments import (
    PURPOSES,
    USEFULNESS,
    Baselines,
    DistrictWeights,
    EqualProtection,
    Plan,
    Usefulness,
    baselines,
    hot_spots,
    usefulness,
)
from spatialldp.experiments.export import cell_table
from spatialldp.experiments.map_error import Ground
from spatialldp.experiments.repeats import Repeats
from spatialldp.grid import Binned
from spatialldp.mechanisms import ReportMap
from spatialldp.operators import (
    ConvolutionOperator,
    DenseOperator,
    FoldedOperator,
    SeparableOperator,
    ShiftOperator,
    TransformOperator,
    fastest_convolution,
)
from spatialldp.paper import Setting
from spatialldp.planning import Assessment, BudgetAnswer, Decision, Findings, GridAnswer, Question, Scenario, parts
from spatialldp.planning.study import SETTING, Part, Study
from spatialldp.population import Population
from spatialldp.privacy import MEASURES
from spatialldp.tables import WeightTable
from tests.fuzz.interface import Target
from tests.fuzz.scene import ORACLES, Scene, lesson, study_results

Make = Callable[[Scene], Any]

FILES = {
    "points.csv": b"longitude,latitude,people\n" + b"8.1,47.1,2\n8.2,47.2,3\n" * 8,
    "points.tsv": b"lon\tlat\n" + b"8.1\t47.1\n8.2\t47.2\n" * 8,
    "points.geojson": b'{"type": "FeatureCollection", "features": ['
    + b",".join(
        [b'{"type": "Feature", "geometry": {"type": "Point", "coordinates": [8.1, 47.1]}, "properties": {}}'] * 9
    )
    + b"]}",
}


def _symmetric_kernel(scene: Scene) -> np.ndarray:
    return _dam(scene).kernel


def _dam(scene: Scene) -> DAM:
    return scene.keep("dam", lambda: DAM(2.0, scene.d, scene.whole(1, 2)))


def _operator(kind: type) -> Make:
    def make(scene: Scene) -> Any:
        dam = _dam(scene)
        if kind is DenseOperator:
            return DenseOperator(dam.transition_matrix(), (scene.d, scene.d), (dam.n_outputs,))
        if kind is FoldedOperator:
            return FoldedOperator(_folded_kernel(scene))
        if kind is ConvolutionOperator:
            return fastest_convolution(dam.kernel, dam.q, float(np.expm1(2.0)), dam.output_domain)
        return kind(dam.kernel, dam.q, float(np.expm1(2.0)), dam.output_domain)

    return make


def _folded_kernel(scene: Scene) -> np.ndarray:
    side = 2 * scene.d + 1
    return np.full((side, side), 1 / side**2)


def _vector(attribute: str) -> Make:
    return lambda scene: np.full(getattr(scene.receiver, attribute), 0.25)


def _table(scene: Scene) -> WeightTable:
    return _dam(scene).table


def _budget_answer(scene: Scene) -> BudgetAnswer:
    return BudgetAnswer(3000.0, True, scene.study.decided.error)


def _limits(scene: Scene) -> Limits:
    return scene.one_of(Limits(), Limits(file_bytes=64), Limits(rows=3, columns=2))


#: An object of each class whose methods are called, or that a record's properties are read from.
INSTANCES: dict[type, Make] = {
    **{kind: (lambda scene, kind=kind: scene.build(kind)) for kind in MECHANISMS.values()},
    **{kind: (lambda scene, kind=kind: scene.build_oracle(kind)) for kind in ORACLES},
    **{
        kind: _operator(kind)
        for kind in (
            DenseOperator,
            ConvolutionOperator,
            TransformOperator,
            FoldedOperator,
            SeparableOperator,
            ShiftOperator,
        )
    },
    Binned: lambda scene: scene.population.binned,
    Grid: lambda scene: scene.grid,
    Columns: lambda scene: Columns("lon", "lat"),
    type(DATASETS["new-haven"]): lambda scene: DATASETS[scene.data],
    type(SYNTHETIC["normal"]): lambda scene: scene.one_of(*SYNTHETIC.values()),
    EMOptions: lambda scene: EMOptions(),
    Plan: lambda scene: scene.plan,
    Question: lambda scene: scene.question,
    Population: lambda scene: scene.population,
    Part: lambda scene: parts(scene.question, scene.population_on)[SETTING],
    BudgetAnswer: _budget_answer,
    Baselines: lambda scene: scene.one_of(Baselines(2.0, 0.1), baselines(scene.counts, 1)),
    Usefulness: lambda scene: usefulness(scene.counts, [scene.counts]),
    Repeats: lambda scene: Repeats(usefulness(scene.counts, [scene.counts]), scene.counts / scene.counts.sum()),
    DistrictWeights: lambda scene: DistrictWeights(np.full((scene.d, scene.d), 0.5), 1.0),
    GridAnswer: lambda scene: GridAnswer(scene.study.decided.error),
    Decision: lambda scene: Decision(scene.study.decided.error, scene.one_of(None, 3000.0)),
    Assessment: lambda scene: scene.study.decided,
    Study: lambda scene: scene.study,
    Findings: lambda scene: Findings(study_results(scene.d)[1]),
    teaching.Scene: lambda scene: lesson(scene.d),
    teaching.Findings: lambda scene: teaching.Findings(lesson(scene.d), 2),
    Ground: lambda scene: Ground.of(scene.population),
    EqualProtection: lambda scene: EqualProtection(1.0, scene.one_of(None, 2.0)),
    InProcess: lambda scene: InProcess(),
    Processes: lambda scene: Processes(1),
    Scale: lambda scene: Scale(0.0, 1.0, scene.one_of(True, False), scene.one_of(True, False)),
    WeightTable: _table,
    ReportMap: lambda scene: scene.mechanism.report_map(scene.summed_reports),
    MapTriple: lambda scene: _triple(scene),
    Panel: lambda scene: _triple(scene).true,
}


def _by_attribute(name: str) -> Make:
    return lambda scene: getattr(scene, name)


def _triple(scene: Scene) -> MapTriple:
    mechanism = scene.build(scene.kind)
    reports = mechanism.perturb(scene.population.counts, scene.rng)
    return map_triple(scene.population, mechanism, reports, scene.one_of(None, scene.population.shares))


def _own(name: str, make: Make) -> dict[type, Make]:
    from spatialldp import datasets, experiments, privacy

    (kind,) = {getattr(module, name) for module in (datasets, experiments, privacy) if hasattr(module, name)}
    return {kind: make}


INSTANCES |= _own("Outline", lambda scene: _outline(scene))
INSTANCES |= _own("Points", lambda scene: scene.points)
INSTANCES |= _own("Upload", lambda scene: _upload(scene))
INSTANCES |= _own("Score", lambda scene: scene.one_of(*_scores(scene)))
INSTANCES |= _own("MapError", lambda scene: scene.study.decided.error)
INSTANCES |= _own("Point", lambda scene: scene.one_of(*_curve(scene)))
INSTANCES |= _own("Protection", lambda scene: scene.protection)


def _outline(scene: Scene) -> Any:
    from spatialldp.datasets import load_outline

    return load_outline(scene.one_of("chicago", "new-haven"))


def _upload(scene: Scene) -> Any:
    from spatialldp.datasets import read_points

    return read_points(FILES["points.csv"], "points.csv")


def _scores(scene: Scene) -> Any:
    from tests.fuzz.scene import scores

    return scores(scene.d)


def _curve(scene: Scene) -> Any:
    from tests.fuzz.scene import curve_points

    return curve_points(scene.d)


def _settings(scene: Scene) -> dict[str, Any]:
    """Fields of `EMOptions`."""
    chosen: dict[str, Make] = {
        "max_iterations": lambda scene: scene.whole(1, 30),
        "tolerance": lambda scene: scene.one_of(None, 1e-3, 0.5),
        "smoothing": lambda scene: scene.one_of(None, True, False),
        "rng": lambda scene: scene.rng,
        "stopping": lambda scene: scene.one_of("adaptive", "converged"),
    }
    return {name: make(scene) for name, make in chosen.items() if scene.one_of(True, False, False)}


def _mask(scene: Scene) -> Any:
    mask = np.ones((scene.side, scene.side), dtype=bool)
    mask.flat[scene.cell] = scene.side == 1 or scene.one_of(True, False)
    return scene.one_of(None, mask)


def _polygon(scene: Scene) -> Any:
    return scene.one_of(
        shapely.box(0, 0, 0.5, 1), shapely.Point(0.2, 0.2).buffer(0.3), shapely.Polygon(), shapely.Point(0, 0)
    )


def _export_table(scene: Scene) -> dict[str, list[Any]]:
    return cell_table(scene.run, scene.mechanism, Grid.from_bounds((0.0, 0.0, 1.0, 1.0), scene.side, None))


def _measured(scene: Scene) -> Any:
    hidden = scene.protection
    return scene.one_of(hidden.local_privacy, hidden.guess_distance, hidden.hit_rate, hidden.credible_cells)


def _distribution(scene: Scene) -> np.ndarray:
    return scene.counts / scene.counts.sum()


def _reports_of_operator(scene: Scene) -> np.ndarray:
    return scene.keep("operator reports", lambda: np.asarray(_dam(scene).perturb(scene.counts, scene.rng), dtype=float))


VALID: dict[str, Make] = {
    # -- mechanisms ---------------------------------------------------------------------------
    "epsilon": _by_attribute("epsilon"),
    "d": _by_attribute("d"),
    "b": lambda scene: scene.one_of(None, 0, 1, 2, scene.d, 2 * scene.d),
    "k": lambda scene: scene.one_of(None, 1, scene.d**2),
    "m": lambda scene: scene.whole(2, 6),
    "cell_size_m": lambda scene: scene.one_of(None, 100.0, 1e-3),
    "rng": _by_attribute("rng"),
    "counts": _by_attribute("counts"),
    "reports": _by_attribute("single_reports"),
    "estimate.reports": _by_attribute("summed_reports"),
    "report_map.reports": _by_attribute("summed_reports"),
    "recovery_path.reports": _by_attribute("summed_reports"),
    "map_triple.reports": lambda scene: scene.mechanism.perturb(scene.population.counts, scene.rng),
    "report": lambda scene: scene.single_reports[0],
    "ix": lambda scene: np.array([scene.whole(0, scene.side - 1) for _ in range(3)]),
    "iy": lambda scene: np.array([scene.whole(0, scene.side - 1) for _ in range(3)]),
    "device_weights.ix": lambda scene: scene.whole(0, scene.side - 1),
    "device_weights.iy": lambda scene: scene.whole(0, scene.side - 1),
    "privacy_loss_from.ix": lambda scene: scene.whole(0, scene.side - 1),
    "privacy_loss_from.iy": lambda scene: scene.whole(0, scene.side - 1),
    "cell": _by_attribute("cell"),
    "first": _by_attribute("cell"),
    "second": _by_attribute("cell"),
    "cells": lambda scene: scene.one_of(None, np.array([scene.cell, scene.cell])),
    "exact_check.cells": lambda scene: scene.one_of(None, [divmod(scene.cell, scene.side)]),
    "distances_from.cells": lambda scene: np.array([scene.cell, scene.cell]),
    "inclusion_rows.cells": lambda scene: np.array([scene.cell, scene.cell]),
    "distance": lambda scene: np.array([[0.0, 1.0, 2.5]]),
    "mirrored": lambda scene: scene.one_of(True, False),
    "lowest": lambda scene: scene.real(0.5, 2),
    "highest": lambda scene: scene.real(2, 9),
    "comparable.values": lambda scene: scene.counts + 1.0,
    "parameter.name": lambda scene: scene.one_of("b", "k"),
    "draw_offsets.n": lambda scene: scene.whole(0, 20),
    "options": lambda scene: scene.one_of(None, None, "adaptive", "converged", EMOptions(max_iterations=5)),
    "settings": _settings,
    "stopping": lambda scene: scene.one_of("adaptive", "converged"),
    "max_iterations": lambda scene: scene.whole(1, 50),
    "tolerance": lambda scene: scene.one_of(None, 1e-3),
    "mask": _mask,
    "smoothing": lambda scene: scene.one_of(None, True, False),
    "radius": lambda scene: np.array([0.5, 1.0, 3.0]),
    # -- oracles ------------------------------------------------------------------------------
    **{
        f"{kind.__name__}.{method}.counts": _by_attribute("symbol_counts")
        for kind in ORACLES
        for method in ("perturb", "drawn_sums")
    },
    **{
        f"{kind.__name__}.{method}.values": _by_attribute("symbols")
        for kind in ORACLES
        for method in ("randomize", "likelihoods")
    },
    **{
        f"{kind.__name__}.{method}.reports": lambda scene: scene.oracle.randomize(scene.symbols, scene.rng)
        for kind in ORACLES
        for method in ("aggregate", "likelihoods")
    },
    "summed": lambda scene: scene.oracle.perturb(scene.symbol_counts, scene.rng),
    "n": lambda scene: scene.one_of(1, 100, 10**9),
    "frequency": lambda scene: scene.one_of(None, 0.0, 0.5, 1.0),
    "covariance.frequency": lambda scene: scene.one_of(None, scene.symbol_counts / scene.symbol_counts.sum()),
    "SquareWave.variance.frequency": lambda scene: scene.one_of(None, scene.symbol_counts / scene.symbol_counts.sum()),
    "shares": lambda scene: scene.symbol_counts / scene.symbol_counts.sum(),
    "seeds": lambda scene: np.arange(3),
    "hashed.symbols": lambda scene: np.arange(3) % scene.oracle.m,
    "value": lambda scene: scene.real(0, 1e6),
    "RandomizedResponse.device_weights.value": lambda scene: scene.whole(0, scene.oracle.m - 1),
    "SquareWave.device_weights.value": lambda scene: scene.whole(0, scene.oracle.m - 1),
    # -- grids and points ---------------------------------------------------------------------
    "bounds": lambda scene: scene.one_of((0.0, 0.0, 1.0, 1.0), (-3, -2, 5, 1), (8.0, 47.0, 8.1, 47.1)),
    "population.bounds": lambda scene: scene.one_of(None, (-72.95, 41.28, -72.9, 41.33)),
    "Population.of.bounds": lambda scene: scene.one_of(None, (-72.95, 41.28, -72.9, 41.33)),
    "crs": lambda scene: scene.one_of(None, "EPSG:4326"),
    "polygon": _polygon,
    "margin": lambda scene: scene.whole(0, 3),
    "x": lambda scene: scene.coordinates[0],
    "y": lambda scene: scene.coordinates[1],
    "weights": lambda scene: scene.one_of(None, np.arange(scene.coordinates[0].size)),
    "points": _by_attribute("points"),
    "population_on_any_grid.bounds": lambda scene: scene.one_of(None, (0.0, 0.0, 1.0, 1.0)),
    # -- W2 -----------------------------------------------------------------------------------
    "a": _by_attribute("counts"),
    **{f"{name}.b": _distribution for name in ("sinkhorn_w2", "transport", "wasserstein2")},
    "truth": _by_attribute("counts"),
    "estimates": lambda scene: [_distribution(scene)] * scene.whole(0, 2),
    "lambda_": lambda scene: scene.one_of(1.0, 5.0, 20.0),
    # -- privacy ------------------------------------------------------------------------------
    "mechanism": _by_attribute("mechanism"),
    "prior": lambda scene: scene.one_of(None, scene.counts),
    "belief": _distribution,
    "level": lambda scene: scene.one_of(0.5, 0.95, 1.0),
    "exact": lambda scene: scene.one_of(None, True, False),
    # Finer ones take as long as they ask for.
    "relative_error": lambda scene: scene.one_of(0.05, 0.3),
    "most_people": lambda scene: scene.whole(16, 100),
    "repeated_risk.reports": lambda scene: scene.whole(1, 3),
    "trials": lambda scene: scene.one_of(1_000, 1_500),
    "confidence": lambda scene: scene.one_of(0.5, 0.999),
    "kind": lambda scene: scene.one_of(MECHANISMS["Planar Laplace"], MECHANISMS["SEM-Geo-I"]),
    "to": lambda scene: DAM(scene.one_of(0.5, 2.0, 5.0), scene.whole(1, 3)),
    "branch": lambda scene: scene.one_of("exact", "authors"),
    "by": lambda scene: scene.one_of(*MEASURES),
    "measure": lambda scene: scene.one_of(*MEASURES),
    "curve": lambda scene: None,
    # -- experiments --------------------------------------------------------------------------
    "seed": lambda scene: scene.whole(0, 3),
    "repeats": lambda scene: scene.whole(1, 2),
    "users": lambda scene: scene.one_of(None, 1, 30),
    "name": lambda scene: scene.one_of(*MECHANISMS),
    "names": lambda scene: [scene.one_of(*MECHANISMS)],
    # A calibration that is not stored takes seconds.
    "calibrated": lambda scene: False,
    **{f"{name}.mechanism": lambda scene: scene.one_of(*MECHANISMS) for name in ("is_stored", "command", "snippet")},
    **{
        f"{name}.{key}": make
        for name in ("calibrated_epsilon", "equal_protection", "both_sides", "equal_footing")
        for key, make in {
            "mechanism": lambda scene: scene.one_of("DAM", "Planar Laplace", "k-RR"),
            "name": lambda scene: scene.one_of("DAM", "Planar Laplace", "k-RR"),
            "epsilon": lambda scene: scene.one_of(0.5, 2.0, 3.5),
            "calibrated": lambda scene: scene.one_of(True, False),
            "d": lambda scene: scene.one_of(1, 2, 3, 5),
        }.items()
    },
    "recovered": _distribution,
    "map_triple.recovered": lambda scene: scene.one_of(None, scene.population.shares),
    "true": _by_attribute("counts"),
    "number": lambda scene: scene.whole(0, 5),
    "rough": lambda scene: scene.one_of(True, False),
    "over": lambda scene: scene.one_of("epsilon", "d", "b", "users"),
    "sweep.values": lambda scene: scene.one_of([1], [2.0, 3.0], (1, 2)),
    "sweep.over": lambda scene: scene.one_of("epsilon", "users"),
    "sweep.reports": lambda scene: scene.whole(1, 2),
    "assess.reports": lambda scene: scene.whole(1, 2),
    "curve_values.values": lambda scene: [1.0, 2.0],
    "everybody": lambda scene: scene.whole(1, 10**6),
    "workers": lambda scene: scene.one_of(None, 1),
    "population": _by_attribute("population"),
    "population_on": _by_attribute("population_on"),
    "plan": _by_attribute("plan"),
    "with_changes.values": lambda scene: scene.one_of({}, {"epsilon": 2.0}, {"d": 3, "b": None}),
    "data": _by_attribute("data"),
    "scores": _by_attribute("scores"),
    "run": _by_attribute("run"),
    "cell_table.grid": lambda scene: Grid.from_bounds((0.0, 0.0, 1.0, 1.0), scene.side, None),
    "table": _export_table,
    "hot_spots_csv.spots": lambda scene: hot_spots(scene.counts, _distribution(scene), 3),
    "hot_spots_csv.grid": lambda scene: Grid.from_bounds((0.0, 0.0, 1.0, 1.0), len(scene.counts), None),
    "hot_spots_csv.districts": lambda scene: scene.one_of(None, np.full(scene.counts.shape, "a district")),
    "accelerated_iterates.mask": lambda scene: None,
    "to_geojson.settings": lambda scene: {"epsilon": 2.0, "d": scene.d},
    "to_parquet.settings": lambda scene: {"epsilon": 2.0, "d": scene.d},
    "values": lambda scene: np.array([1.0, 2.0, 4.0]),
    "hottest_cells.values": _by_attribute("counts"),
    "answers.values": _by_attribute("counts"),
    "answers.boxes": lambda scene: np.array([[0, scene.side, 0, 1], [0, 0, 0, scene.side]]),
    "counted_in.values": lambda scene: np.ones((scene.d, scene.d)),
    "DistrictWeights.weights": lambda scene: np.ones((scene.d, scene.d)) / 2,
    "DistrictWeights.inside": lambda scene: scene.real(0, 1),
    "counted.values": lambda scene: np.ones((scene.d, scene.d)),
    "share": lambda scene: scene.one_of(0.1, 0.3, 1),
    "with_cells": lambda scene: scene.one_of(0.0, 0.5, 2.0),
    "without_cells": lambda scene: scene.one_of(0.0, 0.501, 2.0),
    "side_m": lambda scene: scene.one_of(None, 100.0),
    "ruled_out": lambda scene: scene.whole(0, 3),
    "entry": lambda scene: DATASETS[scene.data],
    "row.entry": lambda scene: scene.one_of(*_curve(scene)),
    "spatialldp.experiments.sweep.to_csv.points": _by_attribute("curve_points"),
    "jump_sentence.entry": lambda scene: scene.one_of(*_scores(scene)),
    "side_name.entry": lambda scene: scene.one_of(*_scores(scene)),
    "of": lambda scene: scene.one_of(*_scores(scene)),
    "hidden": _by_attribute("protection"),
    **{f"{name}.value": _measured for name in ("cells", "share", "reading")},
    "loss.value": lambda scene: scene.one_of(0.0, 2.0, float("inf")),
    "told_apart.values": lambda scene: [_measured(scene), _measured(scene)],
    "more_digits": lambda scene: scene.whole(0, 3),
    "below": _by_attribute("mechanism"),
    "above": lambda scene: scene.build(scene.kind),
    **{f"{name}.side": lambda scene: scene.one_of(None, 100.0) for name in ("winner_sentence", "result")},
    **{
        f"{name}.measure": lambda scene: scene.one_of(*USEFULNESS)
        for name in (
            "Score.mean_of",
            "Score.half_width_of",
            "Usefulness.by",
            "Baselines.ends",
            "alike",
            "best",
            "contenders",
            "more_is_better",
            "result",
            "wholly_better",
            "winner_sentence",
            "with_interval",
        )
    },
    **{f"{name}.entry": lambda scene: scene.one_of(*_scores(scene)) for name in ("result", "with_interval")},
    **{f"wholly_better.{name}": lambda scene: scene.one_of(*_scores(scene)) for name in ("first", "second")},
    "maps": lambda scene: [_distribution(scene)] * scene.whole(1, 2),
    "least_spread": lambda scene: scene.one_of(0.0, 0.3),
    # -- planning -----------------------------------------------------------------------------
    "target": lambda scene: scene.one_of(1.0, 3000.0, 1e6),
    "grids": lambda scene: scene.one_of((1, 2), (3,)),
    "question": _by_attribute("question"),
    "results": lambda scene: study_results(scene.d)[1],
    "people": _by_attribute("population_on"),
    **{
        f"{name}.shares": lambda scene: np.ones((scene.d, scene.d))
        for name in ("Ground.error", "Ground.rough_error", "Ground.error_of_counts", "spread")
    },
    "decision": lambda scene: scene.one_of(None, scene.study.decision),
    "purpose": lambda scene: scene.one_of(*PURPOSES),
    "steps": lambda scene: scene.whole(0, 3),
    "progress.left": lambda scene: scene.one_of(None, 0, 7),
    "times": lambda scene: scene.whole(1, 3),
    "scenario": lambda scene: Scenario("careful", scene.plan),
    "scenarios": lambda scene: scene.one_of((), (Scenario("careful", scene.plan),)),
    "read_scenario.text": lambda scene: scene.one_of("A=DAM,2,5,,", "careful=SEM-Geo-I,3.5,15,,100", "DAM,2,5,1,"),
    "decided_for": lambda scene: scene.one_of("recommended", "present"),
    "marked_value.users": lambda scene: scene.whole(1, 100),
    "grid": _by_attribute("grid"),
    "text": lambda scene: scene.one_of("DAM,2,5,,", "SEM-Geo-I,3.5,15,,100", "DAM,2,5,1,"),
    "setting": lambda scene: Setting(scene.counts, scene.real(0.5, 5), scene.whole(1, 3), 1),
    "kernel_loss.kernel": _symmetric_kernel,
    "border_cells_in_quarter.b": lambda scene: scene.whole(1, 6),
    "printed_kernel.b": lambda scene: scene.whole(1, 6),
    "printed_area.b": lambda scene: scene.whole(1, 4),
    "printed_area.x": lambda scene: scene.whole(0, 4),
    "printed_area.y": lambda scene: scene.whole(0, 4),
    "szipf_formula.x": lambda scene: np.array([0.1, 0.5, 0.9]),
    # -- data ---------------------------------------------------------------------------------
    "dataset.name": lambda scene: scene.one_of(*DATASETS),
    "city": lambda scene: scene.one_of("chicago", "new-haven", "new-york", "san-francisco"),
    "rows": lambda scene: scene.one_of(None, 0, 50),
    "file": lambda scene: scene.one_of(*FILES.values(), io.BytesIO(FILES["points.csv"])),
    "inspect_points.name": lambda scene: scene.one_of(*FILES),
    "read_points.name": lambda scene: scene.one_of(*FILES),
    "columns": lambda scene: scene.one_of(None, Columns("longitude", "latitude"), Columns("lon", "lat")),
    "on_reading": lambda scene: None,
    "on_preview": lambda scene: None,
    "clock": lambda scene: time.thread_time,
    "swap": lambda scene: scene.one_of(True, False),
    "limits": _limits,
    "source": lambda scene: scene.one_of("no/such/file.csv", Path("no/such/*.parquet")),
    "bin_files.x": lambda scene: scene.one_of(None, "longitude"),
    "bin_files.y": lambda scene: scene.one_of(None, "latitude"),
    "memory": lambda scene: scene.one_of("100MB", "1GB"),
    "threads": lambda scene: scene.one_of(None, 1),
    # -- what the library itself calls --------------------------------------------------------
    "function": lambda scene: repr,
    "items": lambda scene: [1, -2],
    "operator": lambda scene: _dam(scene).operator,
    "expectation_maximization.reports": _reports_of_operator,
    "accelerated_iterates.reports": lambda scene: np.stack([_reports_of_operator(scene)] * scene.whole(1, 2)),
    "em_iterates.reports": _reports_of_operator,
    "training_parts.reports": _reports_of_operator,
    "em_iterates.smoothing": lambda scene: scene.one_of(True, False),
    "log_likelihood.counts": lambda scene: np.array([3.0, 0.0, 1.0]),
    "log_expected": lambda scene: np.log([0.5, 0.2, 0.3]),
    "informative_share": lambda scene: scene.real(0, 1),
    "distribution": _distribution,
    "on_simplex.values": lambda scene: scene.counts - 3.0,
    "kernel": _symmetric_kernel,
    "FoldedOperator.kernel": _folded_kernel,
    "q": lambda scene: _dam(scene).q,
    "gain": lambda scene: float(np.expm1(2.0)),
    "domain": lambda scene: _dam(scene).output_domain,
    "matrix": lambda scene: _dam(scene).transition_matrix(),
    "input_shape": lambda scene: (scene.d, scene.d),
    "output_shape": lambda scene: (_dam(scene).n_outputs,),
    "forward.x": _vector("input_shape"),
    "r": _vector("output_shape"),
    "out": lambda scene: None,
    "far": lambda scene: scene.whole(1, 9),
    "extras": lambda scene: [3, 0],
    "outputs": lambda scene: np.argwhere(np.ones((scene.d + 2,) * 2)) - 1,
    "offsets": lambda scene: np.array([[0, 0], [0, 1]]),
    "WeightTable.side": _by_attribute("d"),
    "near_and_far.side": _by_attribute("d"),
    "clamped": lambda scene: False,
    "near_and_far.shape": lambda scene: np.array([1.0, 0.5]),
    "with_slack.epsilon": lambda scene: scene.real(0.01, 9),
    "near_and_far.epsilon": lambda scene: scene.real(0.01, 9),
    "u": lambda scene: scene.whole(0, _table(scene).total - 1),
    "decode.cell": lambda scene: (0, 0),
    "weights.cell": lambda scene: (0, scene.d - 1),
    "decode_all.u": lambda scene: np.array([0, 1], dtype=np.int64),
    "decode_all.cells": lambda scene: np.zeros((2, 2), dtype=np.int64),
    "draw.cells": lambda scene: np.zeros((2, 2), dtype=np.int64),
    "spatialldp.tables.largest_ratio.first": lambda scene: np.array([1, 2]),
    "spatialldp.tables.largest_ratio.second": lambda scene: np.array([2, 0]),
    "cell_image.values": lambda scene: np.zeros((scene.d, scene.d)),
    "marked_image.values": lambda scene: np.zeros((scene.d, scene.d)),
    "svg_uri.width": lambda scene: scene.whole(50, 300),
    "person": lambda scene: scene.one_of(None, (-72.93, 41.3), (1e9, 0.0)),
    "knows_city": lambda scene: scene.one_of(True, False),
    "example_counts": lambda scene: scene.one_of(None, np.ones((3, 3), dtype=np.int64)),
    "step": lambda scene: scene.whole(1, 6),
    "worksheet.steps": lambda scene: scene.one_of([1], range(2, 4), (6, 5)),
    "key": lambda scene: scene.one_of(True, False),
    "notebook.scene": INSTANCES[teaching.Scene],
    "worksheet.found": INSTANCES[teaching.Findings],
    "length.cells": lambda scene: scene.real(0, 30),
    "centre.cell": lambda scene: (scene.one_of(0, 1.5), scene.whole(-1, 3)),
    "marks": lambda scene: scene.one_of(None, Marks(person=(8.1, 47.1), dots=[(8.1, 47.1)])),
    "region": lambda scene: np.eye(scene.d, dtype=bool),
    "svg_uri.chart": lambda scene: {"data": {"values": [{"a": 1}]}, "mark": "point"},
    "fullest_cells_in_words.values": _by_attribute("counts"),
    "scale": INSTANCES[Scale],
    "side": lambda scene: scene.one_of(20, 64),
    "outline": lambda scene: [[[0.0, 0.0], [1.0, 1.0]]],
    "frame": lambda scene: scene.one_of(None, scene.grid),
    "panels": lambda scene: [("title", "caption", _triple(scene).true.image(Scale(0.0, 1.0, False), 40))],
    "title": lambda scene: "a title",
    "footer": lambda scene: "a footer",
    **{
        f"{name}.points": lambda scene: _curve(scene)
        for name in ("error_chart", "distance_chart", "hit_chart", "more_protection_note", "series_name")
    },
    "series_name.entry": lambda scene: scene.one_of(*_curve(scene)),
    "marked": lambda scene: scene.one_of(1.0, 2.5),
    "dark": lambda scene: scene.one_of(True, False),
    "height": lambda scene: scene.whole(100, 500),
    "legend": lambda scene: scene.one_of(True, False),
    "colours.values": lambda scene: np.linspace(0, 1, 4).reshape(2, 2),
    "Scale.image.values": lambda scene: np.linspace(0, 1, 4).reshape(2, 2),
    "quantile": lambda scene: scene.real(0, 1),
    "difference": lambda scene: scene.counts - 3.0,
    "image": lambda scene: _triple(scene).true.image(Scale(0.0, 1.0, False), 40),
    "outline_lines.city": lambda scene: scene.one_of(None, "chicago"),
    "outline_of.city": lambda scene: scene.one_of(None, "chicago"),
    "outline_path.city": lambda scene: scene.one_of(None, "chicago"),
    "outline_within.city": lambda scene: scene.one_of(None, "chicago"),
    "unit": lambda scene: scene.one_of("m", "map units"),
    "standard_error": lambda scene: scene.one_of(0.0, 0.1),
    "low": lambda scene: 1.0,
    "high": lambda scene: 2.0,
    "digits": lambda scene: scene.whole(0, 3),
    "percent.share": lambda scene: scene.real(0, 1),
    "digits_of_percent.share": lambda scene: scene.real(0, 1),
    "exponent": lambda scene: scene.real(0, 800),
    "counted.number": lambda scene: scene.whole(0, 10**9),
    "noun": lambda scene: "cell",
    "lasting": lambda scene: False,
    "part": lambda scene: 0.5,
    "total": lambda scene: 2.0,
    "crowds": lambda scene: scene.one_of(None, True, False),
}


def strategy_of(target: Target, parameter: str) -> Make:
    """How a proper value of the parameter is drawn. Raises KeyError where nobody has said so."""
    function = target.method or target.short_name
    for name in (
        f"{target.name}.{parameter}",
        f"{target.short_name}.{parameter}",
        f"{function}.{parameter}",
        parameter,
    ):
        if name in VALID:
            return VALID[name]
    raise KeyError(f"{target.name}({parameter}=…)")
