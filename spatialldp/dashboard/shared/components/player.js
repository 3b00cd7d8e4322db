// Pictures one after the other, with a marker that moves along line charts. Plays in the browser, on its own.
const PACE = 250; // ms a picture
const WIDEST = 560, HEIGHT = 190, LEFT = 78, RIGHT = 14, TOP = 26, BOTTOM = 40;
const SVG = "http://www.w3.org/2000/svg";

function element(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function chartOf(chart, stops, steps, width) {
  const drawn = chart.values.slice(chart.begin);
  const low = Math.min(...drawn), high = Math.max(...drawn);
  const span = high - low || 1;
  const x = (step) => LEFT + (step / Math.max(1, steps)) * (width - LEFT - RIGHT);
  const y = (value) => TOP + (1 - (Math.min(Math.max(value, low), high) - low) / span) * (HEIGHT - TOP - BOTTOM);
  const svg = element("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": chart.description });
  const small = { "font-size": 13, fill: "currentColor" };
  svg.append(element("text", { ...small, x: LEFT, y: 14, "font-weight": 600 }, `${chart.title}, ${chart.unit}`));
  svg.append(element("path", {
    d: `M${LEFT},${TOP} V${HEIGHT - BOTTOM} H${width - RIGHT}`, fill: "none", stroke: "currentColor", "stroke-opacity": 0.5,
  }));
  for (const value of [low, high]) {
    svg.append(element("text", { ...small, x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, value.toFixed(chart.digits)));
  }
  for (const [step, anchor] of [[0, "middle"], [steps, "end"]]) {
    svg.append(element("text", { ...small, x: x(step), y: HEIGHT - BOTTOM + 16, "text-anchor": anchor }, step));
  }
  svg.append(element("text", {
    ...small, x: (LEFT + width - RIGHT) / 2, y: HEIGHT - 6, "text-anchor": "middle",
  }, "Step of the recovery"));
  for (const stop of stops) {
    // The best comes before the chosen one: their labels stand on the outer sides.
    const at = x(stop.step), left = stop.left && at > width * 0.4;
    svg.append(element("line", {
      x1: at, x2: at, y1: TOP, y2: HEIGHT - BOTTOM, stroke: stop.colour, "stroke-width": 2, "stroke-dasharray": "5 4",
    }));
    svg.append(element("text", {
      "font-size": 13, fill: "currentColor", x: at + (left ? -6 : 6), y: (chart.high ? TOP + 12 : HEIGHT - BOTTOM - 8) - (stop.left ? 0 : chart.high ? -16 : 16),
      "text-anchor": left ? "end" : "start",
    }, stop.label));
  }
  svg.append(element("polyline", {
    points: drawn.map((value, i) => `${x(i + chart.begin)},${y(value)}`).join(" "), fill: "none", stroke: chart.colour,
    "stroke-width": 3, "stroke-linejoin": "round",
  }));
  const marker = element("circle", { r: 6, fill: chart.colour, stroke: "white", "stroke-width": 2 });
  svg.append(marker);
  return [svg, (step) => { marker.setAttribute("cx", x(step)); marker.setAttribute("cy", y(chart.values[step])); }];
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root");
  const steps = data.charts[0].values.length - 1;
  root.innerHTML =
    '<div class="controls"><button type="button"></button><input type="range" min="0" step="1"></div>' +
    '<div class="panes"><div class="pictures"><div class="picture"><img><p class="text" role="status"></p></div>' +
    '<div class="picture truth"><img><p></p></div></div><div class="charts"></div></div>';
  root.querySelector(".truth img").src = data.truth.image;
  root.querySelector(".truth img").alt = root.querySelector(".truth p").textContent = data.truth.caption;
  const button = root.querySelector("button"), slider = root.querySelector("input");
  const image = root.querySelector("img"), text = root.querySelector(".text");
  slider.max = data.frames.length - 1;
  slider.setAttribute("aria-label", "Step of the recovery");
  // Drawn as wide as there is room, so that the letters keep their size on a telephone.
  const width = Math.min(Math.max(root.querySelector(".charts").clientWidth || WIDEST, 300), WIDEST);
  const movers = data.charts.map((chart) => {
    const [svg, move] = chartOf(chart, data.stops, steps, width);
    const figure = document.createElement("figure");
    figure.append(svg);
    root.querySelector(".charts").append(figure);
    return move;
  });
  let timer = 0;

  function show(index) {
    const frame = data.frames[index];
    slider.value = index;
    slider.setAttribute("aria-valuetext", frame.text);
    image.src = frame.image;
    image.alt = `${data.name}: ${frame.text}`;
    text.textContent = frame.text;
    for (const move of movers) move(frame.step);
  }
  function pause() {
    clearInterval(timer);
    timer = 0;
    button.textContent = "▶ Play";
    // A screen reader is told the step a visitor chooses, not four a second.
    text.setAttribute("aria-live", "polite");
  }
  function play() {
    if (Number(slider.value) >= data.frames.length - 1) show(0);
    button.textContent = "⏸ Pause";
    text.setAttribute("aria-live", "off");
    timer = setInterval(() => {
      const next = Number(slider.value) + 1;
      if (next >= data.frames.length) pause();
      else show(next);
    }, PACE);
  }
  button.onclick = () => (timer ? pause() : play());
  slider.oninput = () => { pause(); show(Number(slider.value)); };
  show(data.start);
  pause();
  return () => clearInterval(timer);
}
