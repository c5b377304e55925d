import { describe, expect, it } from "vitest";
import { z } from "zod";

import { defineCollection } from "../../server/core/collection.ts";
import { createCursorCodec } from "../../server/core/cursor.ts";
import { createRunTx } from "../../server/core/run-tx.ts";
import type { RunTx } from "../../server/core/tx.ts";
import { fail, Problem } from "../../server/lib/errors.ts";
import type { StoreDriver } from "../../server/storage/contract.ts";
import { openFsDriver } from "../../server/storage/fs.ts";
import type { FsDriver } from "../../server/storage/fs.ts";
import type { Io } from "../../server/storage/fs/io.ts";
import { createTestClock } from "../harness.ts";
import { createSimDisk } from "../storage/sim-disk.ts";
import type { SimDisk } from "../storage/sim-disk.ts";

// Runs that change one document share batches of the log: each sees what the one before it has staged. What is checked: the
// capacity is exact, whatever fails between; and nobody is answered by what did not become durable.

const slots = defineCollection({
  name: "test.slots",
  schema: z.strictObject({ id: z.string(), left: z.int().min(0) }),
});
const holds = defineCollection({ name: "test.holds", schema: z.strictObject({ id: z.string() }) });

const openOn = (io: Io): Promise<FsDriver> =>
  openFsDriver({
    base: "/store",
    clock: createTestClock(),
    io,
    lock: async () => async () => {},
    segmentBytes: 16_384,
  });
const runTxOn = (store: StoreDriver): RunTx =>
  createRunTx({ store, cursors: createCursorCodec(new Uint8Array(32)), retryMs: 2_000 });
const openSlot = (runTx: RunTx, left: number) =>
  runTx("p", async (tx) => tx.create(slots, { id: "slot", left }));

interface Outcomes {
  runs: number;
  readonly held: string[];
  readonly refused: string[];
  readonly failed: string[];
}

/** Whether runs begin in one turn of the event loop, or each in its own, as requests do. */
type Pace = "together" | "apart";

/** Buyers of one place each; one in ten changes its mind after it has staged its hold. */
async function buy(runTx: RunTx, names: readonly string[], pace: Pace): Promise<Outcomes> {
  const outcomes: Outcomes = { runs: 0, held: [], refused: [], failed: [] };
  const one = (name: string, index: number): Promise<void> =>
    runTx(
      "p",
      async (tx) => {
        outcomes.runs += 1;
        const slot = await tx.require(slots, "slot");
        if (slot.value.left === 0) throw fail("conflict", "No capacity is left.", { code: "slot_full" });
        tx.put(slots, slot, { id: "slot", left: slot.value.left - 1 });
        tx.create(holds, { id: name });
        if (index % 10 === 3) throw new Error("changed my mind");
      },
      { writes: true },
    ).then(
      () => void outcomes.held.push(name),
      (error: unknown) =>
        void outcomes[
          error instanceof Problem && error.options.code === "slot_full" ? "refused" : "failed"
        ].push(name),
    );
  const all: Promise<void>[] = [];
  for (const [index, name] of names.entries()) {
    all.push(one(name, index));
    if (pace === "apart") await new Promise(setImmediate);
  }
  await Promise.all(all);
  return outcomes;
}

const named = (count: number): string[] => Array.from({ length: count }, (_, index) => `buyer_${index}`);

/** What is wrong with the store after these outcomes, or null. */
async function findFault(driver: FsDriver, capacity: number, outcomes: Outcomes): Promise<string | null> {
  const stored = new Set<string>();
  for await (const { key } of driver.snapshot("p"))
    if (key.startsWith("p:test.holds:")) stored.add(key.slice("p:test.holds:".length));
  const slot = await driver.get("p:test.slots:slot");
  const left = slot === null ? capacity : Number(/"left":(\d+)/.exec(slot.value)?.[1]);
  if (left !== capacity - stored.size) return `${stored.size} holds are stored, ${left} places are left`;
  const lost = outcomes.held.filter((name) => !stored.has(name));
  if (lost.length > 0) return `lost: ${lost.join()}`;
  const phantoms = outcomes.refused.filter((name) => stored.has(name));
  if (phantoms.length > 0) return `refused, but stored: ${phantoms.join()}`;
  if (outcomes.refused.length > 0 && left > 0) return `refused as full with ${left} places left`;
  return null;
}

/** A disk whose next write can be made to wait, and then to find no room. */
function createFullDisk() {
  const disk = createSimDisk(1);
  let write: (() => Promise<void>) | null = null;
  const io: Io = {
    ...disk.io(),
    open: async (path, how) => {
      const file = await disk.io().open(path, how);
      return {
        ...file,
        async write(from, position) {
          await write?.();
          return file.write(from, position);
        },
      };
    },
  };
  const failNext = () => {
    let fail: ((error: Error) => void) | undefined;
    const full = new Promise<void>((_, reject) => (fail = reject));
    const reached = new Promise<void>((resolve) => {
      write = () => {
        resolve();
        write = null;
        return full;
      };
    });
    const giveUp = () => fail?.(Object.assign(new Error("no space left on device"), { code: "ENOSPC" }));
    return { reached, giveUp };
  };
  return { io, failNext };
}

