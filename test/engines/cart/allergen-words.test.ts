import { expect, it } from "vitest";

import { isAllergenCode, isSameAllergen } from "../../../server/engines/cart/data/allergen-words.ts";
import { CODES } from "../../../server/engines/allergens/data/codes.ts";
import { isRelated } from "../../../server/engines/allergens/rules/taxonomy.ts";

it("knows the codes of /v1/allergens, and which of them cover others", () => {
  const codes = CODES.map(({ code }) => code);
  expect(codes.filter((code) => !isAllergenCode(code))).toEqual([]);
  expect(["dairy", "Milk", "toString"].filter(isAllergenCode)).toEqual([]);
  const differing = codes.flatMap((a) =>
    codes.filter((b) => isRelated(a, b) !== isSameAllergen(a, b)).map((b) => `${a} ${b}`),
  );
  expect(differing).toEqual([]);
});
