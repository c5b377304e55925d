import { describe, expect, it } from "vitest";

import { CODES } from "../../../server/engines/allergens/data/codes.ts";
import { describeUnknownCode, toCode } from "../../../server/engines/allergens/rules/understand-code.ts";

describe("toCode", () => {
  it.each([
    ["eggs", "egg"],
    ["Soya", "soy"],
    ["soybeans", "soy"],
    ["MILK", "milk"],
    ["brazil nuts", "brazil_nut"],
    ["crustaceans", "crustacean"],
    ["tree-nuts", "tree_nuts"],
    ["sulfites", "sulphites"],
    ["oat", "oats"],
    ["almonds", "almond"],
    ["fish", "fish"],
  ])("%s is %s", (text, code) => expect(toCode(text)).toBe(code));

  it("leaves every code as it is, and a text that names none", () => {
    for (const { code } of CODES) expect(toCode(code)).toBe(code);
    for (const text of ["seeds", "", "noix"])
      expect(CODES.map(({ code }) => code)).not.toContain(toCode(text));
  });

  it("suggests what may have been meant", () => {
    expect(describeUnknownCode("milkk")).toContain("Did you mean milk?");
    expect(describeUnknownCode("peanut butter")).toContain("Did you mean peanut?");
    expect(describeUnknownCode("qwerty")).toBe(
      "No such allergen code: qwerty. GET /v1/allergens/codes lists them.",
    );
  });
});
