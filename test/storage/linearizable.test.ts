import { describe, expect, it } from "vitest";

import type { Doc, Key } from "../../server/storage/contract.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { isLinearizable, recordHistory, storeModel } from "../support/linearizable.ts";
import type { Call, StoreCall } from "../support/linearizable.ts";
import { createTestClock } from "./conformance.ts";
import { createRandom } from "./random.ts";

const KEY: Key = "p:c:a";
const doc = (version: number): Doc => ({ key: KEY, version, value: String(version) });
const read = (start: number, end: number, found: Doc | null): Call<StoreCall> => ({
  start,
  end,
  call: { kind: "read", keys: [KEY], found: [found] },
});
const put = (start: number, end: number, value: number, result: number | Key | null): Call<StoreCall> => ({
  start,
  end,
  call: { kind: "commit", ops: [{ put: KEY, value: String(value) }], checks: [], result },
});

describe("the check of histories", () => {
  it.each<[string, boolean, Call<StoreCall>[]]>([
    ["nothing", true, []],
    ["a read of what was written", true, [put(1, 2, 1, 1), read(3, 4, doc(1))]],
    ["a read beside the write sees either", true, [put(1, 6, 1, 1), read(2, 3, null), read(4, 5, doc(1))]],
    ["a read after the write that misses it", false, [put(1, 2, 1, 1), read(3, 4, null)]],
    [
      "two reads beside the write that see it come and go",
      false,
      [put(1, 6, 1, 1), read(2, 3, doc(1)), read(4, 5, null)],
    ],
    ["a value that nobody wrote", false, [put(1, 2, 1, 1), read(3, 4, { ...doc(1), value: "9" })]],
    ["a version given twice", false, [put(1, 4, 1, 1), put(2, 3, 2, 1)]],
    ["a write without an answer that is seen", true, [put(1, Infinity, 1, null), read(3, 4, doc(1))]],
    ["a write without an answer that is not seen", true, [put(1, Infinity, 1, null), read(3, 4, null)]],
    ["one that is seen late", true, [put(1, Infinity, 1, null), read(3, 4, null), read(5, 6, doc(1))]],
    ["one that is seen and gone", false, [put(1, Infinity, 1, null), read(3, 4, doc(1)), read(5, 6, null)]],
    ["one that happened twice", false, [put(1, Infinity, 1, null), read(3, 4, doc(1)), put(5, 6, 2, 3)]],
    ["a conflict without a check", false, [put(1, 2, 1, KEY)]],
  ])("%s: %s", (_, expected, history) => {
    expect(isLinearizable(history, storeModel(history))).toBe(expected);
  });

  it("finds the order of many calls at once, in any order they are told in", () => {
    const calls = Array.from({ length: 12 }, (_, i) => put(i, 100 + i, 12 - i, 12 - i));
    expect(isLinearizable(calls, storeModel(calls))).toBe(true);
    const stale = [...calls, read(200, 201, doc(11))];
    expect(isLinearizable(stale, storeModel(stale))).toBe(false);
  });

  it("accepts what the memory driver answers", async () => {
    const driver = createMemoryDriver({ clock: createTestClock() });
    const clients = Array.from({ length: 8 }, () => driver);
    for (let i = 0; i < 50; i++) {
      const history = await recordHistory({
        clients,
        part: `h${i}`,
        random: createRandom(i),
        callsPerClient: 8,
      });
      expect(isLinearizable(history, storeModel(history)), `seed ${i}`).toBe(true);
    }
  });
});
