import { z } from "zod";

import type { Deps } from "./deps.ts";
import { storePartition } from "../core/partitions.ts";
import { fromInstant, toInstant } from "../lib/instant.ts";
import { defineCollection, indexEntries, toText } from "../core/collection.ts";
import type { Collection } from "../core/collection.ts";
import { seedSet } from "../core/engine.ts";
import type { Engine, SeedSet } from "../core/engine.ts";
import { DEMO_SHOP, shops } from "../core/shop.ts";
import { fail } from "../lib/errors.ts";
import { derivedId } from "../core/ids.ts";
import { Instant } from "../core/schema.ts";
import type { Tx } from "../core/tx.ts";
import { runChange } from "../accounts/change.ts";
import { customers, stores } from "../accounts/collections.ts";
import { PLATFORM_PART } from "../core/partitions.ts";
import type { Store } from "../accounts/collections.ts";
import { findOrCreateCustomer } from "../accounts/customers/customers.ts";
import { findStore } from "../accounts/stores/stores.ts";
import { COMMIT_BYTES_MAX, COMMIT_OPS_MAX } from "../storage/contract.ts";

const DEMO_STORE = "demo-bakery";
/** A reserved domain (RFC 2606): no mail can ever reach anybody. */
const DEMO_EMAIL = "demo@bakery.example";

/** What was seeded, in the store's own partition and in the commits of the documents themselves. */
const seedManifests = defineCollection({
  name: "seed.manifests",
  schema: z.strictObject({
    id: z.string(),
    engine: z.string(),
    /** The time that the documents were made from: a later call makes the same ones. */
    made_from: Instant,
    collection: z.string(),
    ids: z.array(z.string()),
  }),
});

type AnyCollection = Collection<{ id: string }>;

type Seeder = Pick<Engine, "name" | "seed">;

/** The profile of the demo shop, whose name, zone and currency the engines' demo settings leave out. */
const PROFILE: Seeder = {
  name: "account",
  seed: (now) => [seedSet(shops, [{ ...DEMO_SHOP, updated_at: toInstant(now) }])],
};

export const SeedCounts = z
  .record(z.string(), z.int())
  .meta({ description: "Number of demo documents by collection" });
export const SeedResult = z.strictObject({
  customer_id: z.string(),
  store_id: z.string(),
  store: z.string().meta({ description: "The store's identifier" }),
  created: z.int().meta({ description: "Number of documents created" }),
  counts: SeedCounts,
});
export type SeedResult = z.output<typeof SeedResult>;

/**
 * Fills a store with the engines' demo documents, by default the demo store, which is made when it is missing.
 * A second call makes the same documents again and adds only what is missing from the first: nothing that exists is
 * overwritten, and what was deleted since does not come back. Throws 404 for an unknown store.
 */
export async function seedStore(
  deps: Deps,
  options: {
    readonly now: number;
    readonly store: string | null;
    readonly engines: readonly string[] | null;
  },
): Promise<SeedResult> {
  const { now, engines } = options;
  const store =
    options.store === null ? await makeDemoStore(deps, now) : await findSeedStore(deps, options.store);
  if (store === null) throw fail("not_found", "No store with this id.");
  const part = storePartition(store.id, "live");
  let created = await seedEngine(deps, part, PROFILE, now);
  for (const engine of await deps.loadEngines(engines ?? undefined))
    created += await seedEngine(deps, part, engine, now);
  return {
    customer_id: store.customer_id,
    store_id: store.id,
    store: store.identifier,
    created,
    counts: await countSeeded(deps, part),
  };
}

/** Removes exactly what `seedStore` wrote, whatever became of it since; the demo customer, its store and keys stay. */
export async function clearSeed(
  deps: Deps,
  { now, store }: { readonly now: number; readonly store: Store },
): Promise<{ store_id: string; store: string; removed: number; counts: Record<string, number> }> {
  const part = storePartition(store.id, "live");
  const known = new Map(
    [PROFILE, ...(await deps.loadEngines())].flatMap((engine) =>
      engine.seed(now).map(({ collection }): [string, AnyCollection] => [collection.name, collection]),
    ),
  );
  const counts: Record<string, number> = {};
  for (const { id, value } of await readManifests(deps, part)) {
    const collection = known.get(value.collection);
    // A removed engine has left documents that only `storage` can still identify.
    if (collection === undefined) continue;
    const removed = await clearManifest(deps, part, { manifestId: id, collection });
    counts[collection.name] = (counts[collection.name] ?? 0) + removed;
  }
  const removed = Object.values(counts).reduce((total, count) => total + count, 0);
  return { store_id: store.id, store: store.identifier, removed, counts: byName(counts) };
}

