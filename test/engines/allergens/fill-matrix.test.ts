import { describe, expect, it } from "vitest";

import { fillMatrixRow } from "../../../server/engines/allergens/rules/fill-matrix.ts";
import type { Product } from "../../../server/engines/allergens/schema.ts";
import { declared, product, verified } from "./make.ts";

const codes = ["wheat", "triticale", "milk", "almond", "celery"];
const cells = (food: Product, mode: "uk" | "us" = "uk") =>
  fillMatrixRow(food, food, { mode, codes }).cells.join("");
const declarations = [declared("wheat"), declared("milk", "may_contain")];

describe("fillMatrixRow", () => {
  it("verified: what is not declared was looked at", () =>
    expect(cells(verified({ declarations }))).toBe("C-M--"));
  it("unverified, or looked at for another mode: nobody knows", () => {
    expect(cells(product({ declarations }))).toBe("C?M??");
    expect(cells(verified({ declarations, verified_mode: "us" }))).toBe("C?M??");
  });
  it.each([
    ["us", "fish", "salmon"],
    ["us", "crustacean", "crab"],
    ["ca", "mollusc", "mussel"],
    ["us", "prawn", "shrimp"],
    ["uk", "walnut", "black_walnut"],
    ["uk", "wheat", "triticale"],
  ] as const)(
    "%s: the column of %s has %s, which a guest who avoids it avoids as well",
    (mode, code, found) => {
      const row = (presence?: "may_contain") => {
        const food = verified({ verified_mode: mode, declarations: [declared(found, presence)] });
        return fillMatrixRow(food, food, { mode, codes: [code] }).cells;
      };
      expect([row(), row("may_contain")]).toEqual([["C"], ["M"]]);
    },
  );
  it("a wider word leaves its columns open", () => {
    expect(cells(verified({ declarations: [declared("nuts")] }))).toBe("---?-");
  });
});
