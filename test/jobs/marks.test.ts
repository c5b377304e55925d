import { Cron } from "croner";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { engines } from "../../server/registry.ts";
import type { ScheduledJob } from "../../server/core/engine.ts";
import { createFindWork } from "../../server/jobs/find-work.ts";
import { markCommits } from "../../server/jobs/mark-commits.ts";
import { createMarks, marks } from "../../server/jobs/marks.ts";
import { createJobs } from "../../server/jobs/runner.ts";
import { JOBS_PART } from "../../server/jobs/state.ts";
import { toInstant } from "../../server/lib/instant.ts";
import { defineCollection, timeOrder } from "../../server/core/collection.ts";
import { createCursorCodec } from "../../server/core/cursor.ts";
import { createNewId, createSystemRandom } from "../../server/core/ids.ts";
import { silentLog } from "../../server/core/log.ts";
import { testClockId, testClocks } from "../../server/core/test-clock.ts";
import { createRunTx } from "../../server/core/run-tx.ts";
import type { RunTx } from "../../server/core/tx.ts";
import { watch } from "../../server/core/watch.ts";
import type { StoreDriver } from "../../server/storage/contract.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { closedPorts, createHarness, createTestClock } from "../harness.ts";

const tasks = defineCollection({
  name: "test.tasks",
  schema: z.strictObject({ id: z.string(), due_at: z.string(), done_at: z.string().nullable() }),
  indexes: {
    due: {
      values: ({ done_at }) => (done_at === null ? [""] : []),
      order: ({ due_at }) => timeOrder(due_at),
    },
  },
});

const SECOND_MS = 1_000;
const START = "2026-06-01T09:00:30.000Z";
/** Its clock counts rate limits, of which there are none here. */
const openMemory = (): StoreDriver => createMemoryDriver({ clock: createTestClock(START) });

/** Nodes on one store, each with a memory of its own of what is marked; `visits` are the stores that the job ran for. */
function createRig(store: StoreDriver = openMemory()) {
  const clock = createTestClock(START);
  const random = createSystemRandom();
  const cursors = createCursorCodec(random.bytes(32));
  const newId = createNewId(clock, random);
  const visits: string[] = [];
  /** Stores in which the job fails. */
  const broken = new Set<string>();
  const job: ScheduledJob = {
    id: "test.work",
    summary: "Does tasks",
    schedule: "*/5 * * * * *",
    watches: [watch(tasks, { index: "due", due: ({ due_at }) => due_at })],
    on: "stores",
    async run({ part, now, nowAt, runTx }) {
      visits.push(part);
      if (broken.has(part)) throw new Error("broken store");
      const { items } = await runTx(part, (tx) => tx.peekPage(tasks, { index: "due", limit: 10 }));
      let done = 0;
      for (const { id } of items.filter(({ value }) => Date.parse(value.due_at) <= now)) {
        await runTx(part, async (tx) => {
          const stored = await tx.require(tasks, id);
          tx.put(tasks, stored, { ...stored.value, done_at: nowAt });
        });
        done += 1;
      }
      return { done };
    },
  };
  const plain = createRunTx({ store, cursors });

  function openNode() {
    const kept = createMarks({ store, cursors, clock, jobs: () => [job] });
    const marked = markCommits(store, { marks: kept, clock, log: silentLog });
    const runTx = createRunTx({ store: marked, cursors });
    const findWork = createFindWork(store, kept);
    const jobs = createJobs({
      jobs: [job, findWork],
      store: marked,
      runTx,
      clock,
      newId,
      log: silentLog,
      ports: closedPorts,
      marks: kept,
    });
    const add = (part: string, id: string, inMs: number): Promise<void> => addTask(runTx, part, id, inMs);
    return { jobs, add, runTx };
  }

  const addTask = (runTx: RunTx, part: string, id: string, inMs: number): Promise<void> =>
    runTx(part, async (tx) => {
      tx.create(tasks, { id, due_at: toInstant(clock.now() + inMs), done_at: null });
    });
  const listMarks = async (): Promise<string[]> => {
    const { items } = await plain(JOBS_PART, (tx) =>
      tx.peekPage(marks, { index: "due", value: job.id, limit: 100 }),
    );
    return items.map(({ value }) => `${value.part} ${value.at.slice(11, 19)}`);
  };
  const isDone = async (part: string, id: string): Promise<boolean> =>
    (await plain(part, (tx) => tx.require(tasks, id))).value.done_at !== null;
  /** Lets time pass in steps, with a look at the end of each. */
  const pass = async (seconds: number, ...nodes: ReturnType<typeof openNode>[]): Promise<void> => {
    for (let at = 0; at < seconds; at += 5) {
      clock.advance(5 * SECOND_MS);
      for (const node of nodes) await node.jobs.runDue();
    }
  };
  return { clock, job, visits, broken, openNode, addTask, plain, listMarks, isDone, pass, store };
}

