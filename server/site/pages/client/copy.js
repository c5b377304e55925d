// Each piece of code of the documentation gets a button; its text is read before the button is in it.
for (const block of document.querySelectorAll(".docs pre")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.hidden = true;
  const source = block.querySelector("code") ?? block;
  source.id ||= `code-${document.querySelectorAll("[data-copy]").length}`;
  button.dataset.copy = source.id;
  if (source !== block) block.append(button);
}

// Buttons that copy what is next to them; without script they are not shown.
for (const button of document.querySelectorAll("button[data-copy]")) {
  const source = document.getElementById(button.dataset.copy);
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    button.textContent = (await copy(source)) ? "Copied" : "Copy manually";
    setTimeout(() => (button.textContent = label), 3000);
  });
}

/** The clipboard is only there on https and on this machine; elsewhere the text is selected and copied the old way. */
async function copy(source) {
  try {
    await navigator.clipboard.writeText(source.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(source);
    return document.execCommand("copy");
  }
}
