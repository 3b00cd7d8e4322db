// The outline of a city above a square picture: what draws it, and what puts { size, path } there.
const OUTLINE = '<svg class="outline" aria-hidden="true" preserveAspectRatio="none"><path></path></svg>';

function showOutline(svg, { size, path }) {
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  const line = svg.querySelector("path");
  if (line.getAttribute("d") !== path) line.setAttribute("d", path);
}

