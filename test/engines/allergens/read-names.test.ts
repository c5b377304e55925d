import { expect, it } from "vitest";

import { containedPart, namedIn } from "../../../server/engines/allergens/rules/read-names.ts";

it.each([
  ["skimmed milk powder", ["milk"]],
  ["coconut milk", []],
  ["oat milk", ["oats"]],
  ["soya milk", ["soy"]],
  ["almond milk, milk", ["almond", "milk"]],
  ["lait de coco", []],
  ["noix de coco râpée", []],
  ["noix concassées", ["walnut"]],
  ["wheat flour and barley malt", ["wheat", "barley"]],
  ["buckwheat", []],
  ["sea bass", ["fish"]],
  ["nuts", []],
] as const)("%s → %j", (name, codes) => expect(namedIn(name)).toEqual(codes));

it.each([
  ["Contains rye. May contain milk. Free from nuts and eggs.", "Contains rye. . ."],
  ["Contiene trigo. Puede contener soja.", "Contiene trigo. ."],
  ["Съдържа: мляко. Може да съдържа: соя", "Съдържа: мляко. "],
  ["Contains notable nuts, not milk", "Contains notable nuts, "],
])("containedPart of %j", (statement, expected) => expect(containedPart(statement)).toBe(expected));
