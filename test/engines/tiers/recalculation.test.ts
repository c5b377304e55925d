import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { stepRecalculation } from "../../../server/engines/tiers/services/recalculate.ts";
import {
  customers,
  members,
  moves,
  recalculationMoves,
  recalculations,
} from "../../../server/engines/tiers/repository.ts";
import { createCursorCodec } from "../../../server/core/cursor.ts";
import { createRunTx } from "../../../server/core/run-tx.ts";
import type { RunTx } from "../../../server/core/tx.ts";
import { COMMIT_OPS_MAX } from "../../../server/storage/contract.ts";
import type { StoreDriver } from "../../../server/storage/contract.ts";
import { createMemoryDriver } from "../../../server/storage/memory.ts";
import { createTestClock } from "../../harness.ts";
import type { Club } from "./club.ts";
import { createClub, jobs, refusal } from "./club.ts";
import { level, spends } from "./fixture.ts";

const PEOPLE = 40;

/** A club of forty: ten of Silver, ten of Gold, twenty of the base. Then Silver and Gold are made dearer. */
async function createCrowd(people = PEOPLE): Promise<Club> {
  const club = await createClub({ guard: { down_bps: 5000, down_count: people * 0.3 } });
  for (let at = 0; at < people; at += 1) {
    await club.buy(`c${at}`, at % 4 === 0 ? 60_000 : at % 4 === 1 ? 120_000 : 1000);
  }
  return club;
}

const dearer = {
  levels: [level(0, "Base"), level(1, "Silver", spends(70_000)), level(2, "Gold", spends(110_000))],
};

async function publish(club: Club, rules: object): Promise<void> {
  await club.call("PATCH", `/programmes/${club.programme}`, rules);
  await club.make(`/programmes/${club.programme}/publish`);
}

async function dryRun(club: Club, more: object = {}) {
  const { id } = await club.make("/recalculations", { placement: "requalify", ...more });
  await club.run(jobs.recalculate);
  return club.read(`/recalculations/${id}`);
}

const tiersOf = (club: Club): Promise<string[]> =>
  club.harness.services.runTx(club.part, async (tx) =>
    (await tx.peekAll(customers)).map(({ value }) => `${value.customer_id} ${value.tier.name}`).sort(),
  );

/** All that is stored of members, without the versions of their commits. */
async function dump(club: Club): Promise<string> {
  const { runTx } = club.harness.services;
  const all = await runTx(club.part, async (tx) => ({
    members: (await tx.peekAll(members, { index: "all" })).map(({ value }) => value),
    customers: (await tx.peekAll(customers)).map(({ value }) => value),
    moves: (await tx.peekAll(moves, { index: "counted", value: "downgraded" })).map(({ value }) => value),
  }));
  return JSON.stringify(all);
}

/** What is stored without a parse is what the schemas say. */
async function requireValid(club: Club): Promise<void> {
  await club.harness.services.runTx(club.part, async (tx) => {
    for (const { value } of await tx.peekAll(members, { index: "all" })) {
      expect(members.schema.parse(value)).toEqual(value);
      for (const move of await tx.peekAll(moves, { index: "by", value: value.id })) {
        expect(moves.schema.parse(move.value)).toEqual(move.value);
      }
    }
    for (const { value } of await tx.peekAll(customers)) expect(customers.schema.parse(value)).toEqual(value);
    const [job] = await tx.peekAll(recalculations);
    for (const { value } of await tx.peekAll(recalculationMoves, { index: "by", value: job?.id ?? "" })) {
      expect(recalculationMoves.schema.parse(value)).toEqual(value);
    }
  });
}

