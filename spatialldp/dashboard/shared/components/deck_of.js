// The deck.gl object of the chart in the container with this key, or null. Streamlit does not hand it out, so it is looked
// up in the page (React keeps it with the element). Should a future version hide it, the maps only lose what is built on it.
function deckOf(key) {
  const canvas = document.querySelector(`.st-key-${key} canvas`);
  if (!canvas) return null;
  const name = Object.keys(canvas).find((k) => k.startsWith("__reactFiber$"));
  for (let fiber = name && canvas[name]; fiber; fiber = fiber.return) {
    for (let hook = fiber.memoizedState; hook && typeof hook === "object"; hook = hook.next) {
      const kept = hook.memoizedState;
      const deck = (Array.isArray(kept) && kept[0]?.deck) || kept?.current?.deck;
      if (deck?.props?.onViewStateChange) return deck;
    }
  }
  return null;
}

// The view of such an object; undefined as long as it has none.
const viewOf = (deck) => deck?.props.viewState && (deck.props.viewState["default-view"] || deck.props.viewState);

// Shows it in another one, given by what changes, at once; returns the whole view.
function showView(deck, changes) {
  const view = { ...viewOf(deck), ...changes };
  for (const name of Object.keys(view)) if (name.startsWith("transition")) delete view[name];
  deck.props.onViewStateChange({ viewState: view, viewId: "default-view", interactionState: {} });
  return view;
}

// Whether an element that was touched is the picture of a chart, and not a button above it.
const isOnMap = (element) => Boolean(element.closest?.(".deck-root") && !element.closest("button"));

