import { expect, it } from "vitest";

import { toPhrases } from "../../../server/engines/allergens/rules/food-tokens.ts";

it.each([
  ["Crème fraîche (Lait)", [["creme", "fraiche"], ["lait"]]],
  ["Œufs, E 322; 12% Weiß", [["oeuf"], ["e322"], ["12", "weiss"]]],
  ["ANCHOVIES. Radishes", [["anchovy"], ["radish"]]],
  ["d’amandes _noisettes_", [["d", "amande", "noisette"]]],
  ["… ()", []],
] as const)("%s", (text, phrases) => expect(toPhrases(text)).toEqual(phrases));
