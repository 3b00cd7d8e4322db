// A chart seen from the side is made as large as its place allows: its zoom is for a canvas of a certain size.
const SETTLED_AFTER = 3000; // ms during which a new or resized chart is looked after

// Streamlit ends only the last call, when the component goes: what is to be stopped stays with the element.
export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root");
  root.stop?.();
  let settled = 0, frame = 0;
  resetButton(root).onclick = () => {
    const deck = deckOf(data.chart);
    if (!deck) return;
    delete deck.getCanvas().fittedFor;
    showView(deck, data.view);
    lookAfter();
  };

  function fit() {
    const deck = deckOf(data.chart), view = viewOf(deck), canvas = view && deck.getCanvas?.();
    if (!canvas) return;
    sizes.observe(canvas);
    const size = Math.min(canvas.clientWidth / data.canvas[0], canvas.clientHeight / data.canvas[1]);
    const zoom = data.view.zoom + Math.log2(size);
    // Once for each size, so that what the visitor does to the view afterwards stays; and again where the chart, which
    // may be made anew at any time, has gone back to where it began.
    if (!size || zoom === view.zoom || (canvas.fittedFor === size && view.zoom !== data.view.zoom)) return;
    canvas.fittedFor = size;
    showView(deck, { zoom });
  }

  function look() {
    fit();
    frame = performance.now() < settled ? requestAnimationFrame(look) : 0;
  }
  function lookAfter() {
    settled = performance.now() + SETTLED_AFTER;
    if (!frame) frame = requestAnimationFrame(look);
  }
  const sizes = new ResizeObserver(lookAfter);
  const charts = new MutationObserver(lookAfter);
  const chart = document.querySelector(`.st-key-${data.chart}`);
  charts.observe(chart || document.body, { childList: true, subtree: true });
  lookAfter();
  root.stop = () => {
    sizes.disconnect();
    charts.disconnect();
    if (frame) cancelAnimationFrame(frame);
  };
  return root.stop;
}
