// The way into the app: a tour and links to stories, in one row, or behind one button where a row has no room. Reports
// the story that is chosen, and that the tour is over.
const ROW = `<button type="button" class="fold" aria-expanded="false"></button>
  <nav class="row" aria-label="First steps"><button type="button" class="tour"></button><ul></ul></nav>`;
const TOLD = `<nav class="row" aria-label="Story"><span class="place"></span><a class="next"></a>
  <button type="button" class="close">Close the story</button></nav>`;

export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  const root = parentElement.querySelector(".root");
  const kind = data.told ? "told" : "row";
  if (root.dataset.kind !== kind) {
    root.dataset.kind = kind;
    root.innerHTML = data.told ? TOLD : ROW;
    root.classList.remove("open");
  }

  // A real link, for a new tab or for handing on; a plain click does without loading the page anew.
  function leadTo(link, story) {
    link.textContent = story.text || story.title;
    link.href = story.href;
    link.onclick = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      root.classList.remove("open");
      setTriggerValue("story", story.name);
    };
  }

  if (data.told) {
    root.querySelector(".place").textContent = `Story ${data.told.number} of ${data.stories.length}`;
    leadTo(root.querySelector(".next"), { ...data.told.next, text: `Next: ${data.told.next.title}` });
    root.querySelector(".close").onclick = () => setTriggerValue("story", "");
    endTour(root);
    return () => endTour(root);
  }
  const list = root.querySelector("ul");
  if (list.children.length !== data.stories.length) {
    list.replaceChildren(...data.stories.map(() => document.createElement("li")));
    for (const item of list.children) item.append(document.createElement("a"));
  }
  data.stories.forEach((story, i) => leadTo(list.children[i].firstChild, story));
  const fold = root.querySelector(".fold"), tour = root.querySelector(".tour");
  const folded = (open) => {
    root.classList.toggle("open", open);
    fold.setAttribute("aria-expanded", String(open));
  };
  fold.textContent = data.taken ? "Tour and stories" : "New here?";
  fold.onclick = () => folded(!root.classList.contains("open"));
  root.onkeydown = (event) => {
    if (event.key !== "Escape" || !root.classList.contains("open")) return;
    folded(false);
    fold.focus();
  };
  tour.innerHTML = data.taken ? "Tour" : "<span>New here?</span> Take the tour";
  tour.classList.toggle("taken", data.taken);
  tour.onclick = () => {
    folded(false);
    beginTour(root, data.stops, () => {
      setStateValue("taken", true);
      // To where the visitor came from.
      (tour.checkVisibility() ? tour : fold).focus();
    });
  };
  return () => endTour(root);
}
