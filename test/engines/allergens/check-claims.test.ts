import { describe, expect, it } from "vitest";

import { findClaimConflict, whyUnfit } from "../../../server/engines/allergens/rules/check-claims.ts";
import type { ModeId } from "../../../server/engines/allergens/data/modes.ts";
import type { DietaryClaim } from "../../../server/engines/allergens/schema/declaration.ts";
import type { Product } from "../../../server/engines/allergens/schema.ts";
import { claimed, declared, line, product } from "./make.ts";

const conflict = (claim: DietaryClaim, more: Partial<Product> = {}, mode: ModeId = "uk") =>
  findClaimConflict(product({ ...more, dietary: [claim] }), mode);

describe("diets", () => {
  it.each([
    ["vegan", line("butter", ["milk"])],
    ["vegan", line("prawns", ["prawn"])],
    ["vegan", line("honey", [], { animal_origin: "honey" })],
    ["vegetarian", line("anchovy", ["anchovy"])],
    ["vegetarian", line("gelatine", [], { animal_origin: "pork" })],
    ["halal", line("bacon", [], { animal_origin: "pork" })],
    ["halal", line("rum", [], { alcohol: true })],
    ["kosher", line("mussels", ["mussel"])],
    ["milk_free", line("ghee", [], { animal_origin: "dairy" })],
    ["nut_free", line("pine nuts", ["pine_nut"])],
    ["alcohol_free", line("wine", [], { alcohol: true })],
  ] as const)("%s is refused with an ingredient deep inside that rules it out", (claim, inner) => {
    const ingredients = [line("filling", [], { sub_ingredients: [inner] })];
    expect(conflict(claimed(claim), { ingredients })).toMatchObject({
      code: "claim_conflict",
      type: "unprocessable_content",
    });
    expect(conflict(claimed(claim, { status: "withdrawn" }), { ingredients })).toBeNull();
    expect(conflict(claimed(claim), { ingredients: [line("water")] })).toBeNull();
  });

  it("AA8: vegan beside may contain milk, egg and fish is fine", () => {
    const declarations = ["milk", "egg", "fish"].map((code) => declared(code, "may_contain"));
    expect(conflict(claimed("vegan"), { declarations })).toBeNull();
  });
  it("free from what it may contain is not", () => {
    expect(conflict(claimed("milk_free"), { declarations: [declared("milk", "may_contain")] })).toMatchObject(
      {
        code: "free_from_conflict",
        type: "conflict",
      },
    );
  });
  it("nor from what an ingredient may contain, declared or not", () => {
    const ingredients = [line("oats", ["oats"], { may_contain: ["hazelnut"] })];
    expect(conflict(claimed("nut_free"), { ingredients })?.code).toBe("free_from_conflict");
  });
  it("does not care for exemptions: isinglass is no vegan fining", () => {
    const ingredients = [line("isinglass", ["fish"], { exemption: "fish_fining" })];
    expect(conflict(claimed("vegan"), { ingredients })?.code).toBe("claim_conflict");
    expect(whyUnfit(product({ ingredients }), "vegan")).toBe("isinglass contains fish");
  });
  it("wants the certifier of a certificate, and each claim once", () => {
    expect(conflict(claimed("kosher", { status: "certified" }))?.path).toEqual(["dietary", 0, "certifier"]);
    expect(conflict(claimed("kosher", { status: "certified", certifier: "KLBD" }))).toBeNull();
    expect(findClaimConflict(product({ dietary: [claimed("vegan"), claimed("vegan")] }), "uk")?.path).toEqual(
      ["dietary", 1],
    );
  });
});

describe("gluten", () => {
  const gluten = (amount: number | null, more: Partial<Product> = {}, mode: ModeId = "uk") =>
    conflict(claimed("gluten_free", { gluten_mg_per_kg: amount }), more, mode)?.code ?? null;
  const starch = line("gluten-free wheat starch", ["wheat"], { gluten_reduced: true });

  it.each([
    ["AA9", 20, "uk", null],
    ["AA9", 20.1, "uk", "claim_conflict"],
    ["21 CFR 101.91: less than 20", 20, "us", "claim_conflict"],
    ["21 CFR 101.91: less than 20", 19.9, "us", null],
    ["Code 1.2.7: none detectable", 1, "au_nz", "claim_conflict"],
    ["Code 1.2.7: none detectable", 0, "au_nz", null],
    ["not measured", null, "uk", "claim_conflict"],
  ] as const)("%s: %s mg/kg in %s", (_, amount, mode, code) => expect(gluten(amount, {}, mode)).toBe(code));

  it("wheat starch at 15 mg/kg may claim it", () => expect(gluten(15, { ingredients: [starch] })).toBeNull());
  it("oats must themselves be at most 20, and be none at all in au_nz", () => {
    const oats = (own: number | null) => ({
      ingredients: [line("oats", ["oats"], { gluten_mg_per_kg: own })],
    });
    expect([gluten(10, oats(20)), gluten(10, oats(20.1)), gluten(10, oats(null))]).toEqual([
      null,
      "claim_conflict",
      "claim_conflict",
    ]);
    expect(gluten(0, oats(0), "au_nz")).toBe("claim_conflict");
  });
  it("very low is up to 100, with a cereal that was processed, where the claim exists", () => {
    const low = (amount: number, more: Partial<Product>, mode: ModeId = "uk") =>
      conflict(claimed("very_low_gluten", { gluten_mg_per_kg: amount }), more, mode)?.code ?? null;
    expect(low(100, { ingredients: [starch] })).toBeNull();
    expect(low(100.1, { ingredients: [starch] })).toBe("claim_conflict");
    expect(low(50, { ingredients: [line("rice flour")] })).toBe("claim_conflict");
    expect(low(50, { ingredients: [starch] }, "us")).toBe("claim_conflict");
  });
  it("stands beside no warning of a cereal", () => {
    expect(gluten(5, { declarations: [declared("barley", "may_contain")] })).toBe("free_from_conflict");
  });
});
