import { describe, expect, it } from "vitest";

import type { ModeId } from "../../../server/engines/allergens/data/modes.ts";
import {
  declaredCode,
  declaredIn,
  isRecordedIn,
  isWhollyExempt,
  recordedIn,
} from "../../../server/engines/allergens/rules/declare.ts";
import { rollUp } from "../../../server/engines/allergens/rules/roll-up.ts";
import { declared, line } from "./make.ts";

const sulphites = (amount: number | null, mode: ModeId): string | null =>
  declaredCode(declared("sulphites", "contains", { concentration_mg_per_kg: amount }), mode);

describe("declaredCode", () => {
  it.each([
    ["AA1", "uk", 10, null],
    ["AA1", "uk", 10.1, "sulphites"],
    ["AA1", "eu", 10, null],
    ["AA2", "ca", 10, "sulphites"],
    ["AA2", "au_nz", 10, "sulphites"],
    ["AA2", "ca", 9.9, null],
    ["us regulates none", "us", 500, null],
    ["not measured", "uk", null, "sulphites"],
  ] as const)("%s: %s at %s mg/kg → %s", (_, mode, amount, expected) => {
    expect(sulphites(amount, mode)).toBe(expected);
  });

  it.each([
    ["AA4", "pine_nut", "uk", null],
    ["AA4", "pine_nut", "us", "pine_nut"],
    ["AA3", "spelt", "uk", "wheat"],
    ["a species", "cod", "uk", "fish"],
    ["a species", "cod", "us", "cod"],
    ["a hybrid", "triticale", "us", "wheat"],
    ["a hybrid", "triticale", "ca", "triticale"],
  ] as const)("%s: %s in %s → %s", (_, code, mode, expected) => {
    expect(declaredCode(declared(code), mode)).toBe(expected);
  });
});

describe("exemptions", () => {
  const syrup = line("glucose syrup", ["wheat"], { exemption: "wheat_glucose_syrup" });
  it("free in uk and eu, and nowhere else; the origin stays", () => {
    const [wheat] = rollUp([syrup]);
    expect(wheat?.derived_from).toEqual([
      { line_id: syrup.id, ingredient_id: null, name: "glucose syrup", exemption: "wheat_glucose_syrup" },
    ]);
    const inMode = (mode: ModeId) =>
      declaredIn({ declarations: rollUp([syrup]), ingredients: [syrup] }, mode).allergens;
    expect([inMode("uk"), inMode("eu"), inMode("us"), inMode("au_nz")]).toEqual([
      [],
      [],
      ["wheat"],
      ["wheat"],
    ]);
  });
  it("is undone by another ingredient, and by a declaration made by hand", () => {
    const flour = line("wheat flour", ["wheat"]);
    expect(
      declaredIn({ declarations: rollUp([syrup, flour]), ingredients: [syrup, flour] }, "uk").allergens,
    ).toEqual(["wheat"]);
    expect(isWhollyExempt(declared("wheat"), "uk")).toBe(false);
  });
  it("covers its own code only", () => {
    const odd = line("syrup with whey", ["wheat", "milk"], { exemption: "wheat_glucose_syrup" });
    expect(declaredIn({ declarations: rollUp([odd]), ingredients: [odd] }, "uk").allergens).toEqual(["milk"]);
  });
});

describe("declaredIn", () => {
  it("keeps the order of appearance, then of codes, each once", () => {
    const ingredients = [line("spelt", ["spelt"]), line("butter", ["milk"]), line("wheat", ["wheat"])];
    const declarations = [
      declared("soy"),
      declared("egg"),
      declared("milk"),
      declared("wheat"),
      declared("spelt"),
    ];
    expect(declaredIn({ declarations, ingredients }, "uk").allergens).toEqual([
      "wheat",
      "milk",
      "egg",
      "soy",
    ]);
  });
  it("warns of nothing that it contains", () => {
    const declarations = [
      declared("wheat"),
      declared("spelt", "may_contain"),
      declared("milk", "may_contain"),
    ];
    expect(declaredIn({ declarations, ingredients: [] }, "uk")).toEqual({
      allergens: ["wheat"],
      may_contain: ["milk"],
    });
  });
});

it("recordedIn adds what the mode does not regulate, and nothing exempt or below a threshold", () => {
  const ingredients = [
    line("pine nuts", ["pine_nut"]),
    line("oil", ["soy"], { exemption: "refined_soy_oil" }),
    line("spelt", ["spelt"]),
  ];
  const declarations = [declared("sulphites", "contains", { concentration_mg_per_kg: 5 })];
  const food = { ingredients, declarations };
  expect(recordedIn(food, "uk").allergens).toEqual(["wheat", "pine_nut"]);
  expect(recordedIn(food, "us").allergens).toEqual(["pine_nut", "wheat", "sulphites"]);
  expect([
    isRecordedIn(declared("pine_nut"), "uk"),
    isRecordedIn(declarations[0] ?? declared("milk"), "uk"),
  ]).toEqual([true, false]);
});
