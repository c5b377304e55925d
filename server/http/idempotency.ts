import { createHash } from "node:crypto";
import type { Hash } from "node:crypto";

import { z } from "zod";

import { defineCollection } from "../core/collection.ts";
import { conflict, fail } from "../lib/errors.ts";
import { sha256Hex } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { toInstant } from "../lib/instant.ts";
import { giveWay } from "../lib/slices.ts";
import type { Reply } from "../core/reply.ts";
import { customerSubject, mailsInJson, mentionSubject } from "../core/personal.ts";
import type { Stored, Tx } from "../core/tx.ts";

/**
 * Idempotency-Key (draft-ietf-httpapi-idempotency-key-header): the record travels in the commit of the effect,
 * so a crash leaves both or neither, and a repeat after any crash gives the first answer or does the work once.
 */
export const idempotencyRecords = defineCollection({
  name: "http.idempotency",
  unlisted: true,
  schema: z.object({
    id: z.string(),
    fingerprint: z.string(),
    status: z.int(),
    location: z.string().nullable(),
    /** `data` as text before `version` joins it; null for 204 and for an answer that held a secret. */
    json: z.string().nullable(),
    /** Version of an item that the request only read; null for one that its own commit wrote. */
    item_version: z.int().nullable().default(null),
    kind: z.enum(["value", "values", "item", "empty", "secret"]),
    /** Of a list: its page. */
    page: z.strictObject({ limit: z.int(), next: z.string().nullable() }).nullable().default(null),
    expires_at: z.string(),
  }),
  personal: {
    subjects: ({ json }) =>
      json === null ? [] : [...mailsInJson(json), ...customersIn(json), ...idsIn(json)],
    // The answer goes, the key stays: repeating the request must not do the work again.
    erased: (record) => ({ ...record, json: null, kind: "secret" as const }),
  },
  indexes: {
    due: { values: () => [""], order: (record) => String(Date.parse(record.expires_at)).padStart(15, "0") },
  },
});
/** Our ids of documents that a stored answer shows. */
const idsIn = (json: string): string[] => [
  ...new Set(
    [...json.matchAll(/"([a-z]{2,4}_[0-9A-HJKMNP-TV-Z]{26})"/g)].map(([, id = ""]) => mentionSubject(id)),
  ),
];

/** The shop's ids of customers that a stored answer names. */
const customersIn = (json: string): string[] => [
  ...new Set(
    [...json.matchAll(/"customer_id":"((?:[^"\\]|\\.)+)"|"customer":\{"id":"((?:[^"\\]|\\.)+)"/g)].map(
      ([, own, nested]) => customerSubject(JSON.parse(`"${own ?? nested ?? ""}"`)),
    ),
  ),
];

type IdempotencyRecord = z.output<typeof idempotencyRecords.schema>;

/** The key of a request: 1 to 255 visible ASCII characters, bare or as a quoted string; throws 400. */
export function readIdempotencyKey(header: string): string {
  const bare = /^"(.*)"$/.exec(header)?.[1] ?? header;
  if (bare.length === 0 || bare.length > LIMITS.idempotencyKeyChars || !/^[\x21-\x7e]+$/.test(bare)) {
    throw fail(
      "bad_request",
      `Idempotency-Key must be 1 to ${LIMITS.idempotencyKeyChars} visible ASCII characters, such as a UUID.`,
    );
  }
  return bare;
}

/** Where a key holds: one caller, one store, one method, one path. */
export const idempotencyId = (scope: readonly string[]): string => sha256Hex(scope.join("\0"));

/** Pieces of a body between two looks at the clock. */
const PIECES = 64;

/**
 * What makes two requests the same: query and body, whatever the order of members. Large bodies take pauses, as work for `part`; `note`
 * gets the milliseconds that they took.
 */
export async function fingerprintOf(
  search: string,
  body: unknown,
  part: string,
  note: (cpuMs: number) => void,
): Promise<string> {
  let text = `${search}\0`;
  let count = 0;
  let hash: Hash | null = null;
  let since = performance.now();
  for (const piece of canonicalJson(body)) {
    text += piece;
    count += 1;
    if (count % PIECES !== 0) continue;
    hash = (hash ?? createHash("sha256")).update(text);
    text = "";
    note(performance.now() - since);
    await giveWay(part);
    since = performance.now();
  }
  return hash?.update(text).digest("hex") ?? sha256Hex(text);
}

