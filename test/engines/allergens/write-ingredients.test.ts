import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { CODES } from "../../../server/engines/allergens/data/codes.ts";
import { MODE_IDS } from "../../../server/engines/allergens/data/modes.ts";
import type { ModeId } from "../../../server/engines/allergens/data/modes.ts";
import { declaredIn } from "../../../server/engines/allergens/rules/declare.ts";
import { rollUp } from "../../../server/engines/allergens/rules/roll-up.ts";
import { writeIngredients } from "../../../server/engines/allergens/rules/write-ingredients.ts";
import type { Declaration } from "../../../server/engines/allergens/schema/declaration.ts";
import type { IngredientLine } from "../../../server/engines/allergens/schema/ingredient.ts";
import { declared, line, textOf } from "./make.ts";

function write(lines: IngredientLine[], mode: ModeId, declarations: Declaration[] = rollUp(lines)) {
  const { allergens } = declaredIn({ declarations, ingredients: lines }, mode);
  return writeIngredients(lines, allergens, { mode, locale: "en" });
}

describe("writeIngredients", () => {
  it("names an allergen where its ingredient holds an exempt one of the same", () => {
    const dextrose = line("dextrose", ["wheat"], { exemption: "wheat_glucose_syrup" });
    const thickener = line("thickener", ["wheat"], { sub_ingredients: [dextrose] });
    expect(textOf(write([thickener], "uk"))).toBe("thickener (*wheat*) (dextrose)");
  });
  it.each([
    ["coconut milk powder", "milk", "coconut milk powder (*milk*)"],
    ["milk-free spread", "milk", "milk-free spread (*milk*)"],
    ["noix de coco", "walnut", "noix de coco (*walnut*)"],
    ["skimmed milk", "milk", "skimmed *milk*"],
    ["oat milk", "oats", "*oat* milk"],
  ])("says that %s has %s in it", (name, code, expected) => {
    expect(textOf(write([line(name, [code])], "uk"))).toBe(expected);
  });
  it("AA3: spelt in uk", () => {
    expect(write([line("spelt", ["spelt"])], "uk")).toEqual([
      { text: "spelt (", emphasised: false },
      { text: "wheat", emphasised: true, code: "wheat" },
      { text: ")", emphasised: false },
    ]);
  });

  it.each([
    ["uk", "*wheat* flour, butter (*milk*), cod fillet (*fish*), tofu (*soya*)"],
    ["us", "wheat flour, butter (milk), cod fillet, tofu (soy)"],
    ["au_nz", "*wheat* flour, butter (*milk*), cod fillet (*fish*), tofu (*soy*)"],
  ] as const)("%s names each at its ingredient", (mode, text) => {
    const lines = [
      line("wheat flour", ["wheat"]),
      line("butter", ["milk"]),
      line("cod fillet", ["cod"]),
      line("tofu", ["soy"]),
    ];
    expect(textOf(write(lines, mode))).toBe(text);
  });

  it("names what an ingredient is made of inside, and only there", () => {
    const chocolate = line("dark chocolate", ["soy"], {
      percent: 12,
      sub_ingredients: [line("sugar"), line("emulsifier: soya lecithin", ["soy"])],
    });
    expect(textOf(write([chocolate], "uk"))).toBe(
      "dark chocolate (12%) (sugar, emulsifier: *soya* lecithin)",
    );
  });

  it("leaves out what is exempt, and what was measured below the threshold", () => {
    const syrup = line("wheat glucose syrup", ["wheat"], { exemption: "wheat_glucose_syrup" });
    expect(textOf(write([syrup], "uk"))).toBe("wheat glucose syrup");
    expect(textOf(write([syrup], "au_nz"))).toBe("*wheat* glucose syrup");
    const wine = line("wine", ["sulphites"]);
    const measured = (amount: number) => [
      declared("sulphites", "contains", { concentration_mg_per_kg: amount }),
    ];
    expect(textOf(write([wine], "uk", measured(10)))).toBe("wine");
    expect(textOf(write([wine], "uk", measured(10.1)))).toBe("wine (*sulphites*)");
  });

  it("emphasises every time it appears", () => {
    expect(textOf(write([line("milk, milk powder", ["milk"]), line("whole milk", ["milk"])], "uk"))).toBe(
      "*milk*, *milk* powder, whole *milk*",
    );
  });
});

// A failing run of fast-check prints its seed.
describe("property of the list", () => {
  const code = fc.constantFrom(...CODES.map((entry) => entry.code));
  const word = fc.constantFrom(...CODES.flatMap(({ words }) => words), "sugar", "powder", "(", ", ");
  const lines = fc.array(
    fc
      .tuple(
        fc.array(word, { minLength: 1, maxLength: 3 }),
        fc.uniqueArray(code, { maxLength: 3 }),
        fc.boolean(),
      )
      .map(([words, contains, isExempt]) =>
        line(words.join(" "), contains, { exemption: isExempt ? "wheat_glucose_syrup" : null }),
      ),
    { maxLength: 5 },
  );
  it("never names nor emphasises what is not declared, and loses no text", () => {
    fc.assert(
      fc.property(lines, fc.uniqueArray(code), fc.constantFrom(...MODE_IDS), (list, others, mode) => {
        const declarations = others.map((each) => declared(each));
        const { allergens } = declaredIn({ declarations, ingredients: list }, mode);
        const segments = write(list, mode, declarations);
        for (const segment of segments) {
          expect(segment.code === undefined || allergens.includes(segment.code)).toBe(true);
          expect(segment.emphasised && segment.code === undefined).toBe(false);
        }
        const text = segments.map((segment) => segment.text).join("");
        for (const each of list) expect(text).toContain(each.name);
      }),
    );
  });
  it("names every declared code that an ingredient brings", () => {
    fc.assert(
      fc.property(lines, fc.constantFrom(...MODE_IDS), (list, mode) => {
        const { allergens } = declaredIn({ declarations: rollUp(list), ingredients: list }, mode);
        const named = new Set(write(list, mode).map((segment) => segment.code));
        for (const each of allergens) expect(named).toContain(each);
      }),
    );
  });
});