describe("work of a store", () => {
  it("is found by another node when the one that wrote it is gone, and when its time comes", async () => {
    const { openNode, listMarks, isDone, pass, visits } = createRig();
    await openNode().add("sto_a", "now", 5 * SECOND_MS);
    await openNode().add("sto_b", "later", 300 * SECOND_MS);
    const other = openNode();
    await pass(10, other);
    expect(await isDone("sto_a", "now")).toBe(true);
    // Both are fresh for a minute; then one has nothing left, and the other waits for its time.
    await pass(60, other);
    expect(await listMarks()).toEqual(["sto_b 09:05:30"]);
    const before = visits.length;
    await pass(220, other);
    expect(visits).toHaveLength(before);
    await pass(15, other);
    expect(await isDone("sto_b", "later")).toBe(true);
    await pass(70, other);
    expect(await listMarks()).toEqual([]);
  });

  it("is not lost when one node takes a mark away while another relies on it", async () => {
    const { openNode, isDone, pass, clock } = createRig();
    const [writer, worker] = [openNode(), openNode()];
    // Written again and again within and beyond the time for which a mark is relied on, and looked for all the while.
    for (let turn = 0; turn < 60; turn += 1) {
      await writer.add("sto_a", `task_${turn}`, 0);
      clock.advance(7 * SECOND_MS);
      await worker.jobs.runDue();
      expect(await isDone("sto_a", `task_${turn}`), `task ${turn}`).toBe(true);
      if (turn % 10 === 9) await pass(100, worker);
    }
  });

  it("writes one mark for many tasks, and none where nothing is written that a job looks at", async () => {
    const store = openMemory();
    const commits: string[] = [];
    const { openNode } = createRig({
      ...store,
      commit(part, ops, checks) {
        commits.push(part);
        return store.commit(part, ops, checks);
      },
    });
    const node = openNode();
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => node.add("sto_a", `task_${index}`, 60 * SECOND_MS)),
    );
    expect(commits.filter((part) => part === JOBS_PART)).toHaveLength(1);
    // The mark is there before the work is.
    expect(commits[0]).toBe(JOBS_PART);
    await node.runTx("sto_a", async (tx) => tx.remove(tasks, await tx.require(tasks, "task_0")));
    await node.runTx("sto_b", async (tx) => tx.stage([{ put: "sto_b:test.notes:1", value: "{}" }]));
    expect(commits.filter((part) => part === JOBS_PART)).toHaveLength(1);
  });

  it("is tried less and less often where it fails, at the same pace elsewhere, and as before once it succeeds", async () => {
    const { openNode, pass, visits, broken, isDone } = createRig();
    const node = openNode();
    broken.add("sto_a");
    await node.add("sto_a", "fails", 0);
    await node.add("sto_b", "works", 0);
    await pass(3_600, node);
    const tried = visits.filter((part) => part === "sto_a").length;
    // At 1 minute, then 1, 2, 4, 8, 16 and 32 minutes apart; every 5 seconds it would be 720 times.
    expect(tried).toBeGreaterThan(4);
    expect(tried).toBeLessThan(9);
    expect(await isDone("sto_b", "works")).toBe(true);
    // Work that is added is tried at once, and so is what failed.
    broken.delete("sto_a");
    await node.add("sto_a", "new", 0);
    await pass(10, node);
    expect([await isDone("sto_a", "fails"), await isDone("sto_a", "new")]).toEqual([true, true]);
  });

  it("is looked for once where a process died between the mark and the work", async () => {
    const { openNode, pass, listMarks, visits, store } = createRig();
    const broken = createRig({
      ...store,
      commit: async (part, ...rest) =>
        part === JOBS_PART ? store.commit(part, ...rest) : Promise.reject(new Error("killed")),
    });
    await expect(broken.openNode().add("sto_a", "never", 0)).rejects.toThrow("killed");
    expect(await listMarks()).toHaveLength(1);
    await pass(80, openNode());
    expect(visits.length).toBeGreaterThan(0);
    expect(await listMarks()).toEqual([]);
  });

  it("is stored although its mark cannot be written, and found by the look through all stores", async () => {
    const store = openMemory();
    let isBroken = true;
    const { openNode, pass, isDone, plain, addTask } = createRig({
      ...store,
      commit: async (part, ...rest) =>
        isBroken && part === JOBS_PART ? Promise.reject(new Error("full")) : store.commit(part, ...rest),
    });
    await openNode().add("sto_a", "unmarked", 0);
    isBroken = false;
    await addTask(plain, "sto_b", "restored", 0);
    const node = openNode();
    await pass(60, node);
    expect([await isDone("sto_a", "unmarked"), await isDone("sto_b", "restored")]).toEqual([false, false]);
    await pass(600, node);
    expect([await isDone("sto_a", "unmarked"), await isDone("sto_b", "restored")]).toEqual([true, true]);
  });

  it("is found by the look through all stores also where one of them cannot be read", async () => {
    const store = openMemory();
    const { openNode, pass, isDone, plain, addTask } = createRig({
      ...store,
      collections: async (part) =>
        part === "sto_a" ? Promise.reject(new Error("down")) : store.collections(part),
    });
    for (const part of ["sto_a", "sto_b"]) await addTask(plain, part, "restored", 0);
    const node = openNode();
    await pass(660, node);
    expect([await isDone("sto_a", "restored"), await isDone("sto_b", "restored")]).toEqual([false, true]);
    expect((await node.jobs.list()).find(({ id }) => id === "jobs.find-work")).toMatchObject({
      last_outcome: "failed",
    });
  });

  it("of a store with a clock of its own waits until that is advanced", async () => {
    const { openNode, pass, isDone, listMarks, clock } = createRig();
    const node = openNode();
    const part = "sto_a_test";
    const id = testClockId(part);
    const at = toInstant(clock.now());
    const times = { id, created_at: at, updated_at: at };
    await node.runTx(part, async (tx) => void tx.create(testClocks, { ...times, now: at }));
    await node.add(part, "later", 600 * SECOND_MS);
    await pass(100, node);
    expect(await listMarks()).toEqual([]);
    await node.runTx(part, async (tx) => {
      const own = await tx.require(testClocks, id);
      tx.put(testClocks, own, { ...own.value, now: toInstant(Date.parse(at) + 600 * SECOND_MS) });
    });
    await pass(10, node);
    expect(await isDone(part, "later")).toBe(true);
  });

  it("is done in time, whichever nodes write, look and die", async () => {
    const seed = Number(process.env["SEED"] ?? 20_260_601);
    const random = createLottery(seed);
    const { openNode, clock, isDone } = createRig();
    const nodes = [openNode(), openNode(), openNode()];
    const open = new Map<string, { part: string; dueMs: number }>();
    for (let step = 0; step < 150; step += 1) {
      const node = nodes[random(nodes.length)];
      const part = `sto_${random(5)}`;
      const inMs = random(3) === 0 ? 0 : random(200) * SECOND_MS;
      await node?.add(part, `task_${step}`, inMs);
      open.set(`task_${step}`, { part, dueMs: clock.now() + inMs });
      clock.advance((5 + random(20)) * SECOND_MS);
      if (random(8) === 0) nodes[random(nodes.length)] = openNode();
      await nodes[random(nodes.length)]?.jobs.runDue();
      // Whoever looked had a time of its schedule behind it, so that nothing due is left but what takes another run.
      await Promise.all(nodes.map(({ jobs }) => jobs.runDue()));
      for (const [id, { part: where, dueMs }] of open) {
        if (dueMs > clock.now() - 60 * SECOND_MS) continue;
        expect(await isDone(where, id), `seed ${seed}, step ${step}, ${id}`).toBe(true);
        open.delete(id);
      }
    }
  });
});

