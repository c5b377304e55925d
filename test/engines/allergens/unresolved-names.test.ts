import { describe, expect, it } from "vitest";

import {
  barringNames,
  describeName,
  describeUnread,
  unreadNames,
  unresolvedNames,
} from "../../../server/engines/allergens/rules/unresolved-names.ts";
import type { ModeId } from "../../../server/engines/allergens/data/modes.ts";
import { rollUp } from "../../../server/engines/allergens/rules/roll-up.ts";
import type { AnimalOrigin, IngredientLine } from "../../../server/engines/allergens/schema/ingredient.ts";
import type { Product } from "../../../server/engines/allergens/schema.ts";
import { declared, line, product } from "./make.ts";

const open = (...ingredients: IngredientLine[]) =>
  unresolvedNames(product({ ingredients })).map(({ name, code }) => `${name}: ${code}`);

describe("unresolvedNames", () => {
  it("asks for what a name says and no code of the ingredient answers", () => {
    expect(open(line("whole milk powder"), line("butter", ["milk"]), line("salt"))).toEqual([
      "whole milk powder: milk",
    ]);
    expect(open(line("nuts", ["hazelnut"]), line("prawns", ["shrimp"]), line("bread", ["rye"]))).toEqual([]);
    expect(open(line("almonds", ["hazelnut"]))).toEqual(["almonds: almond"]);
    expect(open(line("salmon", ["cod"]), line("clams", ["squid"]))).toEqual([
      "salmon: salmon",
      "clams: clam",
    ]);
    expect(
      open(
        line("salmon", ["fish"]),
        line("hake", ["cod"]),
        line("salmon trout", ["trout"]),
        line("seafood", ["cod", "crab", "clam"]),
      ),
    ).toEqual([]);
  });

  it("lets the ingredients of a compound, the one around it and an exemption answer", () => {
    expect(open(line("milk chocolate", [], { sub_ingredients: [line("milk powder", ["milk"])] }))).toEqual(
      [],
    );
    expect(open(line("dressing", ["egg"], { sub_ingredients: [line("egg yolk")] }))).toEqual([]);
    expect(open(line("wheat glucose syrup", [], { exemption: "wheat_glucose_syrup" }))).toEqual([]);
    expect(open(line("cheese", [], { exemption: "wheat_glucose_syrup" }))).toEqual(["cheese: milk"]);
  });

  it("lets what is exempt in one ingredient answer nothing that another, or the title, says", () => {
    const oil = line("refined soya oil", ["soy"], { exemption: "refined_soy_oil" });
    const bars = (...ingredients: IngredientLine[]) =>
      barringNames(product({ ingredients, declarations: rollUp(ingredients) })).flatMap(({ code, name }) =>
        code === "soy" ? [name] : [],
      );
    expect(bars(oil)).toEqual([]);
    expect(bars(oil, line("soy sauce"))).toEqual(["soy sauce"]);
    expect(bars(line("tofu dressing", [], { sub_ingredients: [oil] }))).toEqual(["tofu dressing"]);
    expect(bars(oil, line("soya flour", ["soy"]), line("soy sauce"))).toEqual([]);
    expect(unresolvedNames(product({ title: "Tofu bowl", ingredients: [oil] }))).toHaveLength(1);
    const hand = product({ ingredients: [oil, line("soya flour")], declarations: [declared("soy")] });
    expect(barringNames(hand)).toEqual([]);
  });

  it("lets an exemption answer in the mode alone in which the product is verified", () => {
    const oil = line("peanut oil", [], { exemption: "highly_refined_oil" });
    const names = (mode: ModeId | null) =>
      barringNames(product({ ingredients: [oil], verified_mode: mode })).map(({ code }) => code);
    expect([names(null), names("us"), names("uk")]).toEqual([[], [], ["peanut"]]);
  });

  it("asks for what the product's own statement says that it contains, and not for what it denies or warns of", () => {
    const says = (contains_statement: string, more: Partial<Product> = {}) =>
      barringNames(product({ contains_statement, ingredients: [line("rye", ["rye"])], ...more })).map(
        ({ code, line_id }) => [code, line_id],
      );
    expect(says("Contains rye and milk")).toEqual([["milk", null]]);
    expect(says("Contains rye. May contain milk. Free from nuts and eggs.")).toEqual([]);
    expect(says("Contains gluten")).toEqual([]);
    expect([says("Puede contener leche"), says("Kann Milch enthalten"), says("Sans lait")]).toEqual([
      [],
      [],
      [],
    ]);
    expect(says("Contains milk", { declarations: [declared("milk")] })).toEqual([]);
  });

  it("asks for the code of the animal that an ingredient comes from", () => {
    const base = (animal_origin: AnimalOrigin, contains: string[] = [], more: Partial<IngredientLine> = {}) =>
      open(line("Base 12", contains, { animal_origin, ...more }));
    expect([base("dairy"), base("egg"), base("fish")]).toEqual([
      ["Base 12: milk"],
      ["Base 12: egg"],
      ["Base 12: fish"],
    ]);
    expect([base("dairy", ["milk"]), base("fish", ["prawn"]), base("fish", ["cod"]), base("meat")]).toEqual([
      [],
      [],
      [],
      [],
    ]);
    expect(base("dairy", [], { exemption: "lactitol" })).toEqual([]);
    expect(base("dairy", [], { sub_ingredients: [line("cheese", ["milk"])] })).toEqual([]);
    const answer = (reading: string) => ({ acknowledgements: [{ reading, reason: "None left", by: null }] });
    expect([base("dairy", [], answer("dairy")), base("dairy", [], answer("milk"))]).toEqual([[], []]);
    expect(open(line("butter", [], { animal_origin: "dairy" }))).toEqual(["butter: milk"]);
  });

  it("does not ask what a compound usually holds where its ingredients are listed", () => {
    expect(open(line("pesto"))).toContain("pesto: milk");
    expect(open(line("pesto", [], { sub_ingredients: [line("basil"), line("olive oil")] }))).toEqual([]);
  });

  it("takes an acknowledgement for its reading alone", () => {
    const acknowledgements = [
      { reading: "milk", reason: "Made of oats", by: "Priya", at: "2026-06-01T09:00:00Z" },
    ];
    expect(open(line("barista milk", [], { acknowledgements }))).toEqual([]);
    expect(open(line("milk and almonds", [], { acknowledgements }))).toEqual(["milk and almonds: almond"]);
    const curry = line("coconut milk curry", [], { acknowledgements, sub_ingredients: [line("butter")] });
    expect(open(curry)).toEqual(["butter: milk"]);
  });

  it("does not bar a product that declares it for another reason", () => {
    const made = product({ ingredients: [line("milk powder")], declarations: [declared("milk")] });
    expect(unresolvedNames(made)).toMatchObject([{ declared: true }]);
    expect(barringNames(made)).toEqual([]);
    const warned = product({
      ingredients: [line("milk powder")],
      declarations: [declared("milk", "may_contain")],
    });
    expect(barringNames(warned).map(describeName)).toEqual([
      'The name "milk powder" says milk, which no code declares.',
    ]);
  });
});

