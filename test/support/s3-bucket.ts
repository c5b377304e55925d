import { createHash } from "node:crypto";

export interface StoredObject {
  readonly body: Buffer;
  /** MD5 of the body, as S3 gives it to objects that are put in one piece. */
  readonly etag: string;
  readonly modifiedMs: number;
}

export interface ListOptions {
  readonly prefix: string;
  readonly delimiter: string;
  /** Only keys after this one, as `toBytes` gives it. */
  readonly after: string;
  readonly limit: number;
}

export interface Listing {
  readonly entries: readonly { readonly key: string; readonly object: StoredObject }[];
  readonly prefixes: readonly string[];
  /** What to continue after, as bytes; absent at the end. */
  readonly next?: string;
}

/** Objects by key, in the order of the keys' UTF-8 bytes. */
export interface Bucket {
  get(key: string): StoredObject | undefined;
  put(key: string, body: Buffer, nowMs: number): StoredObject;
  remove(key: string): void;
  list(options: ListOptions): Listing;
  readonly keys: readonly string[];
}

/** A key's bytes as a text of one character each, so that comparing texts compares bytes. */
export const toBytes = (key: string): string => Buffer.from(key).toString("latin1");
const fromBytes = (bytes: string): string => Buffer.from(bytes, "latin1").toString();
/** No byte of UTF-8 is this high. */
const BEYOND = "\xff";

export function createBucket(): Bucket {
  const objects = new Map<string, StoredObject>();
  const sorted: string[] = [];
  /** Place of the first key that is not below this one. */
  const placeOf = (bytes: string): number => {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sorted[middle] ?? "") < bytes) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    get: (key) => objects.get(toBytes(key)),
    put(key, body, nowMs) {
      const bytes = toBytes(key);
      const object = { body, etag: createHash("md5").update(body).digest("hex"), modifiedMs: nowMs };
      if (!objects.has(bytes)) sorted.splice(placeOf(bytes), 0, bytes);
      objects.set(bytes, object);
      return object;
    },
    remove(key) {
      const bytes = toBytes(key);
      if (objects.delete(bytes)) sorted.splice(placeOf(bytes), 1);
    },
    list({ prefix, delimiter, after, limit }) {
      const start = toBytes(prefix);
      const entries: { key: string; object: StoredObject }[] = [];
      const prefixes: string[] = [];
      let last = "";
      if (limit === 0) return { entries, prefixes };
      let place = placeOf(start > after ? start : after);
      for (let bytes = sorted[place]; bytes?.startsWith(start) === true; bytes = sorted[place]) {
        if (bytes === after) {
          place++;
          continue;
        }
        if (entries.length + prefixes.length === limit) return { entries, prefixes, next: last };
        const end = delimiter === "" ? -1 : bytes.indexOf(delimiter, start.length);
        const folder = end < 0 ? null : bytes.slice(0, end + delimiter.length);
        const object = objects.get(bytes);
        if (folder !== null) {
          prefixes.push(fromBytes(folder));
          last = folder + BEYOND;
          place = placeOf(last);
        } else if (object !== undefined) {
          entries.push({ key: fromBytes(bytes), object });
          last = bytes;
          place++;
        }
      }
      return { entries, prefixes };
    },
    get keys() {
      return sorted.map(fromBytes);
    },
  };
}
