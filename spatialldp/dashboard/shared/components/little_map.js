// A canvas as wide as its root that shows part of the world: where things are on it, and outlines and points to begin with.
function littleMap(root, canvas, data) {
  const [west, south, east, north] = data.view;
  const ink = getComputedStyle(root).getPropertyValue("--st-text-color") || "#333";
  const width = root.clientWidth || 280;
  const scale = width / (east - west);
  const height = Math.round((north - south) * data.stretch * scale);
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.height = height + "px";
  const toX = (x) => (x - west) * scale;
  const toY = (y) => (north - y) * data.stretch * scale;
  const fromX = (px) => west + px / scale;
  const fromY = (py) => north - py / (data.stretch * scale);

  function cleanPen() {
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.fillStyle = pen.strokeStyle = ink;
    pen.lineWidth = 0.6;
    pen.globalAlpha = 0.35;
    for (const [x, y] of data.points) pen.fillRect(toX(x) - 0.5, toY(y) - 0.5, 1.2, 1.2);
    pen.globalAlpha = 0.6;
    for (const line of data.outline) {
      pen.beginPath();
      line.forEach(([x, y], i) => (i ? pen.lineTo(toX(x), toY(y)) : pen.moveTo(toX(x), toY(y))));
      pen.stroke();
    }
    pen.globalAlpha = 1;
    return pen;
  }

  return { width, height, scale, toX, toY, fromX, fromY, cleanPen };
}

// Draws again when the root becomes wider or narrower: a click is understood by the width at which the map was drawn.
// Returns what ends it; a former one ends by itself.
function whenResized(root, draw) {
  root.sizes?.disconnect();
  let width = root.clientWidth;
  root.sizes = new ResizeObserver(() => {
    if (!root.clientWidth || root.clientWidth === width) return;
    width = root.clientWidth;
    draw();
  });
  root.sizes.observe(root);
  return () => root.sizes.disconnect();
}

