import {
  COMMIT_BYTES_MAX,
  COMMIT_CHECKS_MAX,
  COMMIT_OPS_MAX,
  DOC_BYTES_MAX,
  PAGE_LIMIT_MAX,
} from "./contract.ts";
import { StoreError } from "./contract.ts";
import type { Check, Doc, Key, Op, PageOptions, Quota, Version } from "./contract.ts";

const PART = /^[a-z0-9_]{1,40}$/;
const COLL = /^[a-z0-9._]{1,60}$/;
const ID = /^[A-Za-z0-9_.~@-]{1,128}$/;
const ID_START = /^[A-Za-z0-9_.~@-]{0,128}$/;
/** The three in one look, which most keys pass; what may be wrong with the others is found part by part. */
const KEY = /^[a-z0-9_]{1,40}:[a-z0-9._]{3,60}:[A-Za-z0-9_.~@-]{3,128}$/;
const LONE_SURROGATE = /\p{Surrogate}/u;

export interface KeyParts {
  readonly part: string;
  readonly coll: string;
  readonly id: string;
}

/** Splits a key into its three parts and checks their grammar; throws StoreError INVALID. */
export function splitKey(text: string): KeyParts {
  const parts = cutKey(text);
  if (KEY.test(text)) return parts;
  assertPart(parts.part);
  assertColl(parts.coll);
  assertId(parts.id);
  return parts;
}

/** The parts of a key, unchecked: of a document that is found under them, the grammar was checked when it was stored. */
export function cutKey(text: string): KeyParts {
  const first = text.indexOf(":");
  const second = text.indexOf(":", first + 1);
  if (first < 0 || second < 0) throw invalid(`invalid key ${quote(text)}: expected part:coll:id`);
  return {
    part: text.slice(0, first),
    coll: text.slice(first + 1, second),
    id: text.slice(second + 1),
  };
}

/** Narrows a text to a key; throws StoreError INVALID. */
export function assertKey(text: string): asserts text is Key {
  if (!KEY.test(text)) splitKey(text);
}

export function assertPart(part: string): void {
  if (!PART.test(part)) throw invalid(`invalid partition ${quote(part)}: expected ${PART.source}`);
}

function assertColl(coll: string): void {
  if (!COLL.test(coll) || isDots(coll))
    throw invalid(`invalid collection ${quote(coll)}: expected ${COLL.source}`);
}

function assertId(id: string): void {
  if (!ID.test(id) || isDots(id)) throw invalid(`invalid id ${quote(id)}: expected ${ID.source}`);
}

/** One write of a commit: the new value, or null for a removal. */
export interface Write {
  readonly key: Key;
  readonly at: KeyParts;
  readonly value: string | null;
  /** Bytes of key and value, in UTF-8; 0 for a removal. */
  readonly bytes: number;
}

export interface ParsedCommit {
  readonly part: string;
  readonly quota?: Quota | undefined;
  readonly writes: readonly Write[];
  readonly checks: readonly { readonly key: Key; readonly at: KeyParts; readonly version: Version }[];
  /** Bytes of keys and values, in UTF-8. */
  readonly bytes: number;
}

/**
 * Holds a commit to the published limits and splits its keys: operations, checks, document and total bytes,
 * one partition, no two operations on one key. Throws StoreError INVALID.
 */
export function parseCommit(
  part: string,
  ops: readonly Op[],
  checks: readonly Check[],
  quota?: Quota,
): ParsedCommit {
  assertPart(part);
  if (ops.length > COMMIT_OPS_MAX) throw invalid(`a commit has at most ${COMMIT_OPS_MAX} operations`);
  if (checks.length > COMMIT_CHECKS_MAX) throw invalid(`a commit has at most ${COMMIT_CHECKS_MAX} checks`);
  const seen = new Set<string>();
  let bytes = 0;
  const writes = ops.map((op): Write => {
    const target = "put" in op ? op.put : op.del;
    if (seen.has(target)) throw invalid(`two operations on ${target} in one commit`);
    seen.add(target);
    const value = "put" in op ? op.value : null;
    const own = value === null ? 0 : target.length + assertValue(target, value);
    bytes += own === 0 ? target.length : own;
    return { key: target, at: splitInPart(part, target), value, bytes: own };
  });
  if (bytes > COMMIT_BYTES_MAX)
    throw invalid(`a commit has at most ${COMMIT_BYTES_MAX} bytes, received ${bytes}`);
  return {
    part,
    writes,
    bytes,
    quota,
    checks: checks.map((check) => toChecked(part, check)),
  };
}

/** A document of a load, checked. */
export interface ParsedDoc extends Doc {
  readonly at: KeyParts;
  /** Bytes of key and value, in UTF-8. */
  readonly bytes: number;
}

/** Holds the documents of a load to the limits of a commit, but for their number: grammar, size, one partition, a version. */
export function parseLoad(part: string, docs: readonly Doc[]): ParsedDoc[] {
  assertPart(part);
  return docs.map(({ key, version, value }) => {
    if (!Number.isSafeInteger(version) || version < 1)
      throw invalid(`${key} has the invalid version ${version}`);
    const at = splitInPart(part, key);
    return { key, at, version, value, bytes: key.length + assertValue(key, value) };
  });
}

/** Holds a page request to the grammar and to `PAGE_LIMIT_MAX`. */
export function assertPage(part: string, coll: string, options: PageOptions): void {
  assertPart(part);
  assertColl(coll);
  if (options.of !== undefined) assertColl(options.of);
  const { limit, after = "", prefix = "" } = options;
  if (!Number.isInteger(limit) || limit < 1 || limit > PAGE_LIMIT_MAX) {
    throw invalid(`invalid page limit ${limit}: expected 1 to ${PAGE_LIMIT_MAX}`);
  }
  if (!ID_START.test(after)) throw invalid(`invalid id to continue after: ${quote(after)}`);
  if (!ID_START.test(prefix)) throw invalid(`invalid id prefix: ${quote(prefix)}`);
}

function toChecked(part: string, { key, version }: Check): ParsedCommit["checks"][number] {
  if (!Number.isSafeInteger(version) || version < 0) throw invalid(`invalid version to check: ${version}`);
  return { key, version, at: splitInPart(part, key) };
}

/** The parts of a key of this partition, whose own grammar has been checked. */
function splitInPart(part: string, target: string): KeyParts {
  const second = target.indexOf(":", part.length + 1);
  if (second < 0 || target.charAt(part.length) !== ":" || !target.startsWith(part)) {
    splitKey(target);
    throw invalid(`${target} is outside of partition ${part}`);
  }
  const coll = target.slice(part.length + 1, second);
  const id = target.slice(second + 1);
  assertColl(coll);
  assertId(id);
  return { part, coll, id };
}

/** An export to files makes names of collections and ids, and these two are no names. */
const isDots = (name: string): boolean => name === "." || name === "..";

/** A value must survive UTF-8 and fit on one line of the log; `JSON.stringify` always writes such text. */
function assertValue(target: Key, value: string): number {
  if (typeof value !== "string") throw invalid(`the value of ${target} is not a string`);
  const bytes = Buffer.byteLength(value);
  if (bytes > DOC_BYTES_MAX)
    throw invalid(`${target} has ${bytes} bytes; a document has at most ${DOC_BYTES_MAX}`);
  if (value.includes("\n")) throw invalid(`the value of ${target} contains a line feed`);
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
