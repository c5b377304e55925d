import { DAY_MS, fromInstant, toInstant } from "../../../lib/instant.ts";
import type { JobContext } from "../../../core/engine.ts";
import type { Tx } from "../../../core/tx.ts";
import { exportJobs, exportPartId, exportParts, reviews } from "../repository.ts";
import { csvOf, CSV_HEAD } from "../rules/write-rows.ts";
import type { Export } from "../schema/records.ts";

type ExportWork = Pick<JobContext, "now" | "nowAt" | "part" | "runTx" | "signal">;

/** Reviews per part of a file: with five thousand characters each they fit into one document. */
const ROWS_PER_PART = 20;
const OPEN_LOOKED_AT = 10;
/** A file contains personal data: it is deleted after a day. */
const KEPT_MS = DAY_MS;

/** Continues running exports, one part per commit. */
export async function workOnExports(work: ExportWork): Promise<{ exported_rows: number }> {
  const { items } = await work.runTx(work.part, (tx) =>
    tx.peekPage(exportJobs, { index: "open", limit: OPEN_LOOKED_AT }),
  );
  let rows = 0;
  for (const { id } of items) {
    while (!work.signal.aborted) {
      const count = await work.runTx(work.part, (tx) => writePart(tx, work, id));
      if (count === null) break;
      rows += count;
    }
  }
  return { exported_rows: rows };
}

/** The next part of a file; null if it is complete. */
async function writePart(tx: Tx, work: ExportWork, id: string): Promise<number | null> {
  const stored = await tx.get(exportJobs, id);
  if (stored === null || stored.value.state === "done" || stored.value.state === "failed") return null;
  const job = stored.value;
  const place = job.status === null ? {} : { index: "by", value: job.status };
  const page = await tx.peekPage(reviews, {
    ...place,
    limit: ROWS_PER_PART,
    cursor: job.cursor ?? undefined,
  });
  const texts = page.items.map(({ value }) =>
    job.format === "csv" ? csvOf(value) : `${JSON.stringify(value)}\n`,
  );
  const head = job.parts === 0 && job.format === "csv" ? CSV_HEAD : "";
  tx.create(exportParts, { id: exportPartId(id, job.parts), export_id: id, text: head + texts.join("") });
  const isOver = page.next === null;
  const next: Export = {
    ...job,
    state: isOver ? "done" : "running",
    rows: job.rows + page.items.length,
    parts: job.parts + 1,
    cursor: page.next,
    updated_at: work.nowAt,
    finished_at: isOver ? work.nowAt : null,
    expires_at: toInstant(work.now + KEPT_MS),
  };
  tx.put(exportJobs, stored, next);
  return page.items.length;
}

/** Deletes files that are older than a day, with the record of their export. */
export async function dropOldExports(work: ExportWork): Promise<number> {
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
