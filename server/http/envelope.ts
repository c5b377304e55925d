import { createHash, hash } from "node:crypto";

import type { Reply } from "../core/reply.ts";
import type { Stored, StoredPage } from "../core/tx.ts";
import { giveWay, waitForTurn } from "../lib/slices.ts";
import { LARGE_CHARS } from "./messages.ts";

/** Text of `data` and what the headers need to know of it. */
export interface Rendered {
  readonly status: number;
  /** JSON text of `data`; null for 204, and where it is in pieces. */
  readonly json: string | null;
  /** A long text, encoded: bytes are not moved by the collection of garbage, and those of one page serve all who are sent it. */
  readonly pieces: readonly Uint8Array<ArrayBuffer>[] | null;
  /** Length of the text in bytes, where it is known. */
  readonly bytes: number | null;
  readonly etag: string | null;
  /** What an ETag is made of; null for `json` itself. */
  readonly identity: string | null;
  readonly pagination: { readonly limit: number; readonly next: string | null } | null;
  readonly location: string | null;
}

type Enveloped = Exclude<Reply<unknown>, { kind: "raw" }>;

/** Renders what a handler returned; stored documents are joined as text, never parsed. */
export function render(reply: Enveloped): Rendered {
  switch (reply.kind) {
    case "value": {
      const json = reply.json();
      return {
        ...PLAIN,
        status: reply.status,
        json,
        // Counted here, where it is one piece: in the envelope it would be copied for that.
        bytes: reply.bytes ?? Buffer.byteLength(json),
        identity: reply.identity ?? null,
        location: reply.location ?? null,
      };
    }
    case "item":
      return {
        ...PLAIN,
        status: reply.status,
        json: versionedJson(reply.stored),
        etag: etagOf(reply.stored),
        location: reply.location ?? null,
      };
    case "page":
      return renderPage(reply.page);
    case "pieces": {
      const rest = [...reply.rest].join("");
      const json = reply.head + rest;
      return { ...PLAIN, json, bytes: Buffer.byteLength(json), identity: reply.identity + rest };
    }
    case "values": {
      const json = JSON.stringify(reply.items);
      const { limit, next } = reply;
      return { ...PLAIN, json, bytes: Buffer.byteLength(json), pagination: { limit, next } };
    }
    case "empty":
      return { ...PLAIN, status: 204 };
  }
}

const PLAIN = {
  status: 200,
  json: null,
  pieces: null,
  bytes: null,
  etag: null,
  identity: null,
  pagination: null,
  location: null,
} as const;

type Item = Extract<Enveloped, { kind: "item" }>;
type Long = Item | Extract<Enveloped, { kind: "page" | "values" | "pieces" }>;

/** Whether a reply can be long enough to be rendered with pauses. */
export const isLong = (reply: Enveloped): reply is Long =>
  reply.kind === "values" ||
  reply.kind === "pieces" ||
  (reply.kind === "item" && reply.stored.members.length > LARGE_CHARS) ||
  (reply.kind === "page" && charsOf(reply.page) > LARGE_CHARS);

const charsOf = ({ chars, items }: StoredPage<unknown>): number =>
  chars ?? items.reduce((sum, { members }) => sum + members.length, 0);

/** Renders a reply with pauses where it is long. Requests that are shown the same page of the store share one text. */
export async function renderInSlices(reply: Long, customerId: string): Promise<Rendered> {
  if (reply.kind === "item") {
    await waitForTurn(customerId);
    return renderItem(reply);
  }
  const rendered = await (reply.kind === "page"
    ? renderLongPage(reply.page, customerId)
    : reply.kind === "values"
      ? renderValues(reply, customerId)
      : renderPieces(reply, customerId));
  // Many requests can have waited for one text: each begins to send it in a turn of its own.
  if (rendered.pieces !== null) await waitForTurn(customerId);
  return rendered;
}

function renderItem({ stored, status, location }: Item): Rendered {
  const piece = encode(versionedParts(stored));
  const etag = etagOf(stored);
  return { ...PLAIN, status, pieces: [piece], bytes: piece.length, etag, location: location ?? null };
}

/** The version, by which `If-Match` compares, and the variant of what is served. */
const etagOf = ({ variant, version }: Stored<unknown>): string =>
  `"${version}${variant === undefined ? "" : `-${variant}`}"`;

/** An ETag is made while the text is, where that is long. */
async function renderValues(
  { items, limit, next }: Extract<Long, { kind: "values" }>,
  customerId: string,
): Promise<Rendered> {
  const digest = createHash("sha1");
  const joined = await joinInSlices(listOf(toTexts(items)), customerId, (piece) => digest.update(piece));
  const etag = joined.pieces === null ? null : `W/"${digest.digest("base64url")}"`;
  return { ...PLAIN, ...joined, etag, pagination: { limit, next } };
}

