import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";

import { exampleSubmission } from "../../../server/engines/forms/routes/examples.ts";
import {
  answerKeys,
  csvHead,
  csvRows,
  ndjsonRows,
  safeCell,
  showAnswer,
} from "../../../server/engines/forms/rules/write-export.ts";
import { field } from "./make.ts";

const { version: _, ...submission } = exampleSubmission;

describe("exports", () => {
  it.each(["=1+1", "+44", "-2", "@x", "\tx", "\rx"])("%j is no formula", (text) =>
    expect(safeCell(text)).toBe(`'${text}`),
  );
  it("leaves other cells as they are", () => expect(safeCell("a=b")).toBe("a=b"));

  it("writes a column for each field, and for answers of older versions", () => {
    const sent = {
      ...submission,
      data: { name: '=HYPERLINK("x")', diet: ["vegan", "halal"], old: "a,b\nc" },
      tags: ["=x"],
    };
    const keys = answerKeys([field("title", { type: "heading" }), field("name"), field("diet")], [sent]);
    const [head = [], row = []] = parse(csvHead(keys) + csvRows(keys, [sent]));
    expect(head.slice(-3)).toEqual(["name", "diet", "old"]);
    expect(row.slice(-4)).toEqual(["'=x", `'=HYPERLINK("x")`, "vegan, halal", "a,b\nc"]);
  });

  it("writes a document a line", () => {
    expect(
      ndjsonRows([submission, submission])
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual([submission, submission]);
    expect(showAnswer({ line1: "1 Mare St", line2: "", city: "London" })).toBe("1 Mare St, London");
    expect([showAnswer(undefined), showAnswer(5), showAnswer(true)]).toEqual(["", "5", "true"]);
  });
});
