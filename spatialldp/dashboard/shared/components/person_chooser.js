// A map of cells on which a click, or an arrow key, places one person. Reports [x, y].
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

function mount({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".root");
  let canvas = root.querySelector("canvas");
  if (!canvas) {
    canvas = document.createElement("canvas");
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    root.append(canvas);
  }
  const { scale, toX, toY, fromX, fromY, cleanPen } = littleMap(root, canvas, data);
  const [left, bottom, right, top] = data.cells;
  const cellWidth = (right - left) / data.d;
  const cellHeight = (top - bottom) / data.d;
  let person = data.person;

  const within = (value, low, high) => Math.min(Math.max(value, low), high);
  const cellOf = ([x, y]) => [
    within(Math.floor((x - left) / cellWidth), 0, data.d - 1),
    within(Math.floor((y - bottom) / cellHeight), 0, data.d - 1),
  ];

  function draw() {
    const pen = cleanPen();
    pen.globalAlpha = 0.18;
    for (let i = 0; i <= data.d; i++) {
      pen.beginPath();
      pen.moveTo(toX(left + i * cellWidth), toY(bottom));
      pen.lineTo(toX(left + i * cellWidth), toY(top));
      pen.moveTo(toX(left), toY(bottom + i * cellHeight));
      pen.lineTo(toX(right), toY(bottom + i * cellHeight));
      pen.stroke();
    }
    pen.globalAlpha = 1;
    const [ix, iy] = cellOf(person);
    pen.fillStyle = "rgba(230, 97, 1, 0.25)";
    pen.strokeStyle = "rgb(230, 97, 1)";
    pen.lineWidth = 2;
    const cell = [
      toX(left + ix * cellWidth), toY(bottom + (iy + 1) * cellHeight), cellWidth * scale,
      cellHeight * data.stretch * scale,
    ];
    pen.fillRect(...cell);
    pen.strokeRect(...cell);
    pen.beginPath();
    pen.arc(toX(person[0]), toY(person[1]), 6, 0, 2 * Math.PI);
    pen.fillStyle = "rgb(230, 97, 1)";
    pen.strokeStyle = "white";
    pen.fill();
    pen.stroke();
    canvas.setAttribute(
      "aria-label",
      `Map with one person in column ${ix + 1} from the west, row ${iy + 1} from the south. ` +
        "Click to place the person elsewhere, or use the arrow keys or the list.",
    );
  }

  function place(x, y) {
    person = [x, y];
    draw();
    setStateValue("at", person);
  }

  canvas.onclick = (event) => {
    const frame = canvas.getBoundingClientRect();
    const x = fromX(event.clientX - frame.left);
    const y = fromY(event.clientY - frame.top);
    // A click beside the cells means the nearest one; a hair inside, so that rounding keeps it there.
    place(
      within(x, left + 0.01 * cellWidth, right - 0.01 * cellWidth),
      within(y, bottom + 0.01 * cellHeight, top - 0.01 * cellHeight),
    );
  };
  canvas.onkeydown = (event) => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const [ix, iy] = cellOf(person);
    place(
      left + (within(ix + step[0], 0, data.d - 1) + 0.5) * cellWidth,
      bottom + (within(iy + step[1], 0, data.d - 1) + 0.5) * cellHeight,
    );
  };
  draw();
}

export default function (given) {
  mount(given);
  return whenResized(given.parentElement.querySelector(".root"), () => mount(given));
}
