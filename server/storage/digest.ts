import { createHash } from "node:crypto";

import type { Doc } from "./contract.ts";
import { splitKey } from "./keys.ts";

/** How many documents a collection has and what they are, in a form that two stores can be compared by. */
export interface CollectionDigest {
  readonly part: string;
  readonly coll: string;
  readonly count: number;
  /** The SHA-256 of every key, version and value, joined by exclusive or: the same in whatever order they were read. */
  readonly sha256: string;
}

/** A collection that two stores do not agree on. */
export interface Difference {
  readonly part: string;
  readonly coll: string;
  readonly expected: number;
  readonly found: number;
}

export interface Digest {
  add(doc: Doc): void;
  /** By partition and collection. */
  collections(): CollectionDigest[];
  readonly count: number;
}

interface Sum {
  readonly part: string;
  readonly coll: string;
  count: number;
  readonly bytes: Buffer;
}

const HASH_BYTES = 32;

export function createDigest(): Digest {
  const sums = new Map<string, Sum>();
  let count = 0;
  return {
    add({ key, version, value }) {
      const { part, coll } = splitKey(key);
      const name = `${part}:${coll}`;
      let sum = sums.get(name);
      if (sum === undefined) {
        sum = { part, coll, count: 0, bytes: Buffer.alloc(HASH_BYTES) };
        sums.set(name, sum);
      }
      // Keys are unique in a store, so no two hashes cancel each other out.
      const hash = createHash("sha256").update(`${key}\n${version}\n`).update(value).digest();
      for (let i = 0; i < HASH_BYTES; i++) sum.bytes[i] = (sum.bytes[i] ?? 0) ^ (hash[i] ?? 0);
      sum.count++;
      count++;
    },
    collections: () =>
      [...sums.entries()]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, { bytes, ...sum }]) => ({ ...sum, sha256: bytes.toString("hex") })),
    get count() {
      return count;
    },
  };
}

/** The collections of which count or content differ; none when both hold the same documents at the same versions. */
export function differences(expected: Digest, found: Digest): Difference[] {
  const names = new Map<string, { expected?: CollectionDigest; found?: CollectionDigest }>();
  for (const one of expected.collections()) names.set(`${one.part}:${one.coll}`, { expected: one });
  for (const one of found.collections()) {
    const name = `${one.part}:${one.coll}`;
    names.set(name, { ...names.get(name), found: one });
  }
  return [...names].flatMap(([name, pair]) => {
    if (pair.expected?.sha256 === pair.found?.sha256 && pair.expected?.count === pair.found?.count) return [];
    const [part = "", coll = ""] = name.split(":");
    return [{ part, coll, expected: pair.expected?.count ?? 0, found: pair.found?.count ?? 0 }];
  });
}
