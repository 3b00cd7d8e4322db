// A chart seen from the side is made as large as its place allows: its zoom is for a canvas of a certain size.
const TRIES = 100, PAUSE = 100; // ms between two looks whether the chart is there

const viewOf = (deck) => deck?.props.viewState && (deck.props.viewState["default-view"] || deck.props.viewState);

export default function ({ data }) {
  let timer = 0, observer = null;

  function fit(canvas) {
    const deck = deckOf(data.chart), view = viewOf(deck);
    const size = Math.min(canvas.clientWidth / data.canvas[0], canvas.clientHeight / data.canvas[1]);
    // Once for each size: what the visitor does to the view afterwards stays.
    if (!view || !size || canvas.fittedFor === size) return;
    canvas.fittedFor = size;
    const next = { ...view, zoom: data.zoom + Math.log2(size) };
    for (const name of Object.keys(next)) if (name.startsWith("transition")) delete next[name];
    deck.props.onViewStateChange({ viewState: next, viewId: "default-view", interactionState: {} });
  }

  function look(left) {
    const canvas = document.querySelector(`.st-key-${data.chart} canvas`);
    if (!canvas || !viewOf(deckOf(data.chart))) {
      if (left) timer = setTimeout(() => look(left - 1), PAUSE);
      return;
    }
    observer = new ResizeObserver(() => fit(canvas)); // calls it at once, too
    observer.observe(canvas);
  }

  look(TRIES);
  return () => { clearTimeout(timer); observer?.disconnect(); };
}
