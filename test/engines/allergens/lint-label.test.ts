import { describe, expect, it } from "vitest";

import type { ModeId } from "../../../server/engines/allergens/data/modes.ts";
import type { Freshness } from "../../../server/engines/allergens/rules/freshness.ts";
import { blocksVerification, lintLabel } from "../../../server/engines/allergens/rules/lint-label.ts";
import { rollUp } from "../../../server/engines/allergens/rules/roll-up.ts";
import { declaredIn } from "../../../server/engines/allergens/rules/declare.ts";
import { writeLabel } from "../../../server/engines/allergens/rules/write-label.ts";
import type { Product, SaleType } from "../../../server/engines/allergens/schema.ts";
import { declared, fresh, line, settings, verified } from "./make.ts";

const flour = line("wheat flour", ["wheat"]);
const food = (more: Partial<Product> = {}) =>
  verified({ ingredients: [flour], declarations: rollUp([flour]), ...more });
function lint(
  product: Product,
  {
    mode = "uk",
    saleType = "prepacked",
    freshness = fresh,
    strict = true,
  }: { mode?: ModeId; saleType?: SaleType; freshness?: Freshness; strict?: boolean } = {},
): string[] {
  const state = { freshness, settings: settings({ require_verified: strict }) };
  const found = writeLabel(product, { mode, locale: "en", sale_type: saleType }, state).lint;
  return found.map(({ level, code }) => `${level} ${code}`);
}

describe("lintLabel", () => {
  it("finds nothing wrong with what is right", () => {
    expect(lint(food())).toEqual([]);
    expect(
      lintLabel(
        food(),
        { mode: "uk", locale: "en", sale_type: "prepacked" },
        {
          freshness: fresh,
          settings: settings(),
          declared: declaredIn(food(), "uk"),
          segments: [{ text: "wheat", emphasised: true, code: "wheat" }],
        },
      ),
    ).toEqual([]);
  });

  it("warns of a label in a mode that regulates more than the one in which it was verified", () => {
    expect(lint(food({ verified_mode: "us" }), { mode: "eu" })).toEqual(["warning not_verified"]);
    expect(lint(food({ verified_mode: "uk" }), { mode: "eu" })).toEqual([]);
  });

  it.each([
    ["no list", food({ ingredients: [], declarations: [] }), {}, "error no_ingredients"],
    [
      "a wider word",
      food({ declarations: [...rollUp([flour]), declared("nuts", "may_contain")] }),
      { mode: "eu" },
      "error allergen_not_specific",
    ],
    [
      "a wider word that guidance advises against",
      food({ declarations: [...rollUp([flour]), declared("nuts", "may_contain")] }),
      {},
      "warning allergen_not_specific",
    ],
    [
      "fish in us",
      food({
        ingredients: [flour, line("fish", ["fish"])],
        declarations: rollUp([flour, line("fish", ["fish"])]),
      }),
      { mode: "us" },
      "error allergen_not_specific",
    ],
    ["an ingredient that was not declared", food({ declarations: [] }), {}, "error declaration_missing"],
    [
      "a declaration that no ingredient brings",
      food({ declarations: [...rollUp([flour]), declared("milk")] }),
      {},
      "error declared_not_in_list",
    ],
    [
      "the same where a statement tells it",
      food({ declarations: [...rollUp([flour]), declared("milk")] }),
      { mode: "us" },
      "warning declared_not_in_list",
    ],
    [
      "AA6: a statement beside the list",
      food({ contains_statement: "Contains wheat" }),
      {},
      "error contains_statement_forbidden",
    ],
    [
      "a statement that leaves one out",
      food({ contains_statement: "Contains soy" }),
      { mode: "us" },
      "error contains_statement_incomplete",
    ],
    ...["Free from milk and wheat", "No soy, wheat or egg", "May contain wheat", "Sans blé ni wheat"].map(
      (statement) =>
        [
          `a statement that denies it: ${statement}`,
          food({ contains_statement: statement }),
          { mode: "us" },
          "error contains_statement_incomplete",
        ] as const,
    ),
    [
      "coconut in a us statement",
      food({ contains_statement: "Contains wheat, coconut" }),
      { mode: "us" },
      "error contains_statement_unregulated",
    ],
    [
      "sulphites that nobody measured",
      food({
        ingredients: [line("wine", ["sulphites"])],
        declarations: rollUp([line("wine", ["sulphites"])]),
      }),
      {},
      "warning sulphites_not_measured",
    ],
    [
      "a name that speaks of an allergen",
      food({ ingredients: [flour, line("milk powder")] }),
      {},
      "error allergen_word_undeclared",
    ],
    [
      "a name that cannot be read, where all else is declared",
      food({ ingredients: [flour, line("ผัดไทย")] }),
      {},
      "warning name_not_read",
    ],
    [
      "names of which none can be read",
      verified({ status: "unverified", ingredients: [line("ผัดไทย")], declarations: [] }),
      {},
      "error name_not_read",
    ],
    [
      "the same where a person has verified it",
      verified({ ingredients: [line("ผัดไทย")], declarations: [] }),
      {},
      "warning name_not_read",
    ],
    [
      "wording that the FSA advises against",
      food({ title: "Bar (no gluten-containing ingredients)" }),
      {},
      "warning no_gluten_wording",
    ],
    [
      "an order that does not fall",
      food({ ingredients: [{ ...flour, percent: 10 }, line("water", [], { percent: 60 })] }),
      {},
      "warning ingredient_order",
    ],
    [
      "more than 100 %",
      food({ ingredients: [{ ...flour, percent: 80 }, line("water", [], { percent: 30 })] }),
      {},
      "warning percent_over_100",
    ],
  ] as const)("%s", (_, product, how, finding) => expect(lint(product, how)).toContain(finding));

  it("loose food needs no list and may have a statement of its own", () => {
    expect(lint(food({ contains_statement: "Contains wheat" }), { saleType: "loose" })).toEqual([]);
  });

  it("weighs a missing verification as the settings say, and errors stand first", () => {
    const unverified: Freshness = { status: "unverified", stale_reasons: [] };
    expect(lint(food(), { freshness: unverified })).toEqual(["error not_verified"]);
    expect(lint(food(), { freshness: unverified, strict: false })).toEqual(["warning not_verified"]);
    const stale: Freshness = { status: "stale", stale_reasons: [{ code: "changed", detail: "x" }] };
    const many = lint(food({ title: "NGCI bar", contains_statement: "Contains wheat" }), {
      freshness: stale,
    });
    expect(many).toEqual(["error stale", "error contains_statement_forbidden", "warning no_gluten_wording"]);
  });

  it("a verification mends not being verified, and nothing else", () => {
    const finding = (code: "not_verified" | "stale" | "no_ingredients") => ({
      code,
      level: "error" as const,
      detail: "",
    });
    expect(
      [finding("not_verified"), finding("stale"), finding("no_ingredients")].map(blocksVerification),
    ).toEqual([false, false, true]);
    expect(blocksVerification({ code: "ingredient_order", level: "warning", detail: "" })).toBe(false);
  });
});
