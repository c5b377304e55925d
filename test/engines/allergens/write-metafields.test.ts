import { describe, expect, it } from "vitest";

import {
  DERIVED_KEYS,
  metafieldFault,
  writeMetafields,
} from "../../../server/engines/allergens/rules/write-metafields.ts";
import type { Product } from "../../../server/engines/allergens/schema.ts";
import { claimed, declared, line, product, settings, verified } from "./make.ts";

const write = (food: Product, strict = true) =>
  writeMetafields(food, food, {
    mode: "uk",
    today: "2026-06-01",
    settings: settings({ require_verified: strict }),
  });
const keys = (food: Product, strict = true) =>
  write(food, strict).map(({ namespace, key }) => `${namespace}.${key}`);

describe("writeMetafields", () => {
  it("gives a verified product out, each value being one of its type", () => {
    const food = verified({
      declarations: [declared("milk"), declared("almond", "may_contain")],
      dietary: [claimed("vegetarian"), claimed("halal", { status: "withdrawn" })],
    });
    const fields = write(food);
    expect(fields.find(({ key }) => key === "contains")?.value).toBe('["milk"]');
    expect(fields.find(({ key }) => key === "claims")?.value).toBe('["vegetarian"]');
    for (const field of fields) {
      expect(metafieldFault(field)).toBeNull();
      expect(DERIVED_KEYS).toContain(`${field.namespace}.${field.key}`);
    }
  });
  it("leaves out a claim that the mode does not allow at what was measured", () => {
    const dietary = [claimed("gluten_free", { gluten_mg_per_kg: 19 })];
    const foodOf = (mode: "uk" | "au_nz") => verified({ dietary, verified_mode: mode });
    const claims = (mode: "uk" | "au_nz") =>
      writeMetafields(foodOf(mode), foodOf(mode), { mode, today: "2026-06-01", settings: settings() })
        .filter(({ namespace, key }) => namespace === "dietary" && key === "claims")
        .map(({ value }) => value);
    expect([claims("uk"), claims("au_nz")]).toEqual([['["gluten_free"]'], ["[]"]]);
  });
  it("leaves out a claim that a name of the recipe speaks against", () => {
    const food = verified({
      ingredients: [line("gelatine")],
      dietary: [claimed("vegan"), claimed("kosher")],
    });
    const [claims] = write(food).filter(({ namespace, key }) => namespace === "dietary" && key === "claims");
    expect(claims?.value).toBe("[]");
  });
  it("gives nothing that could pass for an answer out of an unverified one", () => {
    expect(keys(product({ declarations: [declared("milk")] }))).toEqual([
      "allergens.status",
      "allergens.mode",
    ]);
    expect(keys(product(), false)).toContain("allergens.contains");
  });
  it("gives no more out of one that was verified in a mode that regulates less: us asks for no celery", () => {
    const food = verified({ verified_mode: "us" });
    expect(keys(food)).toEqual(["allergens.status", "allergens.mode", "allergens.verified_at"]);
    expect(write(food)[0]?.value).toBe("unverified");
    expect(write(verified({ verified_mode: "eu" }))[0]?.value).toBe("verified");
  });
});

it.each([
  ["boolean", "true", "yes"],
  ["number_integer", "-12", "1.5"],
  ["number_decimal", "1.5", "1,5"],
  ["date", "2026-06-01", "2026-13-01"],
  ["date_time", "2026-06-01T09:00:00Z", "yesterday"],
  ["json", '{"a":1}', "{"],
  ["list.single_line_text_field", '["a"]', "[1]"],
  ["single_line_text_field", "one line", "two\nlines"],
] as const)("%s: %s is one, %s is none", (type, good, bad) => {
  const fault = (value: string) => metafieldFault({ namespace: "dietary", key: "x1", type, value });
  expect([fault(good), fault(bad)]).toEqual([null, `Not a value of ${type}.`]);
});
