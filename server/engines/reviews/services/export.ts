import { DAY_MS, fromInstant, toInstant } from "../../../lib/instant.ts";
import { eachDue } from "../../../core/batches.ts";
import type { JobContext } from "../../../core/engine.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { giveWay } from "../../../lib/slices.ts";
import { exportJobs, exportPartId, exportParts, reviews } from "../repository.ts";
import { csvOf, CSV_HEAD, cutText } from "../rules/write-rows.ts";
import type { Review } from "../schema.ts";
import type { Export } from "../schema/records.ts";

/** Reviews per part of a file, at most. */
const ROWS_PER_PART = 20;
/** Characters of a part: it fits into one document, whatever they are. */
const PART_CHARS = 40_000;
const OPEN_LOOKED_AT = 10;
/** A file contains personal data: it is deleted after a day. */
const KEPT_MS = DAY_MS;

/** Continues running exports, one part per commit. One that fails does not affect the others. */
export async function workOnExports(work: JobContext): Promise<{ exported_rows: number }> {
  const open = { collection: exportJobs, index: "open", isDue: () => true };
  const { done } = await eachDue(work, open, async (id) => {
    let rows = 0;
    while (work.hasTime()) {
      const count = await work.runTx(work.part, (tx) => writePart(tx, work, id));
      if (count === null) break;
      rows += count;
    }
    return rows;
  });
  return { exported_rows: done };
}

/** The next part of a file, or the parts of a review that is larger than one; null if it is complete. */
async function writePart(tx: Tx, work: JobContext, id: string): Promise<number | null> {
  const stored = await tx.get(exportJobs, id);
  if (stored === null || stored.value.state === "done" || stored.value.state === "failed") return null;
  const job = stored.value;
  const place = job.status === null ? {} : { index: "by", value: job.status };
  const read = (limit: number) => tx.peekPage(reviews, { ...place, limit, cursor: job.cursor ?? undefined });
  const page = await read(ROWS_PER_PART);
  const { text, rows, email } = await writeRows(tx, job, page.items);
  const pieces = cutText(text, PART_CHARS);
  for (const [index, piece] of pieces.entries()) {
    // Each is searched for addresses.
    await giveWay(tx.part);
    const part = { id: exportPartId(id, job.parts + index), export_id: id, text: piece };
    tx.create(exportParts, pieces.length > 1 ? { ...part, author_email: email } : part);
  }
  const next = rows === page.items.length ? page.next : (await read(rows)).next;
  const isOver = next === null;
  const after: Export = {
    ...job,
    state: isOver ? "done" : "running",
    rows: job.rows + rows,
    parts: job.parts + pieces.length,
    cursor: next,
    updated_at: work.nowAt,
    finished_at: isOver ? work.nowAt : null,
    expires_at: toInstant(work.now + KEPT_MS),
  };
  tx.put(exportJobs, stored, after);
  return rows;
}

/** The first reviews of a page as text, as many as fit into a part, but at least one. `email`: that of the last one's author. */
async function writeRows(
  tx: Tx,
  { format, parts }: Export,
  items: readonly Stored<Review>[],
): Promise<{ text: string; rows: number; email: string | null }> {
  let text = parts === 0 && format === "csv" ? CSV_HEAD : "";
  let rows = 0;
  let email: string | null = null;
  for (const { value } of items) {
    const row = format === "csv" ? csvOf(value) : `${JSON.stringify(value)}\n`;
    if (rows > 0 && text.length + row.length > PART_CHARS) break;
    text += row;
    rows += 1;
    ({ email } = value);
    await giveWay(tx.part);
  }
  return { text, rows, email };
}

/** Deletes files that are older than a day, with the record of their export. */
export async function dropOldExports(work: JobContext): Promise<number> {
  const { items } = await work.runTx(work.part, (tx) =>
    tx.peekPage(exportJobs, { index: "old", limit: OPEN_LOOKED_AT }),
  );
  const old = items.filter(
    ({ value }) => value.expires_at !== null && fromInstant(value.expires_at) <= work.now,
  );
  for (const { id } of old) {
    while (!(await work.runTx(work.part, (tx) => dropSome(tx, id)))) if (work.signal.aborted) break;
  }
  return old.length;
}

const DROPPED_PER_COMMIT = 50;

/** Deletes parts from the end; true if the export itself was deleted. */
async function dropSome(tx: Tx, id: string): Promise<boolean> {
  const stored = await tx.get(exportJobs, id);
  if (stored === null) return true;
  const left = Math.max(0, stored.value.parts - DROPPED_PER_COMMIT);
  for (let part = left; part < stored.value.parts; part += 1) {
    const stored = await tx.get(exportParts, exportPartId(id, part));
    if (stored !== null) tx.remove(exportParts, stored);
  }
  if (left === 0) tx.remove(exportJobs, stored);
  else tx.put(exportJobs, stored, { ...stored.value, parts: left });
  return left === 0;
}
