import type { Driver } from "unstorage";

import type { Clock } from "../../core/clock.ts";
import { sha256Hex } from "../../core/ids.ts";
import { StoreError } from "../contract.ts";
import { mapSome } from "../../lib/map-some.ts";
import { createQueue } from "../s3/limiter.ts";
import type { Queue } from "../s3/limiter.ts";
import { ABSENT, LIST_MAX, TOMBSTONE_BYTES, decodeContent, encodeContent } from "../s3/objects.ts";
import type { Condition, Listed, ListRequest, Listing, Objects, TextRead } from "../s3/objects.ts";
import { createSortedMap } from "../sorted-map.ts";
import { createTexts, fromName, toName } from "./texts.ts";

/** What is known of an object; null until it is read for the first time. */
type Known = Omit<Listed, "key"> | null;

/** Greater than every character of a key. */
const LAST = "\x7f";

/**
 * The objects that the protocol of heads and redo works on, over a driver of unstorage. It has no conditional writes and no
 * order, so this process is the only one to write: a queue for each key takes the place of If-Match, and the names of all
 * objects are in memory, in order, read once when the store is opened.
 */
export async function createBridgeObjects(driver: Driver, clock: Clock): Promise<Objects> {
  const texts = createTexts(driver);
  const index = createSortedMap<Known>({ lookup: true });
  const queues = new Map<string, Queue>();
  const startMs = clock.now();
  for (const name of await texts.names()) {
    const key = fromName(name);
    if (key !== null) index.set(key, null);
  }

  const inTurn = async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const queue = queues.get(key) ?? createQueue();
    queues.set(key, queue);
    try {
      return await queue.run(work);
    } finally {
      if (!queue.busy) queues.delete(key);
    }
  };
  const knownOf = (text: string, modifiedMs: number): Known & object => {
    const bytes = Buffer.byteLength(text);
    return { etag: sha256Hex(text).slice(0, 40), bytes, modifiedMs, tombstone: bytes <= TOMBSTONE_BYTES };
  };
  /** Throws CORRUPT where the driver lost what it had confirmed. */
  const fetch = async (key: string): Promise<string | null> => {
    const text = await texts.get(toName(key));
    if (text === null && index.get(key) !== undefined)
      throw new StoreError("CORRUPT", `the unstorage driver lost the object ${key}`);
    return text;
  };
  const readText = async (key: string, knownEtag?: string): Promise<TextRead> => {
    // In turn with the writes: drivers such as `fs` show a file while it is being written.
    const text = await inTurn(key, () => fetch(key));
    if (text === null) return { found: "none" };
    const known = knownOf(text, startMs);
    if (index.get(key) === null) index.set(key, known);
    return known.etag === knownEtag ? { found: "unchanged" } : { found: "text", text, etag: known.etag };
  };
  const writeText = (key: string, text: string, { etag, notAfterMs }: Condition): Promise<string | null> =>
    inTurn(key, async () => {
      const current = await fetch(key);
      if ((current === null ? null : knownOf(current, 0).etag) !== etag) return null;
      if (notAfterMs !== undefined && clock.now() > notAfterMs)
        throw new StoreError("UNAVAILABLE", "this process was suspended for too long to finish a write");
      await texts.set(toName(key), text);
      const known = knownOf(text, clock.now());
      index.set(key, known);
      return known.etag;
    });

  return {
    readText,
    writeText,
    async read(key, known) {
      const found = await readText(key, known?.etag ?? undefined);
      if (found.found === "none") return ABSENT;
      if (found.found === "text") return { ...decodeContent(found.text, key), etag: found.etag };
      return known ?? ABSENT;
    },
    write: (key, content, on) => writeText(key, encodeContent(content), on),
    remove: (key) =>
      inTurn(key, async () => {
        index.remove(key);
        await texts.remove(toName(key));
      }),
    async list(request) {
      const { keys, folders, token } = select(index, request);
      const entries = await mapSome(keys, async (key): Promise<Listed[]> => {
        if (index.get(key) === null) await readText(key);
        const known = index.get(key);
        return known == null ? [] : [{ key, ...known }];
      });
      const listing: Listing = { entries: entries.flat(), folders, dateMs: clock.now() };
      return token === undefined ? listing : { ...listing, token };
    },
  };
}

/** The names that a listing shows, as S3 lists them. */
function select(
  index: ReturnType<typeof createSortedMap<Known>>,
  { prefix, after, limit = LIST_MAX, folders: isByFolder = false, token }: ListRequest,
): { readonly keys: string[]; readonly folders: string[]; readonly token?: string } {
  const keys: string[] = [];
  const folders: string[] = [];
  const last = token ?? after ?? "";
  let from: string | null = last > prefix ? last : prefix;
  let end = last;
  let isMore = false;
  while (from !== null) {
    const start: string = from;
    from = null;
    index.walk(start, (key) => {
      if (key === last) return true;
      if (!key.startsWith(prefix)) return false;
      isMore = keys.length + folders.length >= limit;
      if (isMore) return false;
      const slash = isByFolder ? key.indexOf("/", prefix.length) : -1;
      if (slash === -1) {
        keys.push(key);
        end = key;
        return true;
      }
      const folder = key.slice(0, slash + 1);
      folders.push(folder);
      end = from = `${folder}${LAST}`;
      return false;
    });
  }
  return isMore ? { keys, folders, token: end } : { keys, folders };
}
