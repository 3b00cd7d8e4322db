"""From a question to a decision: what error or budget is accepted, searched, answered in numbers and in sentences."""
