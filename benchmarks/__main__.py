"""All speed benchmarks: `python -m benchmarks`. (The quality of stopping: `python -m benchmarks.stopping`.)"""

from benchmarks import em_iteration, end_to_end, perturb

for topic in (em_iteration, perturb, end_to_end):
    topic.main()
