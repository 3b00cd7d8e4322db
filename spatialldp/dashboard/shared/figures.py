"""Figures in boxes, the same on every page."""

from __future__ import annotations

from typing import Any


def figure(column: Any, label: str, value: str, below: str | None = None, help: str | None = None) -> None:
    """One figure: a label, the value, and in small print what it means; `help` on hovering."""
    column.metric(label, value, below, border=True, delta_color="off", delta_arrow="off", help=help)
