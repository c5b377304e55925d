import { describe, expect, it } from "vitest";

import { createBudgets } from "../../server/core/budgets.ts";
import type { Payer } from "../../server/core/budgets.ts";
import { defineCollection } from "../../server/core/collection.ts";
import { createCursorCodec } from "../../server/core/cursor.ts";
import type { JobContext, ScheduledJob } from "../../server/core/engine.ts";
import { createNewId, createSystemRandom } from "../../server/core/ids.ts";
import { silentLog } from "../../server/core/log.ts";
import { createRunTx } from "../../server/core/run-tx.ts";
import { watch } from "../../server/core/watch.ts";
import { markCommits } from "../../server/jobs/mark-commits.ts";
import { createMarks } from "../../server/jobs/marks.ts";
import { createJobs } from "../../server/jobs/runner.ts";
import { createFairSlots } from "../../server/lib/fair-slots.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { closedPorts, createTestClock } from "../harness.ts";
import { z } from "zod";

// The clock is the test's and moves only where a piece of work moves it: the order does not depend on the machine.
const tasks = defineCollection({
  name: "test.tasks",
  schema: z.strictObject({ id: z.string() }),
  indexes: { open: { values: () => [""] } },
});

const SECOND_MS = 1_000;

function createRig(
  doTask: (part: string, clock: ReturnType<typeof createTestClock>) => Promise<void> | void,
  options: { readonly atOnce?: number; readonly payerOf?: (part: string) => Payer } = {},
) {
  const clock = createTestClock("2026-06-01T09:00:30.000Z");
  const random = createSystemRandom();
  const cursors = createCursorCodec(random.bytes(32));
  const memory = createMemoryDriver({ clock });
  const newId = createNewId(clock, random);
  const order: string[] = [];
  const job: ScheduledJob = {
    id: "test.work",
    summary: "Does tasks",
    schedule: "*/5 * * * * *",
    watches: [watch(tasks, { index: "open" })],
    on: "stores",
    async run({ part, runTx, hasTime }: JobContext) {
      let done = 0;
      for (;;) {
        const { items } = await runTx(part, (tx) => tx.peekPage(tasks, { index: "open", limit: 1 }));
        const [next] = items;
        if (next === undefined || !hasTime()) return { done };
        order.push(part);
        await doTask(part, clock);
        await runTx(part, async (tx) => tx.remove(tasks, await tx.require(tasks, next.id)));
        done += 1;
      }
    },
  };
  const marks = createMarks({ store: memory, cursors, clock, jobs: () => [job] });
  const store = markCommits(memory, { marks, clock, log: silentLog });
  const runTx = createRunTx({ store, cursors });
  const budgets = createBudgets({ store, clock });
  const { atOnce, payerOf } = options;
  const jobs = createJobs({
    jobs: [job],
    store,
    runTx,
    clock,
    newId,
    log: silentLog,
    ports: closedPorts,
    marks,
    budgets,
    ...(atOnce === undefined ? {} : { turns: createFairSlots({ max: atOnce, perKey: 1 }) }),
    ...(payerOf === undefined ? {} : { findOwner: async (part: string) => payerOf(part) }),
  });
  let made = 0;
  const add = async (part: string, count: number): Promise<void> => {
    for (let at = 0; at < count; at += 1) {
      made += 1;
      const id = `task_${String(made).padStart(4, "0")}`;
      await runTx(part, async (tx) => tx.create(tasks, { id }));
    }
  };
  const left = async (part: string): Promise<number> => (await runTx(part, (tx) => tx.peekAll(tasks))).length;
  return { clock, jobs, add, left, order, budgets };
}

/** `A×5 B×1` for five pieces of A and one of B. */
const runs = (order: readonly string[]): string => {
  const groups: { part: string; count: number }[] = [];
  for (const part of order) {
    const last = groups.at(-1);
    if (last?.part === part) last.count += 1;
    else groups.push({ part, count: 1 });
  }
  return groups.map(({ part, count }) => `${part}×${count}`).join(" ");
};

