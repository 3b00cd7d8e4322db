// Two maps of the same cells, one above the other, and a divider that uncovers the one below. Works in the browser alone.
const HTML = `
  <div class="map">
    <input type="range" min="0" max="100" step="1">
    <div class="stack">
      <img class="below"><img class="above">
      ${OUTLINE}
      <span class="label left"></span><span class="label right"></span>
      <div class="divider"><span class="handle"><svg viewBox="0 0 24 24"><path d="M9 6 3 12l6 6M15 6l6 6-6 6"></path></svg></span></div>
    </div>
  </div>
  <div class="side">
    <fieldset><legend>Swipe between</legend></fieldset>
    <p class="notes"></p>
    <p class="values"></p>
    <div class="legend"><div class="bar" role="img"></div><p></p></div>
  </div>`;

const within = (value, low, high) => Math.min(Math.max(value, low), high);
const count = (number) => Math.round(number).toLocaleString("en");
const percent = (share) => `${(100 * share).toFixed(2)}%`;

function said(picture, cell, users) {
  const value = picture.values[cell];
  if (value === null) return "nothing";
  if (picture.unit === "people") {
    const people = count(value * users);
    return `${people} ${people === "1" ? "person" : "people"} (${percent(value)})`;
  }
  return picture.unit === "reports" ? `${count(value)} ${value === 1 ? "report" : "reports"}` : `named in ${percent(value)} of reports`;
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root");
  // The page sends new pictures with every move of a slider: divider and pair stay where the visitor put them.
  const kept = (root.kept ??= { at: 50, pair: data.pairs[0].join() });
  if (!root.querySelector(".map")) root.innerHTML = HTML;
  const find = (selector) => root.querySelector(selector);
  const stack = find(".stack"), slider = find("input[type=range]"), values = find(".values"), choice = find("fieldset");
  const pictures = Object.fromEntries(data.pictures.map((picture) => [picture.title, picture]));
  const possible = data.pairs.filter((pair) => pair.every((title) => pictures[title]));
  let left, right;

  function move(at) {
    kept.at = within(Math.round(at), 0, 100);
    slider.value = kept.at;
    slider.setAttribute(
      "aria-valuetext",
      `${kept.at}% ${left.title.toLowerCase()}, ${100 - kept.at}% ${right.title.toLowerCase()}`,
    );
    find(".above").style.clipPath = `inset(0 ${100 - kept.at}% 0 0)`;
    find(".divider").style.left = `${kept.at}%`;
    find(".label.left").classList.toggle("away", kept.at < 15);
    find(".label.right").classList.toggle("away", kept.at > 85);
  }

  function show() {
    const pair = possible.find((titles) => titles.join() === kept.pair) || possible[0];
    [left, right] = pair.map((title) => pictures[title]);
    for (const [selector, picture] of [[".above", left], [".below", right]]) {
      if (find(selector).src !== picture.image) find(selector).src = picture.image;
      find(selector).alt = `${picture.title} map: ${picture.note}; ${picture.words}`;
    }
    find(".label.left").textContent = left.title;
    find(".label.right").textContent = right.title;
    slider.setAttribute("aria-label", `Divider between the ${left.title.toLowerCase()} and the ${right.title.toLowerCase()} map`);
    find(".notes").replaceChildren(...[left, right].flatMap((picture) => {
      const title = document.createElement("strong");
      title.textContent = picture.title;
      return [title, `: ${picture.note}.`, document.createElement("br")];
    }));
    for (const radio of choice.querySelectorAll("input")) radio.checked = radio.value === pair.join();
    move(kept.at);
  }

  choice.hidden = data.pairs.length < 2;
  const pairs = data.pairs.map((pair) => pair.join());
  if (choice.dataset.pairs !== pairs.join(";")) {
    choice.dataset.pairs = pairs.join(";");
    for (const label of choice.querySelectorAll("label")) label.remove();
    for (const pair of data.pairs) {
      const label = document.createElement("label"), radio = document.createElement("input");
      Object.assign(radio, { type: "radio", name: "pair", value: pair.join() });
      label.append(radio, pair.join(" | "));
      choice.append(label);
    }
  }
  for (const radio of choice.querySelectorAll("input")) {
    radio.disabled = !possible.some((pair) => pair.join() === radio.value);
    radio.onchange = () => { kept.pair = radio.value; show(); };
  }

  showOutline(find(".outline"), data.outline);
  root.classList.toggle("dark", data.dark);
  root.style.setProperty("--room", data.room);
  find(".bar").style.background = data.legend.css;
  find(".bar").setAttribute("aria-label", data.legend.text);
  find(".legend p").textContent = data.legend.text;

  slider.oninput = () => move(Number(slider.value));
  const share = (event) => {
    const frame = stack.getBoundingClientRect();
    return [(event.clientX - frame.left) / frame.width, (event.clientY - frame.top) / frame.height];
  };
  let dragging = false;
  stack.onpointerdown = (event) => {
    dragging = true;
    stack.setPointerCapture(event.pointerId);
    event.preventDefault();
    slider.focus({ preventScroll: true });
    move(100 * share(event)[0]);
  };
  stack.onpointermove = (event) => {
    const [x, y] = share(event);
    if (dragging) move(100 * x);
    if (!left.values || !right.values) return;
    const ix = within(Math.floor(x * data.d), 0, data.d - 1), iy = within(Math.floor((1 - y) * data.d), 0, data.d - 1);
    const cell = ix * data.d + iy;
    values.textContent = [left, right].map((picture) => `${picture.title}: ${said(picture, cell, data.users)}`).join("\n");
  };
  stack.onpointerup = stack.onpointercancel = () => { dragging = false; };
  stack.onpointerleave = () => { if (!dragging) values.textContent = hint; };
  const hint = data.pictures.every((picture) => picture.values) ? "Point at a cell to read its values." : "";
  values.textContent = hint;
  show();
}
