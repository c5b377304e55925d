// Results while a word is typed: those of the page of results, which is what the form leads to without script.
const field = document.querySelector(".docs input[type=search]");
const list = document.createElement("ul");
list.className = "found";
list.setAttribute("aria-label", "Results");
list.hidden = true;
field.form.append(list);

const SHOWN = 8;
const WAIT_MS = 120;
let timer;
let pending = new AbortController();

field.addEventListener("input", () => {
  clearTimeout(timer);
  pending.abort();
  timer = setTimeout(find, WAIT_MS);
});

async function find() {
  if (field.value.trim().length < 2) return close();
  pending = new AbortController();
  const { signal } = pending;
  try {
    const url = `${field.form.action}?${new URLSearchParams({ q: field.value })}`;
    const answer = await fetch(url, { signal, headers: { accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const rows = [...page.querySelectorAll("article .rows li")].slice(0, SHOWN);
    list.replaceChildren(...rows.map((row) => document.adoptNode(row)));
    list.hidden = rows.length === 0;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function close() {
  list.hidden = true;
  list.replaceChildren();
}

field.form.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    close();
    field.focus();
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const stops = [field, ...list.querySelectorAll("a")];
  if (step === undefined || list.hidden) return;
  event.preventDefault();
  stops[(stops.indexOf(document.activeElement) + step + stops.length) % stops.length].focus();
});
document.addEventListener("click", (event) => field.form.contains(event.target) || close());