describe("a server with nothing to do", () => {
  it("reads and writes as much with two hundred stores as with two, and nothing of any of them", async () => {
    const cost = async (stores: number): Promise<Record<string, number>> => {
      const memory = openMemory();
      const calls: Record<string, number> = {};
      const count = (name: string, part: string): void => {
        const of = part === JOBS_PART ? "platform" : "stores";
        calls[`${name} ${of}`] = (calls[`${name} ${of}`] ?? 0) + 1;
      };
      const store: StoreDriver = {
        ...memory,
        get: (key) => (count("get", partOf(key)), memory.get(key)),
        getMany: (keys) => (count("getMany", partOf(keys[0] ?? "")), memory.getMany(keys)),
        page: (part, coll, options) => (count("page", part), memory.page(part, coll, options)),
        commit: (part, ops, checks) => (count("commit", part), memory.commit(part, ops, checks)),
        collections: (part) => (count("collections", part), memory.collections(part)),
      };
      for (let made = 0; made < stores; made += 1) {
        const part = `sto_${made}`;
        await memory.commit(part, [{ put: `${part}:test.notes:1`, value: "{}" }]);
      }
      const app = await createHarness({ store, now: START });
      try {
        const { jobs } = app.services;
        await jobs.runDue();
        for (const name of Object.keys(calls)) delete calls[name];
        // A minute in which no job is due that runs hourly.
        for (let second = 0; second < 60; second += 5) {
          app.clock.advance(5 * SECOND_MS);
          await jobs.runDue();
        }
        return { ...calls };
      } finally {
        await app.close();
      }
    };
    const few = await cost(2);
    expect(few).toEqual(await cost(200));
    expect(Object.keys(few).filter((name) => name.endsWith("stores"))).toEqual([]);
    // Every look is one page; what commits is the job that looks at the platform's own events once a minute.
    expect(few["page platform"]).toBeLessThan(250);
    expect(few["commit platform"]).toBeLessThan(6);
  });

  it("has no job that visits all stores more than twice an hour", () => {
    const all = engines.flatMap(({ jobs }) => jobs);
    const dense = all.filter(({ schedule }) => gapOf(schedule) < 30 * 60 * SECOND_MS);
    expect(dense.length).toBeGreaterThan(20);
    expect(dense.filter(({ watches }) => watches === undefined).map(({ id }) => id)).toEqual([]);
  });

  it("watches places that exist", async () => {
    const { declaredIndexes } = await import("../../server/core/collection.ts");
    const places = engines.flatMap(({ jobs }) =>
      jobs.flatMap(({ watches = [] }) => watches.flatMap((one) => one.places)),
    );
    const known = new Set([...declaredIndexes].flatMap(([name, { indexes }]) => [name, ...indexes]));
    expect(places.filter((place) => !known.has(place))).toEqual([]);
  });
});

const partOf = (key: string): string => key.split(":", 1)[0] ?? "";

/** Shortest time between two runs of a pattern, in milliseconds. */
function gapOf(schedule: string): number {
  const times = new Cron(schedule, { timezone: "UTC", paused: true })
    .nextRuns(10, new Date(START))
    .map((time) => time.getTime());
  return Math.min(...times.slice(1).map((time, index) => time - (times[index] ?? 0)));
}

/** Numbers below a bound, the same for the same seed. */
function createLottery(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
