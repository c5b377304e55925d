import { describe, expect, it } from "vitest";

import {
  byHand,
  findConflict,
  findUnspecific,
  mergeDeclarations,
  redeclare,
  withoutOldAmounts,
} from "../../../server/engines/allergens/rules/merge-declarations.ts";
import { rollUp } from "../../../server/engines/allergens/rules/roll-up.ts";
import type { IngredientLine } from "../../../server/engines/allergens/schema/ingredient.ts";
import { declared, line } from "./make.ts";

describe("mergeDeclarations", () => {
  it("collapses contains and may contain of one code", () => {
    const merged = mergeDeclarations([declared("milk", "may_contain")], [declared("milk")]);
    expect(merged.map(({ code, presence }) => [code, presence])).toEqual([["milk", "contains"]]);
  });
  it("keeps what was measured by hand beside the origins of the recipe", () => {
    const wine = line("wine", ["sulphites"]);
    const [merged] = mergeDeclarations(rollUp([wine]), [
      declared("sulphites", "contains", { concentration_mg_per_kg: 8 }),
    ]);
    expect(merged).toMatchObject({
      source: "manual",
      concentration_mg_per_kg: 8,
      derived_from: [{ name: "wine" }],
    });
  });
});

describe("withoutOldAmounts", () => {
  const wine = line("wine", ["sulphites"]);
  const measured = [
    declared("sulphites", "contains", { concentration_mg_per_kg: 6 }),
    declared("peanut", "may_contain", { concentration_mg_per_kg: 2 }),
  ];
  const amounts = (after: IngredientLine[]) =>
    withoutOldAmounts(measured, [wine], after).map(({ concentration_mg_per_kg: found }) => found);
  it("drops an amount of sulphites that was measured before another ingredient brought some", () => {
    expect(amounts([wine, line("dried apricots", ["sulphites"])])).toEqual([null, 2]);
    expect(amounts([line("wine", ["sulphites"]), line("salt")])).toEqual([6, 2]);
    expect(amounts([])).toEqual([6, 2]);
  });
});

describe("redeclare", () => {
  it("drops what no ingredient brings any more, and keeps what was declared by hand", () => {
    const before = mergeDeclarations(rollUp([line("butter", ["milk"]), line("flour", ["wheat"])]), [
      declared("milk"),
    ]);
    const after = redeclare([line("oil")], before);
    expect(after.map(({ code, derived_from: from }) => [code, from])).toEqual([["milk", []]]);
    expect(byHand(before).map(({ code }) => code)).toEqual(["milk"]);
  });
});

describe("findConflict", () => {
  it.each([
    ["AA7", declared("milk", "may_contain"), "free_from_conflict"],
    ["invariant 2", declared("milk"), "declaration_conflict"],
  ])("%s: free from milk", (_, other, code) => {
    expect(findConflict([declared("milk", "free_from"), other])?.code).toBe(code);
  });
  it("sees wider and narrower words", () => {
    expect(findConflict([declared("nuts", "free_from"), declared("almond")])?.code).toBe(
      "declaration_conflict",
    );
    expect(findConflict([declared("almond", "free_from"), declared("tree_nuts", "may_contain")])?.code).toBe(
      "free_from_conflict",
    );
    expect(findConflict([declared("rye", "free_from"), declared("triticale")])?.code).toBe(
      "declaration_conflict",
    );
    expect(findConflict([declared("almond", "free_from"), declared("hazelnut")])).toBeNull();
  });
});

describe("findUnspecific", () => {
  it("AA23: tree_nuts, with the candidates", () => {
    const found = findUnspecific([declared("milk"), declared("tree_nuts")], "uk");
    expect(found).toMatchObject({
      code: "allergen_not_specific",
      type: "unprocessable_content",
      path: ["declarations", 1, "code"],
    });
    expect(found?.detail).toContain("hazelnut");
  });
  it("wants the name in a warning too, where guidance allows no wider word, and lets a free-from group be", () => {
    expect(findUnspecific([declared("nuts", "may_contain")], "eu")?.code).toBe("allergen_not_specific");
    expect(findUnspecific([declared("tree_nuts", "may_contain")], "uk")).toBeNull();
    expect(findUnspecific([declared("gluten", "may_contain")], "uk")?.code).toBe("allergen_not_specific");
    expect(findUnspecific([declared("nuts", "free_from")], "uk")).toBeNull();
    expect(findUnspecific([declared("fish")], "uk")).toBeNull();
    expect(findUnspecific([declared("fish")], "us")?.code).toBe("allergen_not_specific");
  });
});
