// Lets the visitor drag a rectangle on any of several maps, and shows it on all of them meanwhile.
//
// Reports { purpose, box } with the box [west, south, east, north]. The page listens before the maps do, so that they do
// not move; the wheel still zooms them.
const SAYS_FOR = 5000; // ms
const WAITS_FOR = 3000; // ms until a rectangle goes that the server has not answered
const ADVICE = {
  area: "Drag a rectangle on any map: the area becomes the square around it. Press Escape to cancel.",
  count: "Drag a rectangle on any map to count the people in it. Press Escape to cancel.",
};
const STYLE = `
  .draw-frame { position: fixed; z-index: 999999; overflow: hidden; pointer-events: none; }
  .draw-frame > div { position: absolute; box-sizing: border-box; }
  .draw-frame > .becomes { border: 2.5px solid rgb(230, 120, 20); background: rgba(230, 120, 20, 0.16); }
  .draw-frame > .dragged { border: 2px dashed rgb(230, 120, 20); }
  .draw-frame.count > .dragged { border: 2.5px solid rgb(208, 28, 118); background: rgba(208, 28, 118, 0.16); }
  .draw-says {
    position: fixed; z-index: 1000001; pointer-events: none; padding: 0.3rem 0.55rem; border-radius: 0.25rem;
    max-width: min(22rem, 90vw); background: #22222e; color: #fff; font: 0.85rem/1.3 "Source Sans", sans-serif;
  }
  .draw-says:empty, .draw-now .cell-value { display: none !important; }
`;

// Kept between calls: the page may be drawn anew, for other reasons, in the middle of a drag. Streamlit itself ends only
// the last call, when the component goes.
let stop = null;
let purpose = null;
let drag = null;
let asked = null; // where the pointer was when a question was put to the server
let frames = {};
let label = null;
let timer = 0;

const made = (name, parent, tag = "div") => {
  const element = document.createElement(tag);
  element.className = name;
  parent.append(element);
  return element;
};

function lookOf(key) {
  const deck = deckOf(key);
  const viewport = deck?.getViewports?.()[0];
  return viewport ? { viewport, frame: deck.getCanvas().getBoundingClientRect() } : null;
}

function hide() {
  clearTimeout(timer);
  document.documentElement.classList.remove("draw-now");
  for (const frame of Object.values(frames)) frame.remove();
  frames = {};
}

function say(text, event, ends) {
  clearTimeout(timer);
  label.textContent = text;
  if (event) {
    const left = Math.min(event.clientX + 14, window.innerWidth - label.offsetWidth - 4);
    const top = Math.min(event.clientY + 16, window.innerHeight - label.offsetHeight - 4);
    label.style.left = `${Math.max(left, 4)}px`;
    label.style.top = `${Math.max(top, 4)}px`;
  }
  if (ends) timer = setTimeout(() => { if (label) label.textContent = ""; }, SAYS_FOR);
}

function place(element, [west, south, east, north], viewport) {
  const [left, top] = viewport.project([west, north]);
  const [right, bottom] = viewport.project([east, south]);
  Object.assign(element.style, {
    left: `${left}px`, top: `${top}px`, width: `${right - left}px`, height: `${bottom - top}px`,
  });
}

function draw(data) {
  for (const key of data.maps) {
    const look = lookOf(key);
    if (!look) continue;
    let frame = frames[key];
    if (!frame) {
      frame = frames[key] = made(`draw-frame ${data.purpose}`, document.body);
      if (data.purpose === "area") made("becomes", frame);
      made("dragged", frame);
    }
    for (const side of ["left", "top", "width", "height"]) frame.style[side] = `${look.frame[side]}px`;
    place(frame.querySelector(".dragged"), drag.box, look.viewport);
    if (data.purpose === "area") place(frame.querySelector(".becomes"), squareAround(drag.box, data.metres), look.viewport);
  }
}

function end() {
  drag = asked = purpose = null;
  stop?.();
}