/** As a list of values, with the head of the object apart. */
async function renderPieces(
  { head, identity, rest }: Extract<Long, { kind: "pieces" }>,
  customerId: string,
): Promise<Rendered> {
  const digest = createHash("sha1").update(identity);
  const { json, pieces, bytes } = await joinInSlices(partsOf(rest), customerId, (piece) =>
    digest.update(piece),
  );
  const common = { ...PLAIN, bytes: Buffer.byteLength(head) + bytes };
  if (pieces === null) return { ...common, json: head + json, identity: identity + json };
  return { ...common, pieces: [encode([head]), ...pieces], etag: `W/"${digest.digest("base64url")}"` };
}

function* partsOf(texts: Iterable<string>): Generator<[string], void, undefined> {
  for (const text of texts) yield [text];
}

function* toTexts(items: readonly unknown[]): Generator<[string], void, undefined> {
  for (const item of items) yield [JSON.stringify(item)];
}

/** What was made of a page of the store; it holds as long as the store hands out the same object. */
const renderedPages = new WeakMap<object, Rendered>();
const longPages = new WeakMap<object, Promise<Rendered>>();

function renderPage(page: StoredPage<unknown>): Rendered {
  const known = page.origin === undefined ? undefined : renderedPages.get(page.origin);
  if (known !== undefined) return known;
  const json = `[${page.items.map(versionedJson).join(",")}]`;
  const rendered = { ...pageHead(page), json, bytes: Buffer.byteLength(json) };
  if (page.origin !== undefined) renderedPages.set(page.origin, rendered);
  return rendered;
}

function renderLongPage(page: StoredPage<unknown>, customerId: string): Promise<Rendered> {
  const begin = async (): Promise<Rendered> => ({
    ...pageHead(page),
    ...(await joinInSlices(listOf(page.items.map(versionedParts)), customerId)),
  });
  if (page.origin === undefined) return begin();
  const known = longPages.get(page.origin) ?? begin();
  longPages.set(page.origin, known);
  return known;
}

function pageHead({ items, limit, next }: StoredPage<unknown>): Rendered {
  const seen = items.map(({ id, version }) => `${id}@${version};`).join("");
  // Ids and versions fix the page: hashing them costs less than hashing the text.
  const etag = `W/"${hash("sha1", seen + (next ?? ""), "base64url")}"`;
  return { ...PLAIN, etag, pagination: { limit, next } };
}

/** Characters that are encoded at once. */
const PIECE_CHARS = 65_536;

/** Items of JSON, each in parts, as a list. */
function* listOf(items: Iterable<readonly string[]>): Generator<readonly string[], void, undefined> {
  let before = "[";
  for (const parts of items) {
    yield [before, ...parts];
    before = ",";
  }
  yield [before === "[" ? "[]" : "]"];
}

type Joined = { readonly bytes: number } & (
  | { readonly json: string; readonly pieces: null }
  | { readonly json: null; readonly pieces: readonly Uint8Array<ArrayBuffer>[] }
);

/** Parts of JSON as one text, or in pieces where it is long. */
async function joinInSlices(
  source: Iterable<readonly string[]>,
  customerId: string,
  see?: (piece: Uint8Array) => void,
): Promise<Joined> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  let parts: string[] = [];
  let chars = 0;
  const cut = (): void => {
    const piece = encode(parts);
    pieces.push(piece);
    see?.(piece);
    bytes += piece.length;
    parts = [];
    chars = 0;
  };
  for (const item of source) {
    parts.push(...item);
    for (const { length } of item) chars += length;
    if (chars <= (pieces.length === 0 ? LARGE_CHARS : PIECE_CHARS)) continue;
    cut();
    await giveWay(customerId);
  }
  if (pieces.length > 0) {
    cut();
    return { json: null, pieces, bytes };
  }
  const json = parts.join("");
  return { json, pieces: null, bytes: Buffer.byteLength(json) };
}

/** Each part is copied once: put together as a text, it would be copied for that, too. */
function encode(parts: readonly string[]): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.allocUnsafeSlow(parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0));
  let at = 0;
  for (const part of parts) at += bytes.write(part, at);
  return bytes;
}

/** A stored document as it is served: its text with `version` added. */
const versionedParts = ({ members, version }: Stored<unknown>): [string, string, string] => [
  "{",
  members.slice(0, -1),
  `,"version":${version}}`,
];
const versionedJson = ({ members, version }: Stored<unknown>): string =>
  `{${members.slice(0, -1)},"version":${version}}`;

export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  /** Epoch seconds at which the window ends. */
  readonly reset: number;
}

/** The one maker of success bodies, `{data, meta:{request_id, rate_limit?, pagination?}}`: what comes before and after `data`. */
export function toEnvelope(
  { pagination: page }: Rendered,
  requestId: string,
  rate: RateState | null,
): readonly [string, string] {
  const limits =
    rate === null
      ? ""
      : `,"rate_limit":{"limit":${rate.limit},"remaining":${rate.remaining},"reset":${rate.reset}}`;
  const pagination =
    page === null
      ? ""
      : `,"pagination":{"limit":${page.limit},"has_more":${page.next !== null},"next_cursor":${page.next === null ? "null" : `"${page.next}"`}}`;
  return [`{"data":`, `,"meta":{"request_id":"${requestId}"${limits}${pagination}}}`];
}
