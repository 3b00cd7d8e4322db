// A box that is being dragged, [west, south, east, north]: the square it becomes, its size in words, and whether it is one.
// `metres` is the length of a degree, or null where the map has plain units; `least` the shortest side of an area, metres.
const SMALLEST_DRAG = 5; // pixels: less is a click, not a box

// The smallest square around the same centre, as spatialldp/grid.py makes it.
function squareAround([west, south, east, north], metres) {
  const x = (west + east) / 2, y = (south + north) / 2;
  const aspect = metres ? Math.cos((y * Math.PI) / 180) : 1;
  const half = Math.max((east - west) * aspect, north - south) / 2;
  return [x - half / aspect, y - half, x + half / aspect, y + half];
}

function sizeOf([west, south, east, north], metres) {
  const shrink = metres ? Math.cos((((south + north) / 2) * Math.PI) / 180) : 1;
  return [(east - west) * shrink * (metres || 1), (north - south) * (metres || 1)];
}

function lengthText(value, metres) {
  if (!metres) return Number(value.toPrecision(3)).toString();
  return value >= 1000 ? `${(value / 1000).toFixed(1)} km` : `${Math.round(value)} m`;
}

function sizeText(box, metres) {
  const [wide, high] = sizeOf(box, metres);
  return `${lengthText(wide, metres)} × ${lengthText(high, metres)}`;
}

function squareText(box, metres) {
  return `${sizeText(box, metres)} becomes a square of ${lengthText(sizeOf(squareAround(box, metres), metres)[1], metres)} per side`;
}

// What is wrong with a drag over so many pixels, as advice; null where nothing is.
function adviceOn(box, pixelsWide, pixelsHigh, isArea, { metres, least }) {
  const most = Math.max(pixelsWide, pixelsHigh);
  if (most < SMALLEST_DRAG) return "That was a click. Press, drag across the map, and let go to draw a rectangle.";
  if (Math.min(pixelsWide, pixelsHigh) < SMALLEST_DRAG) return "That is a line. Drag from corner to corner to draw a rectangle.";
  const side = isArea && metres ? sizeOf(squareAround(box, metres), metres)[1] : Infinity;
  if (side >= least) return null;
  return `${lengthText(side, metres)} per side is too small for an area: drag a rectangle of at least ${lengthText(least, metres)}.`;
}

