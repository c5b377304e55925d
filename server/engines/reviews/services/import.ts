import { isTooComplex } from "../../../lib/worker-tasks.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { eachDue } from "../../../core/batches.ts";
import type { JobContext } from "../../../core/engine.ts";
import { derivedId } from "../../../core/ids.ts";
import { addressHash, importSources, imports, readSettings, reviews } from "../repository.ts";
import type { MappedRow, Row } from "../rules/map-rows.ts";
import { mapRow } from "../rules/map-rows.ts";
import { englishDisclosure, mergeDisclosures } from "../rules/disclose.ts";
import { UNVERIFIED } from "../rules/verification.ts";
import type { Review } from "../schema.ts";
import type { Import, RowProblem } from "../schema/records.ts";
import type { ReviewWork } from "./work.ts";
import { claimSlot, publish } from "./moderate.ts";
import { readImportRows } from "./read-rows.ts";
import { saveReview } from "./save-review.ts";
import { storeLanguage } from "./store-language.ts";
import { externalId } from "./submit.ts";

/** Rows per commit: each review has about twenty index entries. */
const ROWS_PER_COMMIT = 4;
/** Operations that a row may need: its review can replace another one of its author. */
const ROW_OPS = 80;
const PROBLEMS_KEPT = 100;

/** Continues running imports; each commit records the progress, so that a crash repeats nothing. One that fails does not affect the others. */
export async function workOnImports(work: JobContext): Promise<{ imported_rows: number }> {
  const open = { collection: imports, index: "open", isDue: () => true };
  const { done } = await eachDue(work, open, (id) => runImport(work, id));
  return { imported_rows: done };
}

async function runImport(work: JobContext, id: string): Promise<number> {
  const source = await work.runTx(work.part, (tx) => tx.get(importSources, id));
  const job = await work.runTx(work.part, (tx) => tx.get(imports, id));
  if (job === null) return 0;
  const read = source === null ? null : await readSource(work.part, source.value.text, job.value);
  if (read === null || "problem" in read) {
    await work.runTx(work.part, (tx) =>
      fail(tx, work, id, read?.problem ?? "The rows of the import no longer exist. Upload them again."),
    );
    return 0;
  }
  const rows = numbered(read.rows);
  let done = 0;
  while (work.hasTime()) {
    const count = await work.runTx(work.part, (tx) => takeRows(tx, work, id, rows));
    done += count;
    if (count === 0) break;
  }
  return done;
}

interface NumberedRow {
  readonly row: Row;
  /** Identifies a row without an id of its own: by its cells, and by how many equal ones are before it. */
  readonly key: readonly [cells: string, repeats: string];
}

function numbered(rows: readonly Row[]): NumberedRow[] {
  const seen = new Map<string, number>();
  return rows.map((row) => {
    const cells = JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
    const repeats = seen.get(cells) ?? 0;
    seen.set(cells, repeats + 1);
    return { row, key: [cells, String(repeats)] };
  });
}

const readSource = (part: string, text: string, { format, mapping }: Import) =>
  readImportRows(part, { text, format, mapping }).catch((error: unknown) => {
    if (isTooComplex(error)) return { problem: error.detail };
    throw error;
  });

async function fail(tx: Tx, work: JobContext, id: string, detail: string): Promise<void> {
  const stored = await tx.get(imports, id);
  if (stored === null) return;
  tx.put(imports, stored, {
    ...stored.value,
    state: "failed",
    problems: [{ row: 1, field: null, detail }],
    updated_at: work.nowAt,
    finished_at: work.nowAt,
  });
}

/** Processes the next rows of an import in one commit; 0 if it is finished. */
async function takeRows(tx: Tx, work: JobContext, id: string, rows: readonly NumberedRow[]): Promise<number> {
  const stored = await tx.get(imports, id);
  if (stored === null || stored.value.state === "done" || stored.value.state === "failed") return 0;
  const { value } = stored;
  const next = rows.slice(value.done, value.done + (value.dry_run ? 500 : ROWS_PER_COMMIT));
  const counts = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  const problems: RowProblem[] = [];
  const naming = { mapping: value.mapping, defaults: { locale: await storeLanguage(tx), ...value.defaults } };
  let taken = 0;
  for (const [at, { key, row }] of next.entries()) {
    if (at > 0 && tx.room() < ROW_OPS) break;
    taken += 1;
    const mapped = mapRow(row, naming, value.done + at + 1);
    if ("problems" in mapped) {
      counts.failed += 1;
      problems.push(...mapped.problems);
    } else counts[await takeRow(tx, { ...work, by: "auto" }, value, { ...mapped.mapped, key })] += 1;
  }
  const done = value.done + taken;
  const isOver = done >= rows.length;
  tx.put(imports, stored, {
    ...value,
    state: isOver ? "done" : "running",
    done,
    created: value.created + counts.created,
    updated: value.updated + counts.updated,
    unchanged: value.unchanged + counts.unchanged,
    failed: value.failed + counts.failed,
    problems: [...value.problems, ...problems].slice(0, PROBLEMS_KEPT),
    updated_at: work.nowAt,
    finished_at: isOver ? work.nowAt : null,
  });
  if (isOver) {
    const source: Stored<{ id: string; text: string }> | null = await tx.get(importSources, id);
    if (source !== null) tx.remove(importSources, source);
  }
  return taken;
}

