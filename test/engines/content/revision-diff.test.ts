import * as fc from "fast-check";
import { expect, it } from "vitest";

import { diffContent } from "../../../server/engines/content/rules/revision-diff.ts";
import { sampleContent } from "./samples.ts";
import type { DiffPart } from "../../../server/engines/content/rules/revision-diff.ts";
import { DraftContent } from "../../../server/engines/content/schema/draft.ts";
import { seeded } from "../../seeded.ts";

const content = DraftContent.parse(sampleContent);
const withBody = (body: string): DraftContent => ({ ...content, body });

it("tells what came, what went and which members differ", () => {
  const diff = diffContent(withBody("Feed it daily."), { ...withBody("Feed it weekly."), title: "Other" });
  expect(diff).toMatchObject({ unit: "words", inserted: 1, deleted: 1 });
  expect(diff.members).toEqual([{ name: "title", from: content.title, to: "Other" }]);
  expect(diffContent(withBody(""), withBody("")).body).toEqual([]);
});

it("compares very long texts by lines", () => {
  const long = "one two three four\n".repeat(3_000);
  expect(diffContent(withBody(long), withBody(`${long}five\n`))).toMatchObject({
    unit: "lines",
    inserted: 1,
  });
});

it("compares no further where all was written anew", () => {
  const words = (mark: string, end: string) =>
    Array.from({ length: 9_000 }, (_, at) => `${mark}${at}`).join(end);
  for (const end of [" ", "\n"]) {
    const [from, to] = [words("a", end), words("b", end)];
    expect(diffContent(withBody(from), withBody(to))).toMatchObject({
      unit: "lines",
      body: [
        { op: "delete", text: from },
        { op: "insert", text: to },
      ],
    });
  }
});

it("can be put together again on both sides", () => {
  const text = fc
    .array(fc.constantFrom("bread", "rye", " ", "\n", "daily.", "ß"))
    .map((words) => words.join(""));
  fc.assert(
    fc.property(text, text, (from, to) => {
      const { body } = diffContent(withBody(from), withBody(to));
      expect([applyDiff(body, "from"), applyDiff(body, "to")]).toEqual([from, to]);
    }),
    seeded(100),
  );
});

/** Puts the parts together again: the old body without what came, the new one without what went. */
const applyDiff = (parts: readonly DiffPart[], side: "from" | "to"): string =>
  parts
    .filter(({ op }) => op === "equal" || op === (side === "from" ? "delete" : "insert"))
    .map(({ text }) => text)
    .join("");
