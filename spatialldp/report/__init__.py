"""A decision on paper: what the Trade-off page shows as a printable report, one HTML file that needs nothing else.

`study` answers a question (it lives in `spatialldp.planning`); `printable_report` in `report.html` writes the answer
down, with the explanations of `report.notes`. `report.html` is imported on its own, because its charts need Pillow and
vl-convert (the extra `report`).
"""

from spatialldp.planning.question import Question, report_command
from spatialldp.planning.study import Study, study

__all__ = ["Question", "Study", "report_command", "study"]
