import { isTestPart } from "../../core/test-clock.ts";
import type { RunTx } from "../../core/tx.ts";
import { privacyParts } from "./schema.ts";
import type { PrivacyRequest } from "./schema.ts";

const PAGE = 100;

/**
 * The export of a request as a zip: for each collection the documents as JSON and as CSV, live and test data apart, and a page
 * that says what is in it.
 */
export async function archiveOf(
  runTx: RunTx,
  part: string,
  request: PrivacyRequest,
): Promise<Uint8Array<ArrayBuffer>> {
  const { strToU8, zipSync } = await import("fflate");
  const { stringify } = await import("csv-stringify/sync");
  const groups = groupsOf(await readLines(runTx, part, request.id));
  const files: Record<string, Uint8Array> = {};
  for (const [name, documents] of groups) {
    const rows = documents.map((document) => flat(document));
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    files[`${name}.json`] = strToU8(`${JSON.stringify(documents, null, 2)}\n`);
    files[`${name}.csv`] = strToU8(stringify(rows, { header: true, columns, escape_formulas: true }));
  }
  const counts = Object.fromEntries([...groups].map(([name, documents]) => [name, documents.length]));
  const about = { request_id: request.id, email: request.email, made_at: request.done_at, documents: counts };
  files["about.json"] = strToU8(`${JSON.stringify(about, null, 2)}\n`);
  return new Uint8Array(zipSync(files));
}

type Document = Readonly<Record<string, unknown>>;

async function readLines(runTx: RunTx, part: string, id: string): Promise<string[]> {
  const texts: string[] = [];
  let cursor: string | undefined;
  do {
    const query = { index: "request", value: id, limit: PAGE, cursor };
    const page = await runTx(part, (tx) => tx.peekPage(privacyParts, query));
    texts.push(...page.items.map(({ value }) => value.text));
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return texts
    .join("")
    .split("\n")
    .filter((line) => line !== "");
}

/** Documents by the name of their file, `live/subscriptions.contracts`. */
function groupsOf(lines: readonly string[]): Map<string, Document[]> {
  const groups = new Map<string, Document[]>();
  for (const line of lines) {
    const { part, collection, document } = JSON.parse(line);
    const name = `${isTestPart(part) ? "test" : "live"}/${collection}`;
    groups.set(name, [...(groups.get(name) ?? []), document]);
  }
  return groups;
}

/** Members of members as columns, `customer.email`; lists stay JSON. */
function flat(value: Document, path = ""): Record<string, string> {
  const row: Record<string, string> = {};
  for (const [name, member] of Object.entries(value)) {
    const at = `${path}${name}`;
    if (typeof member === "object" && member !== null && !Array.isArray(member)) {
      Object.assign(row, flat(member as Document, `${at}.`));
    } else row[at] = typeof member === "string" ? member : JSON.stringify(member ?? null);
  }
  return row;
}
