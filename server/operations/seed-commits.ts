import { z } from "zod";

import { defineCollection, indexEntries, toText } from "../core/collection.ts";
import type { Collection } from "../core/collection.ts";
import type { Engine, SeedSet } from "../core/engine.ts";
import { Instant } from "../core/schema.ts";
import type { Tx } from "../core/tx.ts";
import { COMMIT_BYTES_MAX, COMMIT_OPS_MAX } from "../storage/contract.ts";

/** What was seeded, in the store's own partition and in the commits of the documents themselves. */
export const seedManifests = defineCollection({
  name: "seed.manifests",
  schema: z.strictObject({
    id: z.string(),
    engine: z.string(),
    /** The time that the documents were made from: a later call makes the same ones. */
    made_from: Instant,
    collection: z.string(),
    ids: z.array(z.string()),
    /** The build of which the engine lacks nothing, by the time of its demo data; on one manifest of the engine, or none. */
    build: Instant.optional(),
  }),
});

export type AnyCollection = Collection<{ id: string }>;

export type Seeder = Pick<Engine, "name" | "seed">;

/** Documents of one collection that are written in one commit, with others or alone. */
export interface Batch {
  readonly collection: AnyCollection;
  readonly values: { id: string }[];
}

/** Of what a manifest says for which documents it stands. */
type Origin = Pick<z.output<typeof seedManifests.schema>, "engine" | "made_from" | "build">;

/** Writes the documents that are not there, with a manifest for each batch; returns how many that were. */
export async function writeBatches(tx: Tx, batches: readonly Batch[], origin: Origin): Promise<number> {
  let written = 0;
  for (const batch of batches) written += await writeBatch(tx, batch, origin);
  return written;
}

async function writeBatch(tx: Tx, { collection, values }: Batch, origin: Origin): Promise<number> {
  const ids: string[] = [];
  for (const document of values) {
    // A document of the same id that is not ours stays as it is, and is never cleared.
    if ((await tx.get(collection, document.id)) !== null) continue;
    tx.create(collection, document);
    ids.push(document.id);
  }
  // Named after its first document: the same batch written by two callers at once is written once.
  const id = `${collection.name}.${ids[0] ?? ""}`;
  if (ids.length > 0) tx.create(seedManifests, { id, ...origin, collection: collection.name, ids });
  return ids.length;
}

/** Batches that fit into one commit with room for their manifests: each commit waits for the disk. */
export function* toCommits(sets: readonly SeedSet[]): Generator<readonly Batch[]> {
  let batches: Batch[] = [];
  let ops = 0;
  let bytes = 0;
  for (const { collection, values } of sets) {
    for (const document of values) {
      const cost = 1 + indexEntries(collection, document).length;
      const size = Buffer.byteLength(toText(collection, document));
      if (batches.length > 0 && (ops + cost > COMMIT_OPS_MAX / 2 || bytes + size > COMMIT_BYTES_MAX / 2)) {
        yield batches;
        batches = [];
        ops = 0;
        bytes = 0;
      }
      const last = batches.at(-1);
      if (last?.collection === collection) last.values.push(document);
      else batches.push({ collection, values: [document] });
      ops += cost;
      bytes += size;
    }
  }
  if (batches.length > 0) yield batches;
}
