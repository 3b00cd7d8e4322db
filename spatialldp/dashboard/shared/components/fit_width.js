// A chart seen from the side is made as large as its place allows: its zoom is for a canvas of a certain width.
const TRIES = 100, PAUSE = 100; // ms between two looks whether the chart is there

export default function ({ data }) {
  let timer = 0, observer = null, width = data.width;

  function fit(deck, canvas) {
    const now = canvas.clientWidth;
    const view = deck.props.viewState && (deck.props.viewState["default-view"] || deck.props.viewState);
    if (!now || !view || Math.abs(now - width) < 2) return;
    const next = { ...view, zoom: view.zoom + Math.log2(now / width) };
    for (const name of Object.keys(next)) if (name.startsWith("transition")) delete next[name];
    width = now;
    canvas.fittedFor = now;
    deck.props.onViewStateChange({ viewState: next, viewId: "default-view", interactionState: {} });
  }

  function look(left) {
    const deck = deckOf(data.chart), canvas = document.querySelector(`.st-key-${data.chart} canvas`);
    if (!deck || !canvas || !deck.props.viewState) {
      if (left) timer = setTimeout(() => look(left - 1), PAUSE);
      return;
    }
    width = canvas.fittedFor || data.width;
    fit(deck, canvas);
    observer = new ResizeObserver(() => { const found = deckOf(data.chart); if (found) fit(found, canvas); });
    observer.observe(canvas);
  }

  look(TRIES);
  return () => { clearTimeout(timer); observer?.disconnect(); };
}
