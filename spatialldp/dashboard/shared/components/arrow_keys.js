// Arrow keys move ε while a page is shown on a projector, and Escape leaves that mode. Reports the wanted ε.
const FIELDS = [
  "input, textarea, select, canvas, audio, video, [contenteditable='true'], .deck-root *",
  "[role=slider], [role=tab], [role=radio], [role=combobox], [role=listbox], [role=option], [role=menu], [role=menuitem]",
].join();
// What Escape closes first.
const OPEN = [
  "[role=dialog], [role=listbox], [data-testid=stPopoverBody], [data-testid=stMainMenuPopover]",
  "button[aria-label='Close fullscreen'], [data-testid=stFullScreenFrame] button[aria-label='Exit fullscreen']",
].join();

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".root");
  root.stop?.();
  // What was asked for and is not on the page yet. A slow server may answer an earlier press after a later one.
  const asked = (root.asked ||= []), answer = asked.indexOf(data.epsilon);
  if (answer >= 0) asked.splice(0, answer + 1);
  else if (data.epsilon !== root.shown) asked.length = 0;
  root.shown = data.epsilon;
  if (!asked.length) root.epsilon = data.epsilon;

  function pressed(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || event.defaultPrevented) return;
    if (event.key === "Escape") {
      if (!document.querySelector(OPEN)) document.querySelector(".st-key-leave button")?.click();
      return;
    }
    const way = data.keys.indexOf(event.key);
    if (way < 0 || event.composedPath()[0].closest?.(FIELDS)) return;
    event.preventDefault();
    const [low, high] = data.limits;
    const wanted = Math.round((root.epsilon + (way ? data.step : -data.step)) * 100) / 100;
    root.epsilon = Math.min(Math.max(wanted, low), high);
    asked.push(root.epsilon);
    setStateValue("epsilon", root.epsilon);
  }

  // Seen before whatever it closes is gone.
  document.addEventListener("keydown", pressed, { capture: true });
  root.dataset.listening = "";
  root.stop = () => document.removeEventListener("keydown", pressed, { capture: true });
  return root.stop;
}
