import { describe, expect, it } from "vitest";

import { cpuMs } from "../support/longest-turn.ts";
import { createFairSlots } from "../../server/lib/fair-slots.ts";

/** CPU time of twenty thousand keys: looking through all of them for each place took seconds. */
const SERVED_MS = 200;

describe("createFairSlots", () => {
  /** Takes a place and writes down who got it; resolves when it has it. */
  function open(max: number, perKey: number) {
    const slots = createFairSlots({ max, perKey });
    const order: string[] = [];
    const take = (key: string): Promise<void> =>
      slots.take(key).then((isTaken) => {
        if (isTaken) order.push(key);
      });
    const flush = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    return { slots, order, take, flush };
  }

  it("serves keys in turn, however much one of them asks for", async () => {
    const { slots, order, take, flush } = open(1, 1);
    await take("holder");
    for (const key of ["a", "a", "a", "a", "b", "c", "b"]) void take(key);
    for (const key of ["holder", "a", "b", "c", "a", "b", "a"]) {
      slots.release(key);
      await flush();
    }
    expect(order).toEqual(["holder", "a", "b", "c", "a", "b", "a", "a"]);
  });

  it("has one wait that comes after two who did not", async () => {
    const { slots, order, take, flush } = open(Infinity, 2);
    for (let n = 0; n < 3; n += 1) void take("a");
    await flush();
    expect(order).toHaveLength(2);
    slots.release("a");
    await flush();
    expect(order).toHaveLength(3);
  });

  it("lets a key that comes back after its turn wait for those that came meanwhile", async () => {
    const { slots, order, take, flush } = open(1, 1);
    await take("a");
    void take("b");
    void take("c");
    slots.release("a");
    void take("a");
    for (const key of ["b", "c"]) {
      await flush();
      slots.release(key);
    }
    await flush();
    expect(order).toEqual(["a", "b", "c", "a"]);
  });

  it("gives a place to the key that has the fewest", async () => {
    const { slots, order, take, flush } = open(3, 3);
    for (const key of ["a", "a", "b", "a", "b"]) void take(key);
    await flush();
    slots.release("b");
    await flush();
    slots.release("a");
    await flush();
    expect(order).toEqual(["a", "a", "b", "b", "a"]);
  });

  it("keeps places free that one key alone may not have", async () => {
    const { order, take, flush } = open(3, 2);
    for (const key of ["a", "a", "a", "b"]) void take(key);
    await flush();
    expect(order).toEqual(["a", "a", "b"]);
  });

  it("gives up a wait, and no place gets lost", async () => {
    const { slots, order, take, flush } = open(1, 1);
    await take("a");
    const impatient = new AbortController();
    const given = slots.take("b", impatient.signal);
    impatient.abort();
    expect(await given).toBe(false);
    expect(await slots.take("b", impatient.signal)).toBe(false);
    void take("c");
    slots.release("a");
    await flush();
    expect(order).toEqual(["a", "c"]);
    expect(() => slots.release("b")).toThrow("No place is taken under b.");
  });

  it("serves thousands of keys that wait in little time", async () => {
    const keys = Array.from({ length: 20_000 }, (_, n) => `store-${n}`);
    const ms = await cpuMs(SERVED_MS, async () => {
      const { slots, order, take, flush } = open(32, 4);
      for (const key of keys) void take(key);
      for (const key of keys) slots.release(key);
      await flush();
      expect(order).toEqual(keys);
    });
    expect(ms).toBeLessThan(SERVED_MS);
  });
});
