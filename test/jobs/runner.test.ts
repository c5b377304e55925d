import { afterEach, describe, expect, it } from "vitest";

import type { ScheduledJob } from "../../server/core/engine.ts";
import { LEASE_MS } from "../../server/jobs/lease.ts";
import { createJobs } from "../../server/jobs/runner.ts";
import { jobRuns, JOBS_PART, RUNS_KEPT } from "../../server/jobs/state.ts";
import { createCursorCodec } from "../../server/core/cursor.ts";
import type { JobContext } from "../../server/core/engine.ts";
import { Problem } from "../../server/lib/errors.ts";
import { createNewId, createSystemRandom } from "../../server/core/ids.ts";
import { silentLog } from "../../server/core/log.ts";
import { createRunTx } from "../../server/core/run-tx.ts";
import type { StoreDriver } from "../../server/storage/contract.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { closedPorts, createTestClock } from "../harness.ts";

// Several runners on one store stand for several nodes; the clock is the test's, so nothing here waits for time.
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const MINUTE_MS = 60_000;

function createNodes(
  job: Partial<ScheduledJob> & Pick<ScheduledJob, "run">,
  count = 2,
  caps: Partial<StoreDriver["caps"]> = {},
) {
  const clock = createTestClock("2026-06-01T09:00:30.000Z");
  const random = createSystemRandom();
  const memory = createMemoryDriver({ clock });
  const store = { ...memory, caps: { ...memory.caps, ...caps } };
  const runTx = createRunTx({ store, cursors: createCursorCodec(random.bytes(32)) });
  const newId = createNewId(clock, random);
  const scheduled: ScheduledJob = {
    id: "test.job",
    summary: "A job of a test",
    schedule: "* * * * *",
    on: "platform",
    ...job,
  };
  const nodes = Array.from({ length: count }, () => {
    const node = createJobs({
      jobs: [scheduled],
      store,
      runTx,
      clock,
      newId,
      log: silentLog,
      ports: closedPorts,
    });
    stops.push(() => node.stop());
    return node;
  });
  const history = async () => (await runTx(JOBS_PART, (tx) => tx.peekAll(jobRuns))).map(({ value }) => value);
  const lookAll = async (): Promise<void> => void (await Promise.all(nodes.map((node) => node.runDue())));
  return { clock, store, runTx, nodes, history, lookAll };
}

/** A job that waits until it is let go; `started` counts. */
function createGate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const contexts: JobContext[] = [];
  return {
    contexts,
    open: () => open(),
    run: async (work: JobContext) => {
      contexts.push(work);
      await opened;
      return { done: 1 };
    },
  };
}

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

