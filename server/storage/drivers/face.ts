import type { Driver, StorageMeta } from "unstorage";
import { z } from "zod";

import { systemClock } from "../../core/clock.ts";
import { createSystemRandom, sha256Hex } from "../../core/ids.ts";
import { COMMIT_OPS_MAX, StoreError } from "../contract.ts";
import type { Key, Op, StoreDriver } from "../contract.ts";
import { eachDoc } from "../walk.ts";

/** A partition of its own: keys of unstorage never meet those of the platform. */
const PART = "unstorage";
const ENTRIES = "entries";
const CHUNKS = "chunks";
/** Bytes of a chunk before base64, and chunks of one commit: both well below the limits of a commit. */
const CHUNK_BYTES = 150_000;
const CHUNKS_AT_ONCE = 4;
const ID_CHARS = 100;
const PREFIX_CHARS = 60;
const RACES_MAX = 20;

const Entry = z.object({
  key: z.string(),
  size: z.int(),
  modified_ms: z.int(),
  /** The value in base64, or where its chunks are. */
  content: z.union([z.string(), z.object({ id: z.string(), count: z.int() })]),
});
type Entry = z.output<typeof Entry>;

/** Letters, digits and `-` as they are, every other byte in hex: what begins alike is stored alike. */
const escape = (text: string): string =>
  text.replaceAll(/[^A-Za-z0-9-]/gu, (char) =>
    [...Buffer.from(char)].map((byte) => `_${byte.toString(16).padStart(2, "0")}`).join(""),
  );

/** A long key is shortened and identified by its hash. */
function entryKey(key: string): Key {
  const escaped = escape(key);
  const isShort = escaped.length > 0 && escaped.length <= ID_CHARS;
  const id = isShort ? escaped : `${escaped.slice(0, PREFIX_CHARS)}~${sha256Hex(key).slice(0, 40)}`;
  return `${PART}:${ENTRIES}:${id}`;
}

const chunkKeys = ({ content }: Entry): Key[] =>
  typeof content === "string"
    ? []
    : Array.from({ length: content.count }, (_, i): Key => `${PART}:${CHUNKS}:${content.id}.${i}`);

/** A driver of unstorage over a store, which is opened at the first use. It takes any key and any value and knows its size and time. */
export function createFace(name: string, open: () => Promise<StoreDriver>): Driver {
  const random = createSystemRandom();
  let opening: Promise<StoreDriver> | undefined;
  const store = (): Promise<StoreDriver> => (opening ??= open());

  const find = async (key: string): Promise<{ readonly entry: Entry | null; readonly version: number }> => {
    const doc = await (await store()).get(entryKey(key));
    return { entry: doc === null ? null : Entry.parse(JSON.parse(doc.value)), version: doc?.version ?? 0 };
  };
  const read = async (key: string): Promise<Buffer | null> => {
    for (let races = 0; races < RACES_MAX; races++) {
      const { entry } = await find(key);
      if (entry === null) return null;
      if (typeof entry.content === "string") return Buffer.from(entry.content, "base64");
      const docs = await (await store()).getMany(chunkKeys(entry));
      const parts = docs.flatMap((doc) =>
        doc === null ? [] : [Buffer.from(z.string().parse(JSON.parse(doc.value)), "base64")],
      );
      // A chunk is missing where another value took its place meanwhile.
      if (parts.length === docs.length) return Buffer.concat(parts);
    }
    throw new StoreError("UNAVAILABLE", `${key} was replaced while it was read`);
  };
  const commitAll = async (ops: readonly Op[], atOnce: number): Promise<void> => {
    for (let i = 0; i < ops.length; i += atOnce) await (await store()).commit(PART, ops.slice(i, i + atOnce));
  };
  /** Chunks are written before the entry that refers to them, and removed after it is replaced. */
  const replace = async (key: string, next: Entry | null): Promise<void> => {
    for (let races = 0; races < RACES_MAX; races++) {
      const { entry, version } = await find(key);
      if (entry === null && next === null) return;
      const at = entryKey(key);
      const op: Op = next === null ? { del: at } : { put: at, value: JSON.stringify(next) };
      const { ok } = await (await store()).commit(PART, [op], [{ key: at, version }]);
      if (!ok) continue;
      const old = entry === null ? [] : chunkKeys(entry);
      return commitAll(
        old.map((del) => ({ del })),
        COMMIT_OPS_MAX,
      );
    }
    throw new StoreError("UNAVAILABLE", `${key} is being replaced by others`);
  };
  const write = async (key: string, value: Buffer): Promise<void> => {
    const facts = { key, size: value.length, modified_ms: systemClock.now() };
    if (value.length <= CHUNK_BYTES) return replace(key, { ...facts, content: value.toString("base64") });
    const id = Buffer.from(random.bytes(16)).toString("hex");
    const entry = { ...facts, content: { id, count: Math.ceil(value.length / CHUNK_BYTES) } };
    const chunks = chunkKeys(entry).map((put, i): Op => {
      const chunk = value.subarray(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES);
      return { put, value: JSON.stringify(chunk.toString("base64")) };
    });
    await commitAll(chunks, CHUNKS_AT_ONCE);
    await replace(key, entry);
  };
  /** `createStorage` passes undefined for all keys, against its types. */
  const getKeys = async (given: string | undefined): Promise<string[]> => {
    const base = given ?? "";
    const keys: string[] = [];
    const prefix = escape(base).slice(0, PREFIX_CHARS);
    for await (const { value } of eachDoc(await store(), PART, { coll: ENTRIES, prefix })) {
      const { key } = Entry.parse(JSON.parse(value));
      if (key.startsWith(base)) keys.push(key);
    }
    return keys;
  };

  return {
    name,
    hasItem: async (key) => (await find(key)).entry !== null,
    getItem: async (key) => (await read(key))?.toString("utf8") ?? null,
    getItemRaw: read,
    setItem: (key, value) => write(key, Buffer.from(value)),
    setItemRaw: (key, value: unknown) => write(key, toBytes(value)),
    removeItem: (key) => replace(key, null),
    async getMeta(key): Promise<StorageMeta | null> {
      const { entry } = await find(key);
      return entry === null ? null : { mtime: new Date(entry.modified_ms), size: entry.size };
    },
    getKeys,
    async clear(base: string | undefined) {
      for (const key of await getKeys(base)) await replace(key, null);
    },
    async dispose() {
      const opened = opening;
      opening = undefined;
      await (await opened)?.close();
    },
  };
}

function toBytes(value: unknown): Buffer {
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (value instanceof ArrayBuffer) return Buffer.from(value);
  if (typeof value === "string") return Buffer.from(value);
  throw new StoreError("INVALID", "a raw value must be bytes or a string");
}
