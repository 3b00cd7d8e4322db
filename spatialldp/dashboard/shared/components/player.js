// Pictures one after the other, with a marker that moves along line charts. Plays in the browser, on its own.
const WIDEST = 560, LOWEST = 190, TALLEST = 320, LEFT = 78, RIGHT = 14, TOP = 26, BOTTOM = 40;
const SVG = "http://www.w3.org/2000/svg";
const PICTURE = `<div class="square"><img>${OUTLINE}</div>`;
const HTML =
  '<div class="controls"><button type="button"></button><input type="range" min="0" step="1"></div>' +
  `<div class="panes"><div class="pictures"><div class="picture">${PICTURE}<p class="text" role="status"></p></div>` +
  `<div class="picture truth">${PICTURE}<p></p></div></div><div class="charts"></div></div>`;

function element(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function chartOf(chart, stops, axis, width, height) {
  const drawn = chart.values.slice(chart.begin);
  const low = chart.low ?? Math.min(...drawn), high = Math.max(...drawn);
  const span = high - low || 1;
  const first = axis.values[0], last = axis.values[axis.values.length - 1];
  const x = (value) => LEFT + ((value - first) / (last - first || 1)) * (width - LEFT - RIGHT);
  const y = (value) => TOP + (1 - (Math.min(Math.max(value, low), high) - low) / span) * (height - TOP - BOTTOM);
  const svg = element("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": chart.description });
  const small = { "font-size": 13, fill: "currentColor" };
  svg.append(element("text", { ...small, x: LEFT, y: 14, "font-weight": 600 }, `${chart.title}, ${chart.unit}`));
  svg.append(element("path", {
    d: `M${LEFT},${TOP} V${height - BOTTOM} H${width - RIGHT}`, fill: "none", stroke: "currentColor", "stroke-opacity": 0.5,
  }));
  for (const value of [low, high]) {
    svg.append(element("text", { ...small, x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, value.toFixed(chart.digits)));
  }
  for (const tick of axis.ticks) {
    const anchor = tick === last && tick !== first ? "end" : "middle";
    svg.append(element("text", { ...small, x: x(tick), y: height - BOTTOM + 16, "text-anchor": anchor }, tick));
  }
  svg.append(element("text", {
    ...small, x: (LEFT + width - RIGHT) / 2, y: height - 6, "text-anchor": "middle",
  }, axis.label));
  for (const stop of stops) {
    // The best comes before the chosen one: their labels stand on the outer sides.
    const at = x(stop.step), left = stop.left && at > width * 0.4;
    svg.append(element("line", {
      x1: at, x2: at, y1: TOP, y2: height - BOTTOM, stroke: stop.colour, "stroke-width": 2, "stroke-dasharray": "5 4",
    }));
    svg.append(element("text", {
      "font-size": 13, fill: "currentColor", x: at + (left ? -6 : 6), y: (chart.high ? TOP + 12 : height - BOTTOM - 8) - (stop.left ? 0 : chart.high ? -16 : 16),
      "text-anchor": left ? "end" : "start",
    }, stop.label));
  }
  svg.append(element("polyline", {
    points: drawn.map((value, i) => `${x(axis.values[i + chart.begin])},${y(value)}`).join(" "), fill: "none",
    stroke: chart.colour, "stroke-width": 3, "stroke-linejoin": "round",
  }));
  const marker = element("circle", { r: 6, fill: chart.colour, stroke: "white", "stroke-width": 2, class: "marker" });
  svg.append(marker);
  return [svg, (step) => {
    marker.setAttribute("cx", x(axis.values[step]));
    marker.setAttribute("cy", y(chart.values[step]));
  }];
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root");
  if (!root.querySelector(".controls")) root.innerHTML = HTML;
  root.classList.toggle("wide", data.wide);
  root.classList.toggle("dark", data.dark);
  const truth = root.querySelector(".truth img"), caption = root.querySelector(".truth p");
  truth.alt = caption.textContent = data.truth.caption;
  const button = root.querySelector("button"), slider = root.querySelector("input");
  const image = root.querySelector("img"), text = root.querySelector(".text");
  slider.max = data.frames.length - 1;
  slider.setAttribute("aria-label", data.axis.label);
  for (const outline of root.querySelectorAll(".outline")) showOutline(outline, data.outline);
  // Drawn as wide as there is room, so that the letters keep their size on a telephone.
  const room = root.querySelector(".charts").clientWidth || WIDEST;
  const width = Math.max(data.wide ? room : Math.min(room, WIDEST), 300);
  const height = data.wide ? Math.min(Math.max(0.8 * width, LOWEST), TALLEST) : LOWEST;
  const figures = [], movers = [];
  for (const chart of data.charts) {
    const [svg, move] = chartOf(chart, data.stops, data.axis, width, height);
    const figure = document.createElement("figure");
    figure.append(svg);
    figures.push(figure);
    movers.push(move);
  }
  root.querySelector(".charts").replaceChildren(...figures);
  // More pictures of what is being played leave it where it is, playing or not; anything else begins anew.
  if (!root.kept || data.topic === null || root.kept.topic !== data.topic) {
    root.kept = { topic: data.topic, step: data.frames[data.start].step, playing: false };
  }
  const kept = root.kept;

  function show(index) {
    const frame = data.frames[index];
    slider.value = index;
    slider.setAttribute("aria-valuetext", frame.text);
    image.src = frame.image;
    image.alt = `${data.name}: ${frame.text}`;
    text.textContent = frame.text;
    truth.src = frame.truth || data.truth.image;
    for (const move of movers) move(frame.step);
  }
  function go(index) {
    kept.step = data.frames[index].step;
    show(index);
  }
  // The clock stays with the element: new pictures come by a new call, and Streamlit ends only the last one, when the
  // component goes. It calls whatever the last call left as `tick`.
  function stop() {
    clearInterval(root.clock);
    root.clock = 0;
  }
  root.tick = () => {
    const next = Number(slider.value) + 1;
    if (next < data.frames.length) go(next);
    else if (!data.more) pause();
  };
  // Who wants less motion turns the pictures one by one.
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  function pause() {
    stop();
    kept.playing = false;
    button.textContent = still ? "Next step" : "▶ Play";
    // A screen reader is told the step a visitor chooses, not four a second.
    text.setAttribute("aria-live", "polite");
  }
  function play() {
    kept.playing = true;
    button.textContent = "Pause";
    text.setAttribute("aria-live", "off");
    root.clock ||= setInterval(() => root.tick(), data.pace);
  }
  button.onclick = () => {
    if (kept.playing) return pause();
    const over = Number(slider.value) >= data.frames.length - 1 && !data.more;
    if (over) go(0);
    if (!still) play();
    else if (!over) root.tick();
  };
  slider.oninput = () => { pause(); go(Number(slider.value)); };
  // A place whose picture is still being computed is waited for at the last one before it.
  show(Math.max(0, data.frames.findLastIndex((frame) => frame.step <= kept.step)));
  if (kept.playing) play();
  else pause();
  return stop;
}
