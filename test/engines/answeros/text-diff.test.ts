import * as fc from "fast-check";
import { expect, it } from "vitest";

import { diffTexts } from "../../../server/engines/answeros/rules/text-diff.ts";

const join = (before: string, after: string, left: "add" | "remove") =>
  diffTexts(before, after)
    .filter(({ op }) => op !== left)
    .map(({ text }) => text)
    .join("");

it("tells what went and what came", () => {
  expect(diffTexts("Rye keeps long.", "Rye keeps well.")).toEqual([
    { op: "same", text: "Rye keeps " },
    { op: "remove", text: "long" },
    { op: "add", text: "well" },
    { op: "same", text: "." },
  ]);
});

it("holds both texts", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (before, after) => {
      expect(join(before, after, "add")).toBe(before);
      expect(join(before, after, "remove")).toBe(after);
    }),
  );
});

it("does not compare word by word what has little in common", () => {
  const words = (word: string) => Array.from({ length: 3_000 }, (_, index) => `${word}${index}`).join(" ");
  expect(diffTexts(words("a"), words("b")).map(({ op }) => op)).toEqual(["remove", "add"]);
});
