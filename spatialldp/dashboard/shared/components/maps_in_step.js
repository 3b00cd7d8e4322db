// Mirrors pan and zoom between the charts of one page.
//
// Streamlit offers no way to do this, so each chart is told what the visitor did to another.
const RESTLESS_FOR = 1500; // ms after the last touch during which a map may still glide

const viewOf = (deck) => deck.props.viewState && (deck.props.viewState["default-view"] || deck.props.viewState);
const placeOf = (view) => view && [view.longitude, view.latitude, ...(view.target || []), view.zoom].join();

export default function ({ data, parentElement }) {
  // Streamlit ends only the last call, when the component goes.
  parentElement.stop?.();
  const keys = Object.keys(data.zooms);
  const places = {};
  let until = 0;
  let frame = 0;

  function follow(source, view) {
    for (const key of keys) {
      if (key === source) continue;
      const deck = deckOf(key);
      const old = deck && viewOf(deck);
      if (!old) continue;
      const next = { ...old, zoom: view.zoom - data.zooms[source] + data.zooms[key] };
      for (const name of ["longitude", "latitude", "target"]) if (view[name] !== undefined) next[name] = view[name];
      for (const name of Object.keys(next)) if (name.startsWith("transition")) delete next[name];
      deck.props.onViewStateChange({ viewState: next, viewId: "default-view", interactionState: {} });
      places[key] = placeOf(next);
    }
  }

  let source = null;
  function look() {
    const deck = source && deckOf(source);
    const view = deck && viewOf(deck);
    const place = placeOf(view);
    if (view && place !== places[source]) {
      places[source] = place;
      follow(source, view);
    }
    frame = performance.now() < until ? requestAnimationFrame(look) : 0;
  }

  function touched(event) {
    const key = keys.find((k) => event.target.closest?.(`.st-key-${k}`));
    if (!key) return;
    if (event.type === "pointermove" && !event.buttons) return;
    if (key !== source) {
      source = key;
      const deck = deckOf(key);
      places[key] = deck && placeOf(viewOf(deck));
    }
    until = performance.now() + RESTLESS_FOR;
    if (!frame) frame = requestAnimationFrame(look);
  }

  const events = ["pointerdown", "pointermove", "pointerup", "wheel", "dblclick", "keydown", "touchmove"];
  for (const name of events) document.addEventListener(name, touched, { capture: true, passive: true });
  parentElement.stop = () => {
    for (const name of events) document.removeEventListener(name, touched, { capture: true });
    if (frame) cancelAnimationFrame(frame);
  };
  return parentElement.stop;
}
