import { describe, expect, it } from "vitest";

import type { ModeId } from "../../../server/engines/allergens/data/modes.ts";
import { statementText } from "../../../server/engines/allergens/rules/render-label.ts";
import { rollUp } from "../../../server/engines/allergens/rules/roll-up.ts";
import { writeLabel } from "../../../server/engines/allergens/rules/write-label.ts";
import type { Product, SaleType } from "../../../server/engines/allergens/schema.ts";
import { declared, fresh, line, settings, textOf, verified } from "./make.ts";

const lines = [line("barley", ["barley"]), line("wheat flour", ["wheat"]), line("milk", ["milk"])];
const food = (more: Partial<Product> = {}) =>
  verified({ ingredients: lines, declarations: rollUp(lines), ...more });
const label = (
  product: Product,
  mode: ModeId,
  saleType: SaleType = "prepacked",
  locale: "en" | "fr" = "en",
) => writeLabel(product, { mode, locale, sale_type: saleType }, { freshness: fresh, settings: settings() });
const contains = (...parts: Parameters<typeof label>): string | null => {
  const { contains: statement } = label(...parts);
  return statement === null ? null : statementText(statement);
};

describe("the statement of what it contains", () => {
  it("AA5: au_nz puts barley, wheat and milk in bold, and sums up as wheat, gluten, milk", () => {
    const { segments } = label(food(), "au_nz");
    expect(textOf(segments)).toBe("*barley*, *wheat* flour, *milk*");
    expect(contains(food(), "au_nz")).toBe("Contains wheat, gluten, milk.");
  });
  it("au_nz: barley alone is gluten alone", () => {
    const ingredients = [line("milk", ["milk"]), line("barley", ["barley"]), line("oats", ["oats"])];
    expect(contains(verified({ ingredients, declarations: rollUp(ingredients) }), "au_nz")).toBe(
      "Contains milk, gluten.",
    );
  });
  it("AA6: uk and eu have none beside a list; loose food, or food without a list, has one", () => {
    expect([contains(food(), "uk"), contains(food(), "eu", "ppds")]).toEqual([null, null]);
    expect(label(food(), "uk", "loose")).toMatchObject({ segments: [] });
    expect(contains(food(), "uk", "loose")).toBe("Contains barley, wheat, milk.");
    expect(contains(verified({ declarations: [declared("sulphites")] }), "uk")).toBe("Contains sulphites.");
  });
  it("us and ca name all of them, in the language that is asked for", () => {
    expect(contains(food(), "us")).toBe("Contains: wheat, milk.");
    expect(contains(food(), "ca")).toBe("Contains: barley, wheat, milk.");
    expect(contains(food(), "ca", "prepacked", "fr")).toBe("Contient : orge, blé, lait.");
  });
  it("tells nothing where there is nothing to tell", () => {
    expect(contains(verified({ ingredients: [line("water")] }), "au_nz")).toBeNull();
  });
  it("a statement of one's own takes its place where the mode allows one", () => {
    const own = food({ contains_statement: "Contains wheat, milk and barley." });
    expect(label(own, "us").own_statement).toBe("Contains wheat, milk and barley.");
    expect(label(own, "uk").own_statement).toBeNull();
  });
});

it("warns by name of what it may contain", () => {
  const warned = food({
    declarations: [...rollUp(lines), declared("peanut", "may_contain"), declared("pine_nut", "may_contain")],
  });
  const text = (mode: ModeId) => {
    const statement = label(warned, mode).may_contain;
    return statement === null ? null : statementText(statement);
  };
  expect([text("uk"), text("us")]).toEqual(["May contain peanuts.", "May contain: peanut, pine nut."]);
  expect(label(food(), "uk").may_contain).toBeNull();
});
