import { expect, it } from "vitest";

import { createMemo } from "../../server/storage/memo.ts";

it("keeps at most so many characters, and evicts first what was not read again", () => {
  const memo = createMemo<number>(160);
  for (let n = 0; n < 1000; n += 1) {
    memo.keep(`k${n}`, n, 10);
    expect(memo.get("k0")).toBe(0);
  }
  const kept = Array.from({ length: 1000 }, (_, n) => memo.get(`k${n}`)).filter(
    (value) => value !== undefined,
  );
  expect(kept).toEqual([0, ...Array.from({ length: 15 }, (_, n) => 985 + n)]);
  memo.keep("large", 1, 161);
  expect(memo.get("large")).toBeUndefined();
  memo.keep("k0", 7, 161);
  expect(memo.get("k0")).toBeUndefined();
});
