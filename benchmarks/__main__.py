"""All speed benchmarks of the core: `python -m benchmarks`. The last table holds every ratio.

Others run by themselves: benchmarks.recovery (accelerated against plain EM), .stopping (its quality), .transport (exact
W2 against POT), .map_error (the error of a map, and what measuring it takes), .comparison (all mechanisms and the
paper's claims), .binning (files too large to load), .uploads (what hostile files cost), .fuzz (10,000 fuzzed calls:
minutes, and no speeds).
"""

from benchmarks import em_iteration, end_to_end, engines, perturb, randomize
from benchmarks.timing import RATIO_HEADER, print_table

ratios = [row for topic in (em_iteration, perturb, randomize, end_to_end, engines) for row in topic.main()]
print_table("Ratios", RATIO_HEADER, ratios)
