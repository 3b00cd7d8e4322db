// Keeps the address bar at the link that shows what is on the page, and copies it.
// replaceState, because a slider must not fill the history: "back" leaves the page as everywhere else.
export default function ({ data, parentElement }) {
  const link = window.location.origin + window.location.pathname + "?" + data.query;
  if (window.location.search !== "?" + data.query) {
    window.history.replaceState(window.history.state, "", link);
  }
  const root = parentElement.querySelector(".root");
  let button = root.querySelector("button");
  if (!button) {
    button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy link to this view";
    const said = document.createElement("span");
    said.setAttribute("role", "status");
    root.append(button, said);
  }
  button.onclick = async () => {
    const said = root.querySelector("span");
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
