import type { Clock } from "../../core/clock.ts";
import { COMMIT_BYTES_MAX, COMMIT_OPS_MAX, StoreError } from "../contract.ts";
import type { Doc } from "../contract.ts";
import { parseLoad } from "../keys.ts";
import type { ParsedDoc } from "../keys.ts";
import type { Advance } from "./advance.ts";
import type { Apply } from "./apply.ts";
import { isFenced, standing } from "./head.ts";
import type { Change } from "./head.ts";
import { mapSome } from "../../lib/map-some.ts";
import { createLister } from "./lister.ts";
import type { Objects } from "./objects.ts";
import { docKey } from "./partition.ts";
import type { Partition } from "./partition.ts";
import { nameOf } from "./plan.ts";

export interface LoadOptions {
  readonly objects: Objects;
  readonly advance: Advance;
  readonly apply: Apply;
  readonly wallClock: Clock;
}

export type Load = (partition: Partition, docs: readonly Doc[]) => Promise<void>;

const TRIES = 10;

/** Writes documents as commits do, by heads with redo, but at the versions that they carry. */
export function createLoad(options: LoadOptions): Load {
  return async (partition, docs) => {
    const sorted = parseLoad(partition.part, docs)
      .map((doc) => ({ ...doc, name: nameOf(doc.at) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const piece of pieces(sorted))
      await partition.writes.run(() => loadPiece(options, partition, piece));
  };
}

async function loadPiece(
  { objects, advance, apply, wallClock }: LoadOptions,
  partition: Partition,
  redo: readonly Change[],
): Promise<void> {
  const names = redo.map(({ name }) => name);
  const top = Math.max(...redo.map(({ version }) => version));
  for (let tries = 0; tries < TRIES; tries++) {
    const head = await partition.refresh();
    const fence = standing(head.fence, wallClock);
    if (isFenced(fence, names)) break;
    await apply(partition, head);
    await revive(objects, partition, redo);
    // Documents at a later version stay, so the count has to be taken again: once, when it is first asked for.
    const seq = Math.max(head.seq, top);
    const next = await advance(partition, head, { seq, redo, fence, usage: null });
    if (next === null) continue;
    await apply(partition, next, () => null);
    // A document at a later version has stayed, so the head does not have the right count.
    partition.forget();
    return;
  }
  const { part } = partition;
  throw new StoreError("UNAVAILABLE", `partition ${part} is in use. Load into a store that no server uses`);
}

/**
 * In a store that was emptied there may be tombstones of later versions than the documents to come, and the later version
 * wins. So documents that have one are written over it, before the head refers to them.
 */
async function revive(objects: Objects, { part }: Partition, redo: readonly Change[]): Promise<void> {
  const [first, last] = [redo.at(0)?.name ?? "", redo.at(-1)?.name ?? ""];
  const lister = createLister(objects, {
    folder: docKey(part, ""),
    after: first.slice(0, -1),
    tombstoneMs: -Infinity,
  });
  do await lister.more();
  while (!lister.covers(last));
  await mapSome(redo, async (change) => {
    const etag = lister.sweepable.get(change.name);
    if (etag !== undefined) await objects.write(docKey(part, change.name), change, { etag });
  });
}

/** Cut so that each piece fits into a commit. */
function pieces<T extends ParsedDoc>(docs: readonly T[]): T[][] {
  const cut: T[][] = [];
  let bytes = 0;
  for (const doc of docs) {
    const last = cut.at(-1);
    bytes += doc.bytes;
    if (last !== undefined && last.length < COMMIT_OPS_MAX && bytes <= COMMIT_BYTES_MAX) last.push(doc);
    else {
      cut.push([doc]);
      ({ bytes } = doc);
    }
  }
  return cut;
}
