// Says so when the streets that the visitor switched on cannot be fetched: the maps themselves only stay empty there.
export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root");
  root.setAttribute("role", "status");
  const host = new URL(data.style).host;
  let asked = true;
  fetch(data.style).then((answer) => {
    if (!answer.ok) throw new Error();
    if (asked) root.textContent = "";
  }).catch(() => {
    if (asked) root.textContent = `The street map cannot be loaded: ${host} does not answer. Cells and outlines work offline.`;
  });
  return () => { asked = false; };
}
