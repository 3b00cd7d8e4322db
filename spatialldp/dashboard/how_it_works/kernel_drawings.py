"""Drawings of a mechanism's cells: sharp on any projector, and with a text for those who cannot see them."""

from __future__ import annotations

import base64
from html import escape

import numpy as np
from numpy.typing import NDArray

from spatialldp.drawing.colours import Scale
from spatialldp.mechanisms import DAM, SAM
from spatialldp.mechanisms.sam import shrunken_cell

Array = NDArray[np.float64]

#: Up to this radius the cells are few enough to be outlined, and up to the second to carry their share.
_OUTLINED, _LABELLED = 14, 4


def kernel(mechanism: SAM, dark: bool, description: str) -> str:
    """A of every offset: dark cells are likelier. For DAM a cell on the border shows its shrunken part."""
    b = mechanism.b
    values = np.pad(mechanism.kernel, 1)
    scale = Scale(0.0, 1.0, dark)
    half = b + 1.5
    parts = [_rectangle(-half, -half, 2 * half, 2 * half, _colour(scale, 0.0))]
    mixed = []
    for column, row in enumerate(values):
        x = column - b - 1
        shown = np.where((row > 0) & (row < 1), 0.0, row) if isinstance(mechanism, DAM) else row
        parts += _runs(x, shown, scale, b)
        if isinstance(mechanism, DAM):
            mixed += [(x, int(at) - b - 1, float(row[at])) for at in np.flatnonzero((row > 0) & (row < 1))]
    parts += [_rectangle(*_shrunken(x, y, b), _colour(scale, 1.0)) for x, y, _ in mixed]
    ink = "#e8e8ee" if dark else "#22222e"
    if b <= _OUTLINED:
        parts += [_line(edge - half, ink, half) for edge in range(1, int(2 * half))]
    if b <= _LABELLED:
        for x, y, share in mixed:
            left, low, width, height = _shrunken(x, y, b)
            parts.append(_label(left + width / 2, -low - height / 2, f"{share:.2f}"))
    if b > 0:
        parts.append(f'<circle r="{b}" fill="none" stroke="#e66101" stroke-width="{half / 60:.3f}"/>')
    parts.append(
        f'<circle r="{min(0.3, half / 12):.3f}" fill="#e66101" stroke="white" stroke-width="{half / 90:.3f}"/>'
    )
    return _svg(parts, half, description)


def output_domain(mechanism: SAM, dark: bool, description: str) -> str:
    """Where a report may lie, around the square where people are."""
    side = mechanism.d + 2 * mechanism.b
    half = side / 2 + 0.5
    city, around = ("#4fa0a3", "#2c5285") if dark else ("#3b829f", "#d3e3c4")
    parts = []
    for column, row in enumerate(mechanism.output_domain):
        cells = np.flatnonzero(row)
        parts.append(_rectangle(column - side / 2, cells[0] - side / 2, 1.02, len(cells), around))
    low = -mechanism.d / 2
    parts.append(_rectangle(low, low, mechanism.d, mechanism.d, city))
    return _svg(parts, half, description)


def _colour(scale: Scale, value: float) -> str:
    red, green, blue = (int(band) for band in scale.colours(np.array(value)))
    return f"#{red:02x}{green:02x}{blue:02x}"


def _runs(x: int, row: Array, scale: Scale, b: int) -> list[str]:
    """Neighbouring cells of one value as one rectangle, so that a large radius stays a small picture."""
    starts = np.flatnonzero(np.diff(row, prepend=np.nan) != 0)
    ends = np.append(starts[1:], row.size)
    return [
        _rectangle(x - 0.5, start - b - 1.5, 1.02, end - start, _colour(scale, float(row[start])))
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
        if row[start] > 0
    ]


def _shrunken(x: int, y: int, b: int) -> tuple[float, float, float, float]:
    """The part of a border cell that counts, (left, low, width, height): its inner corner stays, its middle lies on the
    circle."""
    far, near = max(abs(x), abs(y)), min(abs(x), abs(y))
    along, across = (float(side) for side in shrunken_cell(np.array(far), np.array(near), b))
    width, height = (along, across) if abs(x) >= abs(y) else (across, along)
    left = x - 0.5 if x >= 0 else x + 0.5 - width
    low = y - 0.5 if y >= 0 else y + 0.5 - height
    return left, low, width, height


def _rectangle(x: float, y: float, width: float, height: float, colour: str) -> str:
    # Arrays grow to the north, pictures to the south.
    return f'<rect x="{x:.3f}" y="{-y - height:.3f}" width="{width:.3f}" height="{height:.3f}" fill="{colour}"/>'


def _line(at: float, ink: str, half: float) -> str:
    return (
        f'<path d="M{at:g},{-half:g}V{half:g}M{-half:g},{at:g}H{half:g}" stroke="{ink}" stroke-opacity=".3" '
        f'stroke-width="{half / 250:.4f}" fill="none"/>'
    )


def _label(x: float, y: float, text: str) -> str:
    font = 'font-size=".32" font-family="sans-serif" font-weight="700" text-anchor="middle"'
    halo = 'fill="#fff" stroke="#222" stroke-width=".05" paint-order="stroke"'
    return f'<text x="{x:g}" y="{y + 0.1:g}" {font} {halo}>{text}</text>'


def _svg(parts: list[str], half: float, description: str) -> str:
    box = f"{-half:g} {-half:g} {2 * half:g} {2 * half:g}"
    drawing = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="600" height="600">{"".join(parts)}</svg>'
    # As an image: Streamlit removes drawings from HTML, and not from images.
    coded = base64.b64encode(drawing.encode()).decode()
    return (
        f'<img alt="{escape(description, quote=True)}" src="data:image/svg+xml;base64,{coded}" '
        'style="width:100%;max-width:22rem;display:block">'
    )
