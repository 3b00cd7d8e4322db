// Maps in a grid as wide as the page; those that can be looked at closer are buttons. Reports the number of the one.
function cardOf(card) {
  const made = document.createElement(card.closer ? "button" : "div");
  made.className = "card";
  made.innerHTML = `<span class="head"><strong></strong><br><small></small></span><span class="square"><img>${OUTLINE}</span>`;
  if (card.closer) made.type = "button";
  // A card that cannot be looked at closer leaves the line empty, so that the maps of a row stand on one line.
  made.append(Object.assign(document.createElement("span"), { className: "hint", textContent: card.closer ? "Look closer" : "\u00a0" }));
  return made;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".root");
  root.classList.toggle("dark", data.dark);
  root.style.setProperty("--least", data.least);
  // Cards are kept where they are, so that the keyboard's place among them is not lost when another one arrives.
  const kinds = data.cards.map((card) => (card.closer ? "button" : "div"));
  [...root.children].forEach((old, i) => { if (old.localName !== kinds[i]) old.remove(); });
  data.cards.forEach((card, i) => {
    const made = root.children[i] || root.appendChild(cardOf(card));
    made.querySelector("strong").textContent = card.title;
    made.querySelector("small").textContent = card.caption;
    const image = made.querySelector("img");
    if (image.src !== card.image) image.src = card.image;
    image.alt = `${card.title}: ${card.caption}; ${card.words}`;
    showOutline(made.querySelector(".outline"), data.outline);
    if (card.closer) made.setAttribute("aria-label", `Look closer: ${card.title}, ${card.caption}`);
    made.onclick = card.closer ? () => setTriggerValue("closer", i) : null;
  });
}