describe("a recalculation", () => {
  it("changes nobody in the dry run, tells every move, then does it; a second one finds nothing to do", async () => {
    const club = await createCrowd();
    await publish(club, dearer);
    const before = await dump(club);
    const ready = await dryRun(club);
    expect(ready).toMatchObject({
      status: "ready",
      mode: "dry_run",
      counts: { up: 0, down: 10, same: 30, written: 0 },
      progress: { done: PEOPLE, total: PEOPLE },
      guard: { exceeded: false, down: 10, members: PEOPLE },
    });
    expect(await dump(club)).toBe(before);
    expect(ready.moves_sample).toHaveLength(10);
    const diff = await club.read(`/recalculations/${ready.id}/moves?limit=100&direction=down`);
    expect(diff).toHaveLength(10);
    expect(diff[0]).toMatchObject({
      from: "lvl_silver",
      to: "lvl_base",
      moves: [{ cause: "recalculation" }],
    });
    await club.make(`/recalculations/${ready.id}/apply`, {});
    await club.run(jobs.recalculate);
    const applied = await club.read(`/recalculations/${ready.id}`);
    await requireValid(club);
    expect(applied).toMatchObject({ status: "applied", mode: "apply", counts: { down: 10 } });
    expect((await tiersOf(club)).filter((line) => line.endsWith("Silver"))).toEqual([]);
    const settled = await dump(club);
    const again = await dryRun(club);
    expect(again.counts).toMatchObject({ up: 0, down: 0, same: PEOPLE });
    await club.make(`/recalculations/${again.id}/apply`, {});
    await club.run(jobs.recalculate);
    expect((await club.read(`/recalculations/${again.id}`)).counts.written).toBe(0);
    expect(await dump(club)).toBe(settled);
    await club.harness.close();
  });

  it("starts one of ten dry runs that are requested at the same time", async () => {
    const club = await createCrowd();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => club.call("POST", "/recalculations", {})),
    );
    const refused = answers.filter(({ status }) => status >= 400).map(refusal);
    expect(refused).toEqual(Array.from({ length: 9 }, () => "409 in_progress"));
    await club.harness.close();
  });

  it("refuses to move too many down without a second look, and under other rules than it was worked out by", async () => {
    const club = await createCrowd();
    await publish(club, { levels: [level(0, "Base"), level(1, "Silver", spends(900_000))] });
    const ready = await dryRun(club);
    expect(ready.guard).toEqual({ exceeded: true, down: 20, members: PEOPLE });
    const path = `/recalculations/${ready.id}`;
    expect(refusal(await club.call("POST", `${path}/apply`, {}))).toBe("409 guard_exceeded");
    expect((await club.read(path)).status).toBe("ready");
    await publish(club, {});
    expect(refusal(await club.call("POST", `${path}/apply`, { confirm: true }))).toBe(
      "409 programme_changed",
    );
    const fresh = await dryRun(club);
    const confirmed = await club.call("POST", `/recalculations/${fresh.id}/apply`, { confirm: true });
    expect([confirmed.status, confirmed.json.data.status]).toEqual([200, "applying"]);
    expect(refusal(await club.call("POST", "/recalculations", {}))).toBe("409 in_progress");
    const cancelled = await club.make(`/recalculations/${fresh.id}/cancel`);
    expect(cancelled.status).toBe("cancelled");
    expect(await club.run(jobs.recalculate)).toEqual({ steps: 0 });
    expect(refusal(await club.call("POST", `/recalculations/${fresh.id}/cancel`))).toBe(
      "409 invalid_transition",
    );
    await club.harness.close();
  });

  it("shows the effect of a draft before it is published, and publishes it when it is applied", async () => {
    const club = await createCrowd();
    const discount = [{ kind: "discount_offer", value: 10, title: "10 % off" }];
    const draft = {
      levels: [
        level(0, "Base"),
        level(1, "Silver", spends(70_000), { benefits: discount }),
        level(2, "Gold", spends(110_000), { benefits: discount }),
      ],
    };
    await club.call("PATCH", `/programmes/${club.programme}`, draft);
    const before = await dump(club);
    const ready = await dryRun(club, { programme_id: club.programme });
    expect(ready).toMatchObject({
      status: "ready",
      draft: true,
      programme_version: 2,
      counts: { up: 0, down: 10, same: 30 },
      levels: [
        { level_id: "lvl_base", before: 20, after: 30 },
        { level_id: "lvl_silver", before: 10, after: 0 },
        { level_id: "lvl_gold", before: 10, after: 10 },
      ],
      // Ten members with 1,200.00 each, of whom the draft gives back a tenth.
      discounts: { currency: "GBP", before: 0, after: 120_000 },
    });
    expect(await dump(club)).toBe(before);
    expect(await club.read(`/programmes/${club.programme}`)).toMatchObject({ published_version: 1 });
    const path = `/recalculations/${ready.id}`;
    await club.call("PATCH", `/programmes/${club.programme}`, { grace_days: 3 });
    expect(refusal(await club.call("POST", `${path}/apply`, {}))).toBe("409 programme_changed");
    await club.call("PATCH", `/programmes/${club.programme}`, { grace_days: 0 });
    await club.make(`${path}/apply`, {});
    expect(await club.read(`/programmes/${club.programme}`)).toMatchObject({ published_version: 2 });
    await club.run(jobs.recalculate);
    expect(await club.read(path)).toMatchObject({ status: "applied", counts: { down: 10 } });
    expect((await tiersOf(club)).filter((line) => line.endsWith("Silver"))).toEqual([]);
    await club.make(`${path}/rollback`);
    await club.run(jobs.recalculate);
    expect((await tiersOf(club)).filter((line) => line.endsWith("Silver"))).toHaveLength(10);
    await club.harness.close();
  });

  it("keeps terms that run, unless it is told to requalify", async () => {
    const club = await createCrowd();
    await publish(club, dearer);
    expect((await dryRun(club, { placement: "hold" })).counts).toMatchObject({ down: 0, same: PEOPLE });
    expect((await dryRun(club, { level_id: "lvl_gold" })).counts).toMatchObject({ down: 0, same: 10 });
    await club.harness.close();
  });

  it("is taken back, but for who moved since; not after thirty days", async () => {
    const club = await createCrowd();
    await publish(club, dearer);
    const before = await tiersOf(club);
    const { id } = await dryRun(club);
    await club.make(`/recalculations/${id}/apply`, {});
    await club.run(jobs.recalculate);
    await club.buy("c0", 80_000);
    await club.make(`/recalculations/${id}/rollback`);
    await club.run(jobs.recalculate);
    expect(await club.read(`/recalculations/${id}`)).toMatchObject({
      status: "rolled_back",
      counts: { written: 9, skipped: 1 },
    });
    expect(await tiersOf(club)).toEqual(before.map((line) => (line === "c0 Silver" ? "c0 Gold" : line)));
    const next = await dryRun(club);
    await club.make(`/recalculations/${next.id}/apply`, {});
    await club.run(jobs.recalculate);
    club.harness.clock.advance(31 * 86_400_000);
    expect(refusal(await club.call("POST", `/recalculations/${next.id}/rollback`))).toBe("409 too_late");
    await club.harness.close();
  });
});

