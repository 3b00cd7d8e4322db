// The steps of the lesson as pages of the browser: arrow keys turn them, Back and Forward go to the former and the next
// one, and each opens at its top. Reports the step as "turned". Shows nothing.

// Whoever types, moves a slider or walks through a menu means that, not the lesson.
const TYPING =
  "input, textarea, select, canvas, iframe, [contenteditable], [role=slider], [role=application], [role=radio], " +
  "[role=combobox], [role=listbox], [role=option], [role=tab], [role=menu], [role=dialog]";

// The deepest element with the focus: pieces of ours are in shadow roots.
function focused() {
  let found = document.activeElement;
  while (found?.shadowRoot?.activeElement) found = found.shadowRoot.activeElement;
  return found;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".root");
  if (root.step !== undefined && root.step !== data.step) {
    document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0);
  }
  root.step = root.wanted = data.step;
  root.leave?.();

  function turn(step) {
    const within = Math.min(Math.max(step, 1), data.steps);
    if (within === root.wanted) return;
    root.wanted = within;
    setTriggerValue("turned", within);
  }
  function onKey(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const held = event.ctrlKey || event.altKey || event.metaKey || event.shiftKey;
    if (!by || held || event.defaultPrevented || focused()?.closest(TYPING)) return;
    if (document.querySelector("[role=dialog]")) return;
    event.preventDefault();
    turn(root.wanted + by);
  }
  function onBack() {
    if (window.location.pathname !== root.path) return;
    turn(Number(new URLSearchParams(window.location.search).get("step") || 1));
  }
  root.path = window.location.pathname;
  window.addEventListener("keydown", onKey);
  window.addEventListener("popstate", onBack);
  root.leave = () => {
    window.removeEventListener("keydown", onKey);
    window.removeEventListener("popstate", onBack);
  };
  return root.leave;
}
