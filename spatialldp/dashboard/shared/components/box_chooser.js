// A map of outlines and points on which a rectangle is dragged. Reports [west, south, east, north].
const SAYS_FOR = 6000; // ms

function mount({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".root");
  let canvas = root.querySelector("canvas");
  if (!canvas) {
    canvas = document.createElement("canvas");
    canvas.setAttribute("role", "img");
    const said = document.createElement("p");
    said.setAttribute("role", "status");
    root.append(canvas, said);
  }
  const said = root.querySelector("p");
  canvas.setAttribute("aria-label", "Map of the area. Drag a rectangle to choose a part of it, or use the number fields below.");
  const { width, height, toX, toY, fromX, fromY, cleanPen } = littleMap(root, canvas, data);
  let dragged = null;

  function draw() {
    const pen = cleanPen();
    const box = dragged || data.box;
    if (!box) return;
    const place = ([west, south, east, north]) => [toX(west), toY(north), toX(east) - toX(west), toY(south) - toY(north)];
    // While one drags: dashed what is drawn, solid what it becomes.
    const solid = place(dragged ? squareAround(dragged, data.metres) : box);
    pen.fillStyle = "rgba(230, 120, 20, 0.18)";
    pen.strokeStyle = "rgb(230, 120, 20)";
    pen.lineWidth = 2;
    pen.fillRect(...solid);
    pen.strokeRect(...solid);
    if (!dragged) return;
    pen.lineWidth = 1.5;
    pen.setLineDash([5, 4]);
    pen.strokeRect(...place(dragged));
    pen.setLineDash([]);
  }

  const at = (event) => {
    const frame = canvas.getBoundingClientRect();
    return [
      Math.min(Math.max(event.clientX - frame.left, 0), width),
      Math.min(Math.max(event.clientY - frame.top, 0), height),
    ];
  };
  let start = null;
  const between = ([ax, ay], [bx, by]) => [
    fromX(Math.min(ax, bx)), fromY(Math.max(ay, by)), fromX(Math.max(ax, bx)), fromY(Math.min(ay, by)),
  ];
  function say(text) {
    clearTimeout(said.timer);
    said.textContent = text;
    said.timer = setTimeout(() => { said.textContent = ""; }, SAYS_FOR);
  }
  canvas.onpointerdown = (event) => {
    start = at(event);
    canvas.setPointerCapture(event.pointerId);
    event.preventDefault();
  };
  canvas.onpointermove = (event) => {
    if (!start) return;
    dragged = between(start, at(event));
    say(squareText(dragged, data.metres));
    draw();
  };
  canvas.onpointerup = (event) => {
    if (!start) return;
    const end = at(event);
    const box = between(start, end);
    const advice = adviceOn(box, Math.abs(end[0] - start[0]), Math.abs(end[1] - start[1]), true, data);
    if (advice) dragged = null;
    else setStateValue("box", box);
    say(advice || "");
    start = null;
    draw();
  };
  canvas.onpointercancel = () => { start = dragged = null; say(""); draw(); };
  draw();
}

export default function (given) {
  mount(given);
  return whenResized(given.parentElement.querySelector(".root"), () => mount(given));
}
