"""What is assumed where nothing is said: by the library, the command line and the pages alike."""

from __future__ import annotations

from spatialldp.datasets import DEFAULT_DATASET

#: Id of the data set.
DATA = DEFAULT_DATASET
#: The mechanism of a run or plan.
MECHANISM = "DAM"
#: The mechanisms that are compared, or have a curve.
COMPARED = ("DAM", "HUEM", "MDSW", "SEM-Geo-I")
#: Privacy budget ε.
EPSILON = 3.5
#: Cells per side.
D = 15
#: The first random seed; repeats take the following ones.
SEED = 1
#: How often a measurement is repeated.
REPEATS = 5
#: How many reports of one person an attacker sees.
REPORTS = 1
#: What changes along a curve: a field of `Plan`.
OVER = "epsilon"
