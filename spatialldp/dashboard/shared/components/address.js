// Keeps the address bar at the link that shows what is on the page, and copies links.
// replaceState, because a slider must not fill the history: "back" leaves the page as everywhere else. Only the steps of
// the lesson are turned like pages, and have entries of their own.
const KINDS = {
  view: "Copy link to this view",
  present: "Copy link for a projector",
  bare: "Copy link for a course page",
};
const stepOf = (search) => new URLSearchParams(search).get("step") || "1";
// What was written last, and where. After "back" the address is right before the page is: it must not be taken back.
let written = { path: null, query: null, at: 0 };

export default function ({ data, parentElement }) {
  if (data.at < written.at) return;
  const { origin, pathname, search } = window.location;
  const here = origin + pathname + "?";
  // Streamlit reads its own values from the address as well.
  const theirs = new URLSearchParams(search);
  const kept = ["embed", "embed_options"].flatMap((name) => theirs.getAll(name).map((value) => `&${name}=${encodeURIComponent(value)}`));
  const query = "?" + data.query + kept.join("");
  const samePage = written.path === pathname;
  if (search !== query && !(samePage && written.query === query)) {
    const turned = samePage && stepOf(search) !== stepOf(query);
    window.history[turned ? "pushState" : "replaceState"](window.history.state, "", pathname + query);
  }
  written = { path: pathname, query, at: data.at };
  const root = parentElement.querySelector(".root");
  if (!data.links) {
    root.replaceChildren();
    return;
  }
  if (!root.querySelector("button")) {
    root.innerHTML = "<div class=row></div><details><summary>Other links</summary></details><span role=status></span>";
    for (const [kind, text] of Object.entries(KINDS)) {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: text });
      button.dataset.kind = kind;
      root.querySelector(kind === "view" ? ".row" : "details").append(button);
    }
    root.querySelector("details").insertAdjacentHTML("beforeend", "<p>With larger type and without the sidebar; or bare, for a frame inside another page.</p>");
  }
  const said = root.querySelector("span");
  for (const button of root.querySelectorAll("button")) {
    button.onclick = async () => {
      const link = here + data.links[button.dataset.kind];
      try {
        await navigator.clipboard.writeText(link);
        said.textContent = "Copied.";
      } catch {
        // Browsers refuse the clipboard on plain http; a selected field can still be copied by hand.
        const field = document.createElement("textarea");
        field.value = link;
        document.body.append(field);
        field.select();
        const copied = document.execCommand("copy");
        field.remove();
        said.textContent = copied ? "Copied." : "Copy it from the address bar.";
      }
      setTimeout(() => { said.textContent = ""; }, 2500);
    };
  }
}
