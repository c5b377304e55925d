import { parse } from "csv-parse/sync";
import { expect, it } from "vitest";

import { readRows } from "../../../server/engines/reviews/services/read-rows.ts";
import { mapRow } from "../../../server/engines/reviews/rules/map-rows.ts";
import { csvOf, CSV_HEAD, cutText } from "../../../server/engines/reviews/rules/write-rows.ts";
import { makeReview } from "./make.ts";

const nasty = makeReview({
  title: 'He said "yes",\nthen no',
  body: "Lines\nand, commas; and ünïcode",
  recommends: true,
});

it("can be read back by an import", () => {
  const read = readRows(CSV_HEAD + csvOf(nasty), "csv");
  if ("problem" in read) throw new Error(read.problem);
  const [row = {}] = read.rows;
  expect(mapRow(row, { mapping: {}, defaults: {} }, 1)).toMatchObject({
    mapped: {
      title: nasty.title,
      body: nasty.body,
      rating: 5,
      recommends: true,
      submitted_at: nasty.submitted_at,
      external_id: nasty.id,
    },
  });
});

it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\tx"])("makes no formula of %s", (title) => {
  expect(csvOf(makeReview({ title }))).toContain(`'${title}`);
});

it("makes no formula where Excel takes semicolons and line breaks for the ends of cells", () => {
  const line = csvOf(makeReview({ body: 'Good;=1+1\n=HYPERLINK("https://a.example")\n@x;+1;-2;ok' }));
  const cells = parse(line, { delimiter: ";", quote: null, relax_column_count: true }).flat();
  expect(cells.length).toBeGreaterThan(6);
  expect(cells.filter((cell: string) => /^[=+\-@]/.test(cell))).toEqual([]);
});

it.each<[string, string, string[]]>([
  ["an empty text", "", []],
  ["one that is short enough", "abc,def", ["abc,def"]],
  ["after the last comma that fits", "a,b,ada@shop.example,c", ["a,b,", "ada@shop.example,c"]],
  ["where there is no comma, at the limit", "x".repeat(45), ["x".repeat(20), "x".repeat(20), "x".repeat(5)]],
])("cuts %s", (_, text, pieces) => expect(cutText(text, 20)).toEqual(pieces));