describe("schedule", () => {
  it("runs a job on one of the nodes, once for each time of its pattern", async () => {
    const seen: string[] = [];
    const { clock, lookAll, history } = createNodes(
      {
        async run({ nowAt }) {
          seen.push(nowAt);
          return { done: 1 };
        },
      },
      4,
    );
    await lookAll();
    expect(seen).toEqual([]);
    for (let minute = 0; minute < 3; minute += 1) {
      clock.advance(MINUTE_MS);
      await lookAll();
      await lookAll();
    }
    expect(seen).toEqual([
      "2026-06-01T09:01:30.000Z",
      "2026-06-01T09:02:30.000Z",
      "2026-06-01T09:03:30.000Z",
    ]);
    expect((await history()).map(({ trigger, outcome, counts }) => ({ trigger, outcome, counts }))).toEqual(
      Array.from({ length: 3 }, () => ({ trigger: "schedule", outcome: "ok", counts: { done: 1 } })),
    );
  });

  it("goes on when the clock is set back after it was ahead", async () => {
    const seen: string[] = [];
    const run = async ({ nowAt }: JobContext) => {
      seen.push(nowAt);
      return { done: 1 };
    };
    const { clock, lookAll } = createNodes({ run }, 1);
    await lookAll();
    clock.advance(86_400_000);
    await lookAll();
    clock.advance(-86_400_000);
    await lookAll();
    clock.advance(MINUTE_MS);
    await lookAll();
    expect(seen).toEqual(["2026-06-02T09:00:30.000Z", "2026-06-01T09:01:30.000Z"]);
  });

  it("makes up once for times that passed while no node was up", async () => {
    let runs = 0;
    const { clock, lookAll } = createNodes({ run: async () => ({ done: (runs += 1) }) });
    await lookAll();
    clock.advance(600 * MINUTE_MS);
    await lookAll();
    await lookAll();
    expect(runs).toBe(1);
  });

  it("keeps the patterns in UTC", async () => {
    const { nodes, lookAll } = createNodes({ schedule: "37 3 * * *", run: async () => ({}) });
    await lookAll();
    expect((await nodes[0]!.list())[0]).toMatchObject({ next_at: "2026-06-02T03:37:00.000Z" });
  });

  it("looks through the stores less often where each look is paid for", async () => {
    const runs: string[] = [];
    const job = {
      schedule: "*/5 * * * * *",
      on: "stores",
      run: async ({ nowAt }: JobContext) => ({ done: runs.push(nowAt) }),
    } as const;
    for (const [caps, expected] of [
      [{}, 24],
      [{ pollFloorMs: 60_000 }, 2],
    ] as const) {
      const { clock, store, lookAll } = createNodes(job, 1, caps);
      await store.commit("sto_a", [{ put: "sto_a:x:y", value: "{}" }]);
      runs.length = 0;
      await lookAll();
      for (let second = 0; second < 120; second += 5) {
        clock.advance(5_000);
        await lookAll();
      }
      expect(runs).toHaveLength(expected);
    }
  });

  it("leaves jobs as they are that look less often anyway", async () => {
    const job = { schedule: "31 9 * * *", on: "stores", run: async () => ({}) } as const;
    const { nodes, lookAll } = createNodes(job, 1, { pollFloorMs: 60_000 });
    await lookAll();
    expect((await nodes[0]!.list())[0]).toMatchObject({ next_at: "2026-06-01T09:31:00.000Z" });
  });

  it("keeps out of the history what found nothing to do", async () => {
    const { clock, lookAll, history, nodes } = createNodes({ run: async () => ({ done: 0 }) });
    await lookAll();
    clock.advance(MINUTE_MS);
    await lookAll();
    expect(await history()).toEqual([]);
    expect((await nodes[1]!.list())[0]).toMatchObject({ last_outcome: "ok", holder: null });
  });

  it("tells a failure, and runs again the next time", async () => {
    let runs = 0;
    const { clock, lookAll, history } = createNodes({
      async run() {
        runs += 1;
        throw new Error("no luck");
      },
    });
    await lookAll();
    for (let minute = 0; minute < 2; minute += 1) {
      clock.advance(MINUTE_MS);
      await lookAll();
    }
    expect(runs).toBe(2);
    expect(await history()).toMatchObject([
      { outcome: "failed", error: "platform: no luck" },
      { outcome: "failed", error: "platform: no luck" },
    ]);
  });

  it("keeps a bounded history", async () => {
    const { clock, nodes, history } = createNodes({ run: async () => ({ done: 1 }) });
    for (let run = 0; run < RUNS_KEPT + 7; run += 1) {
      clock.advance(1_000);
      await nodes[0]!.run("test.job");
    }
    const kept = await history();
    expect(kept).toHaveLength(RUNS_KEPT);
    expect(kept[0]?.started_at).toBe(new Date(clock.now()).toISOString());
  });

  it("runs for every store, and one failing store does not keep the others waiting", async () => {
    const parts: string[] = [];
    const { store, nodes } = createNodes({
      on: "stores",
      async run({ part }) {
        parts.push(part);
        if (part === "sto_a") throw new Error("broken store");
        return { done: 2 };
      },
    });
    for (const part of ["platform", "sto_a", "sto_b", "sto_c_test"]) {
      await store.commit(part, [{ put: `${part}:x:y`, value: "{}" }]);
    }
    expect(await nodes[0]!.run("test.job")).toMatchObject({
      partitions: 3,
      counts: { done: 4 },
      outcome: "failed",
      error: "sto_a: broken store",
    });
    expect(parts).toEqual(["sto_a", "sto_b", "sto_c_test"]);
  });
});

