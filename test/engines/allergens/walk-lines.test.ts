import { expect, it } from "vitest";

import { walkLines } from "../../../server/engines/allergens/rules/walk-lines.ts";
import { line } from "./make.ts";

it("visits each line before those inside it, with its place", () => {
  const lines = [
    line("a", [], { sub_ingredients: [line("b", [], { sub_ingredients: [line("c")] })] }),
    line("d"),
  ];
  const seen = [...walkLines(lines)].map(({ line: { name }, level, path, inside }) => [
    name,
    level,
    path.join("/"),
    inside.map((outer) => outer.name).join(),
  ]);
  expect(seen).toEqual([
    ["a", 1, "0", ""],
    ["b", 2, "0/sub_ingredients/0", "a"],
    ["c", 3, "0/sub_ingredients/0/sub_ingredients/0", "a,b"],
    ["d", 1, "1", ""],
  ]);
});
