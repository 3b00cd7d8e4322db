// A tour: a card beside one part of the page after the other, which is framed. The page stays usable meanwhile; Escape and
// a button end the tour anywhere.
const GAP = 14; // pixels between a part and its card

function beginTour(root, stops, over) {
  endTour(root);
  const frame = Object.assign(document.createElement("div"), { className: "frame" });
  const card = Object.assign(document.createElement("section"), { className: "card" });
  card.setAttribute("role", "dialog");
  card.setAttribute("aria-labelledby", "tour-title");
  card.setAttribute("aria-describedby", "tour-text");
  card.innerHTML = `<p class="count"></p><h2 id="tour-title"></h2><p id="tour-text"></p>
    <div class="buttons"><button type="button" class="skip"></button><button type="button" class="back">Back</button>
    <button type="button" class="go"></button></div>`;
  root.append(frame, card);
  const [skip, back, go] = card.querySelectorAll("button");
  let stop = 0, redraw = 0;

  const inSight = (element) => {
    const box = element.getBoundingClientRect();
    return element.checkVisibility() && box.width > 0 && box.height > 0 && box.right > 0 && box.left < innerWidth;
  };
  const part = () => stops[stop].beside.flatMap((selector) => [...document.querySelectorAll(selector)]).find(inSight);

  // Beside the part where there is room, else at the bottom of the window.
  function place() {
    const box = part()?.getBoundingClientRect();
    frame.hidden = !box;
    const { offsetWidth: wide, offsetHeight: high } = card;
    const bottom = innerHeight - high - GAP - (innerWidth < 769 ? 84 : 0);
    let left = (innerWidth - wide) / 2, top = bottom;
    if (box) {
      Object.assign(frame.style, {
        left: `${box.left - 5}px`, top: `${box.top - 5}px`, width: `${box.width + 10}px`, height: `${box.height + 10}px`,
      });
      const level = Math.min(Math.max(box.top, GAP), bottom), aligned = Math.min(Math.max(box.left, GAP), innerWidth - wide - GAP);
      if (box.right + GAP + wide < innerWidth) [left, top] = [box.right + GAP, level];
      else if (box.left - GAP - wide > 0) [left, top] = [box.left - GAP - wide, level];
      else if (box.bottom + GAP < bottom) [left, top] = [aligned, box.bottom + GAP];
      else if (box.top - GAP - high > 0) [left, top] = [aligned, box.top - GAP - high];
    }
    Object.assign(card.style, { left: `${left}px`, top: `${top}px` });
    redraw = requestAnimationFrame(place);
  }

  function show(number) {
    stop = number;
    const last = stop === stops.length - 1;
    card.querySelector(".count").textContent = `Stop ${stop + 1} of ${stops.length}`;
    card.querySelector("h2").textContent = stops[stop].title;
    card.querySelector("#tour-text").textContent = stops[stop].text;
    skip.textContent = "Skip the tour";
    skip.hidden = last;
    back.hidden = stop === 0;
    go.textContent = last ? "Done" : "Next";
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    part()?.scrollIntoView({ block: "nearest", behavior: still ? "instant" : "smooth" });
    // Read out anew at every stop; Enter goes on.
    go.focus({ preventScroll: true });
  }
  const end = () => { endTour(root); over(); };
  skip.onclick = end;
  back.onclick = () => show(stop - 1);
  go.onclick = () => (stop === stops.length - 1 ? end() : show(stop + 1));
  card.onkeydown = (event) => {
    if (event.key === "Escape") end();
    else if (event.key === "ArrowRight" && stop < stops.length - 1) show(stop + 1);
    else if (event.key === "ArrowLeft" && stop > 0) show(stop - 1);
    else return;
    event.stopPropagation();
    event.preventDefault();
  };
  root.endTour = () => {
    cancelAnimationFrame(redraw);
    frame.remove();
    card.remove();
    root.endTour = null;
  };
  show(0);
  place();
}

const endTour = (root) => root.endTour?.();
