"""Frequency oracles: how often each of m symbols is held, asked of people who tell nothing for certain.

A symbol is a cell, a sector, a length, a move: whatever is numbered 0 … m − 1. The cell mechanisms are made of these.
"""

from spatialldp.oracles.base import FrequencyOracle, SupportCounts, SupportOracle
from spatialldp.oracles.local_hashing import OptimizedLocalHashing
from spatialldp.oracles.randomized_response import RandomizedResponse
from spatialldp.oracles.square_wave import SquareWave, square_wave_radius
from spatialldp.oracles.unary_encoding import OptimizedUnaryEncoding

__all__ = [
    "FrequencyOracle",
    "OptimizedLocalHashing",
    "OptimizedUnaryEncoding",
    "RandomizedResponse",
    "SquareWave",
    "SupportCounts",
    "SupportOracle",
    "square_wave_radius",
]