describe("unreadNames", () => {
  const unread = (...ingredients: IngredientLine[]) => unreadNames(product({ ingredients }));

  it.each([
    "牛乳入りパン",
    "薄力小麦粉",
    "ข้าวผัดกุ้ง",
    "мука пшеничная с яйцом",
    "דג",
    "पनीर",
    "tôm nướng",
    "Pad Thai ผัดไทย กุ้ง",
  ])("does not take %s for a name that was read", (name) => {
    expect(unread(line(name))).toEqual([name]);
    expect(unreadNames(product({ title: name }))).toEqual([name]);
  });

  it.each([
    "小麦粉",
    "молоко",
    "γάλα",
    "crème brûlée",
    "smörgåstårta",
    "β-carotene",
    "E 471",
    "100 %",
    "süt",
  ])("reads %s", (name) => expect(unread(line(name))).toEqual([]));

  it("lets a code, ingredients of its own, an acknowledgement or a declaration answer, but not what was read", () => {
    const name = "мука пшеничная с яйцом";
    const acknowledgements = [{ reading: "egg", reason: "None", by: "Priya", at: "2026-06-01T09:00:00Z" }];
    expect(
      unread(line(name, ["wheat", "egg"]), line("パン", [], { sub_ingredients: [line("小麦粉")] })),
    ).toEqual([]);
    expect(unread(line(name, [], { acknowledgements }))).toEqual([]);
    expect(unread(line(name, ["wheat"]))).toEqual([name]);
    const ingredients = [line(name)];
    const read = declared("nuts", "may_contain", { note: "ingredients_text" });
    expect(unreadNames(product({ ingredients, declarations: [declared("egg")] }))).toEqual([]);
    expect(unreadNames(product({ ingredients, declarations: [read] }))).toEqual([name]);
    expect(unreadNames(product({ title: "パン", ingredients: [line("wheat flour", ["wheat"])] }))).toEqual(
      [],
    );
  });

  it("describes them by the first", () =>
    expect(describeUnread(["パン", "塩"])).toMatch(/^"パン" and 1 other name could not be read/));
});
