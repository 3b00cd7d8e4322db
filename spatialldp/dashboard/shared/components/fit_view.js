// A chart seen from the side is made as large as its place allows: its zoom is for a canvas of a certain size.
const PAUSE = 250; // ms between two looks

export default function ({ data }) {
  function fit() {
    const canvas = document.querySelector(`.st-key-${data.chart} canvas`), deck = canvas && deckOf(data.chart);
    const view = deck?.props.viewState && (deck.props.viewState["default-view"] || deck.props.viewState);
    if (!view) return;
    const size = Math.min(canvas.clientWidth / data.canvas[0], canvas.clientHeight / data.canvas[1]);
    const zoom = data.zoom + Math.log2(size);
    // Once for each size, so that what the visitor does to the view afterwards stays; and again where the chart, which
    // may be made anew at any time, has gone back to where it began.
    if (!size || zoom === view.zoom || (canvas.fittedFor === size && view.zoom !== data.zoom)) return;
    canvas.fittedFor = size;
    const next = { ...view, zoom };
    for (const name of Object.keys(next)) if (name.startsWith("transition")) delete next[name];
    deck.props.onViewStateChange({ viewState: next, viewId: "default-view", interactionState: {} });
  }

  fit();
  const timer = setInterval(fit, PAUSE);
  return () => clearInterval(timer);
}
