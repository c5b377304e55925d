import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";

import { createFairQueue } from "../../server/lib/fair-queue.ts";
import type { FairQueueLimits } from "../../server/lib/fair-queue.ts";

const LIMITS: FairQueueLimits = { running: 1, runningPerKey: 1, queued: 1_000, queuedPerKey: 1_000 };

/** A queue whose tasks end when they are told to, in the order in which they were started. */
function createRig(limits: Partial<FairQueueLimits> = {}) {
  const queue = createFairQueue({ ...LIMITS, ...limits });
  const started: string[] = [];
  const running: { key: string; end: () => void }[] = [];
  const add = (key: string): Promise<string> =>
    queue.run(
      key,
      () =>
        new Promise((resolve) => {
          started.push(key);
          running.push({ key, end: () => resolve(key) });
        }),
    );
  /** Lets what is ready go on. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const endFirst = async () => {
    running.shift()?.end();
    await settle();
  };
  return { queue, started, running, add, settle, endFirst };
}

describe("a fair queue", () => {
  it("lets keys take turns, however many tasks one of them has", async () => {
    const { add, endFirst, running, settle, started } = createRig();
    const all = "aaaaabbc".split("").map(add);
    await settle();
    while (running.length > 0) await endFirst();
    expect(started.join("")).toBe("aabcabaa");
    expect((await Promise.all(all)).join("")).toBe("aaaaabbc");
  });

  it("leaves a place for other keys", async () => {
    const { add, endFirst, running, settle, started } = createRig({ running: 3, runningPerKey: 2 });
    const all = "aaaa".split("").map(add);
    await settle();
    expect(started.join("")).toBe("aa");
    all.push(add("b"));
    await settle();
    expect(started.join("")).toBe("aab");
    while (running.length > 0) await endFirst();
    await Promise.all(all);
    expect(started.join("")).toBe("aabaa");
  });

  it("drops what waits when its signal aborts, and goes on with the rest", async () => {
    const { queue, add, endFirst, running, settle, started } = createRig();
    const all = [add("a")];
    const gone = new AbortController();
    const dropped = queue.run("b", () => Promise.resolve("never"), gone.signal);
    all.push(add("b"), add("c"));
    expect(queue.queued()).toBe(3);
    gone.abort();
    await expect(dropped).rejects.toMatchObject({ detail: "The client closed the connection." });
    await expect(queue.run("d", () => Promise.resolve("never"), gone.signal)).rejects.toThrow();
    expect(queue.queued()).toBe(2);
    await settle();
    while (running.length > 0) await endFirst();
    await Promise.all(all);
    expect(started.join("")).toBe("abc");
  });

  it("refuses tasks beyond the limit of a key, and those beyond the limit of all", async () => {
    const { add, endFirst, running, settle } = createRig({ queuedPerKey: 1, queued: 3 });
    const all = "aabc".split("").map(add);
    await settle();
    await expect(add("a")).rejects.toMatchObject({
      type: "too_many_requests",
      detail: "This account already has 1 requests waiting to be processed. Retry in 5 seconds.",
      options: { headers: { "Retry-After": "5" } },
    });
    await expect(add("d")).rejects.toMatchObject({
      type: "service_unavailable",
      options: { code: "workers_busy", headers: { "Retry-After": "5" } },
    });
    while (running.length > 0) await endFirst();
    await Promise.all(all);
  });

  it("refuses, where all have too many, the last task of the key with the most", async () => {
    const { add, endFirst, queue, running, settle, started } = createRig({ queued: 4 });
    const busy = { options: { code: "workers_busy" } };
    const all = "aab".split("").map(add);
    const [second, third] = [add("b"), add("b")];
    all.push(add("c"));
    await expect(third).rejects.toMatchObject(busy);
    all.push(add("d"));
    await expect(second).rejects.toMatchObject(busy);
    // Who has one that waits is not refused it for another.
    await expect(add("e")).rejects.toMatchObject(busy);
    expect(queue.queued()).toBe(4);
    await settle();
    while (running.length > 0) await endFirst();
    await Promise.all(all);
    expect(started.join("")).toBe("aabcd");
  });

  it("starts those first whose tasks took less time lately", async () => {
    const { add, endFirst, running, settle, started } = createRig();
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      const all = "abc".split("").map(add);
      await settle();
      // Each takes a long time, one after another.
      for (let n = 0; n < 3; n += 1) {
        vi.advanceTimersByTime(5_000);
        await endFirst();
      }
      all.push(...["x", "a", "b", "c", "new"].map(add));
      await settle();
      while (running.length > 0) await endFirst();
      await Promise.all(all);
      expect(started.join(" ")).toBe("a b c x new a b c");
    } finally {
      vi.useRealTimers();
    }
  });

  it("leaves a place to others than the keys whose tasks took long", async () => {
    const { add, endFirst, running, settle, started } = createRig({ running: 2 });
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      const all = "abab".split("").map(add);
      await settle();
      vi.advanceTimersByTime(20_000);
      await endFirst();
      await endFirst();
      expect(started.join("")).toBe("aba");
      all.push(add("c"));
      await settle();
      expect(started.join("")).toBe("abac");
      await endFirst();
      expect(started.join("")).toBe("abacb");
      while (running.length > 0) await endFirst();
      await Promise.all(all);
    } finally {
      vi.useRealTimers();
    }
  });

  it("goes on after a task that fails, and reports when nothing is left", async () => {
    const { queue } = createRig();
    await queue.idle();
    const failed = queue.run("a", () => Promise.reject(new Error("No.")));
    const next = queue.run("a", () => Promise.resolve(1));
    await expect(failed).rejects.toThrow("No.");
    await queue.idle();
    expect(await next).toBe(1);
    expect(queue.queued()).toBe(0);
  });

  it("starts no task of a key while another key has waited for more turns", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 40 }),
        fc.integer({ min: 1, max: 4 }),
        async (keys, runningMax) => {
          const { add, endFirst, running, settle, started } = createRig({
            running: runningMax,
            runningPerKey: Math.max(1, runningMax - 1),
          });
          const all = keys.map(add);
          await settle();
          while (running.length > 0) {
            expect(running.length).toBeLessThanOrEqual(runningMax);
            await endFirst();
          }
          await Promise.all(all);
          expect([...started].sort()).toEqual([...keys].sort());
          // Between two starts of a key after the first places were taken, no other key starts more than once more than it does.
          for (const one of new Set(keys)) {
            for (const other of new Set(keys)) {
              const turns = started.slice(runningMax).filter((key) => key === one || key === other);
              const lastOfOne = turns.lastIndexOf(one);
              const before = turns.slice(0, lastOfOne + 1);
              const [own, others] = [one, other].map((name) => before.filter((key) => key === name).length);
              if (one !== other) expect((others ?? 0) - (own ?? 0)).toBeLessThanOrEqual(runningMax);
            }
          }
        },
      ),
    ));
});