interface TakenRow extends MappedRow {
  readonly key: NumberedRow["key"];
}

/** One row. The same row of the same system is the same review: importing it again only updates changes. */
async function takeRow(
  tx: Tx,
  work: ReviewWork,
  job: Import,
  { key, ...row }: TakenRow,
): Promise<"created" | "updated" | "unchanged"> {
  const source = {
    system: job.source_system,
    external_id: row.external_id,
    displayed_on_page: job.displayed_on_page,
  };
  // Out of an export of this store.
  if (row.external_id !== null && (await isOwn(tx, row.external_id))) return "unchanged";
  const id = externalId({ source }) ?? derivedId("rev", new Uint8Array(), ["row", job.source_system, ...key]);
  const stored = await tx.get(reviews, id);
  const before = stored?.value ?? null;
  if (
    before !== null &&
    (before.status === "withdrawn" || before.status === "erased" || before.status === "rejected")
  )
    return "unchanged";
  const { shop_name: shop } = await readSettings(tx);
  const review = reviewOf(work, { row, job, source, before, id, shop });
  if (before !== null && sameWords(before, review)) return "unchanged";
  if (job.dry_run) return before === null ? "created" : "updated";
  const status = before?.status ?? row.status;
  if (status !== "published") await saveReview(tx, stored, { ...review, status });
  else if (before === null) await publishAt(tx, work, review);
  else {
    await claimSlot(tx, work, review);
    await saveReview(tx, stored, review);
  }
  return before === null ? "created" : "updated";
}

const isOwn = async (tx: Tx, id: string): Promise<boolean> =>
  /^rev_[0-9A-Z]{26}$/.test(id) && (await tx.get(reviews, id)) !== null;

/** Published here now; created at the original time. */
const publishAt = (tx: Tx, work: ReviewWork, review: Review): Promise<unknown> =>
  publish(tx, work, null, { by: "auto", review, note: "Imported." });

function reviewOf(
  work: ReviewWork,
  origin: {
    readonly row: MappedRow;
    readonly job: Import;
    readonly source: NonNullable<Review["source"]>;
    readonly before: Review | null;
    readonly id: string;
    readonly shop: string;
  },
): Review {
  const { row, job, source, before, id, shop } = origin;
  const {
    author_name,
    author_location,
    incentive,
    submitted_at,
    external_id: _,
    reply,
    status: __,
    ...fields
  } = row;
  const at = work.nowAt;
  const disclosure = mergeDisclosures(before, {
    incentive: { type: incentive, note: "" },
    relationship: row.relationship,
  });
  const rest = before ?? {
    created_at: at,
    pros: [],
    cons: [],
    attributes: {},
    remarks: {},
    media: [],
    moderation: { reason: null, note: "", by: null, at: null, risk: 0, signals: [] },
    helpful: { up: 0, down: 0, lower_bound: 0 },
    flags_count: 0,
    featured: false,
    edited: false,
    edits: [],
    experienced_at: null,
    published_at: null,
    invitation_id: null,
    translations: {},
    status: "pending" as const,
    erase_asked: false,
  };
  return {
    ...rest,
    ...fields,
    ...disclosure,
    // Text that the store removed here is not restored by the next import.
    ...(before?.edited === true ? { title: before.title, body: before.body } : {}),
    email_hash: row.email === null ? null : addressHash(row.email),
    id,
    updated_at: at,
    author: {
      display_name: author_name,
      customer_id: before?.author.customer_id ?? null,
      is_anonymous: author_name === "",
      location: author_location,
    },
    // An import verifies nothing, and does not revoke an existing verification.
    verification: before?.verification ?? UNVERIFIED,
    collection_method: job.collection_method,
    disclosure: englishDisclosure(disclosure.incentive, disclosure.relationship),
    reply: replyOf(reply, before?.reply ?? null, { at, by: shop || "The shop" }),
    submitted_at: submitted_at ?? before?.submitted_at ?? at,
    source,
  };
}

/** A reply of the store made here is retained unless the other system has one. */
const replyOf = (
  text: string | null,
  before: Review["reply"],
  signed: { readonly at: string; readonly by: string },
): Review["reply"] =>
  text === null || text === before?.body ? before : { body: text, ...signed, status: "published" };

const sameWords = (a: Review, b: Review): boolean =>
  JSON.stringify(wordsOf(a)) === JSON.stringify(wordsOf(b));

const wordsOf = (review: Review) => [
  review.target.type,
  review.target.id,
  review.rating,
  review.title,
  review.body,
  review.author.display_name,
  review.author.location,
  review.email,
  review.locale,
  review.country,
  review.incentive.type,
  review.relationship,
  review.recommends,
  review.submitted_at,
  review.reply?.body ?? null,
  review.product_name,
  review.product_url,
  review.sku,
  review.gtin,
  review.mpn,
  review.brand,
];
