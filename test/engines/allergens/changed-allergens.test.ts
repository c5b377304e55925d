import { describe, expect, it } from "vitest";

import { diffCodes, joinDiffs } from "../../../server/engines/allergens/rules/changed-allergens.ts";
import { line, product } from "./make.ts";

describe("changed allergens", () => {
  const of = (...codes: string[]) => product({ ingredients: [line("x", codes)] });
  it("are the declared codes that a change adds and removes", () => {
    expect(diffCodes(of("milk"), of("milk", "sesame"), "uk")).toEqual({ added: ["sesame"], removed: [] });
    expect(diffCodes(null, of("milk"), "uk")).toEqual({ added: ["milk"], removed: [] });
    expect(diffCodes(of("milk"), null, "uk")).toEqual({ added: [], removed: ["milk"] });
    // Not regulated there.
    expect(diffCodes(of(), of("celery"), "us")).toEqual({ added: [], removed: [] });
  });
  it("joined, what the second takes back is no change", () => {
    const added = { added: ["sesame"], removed: ["egg"] };
    expect(joinDiffs(undefined, added)).toEqual(added);
    expect(joinDiffs(added, { added: ["egg", "soy"], removed: ["sesame"] })).toEqual({
      added: ["soy"],
      removed: [],
    });
  });
});
