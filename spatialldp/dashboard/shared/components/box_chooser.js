// A map of outlines and points on which a rectangle is dragged. Reports [west, south, east, north].
const SMALLEST_DRAG = 5; // pixels: less is a click, not a box

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".root");
  let canvas = root.querySelector("canvas");
  if (!canvas) {
    canvas = document.createElement("canvas");
    canvas.setAttribute("role", "img");
    root.append(canvas);
  }
  canvas.setAttribute("aria-label", "Map of the area. Drag a rectangle to choose a part of it, or use the number fields below.");
  const { width, height, toX, toY, fromX, fromY, cleanPen } = littleMap(root, canvas, data);
  let dragged = null;

  function draw() {
    const pen = cleanPen();
    const box = dragged || data.box;
    if (box) {
      const place = [toX(box[0]), toY(box[3]), toX(box[2]) - toX(box[0]), toY(box[1]) - toY(box[3])];
      pen.fillStyle = "rgba(230, 120, 20, 0.18)";
      pen.strokeStyle = "rgb(230, 120, 20)";
      pen.lineWidth = 2;
      pen.fillRect(...place);
      pen.strokeRect(...place);
    }
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
  canvas.onpointerdown = (event) => {
    start = at(event);
    canvas.setPointerCapture(event.pointerId);
    event.preventDefault();
  };
  canvas.onpointermove = (event) => {
    if (!start) return;
    dragged = between(start, at(event));
    draw();
  };
  canvas.onpointerup = (event) => {
    if (!start) return;
    const end = at(event);
    const large = Math.abs(end[0] - start[0]) >= SMALLEST_DRAG && Math.abs(end[1] - start[1]) >= SMALLEST_DRAG;
    if (large) setStateValue("box", between(start, end));
    else dragged = null;
    start = null;
    draw();
  };
  canvas.onpointercancel = () => { start = dragged = null; draw(); };
  draw();
}
