import { z } from "zod";

import type { Clock } from "../../core/clock.ts";
import { StoreError } from "../contract.ts";
import type { Usage, Version } from "../contract.ts";
import type { Content } from "./objects.ts";
import { parseJson } from "../../lib/parse-json.ts";

/** One write of a commit: the document `coll/id` shall hold this. */
export interface Change extends Content {
  readonly name: string;
}

/** Names that are being swept: no process writes them until the fence is removed, or this moment has passed. */
export interface Fence {
  readonly names: readonly string[];
  readonly untilMs: number;
}

/**
 * The head of a partition, one object. Replacing it, on condition that it is still the one that was read, is the moment
 * in which commits happen: its readers see them, through `redo`, before their documents are written.
 */
export interface Head {
  /** Counts the heads of a partition, so that a reader knows whether it missed one. */
  readonly rev: number;
  /** Version of the last commit. */
  readonly seq: Version;
  /** Who wrote this head and the ones before it, the newest first: shows a writer that got no answer what happened. */
  readonly ring: readonly string[];
  /** What the commits of this head write. The next head is written when all of it is in its documents. */
  readonly redo: readonly Change[];
  readonly fence: Fence | null;
  /** What the partition holds under this head; null where it has to be counted. A version that knows nothing of it leaves it out. */
  readonly usage: Usage | null;
}

/** A head as the server holds it. */
export interface StoredHead extends Head {
  /** null: the partition has none yet. */
  readonly etag: string | null;
  readonly changes: ReadonlyMap<string, Change>;
}

export const RING = 64;
const FORMAT = 1;

const change = z.tuple([z.string(), z.int().min(0), z.string().nullable()]);
const schema = z.object({
  format: z.literal(FORMAT),
  rev: z.int().min(1),
  seq: z.int().min(0),
  ring: z.array(z.string()).min(1),
  redo: z.array(change),
  fence: z.object({ names: z.array(z.string()), untilMs: z.int() }).nullable(),
  // Releases that counted no index entries wrote and read another field.
  holds: z.object({ documents: z.int(), bytes: z.int(), systemBytes: z.int() }).nullable().default(null),
});

export const NO_HEAD: StoredHead = {
  rev: 0,
  seq: 0,
  ring: [],
  redo: [],
  fence: null,
  usage: { documents: 0, bytes: 0, systemBytes: 0 },
  etag: null,
  changes: new Map(),
};

export function encodeHead({ rev, seq, ring, redo, fence, usage }: Head): string {
  const head: z.infer<typeof schema> = {
    format: FORMAT,
    rev,
    seq,
    ring: [...ring],
    redo: redo.map(({ name, version, value }) => [name, version, value]),
    fence: fence === null ? null : { names: [...fence.names], untilMs: fence.untilMs },
    holds: usage,
  };
  return JSON.stringify(head);
}

/** Throws StoreError CORRUPT for a text that no version of this service wrote. */
export function decodeHead(text: string, etag: string, part: string): StoredHead {
  const parsed = schema.safeParse(parseJson(text));
  if (!parsed.success) throw new StoreError("CORRUPT", `the head of partition ${part} is unreadable`);
  const { rev, seq, ring, fence, holds: usage } = parsed.data;
  const redo = parsed.data.redo.map(([name, version, value]): Change => ({ name, version, value }));
  return withChanges({ rev, seq, ring, redo, fence, usage }, etag);
}

export function withChanges(head: Head, etag: string | null): StoredHead {
  return { ...head, etag, changes: new Map(head.redo.map((one) => [one.name, one])) };
}

/** The head after this one; what is not named stays, but the redo is new with every head. */
export function nextHead(
  head: Head,
  writer: string,
  { seq = head.seq, redo = [], fence = head.fence, usage = head.usage }: NextHead,
): Head {
  return { rev: head.rev + 1, seq, ring: [writer, ...head.ring].slice(0, RING), redo, fence, usage };
}

/** What the next head changes. */
export type NextHead = Partial<Pick<Head, "seq" | "redo" | "fence" | "usage">>;

/** A fence that still keeps writers out. */
export const standing = (fence: Fence | null, clock: Clock): Fence | null =>
  fence !== null && clock.now() <= fence.untilMs ? fence : null;

/** Whether one of these names is fenced off. */
export function isFenced(fence: Fence | null, names: readonly string[]): boolean {
  if (fence === null) return false;
  const fenced = new Set(fence.names);
  return names.some((name) => fenced.has(name));
}

/** Whether the head `rev` was written by this writer; null when that is too long ago to know. */
export function wasWrittenBy(now: Head, rev: number, writer: string): boolean | null {
  const found = now.ring[now.rev - rev];
  return found === undefined ? null : found === writer;
}