describe("runs that change one document", () => {
  it.each([
    // Together, the first runs of all of them see ten places.
    { pace: "together", failed: 20, runs: 400 },
    { pace: "apart", failed: 1, runs: 210 },
  ] as const)("200 buyers of the last ten places, $pace: ten get one", async ({ pace, failed, runs }) => {
    const driver = await openOn(createSimDisk(1).io());
    const runTx = runTxOn(driver);
    await openSlot(runTx, 10);
    const before = (await driver.stats())["batches"] ?? 0;
    const outcomes = await buy(runTx, named(200), pace);
    expect([outcomes.held.length, outcomes.failed.length]).toEqual([10, failed]);
    expect(outcomes.refused).toHaveLength(190 - failed);
    expect(await findFault(driver, 10, outcomes)).toBeNull();
    expect(outcomes.runs).toBeLessThanOrEqual(runs);
    // One by one, each in a batch of its own, would be ten.
    expect(((await driver.stats())["batches"] ?? 0) - before).toBeLessThanOrEqual(6);
  });

  /** The first batch of buyers waits for a disk that then has no room for it, while the next buyers run. */
  async function failBetween(wrap: (store: StoreDriver) => StoreDriver): Promise<string | null> {
    const { io, failNext } = createFullDisk();
    const driver = await openOn(io);
    const runTx = runTxOn(wrap(driver));
    await openSlot(runTx, 10);
    const { reached, giveUp } = failNext();
    const names = named(30);
    const first = buy(runTx, names.slice(0, 3), "together");
    await reached;
    const later = buy(runTx, names.slice(3), "apart");
    // Until nothing goes on any more but the wait for the disk.
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    giveUp();
    const [one, two] = await Promise.all([first, later]);
    if (one.held.length > 0 || one.failed.length === 0) return "the first batch did not fail";
    const outcomes = { ...two, held: [...one.held, ...two.held], refused: [...one.refused, ...two.refused] };
    return (
      (await findFault(driver, 10, outcomes)) ?? (two.held.length === 10 ? null : `${two.held.length} held`)
    );
  }

  it("the followers of a batch that failed run again", async () => {
    expect(await failBetween((store) => store)).toBeNull();
  });

  it("negative control: who does not wait for what it rests on is refused by holds that never came", async () => {
    const careless = (store: StoreDriver): StoreDriver => ({
      ...store,
      commit: async (part, ops, ...rest) =>
        ops.length === 0 ? { ok: true, version: 0 } : store.commit(part, ops, ...rest),
    });
    expect(await failBetween(careless)).toMatch(/^refused as full with \d+ places left$/);
  });

  it("a version that was read and did not become durable is never that of another commit", async () => {
    const { io, failNext } = createFullDisk();
    const driver = await openOn(io);
    const key = "p:test.slots:slot";
    await driver.commit("p", [{ put: key, value: "1" }]);
    const checks = [{ key, version: 1 }] as const;
    const { reached, giveUp } = failNext();
    const lost = driver.commit("p", [{ put: key, value: "2" }], checks);
    await reached;
    const read = driver.ahead?.(key)?.version ?? 0;
    expect(read).toBe(2);
    giveUp();
    await expect(lost).rejects.toMatchObject({ code: "FULL" });
    expect(await driver.commit("p", [{ put: key, value: "3" }], checks)).toMatchObject({ ok: true });
    // Who read "2" must run again: it is "3" now.
    expect(await driver.commit("p", [], [{ key, version: read }])).toMatchObject({ ok: false });
  });

  /** Cuts the power in the middle; what was answered must hold in what the next process finds. */
  async function crash(seed: number, disk: SimDisk): Promise<string | null> {
    const driver = await openOn(disk.io());
    const runTx = runTxOn(driver);
    await openSlot(runTx, 10);
    disk.crashAfter(seed % 14);
    const outcomes: Outcomes = { runs: 0, held: [], refused: [], failed: [] };
    for (let wave = 0; wave < 4 && !disk.crashed; wave += 1) {
      const names = named(4 + (seed % 5)).map((name) => `${name}_${wave}`);
      const { held, refused } = await buy(runTx, names, seed % 2 === 0 ? "together" : "apart");
      outcomes.held.push(...held);
      outcomes.refused.push(...refused);
    }
    disk.crash();
    disk.restart();
    try {
      return await findFault(await openOn(disk.io()), 10, outcomes);
    } catch (error) {
      return String(error);
    }
  }

  it("nothing acknowledged is lost and no refused hold is stored when the power goes in a shared batch", async () => {
    for (let seed = 1; seed <= 300; seed += 1)
      expect(await crash(seed, createSimDisk(seed)), `seed ${seed}`).toBeNull();
  });

  it("negative control: with a sync that does nothing, holds are lost", async () => {
    let caught = 0;
    for (let seed = 1; seed <= 100; seed += 1)
      if ((await crash(seed, createSimDisk(seed, { fakeSync: true }))) !== null) caught += 1;
    expect(caught).toBeGreaterThan(20);
  });
});
