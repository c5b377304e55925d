import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { prepareDemo } from "../../server/operations/prepared-demo.ts";
import { seedStore } from "../../server/operations/seed.ts";
import { zones } from "../../server/engines/delivery/repository.ts";
import type { Key } from "../../server/storage/contract.ts";
import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness.close());

const ADMIN = "/api/platform/admin";
const seed = async (body: object = {}) => (await harness.admin("POST", `${ADMIN}/seed`, { body })).json.data;
const clear = async (body: object = {}) =>
  (await harness.admin("POST", `${ADMIN}/seed/clear`, { body })).json.data;

/** Every document of the store as text, to compare states. */
async function dump(storeId: string): Promise<string[]> {
  const part = storeId.toLowerCase();
  const lines: string[] = [];
  for (const { name } of await harness.store.collections(part)) {
    const { items } = await harness.store.page(part, name, { limit: 1000 });
    lines.push(...items.map(({ key, value }) => `${key} ${value}`));
  }
  return lines.filter((line) => !line.includes(":http.idempotency"));
}

describe("demo data", () => {
  it("fills the demo store, which real keys can read", async () => {
    const seeded = await seed();
    expect(seeded).toMatchObject({ store: "demo-bakery", customer_id: expect.stringMatching(/^cus_/) });
    expect(seeded.created).toBeGreaterThan(5);
    expect(Object.values<number>(seeded.counts).reduce((sum, count) => sum + count, 0)).toBe(seeded.created);
    const key = await harness.admin("POST", `${ADMIN}/keys`, {
      body: { customer_id: seeded.customer_id, preset: "full", name: "demo" },
    });
    const listed = await harness.call("GET", "/v1/delivery/zones", { key: key.json.data.api_key });
    expect(listed.status).toBe(200);
    expect(listed.json.data).toHaveLength(seeded.counts["delivery.zones"]);
  });

  it("is the same however often it is asked for, also at once and on another day", async () => {
    const [one, two] = await Promise.all([seed(), seed()]);
    expect(one.store_id).toBe(two.store_id);
    expect(one.created + two.created).toBe(
      Object.values<number>(two.counts).reduce((sum, count) => sum + count, 0),
    );
    const before = await dump(one.store_id);
    harness.clock.advance(3 * 86_400_000);
    expect(await seed()).toMatchObject({ created: 0, store_id: one.store_id, counts: one.counts });
    expect(await dump(one.store_id)).toEqual(before);
  });

  it("takes ids that do not depend on the store or the day", async () => {
    const ids = async (): Promise<string[]> => {
      const { store_id } = await seed();
      const { items } = await harness.store.page(store_id.toLowerCase(), zones.name, { limit: 100 });
      return items.map(({ key }) => key.split(":")[2] ?? "");
    };
    const first = await ids();
    await harness.close();
    harness = await createHarness({ now: "2027-02-03T04:05:06.000Z" });
    expect(await ids()).toEqual(first);
  });

  it("removes exactly its own, and what was there before and after stays", async () => {
    const { store_id, customer_id, created } = await seed();
    const key = await harness.key({ customer_id, store_id });
    const own = await harness.call("POST", "/v1/delivery/zones", {
      key,
      body: { name: "Mine", postcodes: ["SW1A"], fee_tiers: [{ from: 0, fee: 100 }] },
    });
    const mine = own.status === 201 ? [own.json.data.id] : [];
    expect(await clear()).toMatchObject({ store_id, removed: created });
    const rest = await dump(store_id);
    expect(
      rest
        .filter((line) => !mine.some((id) => line.includes(id)))
        .filter((line) => /:delivery\.zones/.test(line)),
    ).toEqual([]);
    expect(rest.filter((line) => line.includes("seed.manifests"))).toEqual([]);
    for (const id of mine) expect(rest.join("\n")).toContain(id);
    expect(await clear()).toMatchObject({ removed: 0, counts: {} });
    expect((await seed()).created).toBe(created);
  });

  it("neither overwrites nor removes a document of the same id that somebody else made", async () => {
    const other = await harness.key();
    const part = other.storeId.toLowerCase();
    const engines = await harness.services.loadEngines();
    const set = engines.flatMap((engine) => engine.seed(harness.clock.now()))[0]!;
    const document = set.values[0]!;
    await harness.services.runTx(part, async (tx) => void tx.create(set.collection, document));
    const before = await dump(other.storeId);
    const total = engines
      .flatMap((engine) => engine.seed(harness.clock.now()))
      .reduce((sum, { values }) => sum + values.length, 0);
    // One document is somebody else's, and the profile of the store comes with every engine.
    expect(await seed({ store: other.storeId })).toMatchObject({ created: total - 1 + 1 });
    await clear({ store: other.storeId });
    expect(await dump(other.storeId)).toEqual(before);
  });

  it("brings back nothing that somebody deleted since", async () => {
    const { store_id } = await seed();
    const part = store_id.toLowerCase();
    const { items } = await harness.store.page(part, zones.name, { limit: 1 });
    const id = items[0]!.key.split(":")[2]!;
    await harness.services.runTx(part, async (tx) => tx.remove(zones, await tx.require(zones, id)));
    expect(await seed()).toMatchObject({ created: 0 });
    expect(await harness.store.get(`${part}:${zones.name}:${id}`)).toBeNull();
  });

  it("404 for a store that is not there, 422 for an engine that is none", async () => {
    const call = (path: string, body: object) => harness.admin("POST", ADMIN + path, { body });
    expect((await call("/seed", { store: "sto_none" })).status).toBe(404);
    expect((await call("/seed/clear", {})).status).toBe(404);
    const unknown = await call("/seed", { engines: ["delivery", "bakery"] });
    expect([unknown.status, unknown.json.error.errors[0].pointer]).toEqual([422, "#/engines/1"]);
  });

  it("fills one engine alone, with the profile of the store", async () => {
    const { created, counts } = await seed({ engines: ["reviews"] });
    expect(created).toBeGreaterThan(0);
    expect(Object.keys(counts).filter((name) => !name.startsWith("reviews."))).toEqual(["account.shop"]);
    expect((await seed({ engines: ["delivery"] })).created).toBeGreaterThan(0);
  });

  describe("prepared by the build", () => {
    const options = () => ({ now: harness.clock.now(), store: null, engines: null });
    /** The engines cannot be loaded. */
    const unloaded = () => ({ ...harness.services, loadEngines: () => Promise.reject(new Error("loaded")) });
    const prepare = async (hoursAgo = 0) =>
      prepareDemo(await harness.services.loadEngines(), harness.clock.now() - hoursAgo * 3_600_000);
    const withoutBuild = (lines: readonly string[]) =>
      lines.map((line) => line.replace(/,"build":"[^"]*"/, ""));

    it("is what the engines make at the same time, and loads none of them, then and at the next start", async () => {
      const prepared = await prepare();
      const made = await seed();
      const expected = await dump(made.store_id);
      await harness.close();
      harness = await createHarness();
      const written = await seedStore(unloaded(), { ...options(), prepared });
      expect(written).toMatchObject({ created: made.created, counts: made.counts });
      const stored = await dump(written.store_id);
      expect(withoutBuild(stored).map((line) => line.replace(/^[^:]*/, ""))).toEqual(
        expected.map((line) => line.replace(/^[^:]*/, "")),
      );
      harness.clock.advance(3 * 86_400_000);
      expect(await seedStore(unloaded(), { ...options(), prepared })).toMatchObject({ created: 0 });
      expect(await dump(written.store_id)).toEqual(stored);
      expect(await clear()).toMatchObject({ removed: made.created });
      expect((await dump(written.store_id)).join("\n")).not.toContain("seed.manifests");
    });

    it("is made anew on another day, and then complete for this build", async () => {
      const prepared = await prepare(24);
      const { created, store_id } = await seedStore(harness.services, { ...options(), prepared });
      expect(created).toBeGreaterThan(100);
      expect((await dump(store_id)).join("\n")).not.toContain(`"made_from":"${prepared.made_from}"`);
      expect(await seedStore(unloaded(), { ...options(), prepared })).toMatchObject({ created: 0 });
      // Another build may have more.
      const next = { ...options(), prepared: await prepare(2) };
      await expect(seedStore(unloaded(), next)).rejects.toThrow("loaded");
      expect(await seedStore(harness.services, next)).toMatchObject({ created: 0 });
    });

    it("leaves a document of the same id as it is, and what is missing after a crash is added", async () => {
      const prepared = await prepare();
      const commits = prepared.engines["menus"]!;
      const part = async () => (await seed({ engines: ["delivery"] })).store_id.toLowerCase();
      const own = `${await part()}:${commits[1]!.absent[0]!}` as Key;
      await harness.store.commit(own.split(":")[0]!, [
        { put: own, value: commits[1]!.puts[commits[1]!.absent[0]!]! },
      ]);
      const before = await harness.store.get(own);
      // The first commit of the engine is written, the second is not: as after a crash between them.
      const first = await seedStore(harness.services, { ...options(), prepared });
      expect(await harness.store.get(own)).toEqual(before);
      const all = Object.values(prepared.engines).flat();
      const total = all.reduce((sum, { documents }) => sum + documents, 0);
      const seeded = Object.values(first.counts).reduce((sum, count) => sum + count, 0);
      expect(seeded).toBe(total - 1);
    });

    it("is written once by two callers at once", async () => {
      const prepared = await prepare();
      const [one, two] = await Promise.all(
        [0, 1].map(() => seedStore(harness.services, { ...options(), prepared })),
      );
      expect(one!.created + two!.created).toBe(
        Object.values(two!.counts).reduce((sum, count) => sum + count, 0),
      );
    });
  });
});
