import { afterAll, expect } from "vitest";

import { undeclared } from "./state-changes.ts";

// Whatever a test is about: a change of a state that it stores is one that the engine declares and the documentation draws.
afterAll(() => {
  const found = [...undeclared].sort();
  undeclared.clear();
  expect(found).toEqual([]);
});
