"""Exact 2-Wasserstein distances between histograms on a grid (internal; inputs are assumed to be valid)."""

from spatialldp._transport.solution import Solution, solve, solve_values, warm_up

__all__ = ["Solution", "solve", "solve_values", "warm_up"]
