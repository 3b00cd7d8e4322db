"""Drawings of a mechanism's cells: sharp on any projector, and with a text for those who cannot see them."""

from __future__ import annotations

import base64
import math
from html import escape

import numpy as np
from numpy.typing import NDArray

from spatialldp.drawing.colours import Scale
from spatialldp.mechanisms import SAM
from spatialldp.mechanisms.sam import PartialCell

Array = NDArray[np.float64]

#: Up to this radius the cells are few enough to be outlined, and up to the second to carry their share.
_OUTLINED, _LABELLED = 14, 4
#: Lines that cross the part of a cell that does not count, in a light and a dark theme, and how far apart, in cells.
_HATCH_INK, _HATCH_GAP = {False: "#f6f3e7", True: "#101018"}, 0.16
#: The share on a cell, in cells: its plate, narrow enough for all but the smallest parts that count, and its letters.
_PLATE_WIDTH, _PLATE_HEIGHT, _LETTERS, _LETTERS_WIDTH = 0.56, 0.3, 0.32, 0.52


def kernel(mechanism: SAM, dark: bool, description: str) -> str:
    """A of every offset: dark cells are likelier (in a dark theme, bright ones). Where only a part of a cell counts,
    that part is outlined inside it, the rest is hatched, and the share it makes up is written where no line crosses
    it."""
    b = mechanism.b
    scale = Scale(0.0, 1.0, dark)
    half = b + 1.5
    parts = [_rectangle(-half, -half, 2 * half, 2 * half, _colour(scale, 0.0))]
    for column, row in enumerate(np.pad(mechanism.kernel, 1)):
        parts += _runs(column - b - 1, row, scale, b)
    if b <= _OUTLINED:
        grid_ink = "#e8e8ee" if dark else "#22222e"
        parts += [_line(edge - half, grid_ink, half) for edge in range(1, int(2 * half))]
    partial = mechanism.partial_cells()
    if partial:
        parts.append(_hatching(_HATCH_INK[dark], max(_HATCH_GAP, half / 60)))
    for cell in partial:
        parts.append(_rest(cell))
        parts.append(_outline(cell, _ink_on(_colour(scale, cell.share)), half))
    if b > 0:
        parts.append(f'<circle r="{b}" fill="none" stroke="#e66101" stroke-width="{half / 60:.3f}"/>')
    if b <= _LABELLED:
        parts += [_label(cell, _colour(scale, cell.share)) for cell in partial]
    parts.append(
        f'<circle r="{min(0.3, half / 12):.3f}" fill="#e66101" stroke="white" stroke-width="{half / 90:.3f}"/>'
    )
    return _svg(parts, half, description)


def legend(mechanism: SAM, dark: bool, kinds: tuple[int, int]) -> str:
    """What the colours mean, with the number of (high, mixed) cells. Low ones go on to the end of the domain, beyond
    what is drawn, so they are not counted."""
    scale = Scale(0.0, 1.0, dark)
    low, high = _colour(scale, 0.0), _colour(scale, 1.0)
    partial = mechanism.partial_cells()
    if partial:
        fill, ink = _colour(scale, partial[0].share), _HATCH_INK[dark]
        between = f"repeating-linear-gradient(135deg,{fill} 0 2px,{ink} 2px 3px,{fill} 3px 4px)"
        mixed = "mixed (only the outlined part counts)"
    else:
        between = f"linear-gradient(90deg,{_colour(scale, 0.8)},{_colour(scale, 0.2)})"
        mixed = "in between, ring by ring"
    entries = [
        (fill, f"{number} {kind}")
        for fill, number, kind in zip((high, between), kinds, ("high", mixed), strict=True)
        if number
    ]
    return (
        '<div style="display:flex;flex-wrap:wrap;gap:.15rem .9rem;font-size:.875rem">'
        + "".join(
            f'<span><span style="display:inline-block;width:1em;height:1em;vertical-align:-.1em;margin-right:.35em;'
            f'border:1px solid #8888;background:{fill}"></span>{words}</span>'
            for fill, words in [*entries, (low, "all others low")]
        )
        + "</div>"
    )


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


