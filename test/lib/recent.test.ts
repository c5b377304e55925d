import { expect, it } from "vitest";

import { createRecent } from "../../server/lib/recent.ts";

it("keeps what was used last", () => {
  const recent = createRecent<number>(2);
  recent.keep("a", 1);
  recent.keep("b", 2);
  expect(recent.get("a")).toBe(1);
  recent.keep("c", 3);
  expect(["a", "b", "c"].map((name) => recent.get(name))).toEqual([1, undefined, 3]);
});

it("counts sizes, of a value that is replaced too", () => {
  const recent = createRecent<number>(10);
  recent.keep("a", 1, 6);
  recent.keep("a", 2, 4);
  recent.keep("b", 3, 6);
  expect([recent.get("a"), recent.get("b")]).toEqual([2, 3]);
  recent.keep("a", 4, 5);
  expect([recent.get("a"), recent.get("b")]).toEqual([4, undefined]);
});

it("keeps the latest one whatever its size", () => {
  const recent = createRecent<number>(10);
  recent.keep("a", 1, 6);
  recent.keep("b", 2, 50);
  expect([recent.get("a"), recent.get("b")]).toEqual([undefined, 2]);
  recent.keep("c", 3, 6);
  expect([recent.get("b"), recent.get("c")]).toEqual([undefined, 3]);
});
