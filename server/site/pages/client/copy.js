// Buttons that copy what stands beside them; without script they are not shown.
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
