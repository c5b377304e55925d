import { z } from "zod";

import type { Deps } from "./deps.ts";
import { storePartition } from "../core/partitions.ts";
import { fromInstant, toInstant } from "../lib/instant.ts";
import { fail } from "../lib/errors.ts";
import { derivedId } from "../core/ids.ts";
import { runChange } from "../accounts/change.ts";
import { customers, stores } from "../accounts/collections.ts";
import { PLATFORM_PART } from "../core/partitions.ts";
import type { Store } from "../accounts/collections.ts";
import { findOrCreateCustomer } from "../accounts/customers/customers.ts";
import { findStore } from "../accounts/stores/stores.ts";
import type { Key } from "../storage/contract.ts";
import { isOfToday, PROFILE } from "./prepared-demo.ts";
import type { PreparedCommit, PreparedDemo } from "./prepared-demo.ts";
import { seedManifests, toCommits, writeBatches } from "./seed-commits.ts";
import type { AnyCollection, Seeder } from "./seed-commits.ts";

const DEMO_STORE = "demo-bakery";
/** A reserved domain (RFC 2606): no mail can ever reach anybody. */
const DEMO_EMAIL = "demo@bakery.example";

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
 * overwritten, and what was deleted since does not come back. What `prepared` has is written from there, and not made again.
 * Throws 404 for an unknown store.
 */
export async function seedStore(
  deps: Deps,
  options: {
    readonly now: number;
    readonly store: string | null;
    readonly engines: readonly string[] | null;
    readonly prepared?: PreparedDemo | null;
  },
): Promise<SeedResult> {
  const { now, engines, prepared = null } = options;
  const store =
    options.store === null ? await makeDemoStore(deps, now) : await findSeedStore(deps, options.store);
  if (store === null) throw fail("not_found", "No store with this id.");
  const part = storePartition(store.id, "live");
  const names = deps.engines.map(({ name }) => name);
  const manifests = await readManifests(deps, part);
  let created = 0;
  for (const name of [PROFILE.name, ...names.filter((one) => engines?.includes(one) ?? true)])
    created += await seedPart(deps, part, name, { now, prepared, manifests });
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

interface Order {
  readonly now: number;
  readonly prepared: PreparedDemo | null;
  /** Those of the store, as they were before. */
  readonly manifests: Awaited<ReturnType<typeof readManifests>>;
}

/** Writes what is missing of the demo documents of an engine or the profile; returns how many that were. */
async function seedPart(deps: Deps, part: string, name: string, order: Order): Promise<number> {
  const commits = order.prepared?.engines[name] ?? [];
  const earlier = order.manifests.filter(({ value }) => value.engine === name);
  const build = commits.length > 0 ? order.prepared?.made_from : undefined;
  if (build !== undefined && earlier.some(({ value }) => value.build === build)) return 0;
  let created = 0;
  if (earlier.length === 0 && order.prepared !== null && isOfToday(order.prepared, order.now)) {
    let complete = commits.length > 0;
    for (const commit of commits) {
      complete &&= await writePrepared(deps, part, commit);
      if (complete) created += commit.documents;
    }
    if (complete) return created;
  }
  const [seeder = PROFILE] = name === PROFILE.name ? [] : await deps.loadEngines([name]);
  return created + (await seedEngine(deps, part, seeder, { now: order.now, build }));
}

/** False, with nothing written, where a document of these ids is there. */
function writePrepared(deps: Deps, part: string, { puts, absent }: PreparedCommit): Promise<boolean> {
  const keys = absent.map((key): Key => `${part}:${key}` as Key);
  return deps.runTx(part, async (tx) => {
    if ((await deps.store.getMany(keys)).some((doc) => doc !== null)) return false;
    tx.stage(
      Object.entries(puts).map(([key, value]) => ({ put: `${part}:${key}` as Key, value })),
      keys.map((key) => ({ key, version: 0 })),
    );
    return true;
  });
}

async function seedEngine(
  deps: Deps,
  part: string,
  engine: Seeder,
  { now, build }: { readonly now: number; readonly build: string | undefined },
): Promise<number> {
  const earlier = await readManifests(deps, part, engine.name);
  const known = new Set(earlier.flatMap(({ value }) => value.ids.map((id) => `${value.collection}:${id}`)));
  // Documents of one engine belong together: those of another day would not fit to the ones that are there.
  const made_from = earlier[0]?.value.made_from ?? toInstant(now);
  let created = 0;
  const missing = engine.seed(fromInstant(made_from)).map(({ collection, values }) => ({
    collection,
    values: values.filter(({ id }) => !known.has(`${collection.name}:${id}`)),
  }));
  for (const batches of toCommits(missing))
    created += await deps.runTx(part, (tx) => writeBatches(tx, batches, { engine: engine.name, made_from }));
  if (build === undefined) return created;
  // The next start with this build need not load the engine to see that nothing is missing.
  const [first] = await readManifests(deps, part, engine.name);
  if (first !== undefined)
    await deps.runTx(part, async (tx) => void tx.put(seedManifests, first, { ...first.value, build }));
  return created;
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

/** The manifests of an engine, or all. */
async function readManifests(deps: Deps, part: string, engine?: string) {
  const all = await deps.runTx(part, (tx) => tx.peekAll(seedManifests));
  return all.filter(({ value }) => engine === undefined || value.engine === engine);
}

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
