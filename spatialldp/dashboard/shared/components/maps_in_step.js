// Fits the charts of one page to their canvases and lets them move together.
//
// Only the browser knows how large a chart is, so the view that just holds a chart's area is found here, and found again
// when the size changes (another window, full screen). What the visitor does to one chart is then done to the others.
// Streamlit offers no way to do either, so each chart is told by the function that deck.gl itself calls on a drag.
const COVERED = 0.97; // of the shorter side of the canvas
const WORLD = 512; // pixels of the whole world at zoom 0
const RESTLESS_FOR = 1500; // ms after the last touch during which a map may still glide
const SETTLED_AFTER = 3000; // ms during which a new or resized chart is looked after
const CLOSE = 1e-6;

const placeOf = (view) => view && [view.longitude, view.latitude, ...(view.target || []), view.zoom].join();
const mercator = (latitude) => Math.asinh(Math.tan((latitude * Math.PI) / 180)) / (2 * Math.PI);
const latitudeOf = (y) => (Math.atan(Math.sinh(2 * Math.PI * y)) * 180) / Math.PI;

// The view that holds all of the bounds [west, south, east, north] on a canvas of this size.
function fitted([west, south, east, north], width, height, geographic) {
  if (!geographic) {
    const zoom = Math.log2(COVERED * Math.min(width / (east - west), height / (north - south)));
    return { target: [(west + east) / 2, (south + north) / 2, 0], zoom };
  }
  const wide = (east - west) / 360, high = mercator(north) - mercator(south);
  return {
    longitude: (west + east) / 2,
    latitude: latitudeOf((mercator(south) + mercator(north)) / 2),
    zoom: Math.log2((COVERED * Math.min(width / wide, height / high)) / WORLD),
  };
}

// The same function is called again with every redraw of the page, and Streamlit ends only the last call, when the
// component goes: what is to be remembered, and what is to be stopped, stays with the element.
export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root");
  root.stop?.();
  // Another map of the same area, such as the one of differences, leaves the view as it is.
  const area = [...new Set(Object.values(data.areas).map(String))].join(";");
  const memory = (root.memory ||= { charts: new WeakMap(), moved: null, area });
  if (memory.area !== area) Object.assign(memory, { charts: new WeakMap(), moved: null, area });
  const keys = Object.keys(data.areas);
  const places = {};
  let until = 0, settle = performance.now() + SETTLED_AFTER, frame = 0, source = null;

  function show(deck, key, view) {
    places[key] = placeOf(showView(deck, view));
  }

  // The view of a chart when all are moved from their fitted view in the same way.
  const moved = (fit) => (memory.moved ? { ...fit, ...memory.moved.middle, zoom: fit.zoom + memory.moved.closer } : fit);

  function fit(key) {
    const deck = deckOf(key);
    const canvas = deck?.getCanvas?.();
    const view = canvas && viewOf(deck);
    if (!view || !canvas.clientWidth || !canvas.clientHeight) return;
    sizes.observe(canvas);
    const found = fitted(data.areas[key], canvas.clientWidth, canvas.clientHeight, data.geographic);
    memory.charts.set(deck, found);
    const wanted = moved(found);
    const off = Object.entries(wanted).some(([name, value]) =>
      [value].flat().some((number, i) => !(Math.abs(number - [view[name]].flat()[i]) < CLOSE)));
    if (off) show(deck, key, wanted);
  }

  function follow() {
    const deck = deckOf(source);
    const view = deck && viewOf(deck);
    const own = deck && memory.charts.get(deck);
    if (!own || placeOf(view) === places[source]) return;
    places[source] = placeOf(view);
    const middle = {};
    for (const name of ["longitude", "latitude", "target"]) if (view[name] !== undefined) middle[name] = view[name];
    memory.moved = { middle, closer: view.zoom - own.zoom };
    button.setAttribute("aria-disabled", "false");
    for (const key of keys) {
      const other = key !== source && deckOf(key);
      const theirs = other && memory.charts.get(other);
      if (theirs) show(other, key, moved(theirs));
    }
  }

  function look() {
    const now = performance.now();
    if (source && now < until) follow();
    else if (now < settle) keys.forEach(fit);
    frame = now < Math.max(until, settle) ? requestAnimationFrame(look) : 0;
  }
  function attend() {
    if (!frame) frame = requestAnimationFrame(look);
  }
  function lookAfter() {
    settle = performance.now() + SETTLED_AFTER;
    attend();
  }
  const sizes = new ResizeObserver(lookAfter);
  const charts = new MutationObserver(lookAfter);

  function touched(event) {
    const key = keys.find((k) => event.target.closest?.(`.st-key-${k}`));
    if (!key || (event.type === "pointermove" && !event.buttons)) return;
    // Of the buttons of a chart only those for the zoom move something; the one for full screen does not.
    if (!isOnMap(event.target) && !event.target.closest("[data-testid=stDeckGlJsonChartZoomButton]")) return;
    if (key !== source) {
      source = key;
      const deck = deckOf(key);
      places[key] = deck && placeOf(viewOf(deck));
    }
    until = performance.now() + RESTLESS_FOR;
    attend();
  }

  const button = resetButton(root);
  // Not "disabled", which would drop the focus of whoever has just pressed it.
  button.setAttribute("aria-disabled", String(!memory.moved));
  button.onclick = () => {
    memory.moved = null;
    source = null;
    until = 0;
    button.setAttribute("aria-disabled", "true");
    lookAfter();
  };

  const events = ["pointerdown", "pointermove", "pointerup", "wheel", "dblclick", "keydown", "touchmove"];
  for (const name of events) document.addEventListener(name, touched, { capture: true, passive: true });
  for (const key of keys) {
    const chart = document.querySelector(`.st-key-${key}`);
    if (chart) charts.observe(chart, { childList: true, subtree: true });
  }
  lookAfter();
  root.stop = () => {
    for (const name of events) document.removeEventListener(name, touched, { capture: true });
    sizes.disconnect();
    charts.disconnect();
    if (frame) cancelAnimationFrame(frame);
  };
  return root.stop;
}
