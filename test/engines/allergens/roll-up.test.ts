import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { MODE_IDS } from "../../../server/engines/allergens/data/modes.ts";
import { declaredIn } from "../../../server/engines/allergens/rules/declare.ts";
import { rollUp } from "../../../server/engines/allergens/rules/roll-up.ts";
import type { IngredientLine } from "../../../server/engines/allergens/schema/ingredient.ts";
import { line } from "./make.ts";

const presences = (lines: readonly IngredientLine[]) =>
  rollUp(lines).map(({ code, presence }) => [code, presence]);

describe("rollUp", () => {
  it("finds codes however deep", () => {
    const lines = [
      line("sauce", ["mustard"], {
        sub_ingredients: [line("mayo", [], { sub_ingredients: [line("yolk", ["egg"])] })],
      }),
    ];
    expect(presences(lines)).toEqual([
      ["mustard", "contains"],
      ["egg", "contains"],
    ]);
  });
  it("takes may contain in where it is contained", () => {
    const lines = [line("a", [], { may_contain: ["milk", "sesame"] }), line("b", ["milk"])];
    expect(presences(lines)).toEqual([
      ["milk", "contains"],
      ["sesame", "may_contain"],
    ]);
  });
  it("reads a recipe once, however often it is asked for", () => {
    let reads = 0;
    const flour = line("flour", ["wheat"]);
    const counted = Object.defineProperty({ ...flour }, "contains", { get: () => ((reads += 1), ["wheat"]) });
    const lines = [counted];
    const first = rollUp(lines);
    const before = reads;
    expect(rollUp(lines)).toEqual(first);
    expect(reads).toBe(before);
  });
  it("hands an exemption down to what stands inside", () => {
    const lines = [
      line("syrup", [], { exemption: "wheat_glucose_syrup", sub_ingredients: [line("starch", ["wheat"])] }),
    ];
    expect(rollUp(lines)[0]?.derived_from[0]?.exemption).toBe("wheat_glucose_syrup");
  });
});

// Few codes, so that they meet often: those that exemptions are about, and wider and narrower words of them.
const code = fc.constantFrom("wheat", "spelt", "gluten", "milk", "fish", "cod", "sulphites", "pine_nut");
const exemptions = fc.constantFrom(
  "wheat_glucose_syrup" as const,
  "fish_fining" as const,
  "lactitol" as const,
);
const codes = fc.uniqueArray(code, { maxLength: 4 });
const { recipe } = fc.letrec<{ recipe: IngredientLine[]; line: IngredientLine }>((tie) => ({
  recipe: fc.array(tie("line"), { maxLength: 4, depthIdentifier: "lines" }),
  line: fc
    .tuple(
      codes,
      codes,
      fc.option(exemptions, { freq: 2 }),
      fc.oneof(
        { depthSize: "small", withCrossShrink: true, depthIdentifier: "lines" },
        fc.constant([]),
        tie("recipe"),
      ),
    )
    .map(([contains, may_contain, exemption, subs]) =>
      line("x", contains, { may_contain, exemption, sub_ingredients: subs as IngredientLine[] }),
    ),
}));
const mode = fc.constantFrom(...MODE_IDS);
const declaredBy = (lines: IngredientLine[], wanted: (typeof MODE_IDS)[number]) =>
  declaredIn({ declarations: rollUp(lines), ingredients: lines }, wanted);

// A failing run of fast-check prints its seed.
describe("properties of the roll-up", () => {
  it("is monotone: another ingredient, wherever it goes, takes no declaration away", () => {
    fc.assert(
      fc.property(
        recipe,
        recipe,
        fc.tuple(fc.nat(), fc.boolean()),
        mode,
        (lines, [extra], [at, isInside], wanted) => {
          if (extra === undefined) return;
          const before = declaredBy(lines, wanted);
          const index = lines.length === 0 ? 0 : at % lines.length;
          const host = lines[index];
          const after =
            isInside && host !== undefined
              ? lines.with(index, { ...host, sub_ingredients: [...host.sub_ingredients, extra] })
              : lines.toSpliced(index, 0, extra);
          const { allergens, may_contain } = declaredBy(after, wanted);
          for (const each of before.allergens) expect(allergens).toContain(each);
          for (const each of before.may_contain) expect([...allergens, ...may_contain]).toContain(each);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("does not depend on order, nor on how ingredients without exemption are nested", () => {
    fc.assert(
      fc.property(recipe, mode, (lines, wanted) => {
        const sorted = ({ allergens, may_contain }: ReturnType<typeof declaredIn>) => [
          allergens.toSorted(),
          may_contain.toSorted(),
        ];
        const reverse = (list: readonly IngredientLine[]): IngredientLine[] =>
          list.toReversed().map((each) => ({ ...each, sub_ingredients: reverse(each.sub_ingredients) }));
        expect(sorted(declaredBy(reverse(lines), wanted))).toEqual(sorted(declaredBy(lines, wanted)));
        const plain = (list: readonly IngredientLine[]): IngredientLine[] =>
          list.map((each) => ({ ...each, exemption: null, sub_ingredients: plain(each.sub_ingredients) }));
        const flat = (list: readonly IngredientLine[]): IngredientLine[] =>
          list.flatMap((each) => [{ ...each, sub_ingredients: [] }, ...flat(each.sub_ingredients)]);
        expect(sorted(declaredBy(flat(plain(lines)), wanted))).toEqual(
          sorted(declaredBy(plain(lines), wanted)),
        );
      }),
    );
  });
});
