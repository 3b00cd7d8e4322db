// The steps of the lesson as pages of the browser: arrow keys turn them, Back and Forward go to the former and the next
// one, and each opens at its top. Reports the step as "turned". Shows nothing, but tells the style of the page how much
// of the window is left to the pictures of a step, as --room: text is as long as settings, type and window make it.

// Whoever types, moves a slider or walks through a menu means that, not the lesson. A switch has no use for arrows.
const TYPING =
  "input:not([type=checkbox]), textarea, select, canvas, iframe, [contenteditable], [role=slider], " +
  "[role=application], [role=radio], [role=combobox], [role=listbox], [role=option], [role=tab], [role=menu], " +
  "[role=dialog]";
// A button of a bar keeps the focus when it is clicked, and the next arrow means the lesson; for those who came to the bar
// by keyboard arrows walk along it.
const IN_A_BAR = "button[role=radio]";

// The deepest element with the focus: pieces of ours are in shadow roots.
function focused() {
  let found = document.activeElement;
  while (found?.shadowRoot?.activeElement) found = found.shadowRoot.activeElement;
  return found;
}

const PICTURE = "[data-testid=stDeckGlJsonChart], [data-testid=stVegaLiteChart], img";
// Between the pictures and the edge of the window.
const MARGIN = 8;

function firstPicture(within) {
  for (const element of within.querySelectorAll("*")) {
    const found = element.matches(PICTURE) ? element : element.shadowRoot && firstPicture(element.shadowRoot);
    if (found) return found;
  }
  return null;
}

function measureRoom() {
  // Of a step that is being replaced there are two for a moment.
  const pictures = [...document.querySelectorAll(".st-key-pictures")].at(-1);
  const first = pictures && firstPicture(pictures);
  // An answer that is unfolded moves the pictures down, and they keep their size.
  if (!first || document.querySelector(".st-key-words details[open]")) return;
  const above = first.getBoundingClientRect().top + document.querySelector('[data-testid="stMain"]').scrollTop;
  document.documentElement.style.setProperty("--room", `${Math.round(window.innerHeight - above - MARGIN)}px`);
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
  function onPointer() {
    root.pointed = true;
  }
  function onKey(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) root.pointed = false;
    const held = event.ctrlKey || event.altKey || event.metaKey || event.shiftKey;
    if (!by || held || event.defaultPrevented || document.querySelector("[role=dialog]")) return;
    const at = focused();
    // The key is heard twice, on its way down and up the page: a bar would answer it in between.
    const down = event.eventPhase === Event.CAPTURING_PHASE;
    if (down ? !(root.pointed && at?.matches(IN_A_BAR)) : at?.closest(TYPING)) return;
    event.preventDefault();
    event.stopPropagation();
    // Or the frame of the focus would stay around a step that is not shown any more.
    if (down) at.blur();
    turn(root.wanted + by);
  }
  function onBack() {
    if (window.location.pathname !== root.path) return;
    turn(Number(new URLSearchParams(window.location.search).get("step") || 1));
  }
  root.path = window.location.pathname;
  for (const down of [true, false]) window.addEventListener("keydown", onKey, down);
  window.addEventListener("pointerdown", onPointer, true);
  window.addEventListener("popstate", onBack);
  const watching = new ResizeObserver(measureRoom);
  watching.observe(document.querySelector('[data-testid="stMainBlockContainer"]'));
  window.addEventListener("resize", measureRoom);
  root.leave = () => {
    watching.disconnect();
    window.removeEventListener("resize", measureRoom);
    for (const down of [true, false]) window.removeEventListener("keydown", onKey, down);
    window.removeEventListener("pointerdown", onPointer, true);
    window.removeEventListener("popstate", onBack);
  };
  return root.leave;
}
