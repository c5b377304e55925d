import { describe, expect, it } from "vitest";

import { createRing } from "../../server/observability/ring.ts";

const filled = (count: number, size = 2_000) => {
  const ring = createRing<{ number: number }>(size);
  for (let number = 1; number <= count; number += 1) ring.push({ number });
  return ring;
};
const numbersOf = (entries: readonly { readonly number: number }[]) => entries.map(({ number }) => number);

describe("the ring of the latest events", () => {
  it("returns what came after a number, oldest first, and counts what it has dropped", () => {
    const ring = filled(3_000);
    expect(numbersOf(ring.after(2_997).entries)).toEqual([2_998, 2_999, 3_000]);
    expect(ring.after(3_000)).toEqual({ entries: [], missed: 0 });
    const { entries, missed } = ring.after(1);
    expect([entries.length, missed, entries[0]?.number]).toEqual([2_000, 999, 1_001]);
  });

  it("returns copies: a slot that is filled again changes nothing that was read", () => {
    const ring = filled(2, 2);
    const { entries } = ring.after(0);
    ring.push({ number: 3 });
    expect(numbersOf(entries)).toEqual([1, 2]);
    expect(numbersOf(ring.newest())).toEqual([3, 2]);
  });

  it("wakes watchers until they leave, and ends them with itself", () => {
    const ring = filled(0);
    let wakes = 0;
    let closes = 0;
    const createWatcher = () => ({ wake: () => void (wakes += 1), close: () => void (closes += 1) });
    const leave = ring.watch(createWatcher());
    ring.watch(createWatcher());
    ring.push({ number: 1 });
    leave();
    ring.push({ number: 2 });
    ring.close();
    ring.watch(createWatcher());
    expect({ wakes, closes }).toEqual({ wakes: 3, closes: 2 });
  });
});
