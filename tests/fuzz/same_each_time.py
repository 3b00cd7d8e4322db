"""How the calls of the test suite are chosen.

They are the same each time, as they depend on the code of the strategies only: a failure is then due to the change at
hand, not to luck. Fresh ones are the business of `python -m benchmarks.fuzz`, which prints its seed.
"""

from hypothesis import HealthCheck, settings

#: Nothing is kept on disk: to see a failure again, run its test again.
SAME_EACH_TIME = settings(
    max_examples=8, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)
