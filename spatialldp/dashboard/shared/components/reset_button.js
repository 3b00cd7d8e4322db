// The button that brings the first view of maps back: the one there is in the root, or a new one.
function resetButton(root) {
  let button = root.querySelector("button");
  if (!button) {
    button = document.createElement("button");
    button.type = "button";
    button.textContent = "Reset view";
    button.title = "Show the whole area again";
    root.append(button);
  }
  return button;
}