/** The store that a caller names by its id, or the demo store by its identifier (or null); null when it is not there. */
export function findSeedStore(deps: Deps, named: string | null): Promise<Store | null> {
  return deps.runTx(PLATFORM_PART, async (tx) => {
    const found =
      named === null || named === DEMO_STORE
        ? await findStore(tx, demoCustomerId(deps), DEMO_STORE)
        : await tx.get(stores, named);
    return found?.value ?? null;
  });
}

const demoCustomerId = (deps: Deps): string => derivedId("cus", deps.secret, [DEMO_EMAIL, DEMO_STORE]);

/** The demo customer, active on the largest plan, with its store: through the same code as a signup. */
function makeDemoStore(deps: Deps, now: number): Promise<Store> {
  return runChange(deps, { actor: "system", now }, async (change) => {
    const input = { email: DEMO_EMAIL, storeIdentifier: DEMO_STORE };
    const customer = await findOrCreateCustomer(change, input);
    if (customer.value.status === "pending") {
      const plan = [...deps.config.plans].sort((a, b) => b.requestsPerMinute - a.requestsPerMinute)[0];
      const { nowAt, record, tx } = change;
      record({ action: "customer.verified", subject: customer.id, customer_id: customer.id });
      tx.put(customers, customer, {
        ...customer.value,
        status: "active",
        plan: plan?.id ?? "free",
        verified_at: nowAt,
        updated_at: nowAt,
      });
    }
    const store = await findStore(change.tx, customer.id, DEMO_STORE);
    if (store === null) throw new Error("The demo customer has no store.");
    return store.value;
  });
}

/** Writes what is missing of an engine's demo documents; returns how many that were. */
async function seedEngine(deps: Deps, part: string, engine: Seeder, now: number): Promise<number> {
  const earlier = (await readManifests(deps, part)).filter(({ value }) => value.engine === engine.name);
  const known = new Set(earlier.flatMap(({ value }) => value.ids.map((id) => `${value.collection}:${id}`)));
  // Documents of one engine belong together: those of another day would not fit to the ones that are there.
  const made_from = earlier[0]?.value.made_from ?? toInstant(now);
  let created = 0;
  const missing = engine.seed(fromInstant(made_from)).map(({ collection, values }) => ({
    collection,
    values: values.filter(({ id }) => !known.has(`${collection.name}:${id}`)),
  }));
  for (const batches of toCommits(missing)) {
    created += await deps.runTx(part, async (tx) => {
      let written = 0;
      for (const batch of batches)
        written += await writeBatch(tx, { engine: engine.name, made_from, ...batch });
      return written;
    });
  }
  return created;
}

/** Documents of one collection that are written in one commit, with others or alone. */
interface Batch {
  readonly collection: AnyCollection;
  readonly values: { id: string }[];
}

async function writeBatch(
  tx: Tx,
  { engine, made_from, collection, values }: Batch & { readonly engine: string; readonly made_from: string },
): Promise<number> {
  const ids: string[] = [];
  for (const document of values) {
    // A document of the same id that is not ours stays as it is, and is never cleared.
    if ((await tx.get(collection, document.id)) !== null) continue;
    tx.create(collection, document);
    ids.push(document.id);
  }
  // Named after its first document: the same batch written by two callers at once is written once.
  const id = `${collection.name}.${ids[0] ?? ""}`;
  if (ids.length > 0) tx.create(seedManifests, { id, engine, made_from, collection: collection.name, ids });
  return ids.length;
}

/** Batches that fit into one commit with room for their manifests: each commit waits for the disk. */
function* toCommits(sets: readonly SeedSet[]): Generator<readonly Batch[]> {
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

/** Removes the documents of one manifest and the manifest, in one commit. */
function clearManifest(
  deps: Deps,
  part: string,
  { manifestId, collection }: { manifestId: string; collection: AnyCollection },
): Promise<number> {
  return deps.runTx(part, async (tx) => {
    const manifest = await tx.get(seedManifests, manifestId);
    if (manifest === null) return 0;
    let removed = 0;
    for (const id of manifest.value.ids) {
      const found = await tx.get(collection, id);
      if (found === null) continue;
      tx.remove(collection, found);
      removed += 1;
    }
    tx.remove(seedManifests, manifest);
    return removed;
  });
}

const readManifests = (deps: Deps, part: string) => deps.runTx(part, (tx) => tx.peekAll(seedManifests));

async function countSeeded(deps: Deps, part: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { value } of await readManifests(deps, part)) {
    counts[value.collection] = (counts[value.collection] ?? 0) + value.ids.length;
  }
  // By name: they are read in the order of ids, which is another every time.
  return byName(counts);
}

const byName = (counts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
