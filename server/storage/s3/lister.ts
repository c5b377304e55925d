import { LIST_MAX } from "./objects.ts";
import type { Objects } from "./objects.ts";

/** Objects of a folder in the ascending bytes of their names, read from the server piece by piece. */
export interface Lister {
  /** Reads on, this many names at most. */
  more(limit?: number): Promise<void>;
  /** Names of the documents so far, without the folder. */
  readonly names: readonly string[];
  etag(name: string): string | undefined;
  /** Whether everything up to this name was read. */
  covers(name: string): boolean;
  readonly done: boolean;
  /** Bytes of the objects so far, tombstones included. */
  readonly bytes: number;
  /** Tombstones so far that are older than `TOMBSTONE_MS`, with their ETags. */
  readonly sweepable: ReadonlyMap<string, string>;
}

export interface ListerOptions {
  /** Prefix that all names have in common, and that is not given with them. */
  readonly folder: string;
  readonly prefix?: string;
  readonly after?: string;
  /** How old a tombstone must be before it may be swept. */
  readonly tombstoneMs: number;
}

export function createLister(
  objects: Objects,
  { folder, prefix = "", after = "", tombstoneMs }: ListerOptions,
): Lister {
  const names: string[] = [];
  const etags = new Map<string, string>();
  const sweepable = new Map<string, string>();
  let last = after;
  let token: string | undefined;
  let done = false;
  let bytes = 0;
  return {
    names,
    sweepable,
    etag: (name) => etags.get(name),
    covers: (name) => done || name <= last,
    get done() {
      return done;
    },
    get bytes() {
      return bytes;
    },
    async more(limit = LIST_MAX) {
      const listing = await objects.list({
        prefix: folder + prefix,
        limit: Math.min(limit, LIST_MAX),
        ...(token === undefined ? (after === "" ? {} : { after: folder + after }) : { token }),
      });
      for (const { key, etag, tombstone, modifiedMs, bytes: size } of listing.entries) {
        const name = key.slice(folder.length);
        last = name;
        bytes += size;
        if (!tombstone) {
          names.push(name);
          etags.set(name, etag);
        } else if (listing.dateMs - modifiedMs >= tombstoneMs) sweepable.set(name, etag);
      }
      token = listing.token;
      done = token === undefined;
    },
  };
}
