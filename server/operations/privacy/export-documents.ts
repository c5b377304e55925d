import { fileReaders } from "../../core/contents.ts";
import { giveWay } from "../../lib/slices.ts";
import { stillAt } from "./progress.ts";
import type { PrivacyWork } from "./progress.ts";
import { partId, PRIVACY_LIMITS, privacyParts, privacyRequests } from "./schema.ts";
import type { PrivacyRequest, Progress } from "./schema.ts";

/** Bytes of documents, as text within a text, that fit into one commit with the request. */
const BYTES_PER_COMMIT = 800_000;

/** The lines of the first items that fit into one commit, at least one: the next step goes on behind them. */
export async function fittingLines<T>(
  items: readonly T[],
  part: string,
  toLine: (item: T) => Promise<string>,
): Promise<readonly string[]> {
  const lines: string[] = [];
  let bytes = 0;
  for (const item of items) {
    await giveWay(part);
    const line = await toLine(item);
    bytes += Buffer.byteLength(JSON.stringify(line));
    if (lines.length > 0 && bytes > BYTES_PER_COMMIT) break;
    lines.push(line);
  }
  return lines;
}

/** Parts that fit into one commit. */
const PARTS_PER_COMMIT = 8;
/** Bytes of a file in one part: as base64, with the names around them. */
const FILE_BYTES = 40_000;

/**
 * Adds the file of a document to the export, each part a line of its own, so that a process that dies leaves whole lines;
 * doing it twice changes nothing. A file for which there is no room is left out. Null when another process went on with the request.
 */
export async function exportFile(
  work: PrivacyWork,
  request: PrivacyRequest,
  { collection, part }: Progress,
  id: string,
): Promise<PrivacyRequest | null> {
  const reader = fileReaders.get(collection);
  const file = reader === undefined ? null : await work.runTx(part, (tx) => reader(tx, work.ports, id));
  const content = Buffer.from(file?.content ?? []);
  const lines = Array.from({ length: Math.ceil(content.length / FILE_BYTES) }, (_, index) => {
    const data = content.subarray(index * FILE_BYTES, (index + 1) * FILE_BYTES).toString("base64");
    return `${JSON.stringify({ part, collection, file: file?.name, index, data })}\n`;
  });
  if (request.parts + lines.length > PRIVACY_LIMITS.parts) return request;
  let next = request;
  for (let at = 0; at < lines.length; at += PARTS_PER_COMMIT) {
    const some = lines.slice(at, at + PARTS_PER_COMMIT);
    const saved = await work.runTx(work.part, async (tx) => {
      const stored = await stillAt(tx, request);
      if (stored === null) return null;
      const { parts } = stored.value;
      for (const [index, text] of some.entries())
        tx.create(privacyParts, { id: partId(request.id, parts + index), request_id: request.id, text });
      return tx.put(privacyRequests, stored, { ...stored.value, parts: parts + some.length }).value;
    });
    if (saved === null) return null;
    next = saved;
  }
  return next;
}

export const cut = (text: string, size: number): string[] =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
