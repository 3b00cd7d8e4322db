"""A decision on paper: everything a trade-off shows, in one HTML file that needs nothing else.

`study` answers a question, `spatialldp.report.html.report_html` writes the answer down.
"""

from spatialldp.planning.study import Question, Study, report_command, study

__all__ = ["Question", "Study", "report_command", "study"]
