"""Whole runs: a population through a mechanism and back."""

from spatialldp.experiments.run import Run, simulate

__all__ = ["Run", "simulate"]