class Died extends Error {}

/** More than one page: the second is evaluated while the first is stored. */
const CROWD = 210;
const MOVERS = Math.ceil(CROWD / 4);

/** A store whose process dies at its n-th commit, before or after it is carried out. */
function dying(store: StoreDriver, dieAt: number, when: "before" | "after") {
  let commits = 0;
  let largest = 0;
  const driver: StoreDriver = {
    ...store,
    async commit(part, ops, checks) {
      commits += 1;
      largest = Math.max(largest, ops.length);
      if (commits > dieAt || (commits === dieAt && when === "before")) throw new Died();
      const result = await store.commit(part, ops, checks);
      if (commits === dieAt) throw new Died();
      return result;
    },
  };
  return { driver, commits: () => commits, largest: () => largest };
}

const runTxOver = (store: StoreDriver): RunTx =>
  createRunTx({ store, cursors: createCursorCodec(new Uint8Array(32)) });

async function work(part: string, store: StoreDriver, id: string): Promise<void> {
  const runTx = runTxOver(store);
  const nowAt = "2026-06-01T10:00:00.000Z";
  const signal = new AbortController().signal;
  while (await stepRecalculation({ part, nowAt, runTx, signal }, id)) {
    // Each step is a page; it ends by itself.
  }
}

/** A store of its own with the same documents. */
async function copyOf(store: StoreDriver, part: string): Promise<StoreDriver> {
  const copy = createMemoryDriver({ clock: createTestClock() });
  const docs = [];
  for await (const doc of store.snapshot(part)) docs.push(doc);
  await copy.load(part, docs);
  return copy;
}

async function outcomeIn(store: StoreDriver, part: string, id: string) {
  return runTxOver(store)(part, async (tx) => {
    const { counts, status, progress } = (await tx.require(recalculations, id)).value;
    const log = await tx.peekAll(moves, { index: "counted", value: "downgraded" });
    const tiers = (await tx.peekAll(customers))
      .map(({ value }) => `${value.customer_id} ${value.tier.name}`)
      .sort();
    return { counts, status, done: progress.done, tiers, moved: log.length };
  });
}

