"""How it works in a real browser."""

import pytest
from playwright.sync_api import expect

#: How far the pieces of a formula that cannot be broken reach beyond their column, on either side, in pixels.
_BEYOND = """displays => displays.map((display) => {
  const column = display.closest("[data-testid=stMarkdown]").getBoundingClientRect();
  const pieces = [...display.querySelectorAll(".katex-html .base")].map((piece) => piece.getBoundingClientRect());
  return Math.max(...pieces.flatMap((piece) => [piece.right - column.right, column.left - piece.left]));
})"""


@pytest.mark.parametrize(("width", "height", "mode"), [(1440, 900, ""), (1280, 720, ""), (420, 900, "&present=1")])
@pytest.mark.parametrize(("part", "formulas"), [("kernel", 3), ("recovery", 1)])
def test_no_formula_is_wider_than_its_column(visit, part, formulas, width, height, mode):
    page = visit(f"/how_it_works?data=new-haven&part={part}{mode}", width=width, height=height).page
    shown = page.locator(".katex-display")
    expect(shown).to_have_count(formulas)
    page.evaluate("document.fonts.ready.then(() => true)")
    # A broken pixel is none that is cut off.
    assert max(shown.evaluate_all(_BEYOND)) < 0.5