describe("turns of stores", () => {
  it("end after their time, and go round until nothing is left", async () => {
    const { jobs, add, order } = createRig((_, clock) => clock.advance(2 * SECOND_MS), { atOnce: 1 });
    await add("sto_a", 7);
    await add("sto_b", 1);
    await add("sto_c", 4);
    await jobs.runDue();
    expect(runs(order)).toBe("sto_a×3 sto_b×1 sto_c×3 sto_a×3 sto_c×1 sto_a×1");
  });

  it("end after a number of pieces where these take no time", async () => {
    const { jobs, add, order } = createRig(() => undefined, { atOnce: 1 });
    await add("sto_a", 45);
    await add("sto_b", 1);
    await jobs.runDue();
    expect(runs(order)).toBe("sto_a×20 sto_b×1 sto_a×25");
  });
});

describe("a store whose work waits for another server", () => {
  /** Tasks of `sto_slow` wait until `open` is called; `sto_b` and others are done at once. */
  function createSlow(options: Parameters<typeof createRig>[1] = {}) {
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const rig = createRig((part) => (part.startsWith("sto_slow") ? gate : undefined), options);
    /** Waits for what the test's clock cannot hurry. */
    const until = async (isSo: () => Promise<boolean>): Promise<void> => {
      while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve));
    };
    return { ...rig, open: () => open(), until };
  }

  it("keeps no other waiting, neither in the same look nor in the next ones", async () => {
    const { jobs, add, left, until, open, clock } = createSlow();
    await add("sto_slow", 2);
    await add("sto_z", 1);
    const running = jobs.runDue();
    await until(async () => (await left("sto_z")) === 0);
    for (const part of ["sto_late", "sto_z"]) {
      await add(part, 1);
      clock.advance(5 * SECOND_MS);
      await jobs.runDue();
      await until(async () => (await left(part)) === 0);
    }
    expect(await left("sto_slow")).toBe(2);
    // The lease is held until the last store is done with; what was done meanwhile is reported already.
    expect((await jobs.list())[0]).toMatchObject({ holder: expect.any(String), last_outcome: "ok" });
    open();
    await running;
    expect(await left("sto_slow")).toBe(0);
    expect((await jobs.list())[0]).toMatchObject({ holder: null, lease_until: null });
  });

  it("is not worked on twice at the same time", async () => {
    const { jobs, add, order, until, open, clock } = createSlow();
    await add("sto_slow", 1);
    const running = jobs.runDue();
    await until(async () => order.length > 0);
    for (let look = 0; look < 3; look += 1) {
      await add("sto_slow", 1);
      clock.advance(5 * SECOND_MS);
      await jobs.runDue();
    }
    expect(order).toEqual(["sto_slow"]);
    open();
    await running;
  });

  it("counts for its customer: many stores of one leave places for others", async () => {
    const payerOf = (part: string): Payer => ({
      customerId: part.startsWith("sto_slow") ? "cus_hostile" : part,
      limits: { mails: null, new_recipients: null, cpu: null, background: null, outgoing: null, ai: null },
    });
    const { jobs, add, left, until, open } = createSlow({ payerOf });
    for (let at = 0; at < 40; at += 1) await add(`sto_slow${at}`, 1);
    await add("sto_z", 1);
    const running = jobs.runDue();
    await until(async () => (await left("sto_z")) === 0);
    open();
    await running;
  });

  it("gives its place away: stores of many customers keep no other waiting", async () => {
    const { jobs, add, left, until, open } = createSlow();
    for (let at = 0; at < 40; at += 1) await add(`sto_slow${at}`, 1);
    await add("sto_z", 1);
    const running = jobs.runDue();
    await until(async () => (await left("sto_z")) === 0);
    expect(await left("sto_slow0")).toBe(1);
    open();
    await running;
  });
});

describe("a customer without budget", () => {
  it("waits for its renewal, and is not visited again and again meanwhile", async () => {
    const payerOf = (part: string): Payer => ({
      customerId: part,
      limits: { mails: null, new_recipients: null, cpu: null, background: 1, outgoing: null, ai: null },
    });
    const { jobs, add, left, clock, budgets } = createRig(() => undefined, { payerOf });
    await add("sto_a", 1);
    await budgets.charge("sto_a", "background", 1_000);
    await jobs.runDue();
    expect(await left("sto_a")).toBe(1);
    const { last_started_at } = (await jobs.list())[0] ?? {};
    for (let look = 0; look < 10; look += 1) {
      clock.advance(5 * SECOND_MS);
      await jobs.runDue();
    }
    expect((await jobs.list())[0]).toMatchObject({ last_started_at });
    clock.advance(3_600 * SECOND_MS);
    await jobs.runDue();
    expect(await left("sto_a")).toBe(0);
  });
});
