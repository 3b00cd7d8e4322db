"""Which names are the public interface, for the tests that go through all of it."""

#: The packages whose `__all__` is the public interface, and what else of it is found in modules without one.
PUBLIC_PACKAGES = (
    "spatialldp",
    "spatialldp.mechanisms",
    "spatialldp.privacy",
    "spatialldp.datasets",
    "spatialldp.experiments",
    "spatialldp.oracles",
    "spatialldp.paper",
    "spatialldp.planning",
    "spatialldp.report",
)
PUBLIC_IN_MODULES = {
    "spatialldp.engines": ("map",),
    "spatialldp.estimation": ("EMOptions", "expectation_maximization"),
    "spatialldp.experiments.axes": ("axis_values", "curve_names", "curve_values", "on_curve", "varied"),
    "spatialldp.experiments.calibrated": ("is_stored",),
    "spatialldp.experiments.comparison": ("alike", "both_sides", "contenders", "equal_footing", "score_of"),
    "spatialldp.experiments.comparison_sentences": (
        "cells",
        "figures",
        "jump_sentence",
        "loss",
        "reading",
        "share",
        "side_name",
        "told_apart",
        "what_changes",
        "winner_sentence",
    ),
    "spatialldp.experiments.export": ("cell_table", "command", "snippet", "to_csv", "to_geojson", "to_parquet"),
    "spatialldp.experiments.hot_spots": ("hottest_cells",),
    "spatialldp.experiments.measures": ("loneliest_cell",),
    "spatialldp.experiments.plan": ("is_calibrated", "side_and_unit"),
    "spatialldp.experiments.repeats": (
        "Repeats",
        "half_width_of_mean",
        "half_width_of_next",
        "participants",
        "repeated",
    ),
    "spatialldp.experiments.ranges": ("answers", "random_squares"),
    "spatialldp.experiments.run": ("checked_mask",),
    "spatialldp.experiments.sweep": ("Row", "row", "to_csv"),
    "spatialldp.population": ("Population", "paper_squares", "population"),
    "spatialldp.recovery_path": ("RecoveryPath", "recovery_path"),
}
