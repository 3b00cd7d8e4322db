// The value of the cell under the pointer, in a small label beside it.
//
// deck.gl could do it with one invisible polygon a cell, but drawing those takes longer than the map itself.
export default function ({ data, parentElement }) {
  // Streamlit ends only the last call, when the component goes; the one before would show the labels of another run.
  parentElement.stop?.();
  const label = document.createElement("div");
  label.className = "cell-value";
  label.setAttribute("role", "status");
  document.body.append(label);
  const hide = () => { label.style.display = "none"; };
  hide();

  function textAt(key, event) {
    const deck = deckOf(key);
    const viewport = deck?.getViewports?.()[0];
    if (!viewport) return null;
    const frame = deck.getCanvas().getBoundingClientRect();
    const [x, y] = viewport.unproject([event.clientX - frame.left, event.clientY - frame.top]);
    const { bounds: [west, south, east, north], side, texts } = data.maps[key];
    const ix = Math.floor(((x - west) / (east - west)) * side);
    const iy = Math.floor(((y - south) / (north - south)) * side);
    return ix >= 0 && ix < side && iy >= 0 && iy < side ? texts[ix * side + iy] : null;
  }

  function moved(event) {
    const chart = event.target.closest?.("[class*='st-key-map-']");
    const key = chart && Object.keys(data.maps).find((name) => chart.classList.contains(`st-key-${name}`));
    // A chart may have labels of its own, for what is drawn above the cells.
    const other = key && [...chart.querySelectorAll(".deck-tooltip")].some((t) => t.style.display === "block");
    const text = key && !other && !event.buttons && isOnMap(event.target) ? textAt(key, event) : null;
    if (!text) return hide();
    label.textContent = text;
    label.style.display = "block";
    const width = label.offsetWidth;
    const left = event.clientX + 14 + width > window.innerWidth ? event.clientX - width - 10 : event.clientX + 14;
    label.style.left = `${Math.max(left, 4)}px`;
    label.style.top = `${event.clientY + 14}px`;
  }

  document.addEventListener("pointermove", moved, { passive: true });
  document.addEventListener("pointerdown", moved, { passive: true });
  document.addEventListener("scroll", hide, { capture: true, passive: true });
  parentElement.stop = () => {
    document.removeEventListener("pointermove", moved);
    document.removeEventListener("pointerdown", moved);
    document.removeEventListener("scroll", hide, { capture: true });
    label.remove();
  };
  return parentElement.stop;
}