/** A value that is to be written, or text. */
type Rest = { readonly value: unknown } | string;

/** JSON with sorted members, in pieces. */
function* canonicalJson(body: unknown): Generator<string, void, undefined> {
  const rest: Rest[] = [{ value: body }];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (typeof next === "string") yield next;
    else if (next.value instanceof Uint8Array) yield sha256Hex(next.value);
    else if (typeof next.value !== "object" || next.value === null)
      yield JSON.stringify(next.value) ?? "null";
    else {
      const isList = Array.isArray(next.value);
      const members = Object.entries(next.value);
      if (!isList) members.sort(([a], [b]) => (a < b ? -1 : 1));
      yield isList ? "[" : "{";
      rest.push(isList ? "]" : "}");
      for (const [index, [name, value]] of [...members.entries()].toReversed()) {
        rest.push({ value });
        rest.push(`${index === 0 ? "" : ","}${isList ? "" : `${JSON.stringify(name)}:`}`);
      }
    }
  }
}

/** The stored answer of an earlier request with this key; null on the first. Throws 422 when the body differs. */
export async function findReplay(
  tx: Tx,
  id: string,
  fingerprint: string,
  now: number,
): Promise<Reply<unknown> | null> {
  const found = await tx.get(idempotencyRecords, id);
  if (found === null || Date.parse(found.value.expires_at) <= now) return null;
  if (found.value.fingerprint !== fingerprint) {
    throw fail(
      "unprocessable_content",
      "This Idempotency-Key was already used with a different request body.",
      {
        errors: [
          {
            header: "Idempotency-Key",
            detail: "Already used with a different request body. Use a new key for each new request.",
          },
        ],
      },
    );
  }
  return toReply(found);
}

function toReply({ value, version }: Stored<IdempotencyRecord>): Reply<unknown> {
  const location = value.location === null ? {} : { location: value.location };
  const status = value.status === 201 ? 201 : 200;
  if (value.kind === "empty") return { kind: "empty" };
  if (value.kind === "secret" || value.json === null) {
    throw conflict(
      "response_not_replayable",
      "A request with this Idempotency-Key already succeeded. Its response contained a secret that is shown only once and cannot be replayed.",
    );
  }
  const json = value.json;
  if (value.kind === "item") {
    // What the request wrote has the version of the commit that wrote this record too.
    const itemVersion = value.item_version ?? version;
    const stored = { id: value.id, version: itemVersion, members: json.slice(1), value: null };
    return { kind: "item", status, stored, ...location };
  }
  if (value.page !== null) {
    const items: unknown = JSON.parse(json);
    if (Array.isArray(items)) return { kind: "values", items, ...value.page };
  }
  return { kind: "value", status: value.status === 202 ? 202 : status, json: () => json, ...location };
}

/** Stages the record of a reply together with what the handler staged. */
export async function stageRecord(
  tx: Tx,
  record: { id: string; fingerprint: string; reply: Reply<unknown>; sensitive: boolean; expiresAtMs: number },
): Promise<void> {
  const { reply } = record;
  // What a write returns is short.
  if (reply.kind === "raw" || reply.kind === "page" || reply.kind === "pieces") return;
  const value: IdempotencyRecord = {
    id: record.id,
    fingerprint: record.fingerprint,
    status: reply.kind === "empty" ? 204 : reply.kind === "values" ? 200 : reply.status,
    location: "location" in reply ? (reply.location ?? null) : null,
    json: record.sensitive ? null : jsonOf(reply),
    // A staged document has no version before the commit.
    item_version: reply.kind === "item" && reply.stored.version !== 0 ? reply.stored.version : null,
    kind: record.sensitive ? "secret" : reply.kind,
    page: reply.kind === "values" ? { limit: reply.limit, next: reply.next } : null,
    expires_at: toInstant(record.expiresAtMs),
  };
  const before = await tx.get(idempotencyRecords, record.id);
  tx.save(idempotencyRecords, before, value);
}

function jsonOf(reply: Exclude<Reply<unknown>, { kind: "raw" | "page" | "pieces" }>): string | null {
  if (reply.kind === "item") return `{${reply.stored.members}`;
  if (reply.kind === "values") return JSON.stringify(reply.items);
  return reply.kind === "value" ? reply.json() : null;
}