describe("a recalculation whose process dies", () => {
  let club: Club;
  let id = "";
  beforeAll(async () => {
    club = await createCrowd(CROWD);
    await publish(club, dearer);
    id = (await dryRun(club)).id;
    await club.make(`/recalculations/${id}/apply`, {});
  });
  afterAll(() => club.harness.close());
  const fresh = () => copyOf(club.harness.store, club.part);
  const outcome = (store: StoreDriver) => outcomeIn(store, club.part, id);
  // Scores are known for the first time, so everybody is written; those of Silver move.
  const expected = { status: "applied", moved: MOVERS, done: CROWD, counts: { written: CROWD } };

  it("goes on where it was, at whichever commit it dies, and moves nobody twice", async () => {
    const calm = await fresh();
    const watch = dying(calm, Infinity, "before");
    await work(club.part, watch.driver, id);
    const undisturbed = await outcome(calm);
    expect(undisturbed).toMatchObject(expected);
    expect(watch.commits()).toBeGreaterThan(1);
    expect(watch.largest()).toBeLessThanOrEqual(COMMIT_OPS_MAX);
    for (let dieAt = 1; dieAt <= watch.commits(); dieAt += 1) {
      for (const when of ["before", "after"] as const) {
        const store = await fresh();
        await expect(work(club.part, dying(store, dieAt, when).driver, id)).rejects.toThrow(Died);
        await work(club.part, store, id);
        expect([dieAt, when, await outcome(store)]).toEqual([dieAt, when, undisturbed]);
      }
    }
  });

  it("two workers at once do it once", async () => {
    const store = await fresh();
    await Promise.all([1, 2, 3].map(() => work(club.part, store, id)));
    expect(await outcome(store)).toMatchObject(expected);
  });
});

/** Calls `meddle` once, before the commit that stores the application of the n-th batch of members; passes their ids. */
function meddling(store: StoreDriver, n: number, meddle: (ids: string[]) => Promise<unknown>): StoreDriver {
  let batches = 0;
  return {
    ...store,
    async commit(part, ops, ...rest) {
      const ids = ops.flatMap((op) =>
        "put" in op && op.put.startsWith(`${part}:${customers.name}:`) ? [op.put.split(":")[2] ?? ""] : [],
      );
      if (ids.length > 1) batches += 1;
      if (ids.length > 1 && batches === n) await meddle(ids);
      return store.commit(part, ops, ...rest);
    },
  };
}

describe("a change between the evaluation of members and its commit", () => {
  it.each([1, 2, 7])("of one of them counts (batch %i)", async (batch) => {
    const club = await createCrowd(CROWD);
    await publish(club, dearer);
    const { id } = await dryRun(club);
    await club.make(`/recalculations/${id}/apply`, {});
    let buyer = "";
    const store = meddling(club.harness.store, batch, async (ids) => {
      buyer = (await club.read(`/customers/${ids.at(-1)}`)).customer_id;
      await club.buy(buyer, 150_000);
    });
    await work(club.part, store, id);
    expect(await club.read(`/recalculations/${id}`)).toMatchObject({
      status: "applied",
      progress: { done: CROWD },
    });
    expect(await tiersOf(club)).toContain(`${buyer} Gold`);
    const again = await dryRun(club);
    expect(again.counts).toMatchObject({ up: 0, down: 0, same: CROWD });
    await club.harness.close();
  });

  it("of the recalculation ends it: what was evaluated is not stored", async () => {
    const club = await createCrowd(CROWD);
    await publish(club, dearer);
    const { id } = await dryRun(club);
    await club.make(`/recalculations/${id}/apply`, {});
    const store = meddling(club.harness.store, 3, () => club.make(`/recalculations/${id}/cancel`));
    await work(club.part, store, id);
    const ended = await club.read(`/recalculations/${id}`);
    expect(ended.status).toBe("cancelled");
    expect(ended.counts.written).toBe(ended.progress.done);
    expect(ended.progress.done).toBeLessThan(CROWD);
    await club.harness.close();
  });
});
