import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";

import type { RunTx, Tx } from "../../../core/tx.ts";
import { invalidField, Problem } from "../../../lib/errors.ts";
import { copyText } from "../../../lib/shorten.ts";
import { giveWay } from "../../../lib/slices.ts";
import { crawlerDays, crawlerPrints } from "../repository.ts";
import {
  addDays,
  addPrints,
  addRecorded,
  countHits,
  PRINT_DOCUMENTS_MAX,
  takeFresh,
} from "../rules/count-hits.ts";
import type { DayHits } from "../rules/count-hits.ts";
import { ANSWEROS_LIMITS } from "../schema.ts";
import { formOf, readLog } from "./import-tasks.ts";
import type { LOG_FORMATS } from "./import-tasks.ts";

const printsId = (dayId: string, at: number): string => (at === 0 ? dayId : `${dayId}.${at + 1}`);

/** Counts the requests of a crawler on a day that were not counted before; returns how many. */
export async function addHits(tx: Tx, day: DayHits): Promise<number> {
  const wanted = new Set(day.hits.map(({ print }) => print));
  const found = new Set<string>();
  const recorded = [];
  for (let at = 0; at < PRINT_DOCUMENTS_MAX; at += 1) {
    const stored = await tx.get(crawlerPrints, printsId(day.id, at));
    if (stored === null) break;
    await giveWay(tx.part);
    addRecorded(found, wanted, stored.value.prints);
    recorded.push(stored);
  }
  const documents = recorded.map(({ value }) => value.prints);
  const { fresh, prints } = takeFresh(day, found);
  if (fresh.hits.length === 0) return 0;
  await giveWay(tx.part);
  const counts = countHits(fresh);
  const before = await tx.get(crawlerDays, day.id);
  tx.save(crawlerDays, before, before === null ? counts : addDays(before.value, counts));
  for (const [at, text] of addPrints(documents, prints)) {
    const id = printsId(day.id, at);
    tx.save(crawlerPrints, recorded[at] ?? null, { id, prints: text });
  }
  return fresh.hits.length;
}

export interface Counted {
  readonly lines: number;
  readonly hits: number;
  readonly repeated: number;
  readonly skipped: number;
  readonly unreadable: number;
}

/** Days of crawlers per commit: each is up to two documents of prints, and the counts. */
const DAYS_PER_COMMIT = 3;

/** Counts a log as it arrives, a part at a time: memory is bounded by one part. Throws 422 `bad_log`. */
export async function countStream(
  { runTx, tx }: { readonly runTx: RunTx; readonly tx: Tx },
  body: AsyncIterable<Uint8Array>,
  format: (typeof LOG_FORMATS)[number],
): Promise<Counted> {
  const sum = { lines: 0, hits: 0, repeated: 0, skipped: 0, unreadable: 0 };
  let form = format;
  let header = "";
  let before: Readonly<Record<string, number>> = {};
  for await (const lines of partsOf(unpacked(body), tx.part)) {
    const isFirst = sum.lines === 0;
    if (form === "auto") form = formOf(lines.join("\n"));
    const text = (header === "" ? lines : [header, ...lines]).join("\n");
    if (isFirst && form === "csv") header = lines[0] ?? "";
    const read = await readLog(tx, { format: form, log: text, before });
    before = read.seen;
    sum.lines += read.lines;
    sum.skipped += read.skipped;
    sum.unreadable += read.unreadable;
    if (sum.lines > 0 && sum.lines === sum.unreadable)
      throw invalidField(["log"], "No line can be parsed.", "bad_log");
    for (let at = 0; at < read.days.length; at += DAYS_PER_COMMIT) {
      const days = read.days.slice(at, at + DAYS_PER_COMMIT);
      const hits = await runTx(tx.part, async (own) => {
        let fresh = 0;
        for (const day of days) fresh += await addHits(own, day);
        return fresh;
      });
      sum.hits += hits;
      sum.repeated += days.reduce((all, day) => all + day.hits.length, 0) - hits;
    }
  }
  return sum;
}

/** The log itself: a body that begins as gzip does is unpacked as it arrives. */
async function* unpacked(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks = body[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done === true) return;
  const rest = async function* () {
    yield first.value;
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
  };
  if (first.value[0] !== 0x1f || first.value[1] !== 0x8b) return yield* rest();
  // A connection that breaks ends what waits for the rest, and not the process.
  const gunzip = pipeline(Readable.from(rest()), createGunzip(), () => undefined);
  try {
    for await (const chunk of gunzip) if (chunk instanceof Uint8Array) yield chunk;
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw invalidField(["log"], "The log is damaged gzip.", "bad_log");
  }
}

const PART_CHARS = 800_000;
const LINE_CHARS = 64_000;

/**
 * Lines in parts that one task reads, with pauses: empty lines are in none, and a gigabyte of them is a megabyte of gzip. Longer lines are
 * cut, and each is a copy, so that memory stays bounded.
 */
async function* partsOf(
  chunks: AsyncIterable<Uint8Array>,
  part: string,
): AsyncGenerator<string[], void, undefined> {
  const decoder = new TextDecoder();
  let lines: string[] = [];
  let chars = 0;
  let open = "";
  for await (const chunk of chunks) {
    await giveWay(part);
    const pieces = (open + decoder.decode(chunk, { stream: true })).split("\n");
    open = (pieces.pop() ?? "").slice(0, LINE_CHARS);
    for (const piece of pieces) {
      if (piece.trim() === "") continue;
      const line = copyText(piece.slice(0, LINE_CHARS));
      lines.push(line);
      chars += line.length + 1;
      if (chars < PART_CHARS && lines.length < ANSWEROS_LIMITS.logLinesPerCall) continue;
      yield lines;
      lines = [];
      chars = 0;
    }
  }
  open += decoder.decode();
  if (open.trim() !== "") lines.push(open);
  if (lines.length > 0) yield lines;
}
