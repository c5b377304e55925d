import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { CODES } from "../../../server/engines/allergens/data/codes.ts";
import type { ModeId } from "../../../server/engines/allergens/data/modes.ts";
import { judge } from "../../../server/engines/allergens/rules/judge.ts";
import type { Wishes } from "../../../server/engines/allergens/rules/judge.ts";
import { knowProduct } from "../../../server/engines/allergens/rules/know-product.ts";
import { CLAIMS } from "../../../server/engines/allergens/schema/declaration.ts";
import type { Product } from "../../../server/engines/allergens/schema.ts";
import { claimed, declared, line, product, verified } from "./make.ts";

const know = (food: Product, mode: ModeId = "uk") => knowProduct(food, food, { mode, today: "2026-06-01" });
const wishes = (avoid: readonly string[], more: Partial<Wishes> = {}): Wishes => ({
  avoid,
  diets: [],
  tolerate: "none",
  ...more,
});
const verdict = (food: Product, avoid: readonly string[], more: Partial<Wishes> = {}) =>
  judge(know(food), wishes(avoid, more)).verdict;
const codes = (food: Product, avoid: readonly string[], more: Partial<Wishes> = {}) =>
  judge(know(food), wishes(avoid, more)).because.map(({ code }) => code);

describe("judge", () => {
  it("AA22: an unverified product without milk is unknown", () => {
    expect(verdict(product(), ["milk"])).toBe("unknown");
    expect(verdict(product({ declarations: [declared("milk")] }), ["milk"])).toBe("unsafe");
    expect(judge(null, wishes(["milk"]))).toMatchObject({
      verdict: "unknown",
      because: [{ code: "not_found" }],
    });
  });
  it("a verified product without milk is safe, because milk would have to be declared", () => {
    expect([verdict(verified(), ["milk"]), codes(verified(), ["milk"])]).toEqual(["safe", ["not_declared"]]);
  });
  it("what nobody had to look for is unknown", () => {
    expect([verdict(verified(), ["pine_nut"]), codes(verified(), ["pine_nut"])]).toEqual([
      "unknown",
      ["not_regulated"],
    ]);
    const us = verified({ verified_mode: "us" });
    expect([verdict(us, ["gluten"]), verdict(us, ["wheat"]), verdict(us, ["celery"])]).toEqual([
      "unknown",
      "safe",
      "unknown",
    ]);
    const free = verified({ declarations: [declared("pine_nut", "free_from")] });
    expect([verdict(free, ["pine_nut"]), codes(free, ["pine_nut"])]).toEqual([
      "safe",
      ["declared_free_from"],
    ]);
  });
  it.each([
    ["walnut", "black_walnut", "ca"],
    ["prawn", "shrimp", "uk"],
    ["shrimp", "prawn", "us"],
    ["khorasan", "kamut", "eu"],
  ] as const)("a guest who avoids %s cannot eat %s: %s", (avoided, code, mode) => {
    const food = verified({ verified_mode: mode, declarations: [declared(code)] });
    expect(judge(know(food, mode), wishes([avoided])).verdict).toBe("unsafe");
  });
  it("wider words cover narrower ones, and the other way round nobody knows", () => {
    const almond = verified({ declarations: [declared("almond")] });
    expect([verdict(almond, ["nuts"]), verdict(almond, ["almond"]), verdict(almond, ["hazelnut"])]).toEqual([
      "unsafe",
      "unsafe",
      "safe",
    ]);
    const fish = verified({ declarations: [declared("fish")] });
    expect([verdict(fish, ["cod"]), codes(fish, ["cod"])]).toEqual(["unknown", ["kind_not_told"]]);
    // Recorded although no mode of the store regulates it.
    expect(verdict(verified({ declarations: [declared("pine_nut")] }), ["nuts"])).toBe("unsafe");
  });
  it("warnings are tolerated where the guest says so", () => {
    const warned = verified({ declarations: [declared("milk", "may_contain")] });
    expect([verdict(warned, ["milk"]), verdict(warned, ["milk"], { tolerate: "may_contain" })]).toEqual([
      "unsafe",
      "safe",
    ]);
  });
  it("an exempt origin is told and does no harm", () => {
    const syrup = line("glucose syrup", ["wheat"], { exemption: "wheat_glucose_syrup" });
    const sweet = verified({ ingredients: [syrup] });
    expect([verdict(sweet, ["wheat"]), codes(sweet, ["wheat"])]).toEqual([
      "safe",
      ["exempt_origin", "not_declared"],
    ]);
    expect(judge(know(sweet, "us"), wishes(["wheat"])).verdict).toBe("unsafe");
  });
  it("an ingredient counts although nobody declared it yet", () => {
    expect(verdict(verified({ ingredients: [line("butter", ["milk"])] }), ["milk"])).toBe("unsafe");
  });
  it("a diet is kept where it is claimed, broken where something speaks against it, else unknown", () => {
    const diets = (food: Product) => verdict(food, [], { diets: ["vegan"] });
    expect(diets(verified({ dietary: [claimed("vegan")] }))).toBe("safe");
    expect(diets(verified())).toBe("unknown");
    expect(diets(verified({ ingredients: [line("honey", [], { animal_origin: "honey" })] }))).toBe("unsafe");
    expect(diets(product({ dietary: [claimed("vegan")] }))).toBe("unknown");
  });
});

// A failing run of fast-check prints its seed.
it("is never safe for a product that nobody vouches for now", () => {
  const code = fc.constantFrom(...CODES.map((entry) => entry.code));
  const declarations = fc.uniqueArray(
    fc.tuple(code, fc.constantFrom("contains" as const, "may_contain" as const, "free_from" as const)),
    { selector: ([each]) => each, maxLength: 8 },
  );
  const diet = fc.constantFrom(...CLAIMS);
  fc.assert(
    fc.property(
      declarations,
      fc.uniqueArray(diet),
      fc.constantFrom("unverified" as const, "stale" as const),
      fc.record({
        avoid: fc.uniqueArray(code, { maxLength: 4 }),
        diets: fc.uniqueArray(diet, { maxLength: 2 }),
        tolerate: fc.constantFrom("may_contain" as const, "none" as const),
      }),
      (declaredCodes, claims, status, wanted) => {
        const food = verified({
          status,
          declarations: declaredCodes.map(([each, presence]) => declared(each, presence)),
          dietary: claims.map((claim) => claimed(claim)),
        });
        expect(judge(know(food), wanted).verdict).not.toBe("safe");
      },
    ),
  );
});
