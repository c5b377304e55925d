import { StoreError } from "../contract.ts";
import type { Usage } from "../contract.ts";
import { newTally, tally } from "../usage.ts";
import type { Advance } from "./advance.ts";
import type { Apply } from "./apply.ts";
import type { StoredHead } from "./head.ts";
import { VALUE_AT } from "./objects.ts";
import type { Objects } from "./objects.ts";
import { docKey } from "./partition.ts";
import type { Partition } from "./partition.ts";

export interface CountOptions {
  readonly objects: Objects;
  readonly advance: Advance;
  readonly apply: Apply;
}

const TRIES = 10;

/** Bytes of a document's key and value. */
export const bytesOf = ({ part }: Partition, name: string, value: string | null): number =>
  value === null ? 0 : part.length + 1 + name.length + Buffer.byteLength(value);

/**
 * What a partition holds under a head, by a listing; valid only as long as this head is the last one. All of its redo must be in
 * the documents.
 */
export async function countUsage(objects: Objects, { part }: Partition): Promise<Usage> {
  const usage = newTally();
  const prefix = docKey(part, "");
  let token: string | undefined;
  do {
    const listing = await objects.list({ prefix, token });
    for (const { key, tombstone, bytes } of listing.entries) {
      const name = key.slice(prefix.length);
      const slash = name.indexOf("/");
      const at = { coll: name.slice(0, slash), id: name.slice(slash + 1) };
      if (!tombstone) tally(usage, at, 0, part.length + 1 + name.length + bytes - VALUE_AT);
    }
    ({ token } = listing);
  } while (token !== undefined);
  return usage;
}

/** The usage by the head, counted and written into it where it is not there. */
export async function readUsage(options: CountOptions, partition: Partition): Promise<Usage> {
  const { usage } = await partition.refresh();
  return usage ?? (await recount(options, partition, true)).usage;
}

/** Counts again; `agrees` is whether the head had it right. */
export const recount = (
  { objects, advance, apply }: CountOptions,
  partition: Partition,
  fix: boolean,
): Promise<{ readonly agrees: boolean; readonly usage: Usage }> =>
  partition.writes.run(async () => {
    for (let tries = 0; tries < TRIES; tries++) {
      const head: StoredHead = await partition.refresh();
      await apply(partition, head);
      const usage = await countUsage(objects, partition);
      const agrees = isSame(head.usage, usage);
      const holds =
        agrees || !fix
          ? (await partition.refresh()).rev === head.rev
          : (await advance(partition, head, { usage })) !== null;
      if (holds) return { agrees, usage };
    }
    const { part } = partition;
    throw new StoreError(
      "UNAVAILABLE",
      `too many concurrent writes to partition ${part} to count what it holds`,
    );
  });

const isSame = (a: Usage | null, b: Usage): boolean =>
  a !== null && a.documents === b.documents && a.bytes === b.bytes && a.systemBytes === b.systemBytes;
