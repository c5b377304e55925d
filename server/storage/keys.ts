import {
  COMMIT_BYTES_MAX,
  COMMIT_CHECKS_MAX,
  COMMIT_OPS_MAX,
  DOC_BYTES_MAX,
  PAGE_LIMIT_MAX,
} from "./contract.ts";
import { StoreError } from "./contract.ts";
import type { Check, Key, Op, PageOptions } from "./contract.ts";

const PART = /^[a-z0-9_]{1,40}$/;
const COLL = /^[a-z0-9._]{1,60}$/;
const ID = /^[A-Za-z0-9_.~@-]{1,128}$/;
const ID_START = /^[A-Za-z0-9_.~@-]{0,128}$/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Builds a key and checks its grammar; throws StoreError INVALID. */
export function key(part: string, coll: string, id: string): Key {
  assertPart(part);
  assertColl(coll);
  assertId(id);
  return `${part}:${coll}:${id}`;
}

export interface KeyParts {
  readonly part: string;
  readonly coll: string;
  readonly id: string;
}

/** Splits a key into its three parts and checks their grammar; throws StoreError INVALID. */
export function splitKey(text: string): KeyParts {
  const first = text.indexOf(":");
  const second = text.indexOf(":", first + 1);
  if (first < 0 || second < 0) throw invalid(`a key is part:coll:id, not ${quote(text)}`);
  const parts = {
    part: text.slice(0, first),
    coll: text.slice(first + 1, second),
    id: text.slice(second + 1),
  };
  assertPart(parts.part);
  assertColl(parts.coll);
  assertId(parts.id);
  return parts;
}

/** Narrows a text to a key; throws StoreError INVALID. */
export function assertKey(text: string): asserts text is Key {
  splitKey(text);
}

export function assertPart(part: string): void {
  if (!PART.test(part)) throw invalid(`a partition is ${PART.source}, not ${quote(part)}`);
}

export function assertColl(coll: string): void {
  if (!COLL.test(coll)) throw invalid(`a collection is ${COLL.source}, not ${quote(coll)}`);
}

function assertId(id: string): void {
  if (!ID.test(id) || id === "." || id === "..") throw invalid(`an id is ${ID.source}, not ${quote(id)}`);
}

/**
 * Holds a commit to the published limits: operations, checks, document and total bytes, one partition,
 * no two operations on one key. Returns the bytes of keys and values, in UTF-8.
 */
export function assertCommit(part: string, ops: readonly Op[], checks: readonly Check[]): number {
  assertPart(part);
  if (ops.length > COMMIT_OPS_MAX) throw invalid(`a commit has at most ${COMMIT_OPS_MAX} operations`);
  if (checks.length > COMMIT_CHECKS_MAX) throw invalid(`a commit has at most ${COMMIT_CHECKS_MAX} checks`);
  const seen = new Set<string>();
  let bytes = 0;
  for (const op of ops) {
    const target = "put" in op ? op.put : op.del;
    assertInPart(part, target);
    if (seen.has(target)) throw invalid(`two operations on ${target} in one commit`);
    seen.add(target);
    bytes += target.length + ("put" in op ? assertValue(op.put, op.value) : 0);
  }
  if (bytes > COMMIT_BYTES_MAX) throw invalid(`a commit has at most ${COMMIT_BYTES_MAX} bytes, not ${bytes}`);
  for (const check of checks) {
    assertInPart(part, check.key);
    if (!Number.isSafeInteger(check.version) || check.version < 0)
      throw invalid(`no version: ${check.version}`);
  }
  return bytes;
}

/** Holds a page request to the grammar and to `PAGE_LIMIT_MAX`. */
export function assertPage(part: string, coll: string, options: PageOptions): void {
  assertPart(part);
  assertColl(coll);
  if (options.of !== undefined) assertColl(options.of);
  const { limit, after = "", prefix = "" } = options;
  if (!Number.isInteger(limit) || limit < 1 || limit > PAGE_LIMIT_MAX) {
    throw invalid(`a page has 1 to ${PAGE_LIMIT_MAX} documents, not ${limit}`);
  }
  if (!ID_START.test(after)) throw invalid(`no id to continue after: ${quote(after)}`);
  if (!ID_START.test(prefix)) throw invalid(`no id begins with ${quote(prefix)}`);
}

function assertInPart(part: string, target: string): void {
  if (splitKey(target).part !== part) throw invalid(`${target} is outside of partition ${part}`);
}

/** A value must survive UTF-8 and lie on one line of the log; `JSON.stringify` always writes such text. */
function assertValue(target: Key, value: string): number {
  if (typeof value !== "string") throw invalid(`the value of ${target} is not a text`);
  const bytes = Buffer.byteLength(value);
  if (bytes > DOC_BYTES_MAX)
    throw invalid(`${target} has ${bytes} bytes; a document has at most ${DOC_BYTES_MAX}`);
  if (value.includes("\n")) throw invalid(`the value of ${target} holds a line feed`);
  if (bytes !== value.length && LONE_SURROGATE.test(value))
    throw invalid(`the value of ${target} is not valid Unicode`);
  return bytes;
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}

function invalid(message: string): StoreError {
  return new StoreError("INVALID", message);
}
