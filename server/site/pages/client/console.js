// Follows the limits as they are used: one row a key, the latest first.
/** This module is in docs/assets below the path at which the service is mounted. */
const addressOf = (path) => new URL(`../../${path}`, import.meta.url).href;
const table = document.querySelector("table[data-live=limits]");
/** Until the first row, a page without rows says so in words. */
let shownBody = table?.tBodies[0];
const source = new EventSource(addressOf("_/limits/stream"));

for (const type of ["snapshot", "update", "rejected", "reset"]) {
  source.addEventListener(type, (event) => show(JSON.parse(event.data)));
}

source.addEventListener("ready", (event) => showNodes(JSON.parse(event.data)));
source.addEventListener("node", (event) => setNode(JSON.parse(event.data)));
source.addEventListener("gap", (event) =>
  note(`${JSON.parse(event.data).missed} events were dropped: they came too fast.`),
);

/** States of the nodes by their names. */
const nodes = new Map();

/** @param {{nodes: string[], silent: string[]}} ready */
function showNodes(ready) {
  nodes.clear();
  for (const node of ready.nodes) nodes.set(node, "");
  for (const node of ready.silent) nodes.set(node, "does not respond");
  noteNodes();
}

/** @param {{node: string, state: string}} told */
function setNode({ node, state }) {
  if (state === "left") nodes.delete(node);
  else nodes.set(node, state === "silent" ? "does not respond" : "");
  noteNodes();
}

function noteNodes() {
  const names = [...nodes].map(([node, state]) => (state === "" ? node : `${node} (${state})`));
  note(`Live from ${names.join(", ")}.`);
}

function note(text) {
  let line = document.querySelector("#live");
  if (line === null) {
    line = document.createElement("p");
    line.id = "live";
    line.className = "soft";
    line.setAttribute("role", "status");
    document.querySelector("main h1")?.after(line);
  }
  line.textContent = text;
}

/** @param {{key: string, limit: number, remaining: number, route: string | null, type: string}} told */
function show({ key, limit, remaining, route, type }) {
  const row = rowOf(key);
  const [, used, most, refused, latest] = row.cells;
  used.textContent = String(limit - remaining);
  most.textContent = String(limit);
  if (type === "rejected") refused.textContent = String(Number(refused.textContent) + 1);
  if (route !== null) latest.textContent = route;
  row.parentElement.prepend(row);
}

const findRow = (within, key) => within.querySelector(`tr[data-key="${CSS.escape(key)}"]`);

function rowOf(key) {
  const body = (shownBody ??= makeTable());
  const found = findRow(body, key);
  if (found !== null) return found;
  void nameRow(key);
  const row = body.insertRow(0);
  row.dataset.key = key;
  const link = document.createElement("a");
  link.href = addressOf(`_/keys/${encodeURIComponent(key)}`);
  link.textContent = key;
  row.insertCell().append(link);
  for (const text of ["0", "0", "0", "", ""]) row.insertCell().textContent = text;
  return row;
}

/** The server knows the names of keys and customers: they are taken from the page as it would be now. */
async function nameRow(key) {
  const answer = await fetch(location.href);
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const [named, shown] = [findRow(page, key), findRow(shownBody, key)];
  if (named === null || shown === null) return;
  for (const at of [0, 5]) shown.cells[at].replaceWith(document.importNode(named.cells[at], true));
}

function makeTable() {
  const made = document.createElement("table");
  const head = made.createTHead().insertRow();
  for (const title of ["Key", "Used", "Limit", "Refused", "Last route", "Customer"]) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = title;
    head.append(cell);
  }
  // As the server's own: it scrolls by itself where it is wider than the page.
  const wide = document.createElement("div");
  wide.className = "wide";
  wide.tabIndex = 0;
  wide.setAttribute("role", "region");
  wide.setAttribute("aria-label", "Table");
  wide.append(made);
  document.querySelector("main p[role=status]:not(#live)")?.replaceWith(wide);
  return made.createTBody();
}