def _rectangle(x: float, y: float, width: float, height: float, colour: str) -> str:
    # Arrays grow to the north, pictures to the south.
    return f'<rect x="{x:.3f}" y="{-y - height:.3f}" width="{width:.3f}" height="{height:.3f}" fill="{colour}"/>'


def _line(at: float, ink: str, half: float) -> str:
    return (
        f'<path d="M{at:g},{-half:g}V{half:g}M{-half:g},{at:g}H{half:g}" stroke="{ink}" stroke-opacity=".3" '
        f'stroke-width="{half / 250:.4f}" fill="none"/>'
    )


def _outline(cell: PartialCell, ink: str, half: float) -> str:
    return (
        f'<rect x="{cell.left:.3f}" y="{-cell.low - cell.height:.3f}" width="{cell.width:.3f}" '
        f'height="{cell.height:.3f}" fill="none" stroke="{ink}" stroke-width="{half / 220:.4f}"/>'
    )


def _hatching(ink: str, gap: float) -> str:
    return (
        f'<defs><pattern id="hatch" width="{gap:.3f}" height="{gap:.3f}" patternUnits="userSpaceOnUse" '
        f'patternTransform="rotate(45)"><path d="M0,0V{gap:.3f}" stroke="{ink}" stroke-width="{gap * 0.8:.3f}"/>'
        "</pattern></defs>"
    )


def _rest(cell: PartialCell) -> str:
    """The part of a cell that does not count: the cell around a hole."""
    whole = f"M{cell.x - 0.5:g},{-cell.y - 0.5:g}h1v1h-1z"
    hole = f"M{cell.left:.3f},{-cell.low:.3f}h{cell.width:.3f}v{-cell.height:.3f}h{-cell.width:.3f}z"
    return f'<path d="{whole}{hole}" fill="url(#hatch)" fill-rule="evenodd"/>'


def _ink_on(colour: str) -> str:
    """Black or white, whichever is easier to read on a colour (relative luminance of WCAG 2)."""
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    light = 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2
    return "#000000" if light > 0.18 else "#ffffff"


def _label(cell: PartialCell, background: str) -> str:
    """The share of a cell, on a plate in the colour of the cell that hides the circle and the hatching behind it."""
    x, y = _label_place(cell)
    plate = _rectangle(x - _PLATE_WIDTH / 2, y - _PLATE_HEIGHT / 2, _PLATE_WIDTH, _PLATE_HEIGHT, background)
    # As wide in every font.
    font = (
        f'font-size="{_LETTERS}" font-family="sans-serif" font-weight="700" text-anchor="middle" '
        f'textLength="{_LETTERS_WIDTH}" lengthAdjust="spacingAndGlyphs"'
    )
    # Digits are about 0.72 of their size tall.
    baseline = -y + 0.36 * _LETTERS
    return plate + f'<text x="{x:.3f}" y="{baseline:.3f}" {font} fill="{_ink_on(background)}">{cell.share:.2f}</text>'


def _label_place(cell: PartialCell) -> tuple[float, float]:
    """The middle of the part that counts; where that is too small for the plate, the middle of the rest beyond it."""
    x, y = cell.left + cell.width / 2, cell.low + cell.height / 2
    if cell.width >= _PLATE_WIDTH and cell.height >= _PLATE_HEIGHT:
        return x, y
    # The part lies in the inner corner of its cell, so there is room on the outer side.
    if 1 - cell.height >= _PLATE_HEIGHT:
        return cell.x, cell.y + math.copysign(cell.height / 2, cell.y)
    return cell.x + math.copysign(cell.width / 2, cell.x), cell.y


def _svg(parts: list[str], half: float, description: str) -> str:
    box = f"{-half:g} {-half:g} {2 * half:g} {2 * half:g}"
    drawing = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="600" height="600">{"".join(parts)}</svg>'
    # As an image: Streamlit removes drawings from HTML, and not from images.
    coded = base64.b64encode(drawing.encode()).decode()
    return (
        f'<img alt="{escape(description, quote=True)}" src="data:image/svg+xml;base64,{coded}" '
        'style="width:100%;max-width:min(34rem,75vh);display:block">'
    )
