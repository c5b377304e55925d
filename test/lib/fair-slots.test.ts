import { describe, expect, it } from "vitest";

import { createFairSlots, nextShare } from "../../server/lib/fair-slots.ts";

const share = (key: string, held: number, lastTurn: number, waits = 1) => ({
  key,
  held,
  lastTurn,
  waiting: Array.from({ length: waits }, () => null),
});

describe("nextShare", () => {
  it.each([
    ["the fewest places", [share("a", 1, 1), share("b", 0, 9)], "b"],
    ["then the longest wait", [share("a", 1, 5), share("b", 1, 2), share("c", 1, 7)], "b"],
    ["then the first", [share("a", 0, 3), share("b", 0, 3)], "a"],
    ["not one at its limit", [share("a", 2, 1), share("b", 1, 9)], "b"],
    ["not one that waits for nothing", [share("a", 0, 1, 0), share("b", 1, 9)], "b"],
    ["nobody where all are at their limit", [share("a", 2, 1), share("b", 2, 2)], null],
  ])("chooses %s", (_, shares, expected) => {
    expect(nextShare(shares, 2)?.key ?? null).toBe(expected);
  });
});

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
});
