// Follows the limits as they are used: one row a key, the latest first.
const table = document.querySelector("table[data-live=limits]");
const body = table?.tBodies[0] ?? makeTable();
const source = new EventSource("/_/limits/stream");

for (const type of ["snapshot", "update", "rejected", "reset"]) {
  source.addEventListener(type, (event) => show(JSON.parse(event.data)));
}

/** @param {{key: string, limit: number, remaining: number, route: string | null, type: string}} told */
function show({ key, limit, remaining, route, type }) {
  const row = rowOf(key);
  const [, used, most, refused, latest] = row.cells;
  used.textContent = String(limit - remaining);
  most.textContent = String(limit);
  if (type === "rejected") refused.textContent = String(Number(refused.textContent) + 1);
  if (route !== null) latest.textContent = route;
  body.prepend(row);
}

function rowOf(key) {
  const found = body.querySelector(`tr[data-key="${CSS.escape(key)}"]`);
  if (found !== null) return found;
  const row = body.insertRow(0);
  row.dataset.key = key;
  const link = document.createElement("a");
  link.href = `/_/keys/${encodeURIComponent(key)}`;
  link.textContent = key;
  row.insertCell().append(link);
  for (const text of ["0", "0", "0", ""]) row.insertCell().textContent = text;
  return row;
}

function makeTable() {
  const made = document.createElement("table");
  const head = made.createTHead().insertRow();
  for (const title of ["Key", "Used", "Limit", "Refused", "Last route"]) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = title;
    head.append(cell);
  }
  document.querySelector("main [role=status]")?.replaceWith(made);
  return made.createTBody();
}
