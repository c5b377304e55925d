import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { state, unbroken } from "./cells.ts";
import { mailParts } from "../pages/inbox.ts";
import { members, table } from "./table.ts";
import { rowsOf, text } from "./view.ts";
import type { Row } from "./view.ts";

const RANK = ["fail", "warn", "ok"];

/** Checks as a sentence and a table, those that need attention first. */
export function showDoctor(row: Row): Html {
  const checks = rowsOf(row["checks"]);
  const sorted = checks.toSorted((a, b) => RANK.indexOf(text(a, "status")) - RANK.indexOf(text(b, "status")));
  return html`${verdict(checks)} ${table(CHECK_COLUMNS, sorted)}`;
}

/** How a table shows checks. */
export const CHECK_COLUMNS = [
  { title: "Check", of: unbroken("id") },
  { title: "State", of: state("status") },
  { title: "Result", of: "detail" },
  { title: "How to resolve it", of: "fix" },
];

/** In one sentence, whether anything needs attention. */
export function verdict(checks: readonly Row[]): Html {
  const count = (status: string): number => checks.filter((check) => check["status"] === status).length;
  const [failed, warned] = [count("fail"), count("warn")];
  if (failed + warned === 0) return html`<p class="note good">All ${checks.length} checks passed.</p>`;
  const summary = [
    failed > 0 ? `${failed} of ${checks.length} checks failed` : "",
    warned > 0 ? `${warned} ${warned === 1 ? "warning" : "warnings"}` : "",
  ];
  return html`<p class="note ${failed > 0 ? "bad" : ""}">${summary.filter(Boolean).join(", ")}.</p>`;
}

/** Whether the trail is whole, and where it breaks. */
export function showChain(row: Row): Html {
  const [broken] = rowsOf([row["broken"]]);
  if (broken === undefined) {
    return html`<p class="note good">The chain is intact: ${text(row, "entries")} entries.</p>
      <p>
        Store the hash of the latest entry elsewhere to prove later that no entry up to it was rewritten:
        <code>${text(row, "head_hash")}</code>
      </p>`;
  }
  return html`<p class="note bad">
    The chain is broken at entry ${text(broken, "seq")} (${text(broken, "id") || "missing"}):
    ${text(broken, "reason")}
  </p>`;
}

/** A mail as its reader sees it, and what became of it. */
export function showMail(row: Row): Html {
  const { html: _, text: words, link, ...facts } = row;
  return html`${typeof link === "string" && html`<p>It contains a link that is valid once: treat it as a password.</p>`}
  ${members(facts)} ${mailParts(`/_/mail/${text(row, "id")}/html`, typeof words === "string" ? words : "")}`;
}

/** Where the documents are stored and how many, partition by partition. */
export function showStorage(row: Row): Html {
  const { partitions, frozen, ...facts } = row;
  return html`${typeof frozen === "string" && html`<p class="note bad">Writes are frozen: ${frozen}</p>`}
    ${members(facts)}
    <h2>Partitions</h2>
    ${table(
      [
        { title: "Name", of: "name" },
        { title: "Documents", of: "documents" },
        { title: "Commits", of: "version" },
        { title: "Collections", of: collectionsOf },
      ],
      rowsOf(partitions),
    )}`;
}

/** The collections of a partition without their indexes, the largest first. */
function collectionsOf(partition: Row): Html {
  const own = rowsOf(partition["collections"])
    .filter((each) => !text(each, "name").startsWith("ix."))
    .toSorted((a, b) => Number(b["count"]) - Number(a["count"]));
  return html`<details>
    <summary>${own.length}</summary>
    ${table(
      [
        { title: "Collection", of: "name" },
        { title: "Documents", of: "count" },
      ],
      own,
    )}
  </details>`;
}
