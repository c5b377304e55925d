import { createHash, hash } from "node:crypto";
import type { Hash } from "node:crypto";

import type { Reply } from "../core/route.ts";
import type { Stored, StoredPage } from "../core/tx.ts";
import { giveWay, waitForTurn } from "../lib/slices.ts";
import { LARGE_CHARS } from "./messages.ts";

/** Text of `data` and what the headers need to know of it. */
export interface Rendered {
  readonly status: number;
  /** JSON text of `data`; null for 204. */
  readonly json: string | null;
  /** Length of `json` in bytes, where it is known. */
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
        etag: `"${reply.stored.version}"`,
        location: reply.location ?? null,
      };
    case "page":
      return renderPage(reply.page);
    case "values": {
      const json = reply.json ?? JSON.stringify(reply.items);
      return {
        ...PLAIN,
        json,
        bytes: Buffer.byteLength(json),
        etag: reply.etag ?? null,
        pagination: { limit: reply.limit, next: reply.next },
      };
    }
    case "empty":
      return { ...PLAIN, status: 204 };
  }
}

const PLAIN = {
  status: 200,
  json: null,
  bytes: null,
  etag: null,
  identity: null,
  pagination: null,
  location: null,
} as const;

/** Writes a list of computed values, with pauses where it is long, and its ETag with it. */
export async function writeValues(
  reply: Extract<Enveloped, { kind: "values" }>,
  customerId: string,
): Promise<Enveloped> {
  const texts: string[] = [];
  let chars = 0;
  let digest: Hash | null = null;
  for (const item of reply.items) {
    const text = JSON.stringify(item);
    texts.push(text);
    chars += text.length;
    if (digest === null) {
      if (chars <= LARGE_CHARS) continue;
      digest = createHash("sha1").update(`[${texts.join(",")}`);
    } else digest.update(`,${text}`);
    await giveWay(customerId);
  }
  if (digest === null) return { ...reply, json: `[${texts.join(",")}]` };
  // Putting it together and sending it is long enough for a turn of its own.
  await waitForTurn(customerId);
  const etag = `W/"${digest.update("]").digest("base64url")}"`;
  return { ...reply, json: `[${texts.join(",")}]`, etag };
}

/** What was made of a page of the store; it holds as long as the store hands out the same object. */
const renderedPages = new WeakMap<object, Rendered>();

function renderPage(page: StoredPage<unknown>): Rendered {
  const known = page.origin === undefined ? undefined : renderedPages.get(page.origin);
  if (known !== undefined) return known;
  const rendered = joinPage(page);
  if (page.origin !== undefined) renderedPages.set(page.origin, rendered);
  return rendered;
}

function joinPage(page: StoredPage<unknown>): Rendered {
  let json = "[";
  let seen = "";
  for (const stored of page.items) {
    json += `${json.length > 1 ? "," : ""}${versionedJson(stored)}`;
    seen += `${stored.id}@${stored.version};`;
  }
  // Ids and versions fix the page: hashing them costs less than hashing the text.
  const etag = `W/"${hash("sha1", seen + (page.next ?? ""), "base64url")}"`;
  json += "]";
  const bytes = Buffer.byteLength(json);
  return { ...PLAIN, json, bytes, etag, pagination: { limit: page.limit, next: page.next } };
}

/** A stored document as it is served: its text with `version` added. */
const versionedJson = ({ members, version }: Stored<unknown>): string =>
  `{${members.slice(0, -1)},"version":${version}}`;

export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  /** Epoch seconds at which the window ends. */
  readonly reset: number;
}

/** The one maker of success bodies, in pieces: `{data, meta:{request_id, rate_limit?, pagination?}}`. */
export function toEnvelope(
  rendered: Rendered,
  requestId: string,
  rate: RateState | null,
): readonly [string, string, string] {
  const limits =
    rate === null
      ? ""
      : `,"rate_limit":{"limit":${rate.limit},"remaining":${rate.remaining},"reset":${rate.reset}}`;
  const page = rendered.pagination;
  const pagination =
    page === null
      ? ""
      : `,"pagination":{"limit":${page.limit},"has_more":${page.next !== null},"next_cursor":${page.next === null ? "null" : `"${page.next}"`}}`;
  return [
    `{"data":`,
    rendered.json ?? "null",
    `,"meta":{"request_id":"${requestId}"${limits}${pagination}}}`,
  ];
}
