import type { RunTx } from "../../core/tx.ts";
import {
  addColumns,
  CSV_COLUMNS_MAX,
  outlineLines,
  piecesOf,
  writeDocuments,
  writeRows,
} from "./archive-tasks.ts";
import { partId, privacyParts } from "./schema.ts";
import type { PrivacyRequest } from "./schema.ts";
import { zipStream } from "./zip-stream.ts";
import type { ZipEntry } from "./zip-stream.ts";

/** Parts of an export that are in memory at a time, if a line is not longer. */
const PARTS_AT_ONCE = 10;

/** A place in the stored parts of an export. */
interface Position {
  readonly seq: number;
  readonly offset: number;
}

/** Where something is written: from the beginning of one batch of lines to the beginning of the one behind the last. */
interface Span {
  readonly from: Position;
  to: Position;
}

interface Group extends Span {
  count: number;
  readonly columns: Set<string>;
}

type Source = { readonly runTx: RunTx; readonly part: string; readonly request: PrivacyRequest };

/**
 * The export of a request as a zip, as fast as it is read: for each collection its documents as JSON and as CSV, and files; live and
 * test data apart. It is read once for what it contains, then once for each file of the zip.
 */
export async function archiveOf(
  runTx: RunTx,
  part: string,
  request: PrivacyRequest,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const source = { runTx, part, request };
  const groups = new Map<string, Group>();
  const files = new Map<string, Span>();
  for await (const { text, from, to } of linesOf(source)) {
    const outline = await outlineLines(part, text);
    for (const { name, count, columns } of outline.groups) {
      const group = groups.get(name) ?? { from, to, count: 0, columns: new Set() };
      groups.set(name, group);
      group.to = to;
      group.count += count;
      addColumns(group.columns, columns);
    }
    for (const name of outline.files) {
      const file = files.get(name) ?? { from, to };
      files.set(name, file);
      file.to = to;
    }
  }
  const mtime = Date.parse(request.done_at ?? request.created_at);
  return zipStream(entriesOf(source, { groups, files }), mtime);
}

function* entriesOf(
  source: Source,
  {
    groups,
    files,
  }: { readonly groups: ReadonlyMap<string, Group>; readonly files: ReadonlyMap<string, Span> },
): Generator<ZipEntry> {
  for (const [name, span] of files) yield { name, chunks: fileOf(source, name, span) };
  for (const [name, group] of groups) {
    yield { name: `${name}.json`, chunks: jsonOf(source, name, group) };
    yield { name: `${name}.csv`, chunks: csvOf(source, name, group) };
  }
  const { id, email, done_at: madeAt } = source.request;
  const documents = Object.fromEntries(Array.from(groups, ([name, { count }]) => [name, count]));
  const about = { request_id: id, email, made_at: madeAt, documents };
  yield { name: "about.json", chunks: [Buffer.from(`${JSON.stringify(about, null, 2)}\n`)] };
}

async function* fileOf(source: Source, name: string, span: Span): AsyncGenerator<Uint8Array> {
  let next = 0;
  for await (const { text } of linesOf(source, span)) {
    for (const { index, data } of piecesOf(text, name)) {
      // A step that was repeated after a crash stored some pieces twice.
      if (index !== next) continue;
      next += 1;
      yield Buffer.from(data, "base64");
    }
  }
}

async function* jsonOf(source: Source, name: string, span: Span): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const { text } of linesOf(source, span)) {
    const documents = await writeDocuments(source.part, { text, name });
    if (documents === "") continue;
    yield Buffer.from(`${isFirst ? "[\n" : ",\n"}${documents}`);
    isFirst = false;
  }
  yield Buffer.from("\n]\n");
}

async function* csvOf(source: Source, name: string, { columns, ...span }: Group): AsyncGenerator<Uint8Array> {
  const table = {
    name,
    columns: [...columns].slice(0, CSV_COLUMNS_MAX),
    hasMore: columns.size > CSV_COLUMNS_MAX,
  };
  let hasHeader = true;
  for await (const { text } of linesOf(source, span)) {
    const rows = await writeRows(source.part, { ...table, text, hasHeader });
    yield Buffer.from(rows);
    hasHeader = false;
  }
}

/** Whole lines of a span, some parts at a time. */
async function* linesOf(
  { runTx, part, request }: Source,
  { from, to }: Span = { from: { seq: 0, offset: 0 }, to: { seq: request.parts, offset: 0 } },
): AsyncGenerator<Span & { readonly text: string }> {
  let at = from;
  let count = PARTS_AT_ONCE;
  while (at.seq < to.seq || (at.seq === to.seq && at.offset < to.offset)) {
    const { seq, offset } = at;
    const isRest = seq + count >= request.parts;
    if (isRest) count = request.parts - seq;
    const ids = Array.from({ length: count }, (_, index) => partId(request.id, seq + index));
    const stored = await runTx(part, (tx) => tx.getAll(privacyParts, ids));
    const texts = stored.map((one) => one?.value.text ?? "");
    const end = endOfLines(texts, at);
    if (end === null) {
      // What is left is a line that was cut where the export reached its limit.
      if (isRest) return;
      count += PARTS_AT_ONCE;
      continue;
    }
    count = PARTS_AT_ONCE;
    const index = end.seq - seq;
    const text = texts.slice(0, index).join("") + (texts[index] ?? "").slice(0, end.offset);
    yield { text: text.slice(offset), from: at, to: end };
    at = end;
  }
}

/** Behind the last line that ends in these texts, of which the first is at `from`; null where none does. */
function endOfLines(texts: readonly string[], from: Position): Position | null {
  for (let index = texts.length - 1; index >= 0; index -= 1) {
    const text = texts[index] ?? "";
    const end = text.lastIndexOf("\n") + 1;
    if (end === 0 || (index === 0 && end <= from.offset)) continue;
    return end === text.length
      ? { seq: from.seq + index + 1, offset: 0 }
      : { seq: from.seq + index, offset: end };
  }
  return null;
}
