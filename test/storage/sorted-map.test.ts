import { describe, expect, it } from "vitest";

import { createSortedMap } from "../../server/storage/sorted-map.ts";
import type { SortedMap } from "../../server/storage/sorted-map.ts";
import { createRandom } from "./random.ts";

function walked(map: SortedMap<number>, start: string): [string, number][] {
  const pairs: [string, number][] = [];
  map.walk(start, (id, entry) => pairs.push([id, entry]) > 0);
  return pairs;
}

const padded = (n: number): string => String(n).padStart(6, "0");

describe("the sorted map", () => {
  it.each([
    ["ascending", (i: number) => i],
    ["descending", (i: number) => 9999 - i],
    ["scattered", (i: number) => (i * 7919) % 10_000],
  ])("holds 10,000 %s ids in order, and gives each of them back", (_, order) => {
    const map = createSortedMap<number>();
    for (let i = 0; i < 10_000; i++) expect(map.set(padded(order(i)), i)).toBeUndefined();
    expect(map.size).toBe(10_000);
    expect(walked(map, "").map(([id]) => id)).toEqual(Array.from({ length: 10_000 }, (_, i) => padded(i)));
    for (let i = 0; i < 10_000; i++) expect(map.get(padded(order(i)))).toBe(i);
    for (let i = 0; i < 10_000; i++) expect(map.remove(padded(order(i)))).toBe(i);
    expect(map.size).toBe(0);
    expect(walked(map, "")).toEqual([]);
  });

  it("answers like a Map that is sorted for every walk", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const random = createRandom(seed);
      const map = createSortedMap<number>();
      const model = new Map<string, number>();
      for (let i = 0; i < 4000; i++) {
        const id = padded(random.int(1200));
        // Waves of growth and of shrinking, so that chunks are split, emptied and refilled.
        if (random.chance(i % 2000 < 1000 ? 0.8 : 0.2)) {
          expect(map.set(id, i), `seed ${seed}`).toBe(model.get(id));
          model.set(id, i);
        } else {
          expect(map.remove(id), `seed ${seed}`).toBe(model.get(id));
          model.delete(id);
        }
        if (i % 200 !== 0) continue;
        const start = random.chance(0.3) ? "" : padded(random.int(1300));
        const expected = [...model].filter(([id]) => id >= start).toSorted(([a], [b]) => (a < b ? -1 : 1));
        expect(walked(map, start), `seed ${seed}`).toEqual(expected);
        expect(map.size).toBe(model.size);
      }
    }
  });
});
