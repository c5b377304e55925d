import { describe, expect, it } from "vitest";

import { parsePackText } from "../../../server/engines/allergens/rules/parse-pack-text.ts";

const read = (text: string): string => {
  const { ingredients, declarations, unread } = parsePackText(text);
  return [
    ingredients.map(({ name, contains = [] }) => [name, ...contains].join(" ")).join(", "),
    ...declarations.map(({ code, presence }) => `${presence} ${code}`),
    ...unread,
  ].join(" | ");
};

describe("parsePackText", () => {
  it.each([
    [
      "Wheat flour 52.5%, butter (milk), salt. May contain nuts.",
      "Wheat flour wheat, butter milk, salt | may_contain nuts",
    ],
    [
      "Sugar, salt\nMay also contain traces of peanuts and sesame",
      "Sugar, salt | may_contain peanut | may_contain sesame",
    ],
    ["Farine de blé, sel. Peut contenir des noisettes.", "Farine de blé wheat, sel | may_contain hazelnut"],
    ["Weizenmehl, Salz. Kann Spuren von Mandeln enthalten.", "Weizenmehl wheat, Salz | may_contain almond"],
    ["Sugar, flavouring. Contains: milk, egg.", "Sugar, flavouring | contains milk | contains egg"],
    ["Almonds. Contains nuts.", "Almonds almond"],
    ["Sugar. May contain xyz.", "Sugar | May contain xyz"],
    ["Sugar. May contain nuts; contains milk.", "Sugar | contains milk | may_contain nuts"],
    ["Sugar. May contain nuts, contains milk.", "Sugar | contains milk | may_contain nuts"],
    ["Sugar. Contains milk; may contain nuts.", "Sugar | contains milk | may_contain nuts"],
    [
      "Sugar. Contains 2% or less of each of the following: salt, whey. Contains milk.",
      "Sugar, salt, whey milk",
    ],
    [
      "Sugar. Made in a factory that also handles nuts and milk.",
      "Sugar | may_contain nuts | may_contain milk",
    ],
    ["Oats. Not suitable for nut allergy sufferers.", "Oats oats | may_contain nuts"],
    [
      "Made in small batches using milk, sugar. Made in Italy",
      "Made in small batches using milk milk, sugar, Made in Italy",
    ],
    ["Sugar, contains less than 2% of: lard, salt", "Sugar, lard, salt"],
    ["Sugar. We cannot guarantee that it is free from peanuts.", "Sugar | may_contain peanut"],
    ["Sugar. Can't guarantee a nut-free kitchen.", "Sugar | may_contain nuts"],
    [
      "Sugar. Due to our methods, we can't guarantee nut-free.",
      "Sugar, Due to our methods | may_contain nuts",
    ],
    [
      "Recipe: no nuts. Ingredients: cannot guarantee nut free",
      "Recipe: no nuts, Ingredients | may_contain nuts",
    ],
    ["Sugar. This product is not free from nuts.", "Sugar, This product | may_contain nuts"],
    ["Sugar. Not guaranteed milk free.", "Sugar | may_contain milk"],
    ["Sugar. May not be nut free", "Sugar | may_contain nuts"],
    ["Sugar. Our kitchen isn't nut free", "Sugar, Our kitchen | may_contain nuts"],
    ["Sugar. It is not gluten free", "Sugar, It | may_contain gluten"],
    ["Fish. Although boned, we cannot guarantee it", "Fish fish, Although boned, we cannot guarantee it"],
    ["Sugar,\n\n  salt.  \n\n May contain:  nuts", "Sugar, salt | may_contain nuts"],
  ])("%s", (text, expected) => expect(read(text)).toBe(expected));

  it("takes linear time for hostile text", () => {
    const text = "may contain ".repeat(1_600) + ".\n".repeat(400);
    expect(parsePackText(text).ingredients.length).toBeLessThan(2_000);
  });
});