describe("lease", () => {
  it("is had by one node at a time", async () => {
    const gate = createGate();
    const { clock, nodes, lookAll } = createNodes({ run: gate.run });
    await lookAll();
    clock.advance(MINUTE_MS);
    const looks = nodes.map((node) => node.runDue());
    await settle();
    expect(gate.contexts).toHaveLength(1);
    await expect(nodes[0]!.run("test.job")).rejects.toMatchObject({ type: "conflict" });
    await expect(nodes[1]!.run("test.job")).rejects.toBeInstanceOf(Problem);
    expect((await nodes[1]!.list())[0]?.holder).toMatch(/^node_/);
    gate.open();
    await Promise.all(looks);
    expect((await nodes[1]!.list())[0]).toMatchObject({ holder: null, last_outcome: "ok" });
  });

  it("passes to another node when its holder gives no more sign of life", async () => {
    const [dead, alive] = [createGate(), createGate()];
    const gates = [dead, alive];
    const { clock, nodes, lookAll } = createNodes({ run: (work) => gates.shift()!.run(work) });
    await lookAll();
    clock.advance(MINUTE_MS);
    const first = nodes[0]!.runDue();
    await settle();
    await nodes[1]!.runDue();
    expect(alive.contexts).toHaveLength(0);
    // The renewal is a timer of real time, so for the test's clock the first node is dead.
    clock.advance(LEASE_MS);
    const second = nodes[1]!.runDue();
    await settle();
    expect(alive.contexts).toHaveLength(1);
    // The one that was taken for dead comes back late: it must not give away what is no longer its own.
    dead.open();
    await first;
    expect((await nodes[0]!.list())[0]?.holder).toMatch(/^node_/);
    alive.open();
    await second;
    expect((await nodes[0]!.list())[0]?.holder).toBeNull();
  });

  it("is taken over after growing times while no run ends", async () => {
    const gate = createGate();
    const { clock, nodes, lookAll } = createNodes({ schedule: "0 * * * *", run: gate.run }, 12);
    await lookAll();
    clock.advance(30 * MINUTE_MS - 30_000);
    const looks: Promise<void>[] = [];
    const startedAt: number[] = [];
    // Each node that starts the job is dead for the test's clock from then on.
    for (let minute = 0; minute <= 40; minute += 1) {
      const alive = nodes[gate.contexts.length];
      const before = gate.contexts.length;
      looks.push(alive!.runDue());
      await settle();
      if (gate.contexts.length > before) startedAt.push(minute);
      clock.advance(MINUTE_MS);
    }
    gate.open();
    await Promise.all(looks);
    expect(startedAt).toEqual([30, 31, 33, 37]);
    // A run that ends is followed by the next one of the schedule.
    expect((await nodes[0]!.list())[0]).toMatchObject({
      holder: null,
      next_at: expect.stringContaining(":00:00"),
    });
  });

  it("without a check of versions two nodes would run one job (negative control)", async () => {
    const gate = createGate();
    const { clock, store, nodes, lookAll } = createNodes({ run: gate.run });
    await lookAll();
    clock.advance(MINUTE_MS);
    // The same commits, but nothing is compared: what a store without conditional writes would do.
    const commit = store.commit.bind(store);
    store.commit = (part, ops) => commit(part, ops);
    const looks = nodes.map((node) => node.runDue());
    await settle();
    expect(gate.contexts).toHaveLength(2);
    gate.open();
    await Promise.all(looks);
  });
});

describe("by hand", () => {
  it("runs at once, at the time it is told, beside the schedule", async () => {
    const seen: string[] = [];
    const { nodes, history, lookAll } = createNodes({
      schedule: "0 12 * * *",
      async run({ nowAt }) {
        seen.push(nowAt);
        return {};
      },
    });
    await lookAll();
    const run = await nodes[0]!.run("test.job", { nowMs: Date.parse("2026-12-01T00:00:00.000Z") });
    expect(seen).toEqual(["2026-12-01T00:00:00.000Z"]);
    expect(run).toMatchObject({ trigger: "manual", now: "2026-12-01T00:00:00.000Z", outcome: "ok" });
    expect(await history()).toHaveLength(1);
    expect((await nodes[0]!.list())[0]).toMatchObject({ next_at: "2026-06-01T12:00:00.000Z" });
  });

  it("404 for a job that is none", async () => {
    const { nodes } = createNodes({ run: async () => ({}) });
    await expect(nodes[0]!.run("no.job")).rejects.toMatchObject({ type: "not_found" });
  });
});

describe("stop", () => {
  it("tells a running job to end, waits for it, and starts nothing more", async () => {
    const gate = createGate();
    const { clock, nodes, lookAll } = createNodes({ run: gate.run }, 1);
    await lookAll();
    clock.advance(MINUTE_MS);
    const look = nodes[0]!.runDue();
    await settle();
    let isStopped = false;
    const stopped = nodes[0]!.stop().then(() => {
      isStopped = true;
    });
    await settle();
    expect(gate.contexts[0]?.signal.aborted).toBe(true);
    expect(isStopped).toBe(false);
    gate.open();
    await Promise.all([stopped, look]);
    await expect(nodes[0]!.run("test.job")).rejects.toMatchObject({ type: "service_unavailable" });
    // The next start finds the job free.
    expect((await nodes[0]!.list())[0]?.holder).toBeNull();
  });

  it("does not wait for ever for a job that does not end", async () => {
    const gate = createGate();
    const { clock, nodes, lookAll } = createNodes({ run: gate.run }, 1);
    await lookAll();
    clock.advance(MINUTE_MS);
    void nodes[0]!.runDue();
    await settle();
    await nodes[0]!.stop({ graceMs: 10 });
    gate.open();
  });
});
