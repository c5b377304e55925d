import { describe, expect, it } from "vitest";

import { createValueCache } from "../../server/storage/fs/cache.ts";
import { toEntry, toSegment } from "../../server/storage/fs/segment.ts";
import type { Entry } from "../../server/storage/fs/segment.ts";
import { createSimDisk } from "./sim-disk.ts";

const file = await createSimDisk(1).io().open("/f", "create");
const segment = toSegment(1, file, 0);
const entry = (length = 100): Entry => toEntry({ version: 1, segment, offset: 0, length, bytes: 0 });

describe("the cache of values", () => {
  it("keeps to its bytes, and keeps what is read again", () => {
    const cache = createValueCache(100_000);
    const hot = entry();
    cache.keep(hot, "hot");
    for (let i = 0; i < 10_000; i++) {
      cache.keep(entry(), `${i}`);
      expect(cache.bytes).toBeLessThanOrEqual(100_000);
      if (i % 100 === 0) expect(cache.get(hot)).toBe("hot");
    }
  });

  it("forgets what is dropped, what was not read for long, and never takes what is larger than itself", () => {
    const cache = createValueCache(10_000);
    const [dropped, old, large] = [entry(), entry(), entry(20_000)];
    cache.keep(dropped, "a");
    cache.drop(dropped);
    expect(cache.bytes).toBe(0);
    expect(cache.get(dropped)).toBeNull();
    cache.keep(old, "b");
    for (let i = 0; i < 100; i++) cache.keep(entry(), "c");
    expect(cache.get(old)).toBeNull();
    cache.keep(large, "d");
    expect(cache.get(large)).toBeNull();
  });

  it("hands a value on to the place that a document has moved to", () => {
    const cache = createValueCache(10_000);
    const [from, to] = [entry(), entry()];
    cache.keep(from, "a");
    cache.move(from, to);
    expect(cache.get(to)).toBe("a");
    expect(cache.get(from)).toBeNull();
    cache.drop(to);
    expect(cache.bytes).toBe(0);
  });
});
