import { expect, it } from "vitest";

import { diffDeclarations } from "../../../server/engines/allergens/rules/diff-declarations.ts";
import { declared } from "./make.ts";

it("tells what came, what went, and what became something else", () => {
  const before = [
    declared("milk"),
    declared("egg"),
    declared("soy", "may_contain"),
    declared("wheat", "contains", { note: "a" }),
  ];
  const after = [
    declared("milk"),
    declared("soy"),
    declared("sesame"),
    declared("wheat", "contains", { note: "b" }),
  ];
  const { added, removed, changed } = diffDeclarations(before, after);
  expect([added, removed].map((list) => list.map(({ code }) => code))).toEqual([["sesame"], ["egg"]]);
  expect(changed.map(({ code, before: old, after: next }) => [code, old.presence, next.presence])).toEqual([
    ["soy", "may_contain", "contains"],
  ]);
});

it("the order of origins is no change", () => {
  const origin = (id: string) => ({ line_id: id, ingredient_id: null, name: id, exemption: null });
  const wheat = (...ids: string[]) => [
    declared("wheat", "contains", { source: "ingredient", derived_from: ids.map(origin) }),
  ];
  expect(diffDeclarations(wheat("a", "b"), wheat("b", "a")).changed).toEqual([]);
  expect(diffDeclarations(wheat("a"), wheat("b")).changed).toHaveLength(1);
});