export default function ({ data, setTriggerValue }) {
  stop?.();
  stop = null;
  const isNew = data.purpose && data.purpose !== purpose;
  purpose = data.purpose;
  if (!data.purpose) {
    drag = null;
    return end;
  }
  const style = made("", document.head, "style");
  const on = data.maps.map((key) => `.st-key-${key} [data-testid="stDeckGlJsonChart"]`);
  style.textContent =
    STYLE + on.map((chart) => `${chart}, ${chart} * { cursor: crosshair !important; touch-action: none !important; }`).join("\n");
  label = made("draw-says", document.body);
  label.setAttribute("role", "status");
  if (drag && drag.purpose !== data.purpose) drag = null;
  if (drag?.box) draw(data);

  const first = isNew && lookOf(data.maps[0]);
  if (asked && data.answer) {
    say(data.answer, asked, true);
    asked = null;
  } else if (first) say(ADVICE[data.purpose], { clientX: first.frame.left, clientY: first.frame.top }, true);

  // Where the pointer is on its map, in pixels; at the edge when it has left it.
  const at = (event, frame) => [
    Math.min(Math.max(event.clientX - frame.left, 0), frame.width),
    Math.min(Math.max(event.clientY - frame.top, 0), frame.height),
  ];

  // A map that is zoomed out shows more than there is.
  const onEarth = ([x, y]) =>
    data.metres ? [Math.min(Math.max(x, -180), 180), Math.min(Math.max(y, -90), 90)] : [x, y];

  function pressed(event) {
    const key = data.maps.find((name) => event.target.closest?.(`.st-key-${name}`));
    const look = key && isOnMap(event.target) && lookOf(key);
    if (!look) return;
    // A second finger, or another button, must not move the map either.
    event.stopPropagation();
    if (!event.isPrimary || event.button !== 0) return;
    event.preventDefault();
    asked = null;
    const start = at(event, look.frame);
    drag = { key, purpose: data.purpose, pointer: event.pointerId, start, from: onEarth(look.viewport.unproject(start)), box: null };
    try { event.target.setPointerCapture(event.pointerId); } catch { /* the pointer has gone already */ }
    hide();
    // The value of the cell where the drag begins would otherwise stay when it is over.
    for (const value of document.querySelectorAll(".cell-value")) value.style.display = "none";
    document.documentElement.classList.add("draw-now");
    say("", null, false);
  }

  // The box from where the drag began, on the ground: the map may have been zoomed since.
  function follow(event) {
    const look = lookOf(drag.key);
    if (!look) return null;
    const end = at(event, look.frame);
    const [x, y] = onEarth(look.viewport.unproject(end));
    const [fromX, fromY] = drag.from;
    drag.box = [Math.min(x, fromX), Math.min(y, fromY), Math.max(x, fromX), Math.max(y, fromY)];
    const [startX, startY] = look.viewport.project(drag.from);
    return adviceOn(drag.box, Math.abs(end[0] - startX), Math.abs(end[1] - startY), data.purpose === "area", data);
  }

  function moved(event) {
    if (!drag || event.pointerId !== drag.pointer) return;
    event.stopPropagation();
    const advice = follow(event);
    if (!drag.box) return;
    draw(data);
    say(advice ? "" : data.purpose === "area" ? squareText(drag.box, data.metres) : sizeText(drag.box, data.metres), event, false);
  }

  function released(event) {
    if (!drag || event.pointerId !== drag.pointer) return;
    event.stopPropagation();
    const advice = follow(event);
    const box = drag.box;
    drag = null;
    if (advice || !box) {
      hide();
      say(advice || "", event, true);
      return;
    }
    say("", null, false);
    timer = setTimeout(hide, WAITS_FOR);
    asked = { clientX: event.clientX, clientY: event.clientY };
    setTriggerValue("drawn", { purpose: data.purpose, box });
  }

  function cancel(words, event) {
    drag = null;
    hide();
    say(words, event, true);
  }

  function gone(event) {
    if (drag && event.pointerId === drag.pointer) cancel("", null);
  }

  function typed(event) {
    if (!drag || event.key !== "Escape") return;
    event.stopPropagation();
    event.preventDefault();
    cancel("Cancelled: nothing was drawn.", null);
  }

  function scrolled() {
    if (drag?.box) draw(data);
    else {
      hide();
      say("", null, false);
    }
  }

  const heard = { pointerdown: pressed, pointermove: moved, pointerup: released, pointercancel: gone, keydown: typed };
  for (const [name, answer] of Object.entries(heard)) window.addEventListener(name, answer, { capture: true });
  window.addEventListener("scroll", scrolled, { capture: true, passive: true });
  stop = () => {
    for (const [name, answer] of Object.entries(heard)) window.removeEventListener(name, answer, { capture: true });
    window.removeEventListener("scroll", scrolled, { capture: true });
    hide();
    style.remove();
    label.remove();
    label = null;
    stop = null;
  };
  return end;
}
