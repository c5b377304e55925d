import { parse } from "csv-parse/sync";
import { parsePhoneNumberFromString } from "libphonenumber-js";
import { describe, expect, it } from "vitest";

import {
  answerColumns,
  csvHead,
  csvRow,
  ndjsonRow,
  showAnswer,
} from "../../../server/engines/forms/rules/write-export.ts";
import { phoneShower } from "../../../server/engines/forms/services/phone.ts";
import type { Submission } from "../../../server/engines/forms/schema/submission.ts";
import { field } from "./make.ts";

const submission = {
  id: "fsb_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  created_at: "2026-06-01T09:00:00.000Z",
  updated_at: "2026-06-01T09:00:00.000Z",
  form_id: "frm_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  form_version: 1,
  status: "new",
  data: {
    name: "Ada Byron",
    email: "ada@office.example",
    topic: "other",
    message: "Do you bake rye bread on Saturdays?",
  },
  files: [],
  contact: { name: "Ada Byron", email: "ada@office.example", phone: null },
  consents: [],
  spam: { score: 0, verdict: "accept", reasons: [{ code: "captcha_passed", points: -30 }] },
  respondent_ref: "rsp_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  channel: "web",
  locale: "en-GB",
  page_url: "https://bakery.example/contact",
  referrer: null,
  utm: { source: "newsletter" },
  assignee: null,
  tags: [],
  notes: [],
  quote_request_id: null,
  expires_at: "2027-06-01T09:00:00.000Z",
  erased_at: null,
} satisfies Submission;

const shown = { showPhone: String, fields: new Map() };

describe("exports", () => {
  it("has no formula where Excel takes semicolons and line breaks for the ends of cells", () => {
    const message = 'We need;=1+1\n=HYPERLINK("https://a.example")\r\n@x;+1;-2;ok\n';
    const line = csvRow([{ key: "message", field: null }], { ...submission, data: { message } }, shown);
    const cells = parse(line, { delimiter: ";", quote: null, relax_column_count: true }).flat();
    expect(cells.length).toBeGreaterThan(6);
    expect(cells.filter((cell: string) => /^[=+\-@]/.test(cell))).toEqual([]);
  });
  it("has none there in the column of the other answers either", () => {
    const column = { key: "more_answers", field: null, except: new Set<string>() };
    const line = csvRow([column], { ...submission, data: { late: "x;=1+1" } }, shown);
    expect(line).not.toContain(";=");
  });
  it("writes a column for each field, and for answers of older versions", () => {
    const sent = {
      ...submission,
      data: { name: '=HYPERLINK("x")', diet: ["vegan", "halal"], old: "a,b\nc" },
      tags: ["=x"],
    };
    const columns = answerColumns(
      [field("title", { type: "heading" }), field("name"), field("diet")],
      Object.keys(sent.data),
    );
    const [head = [], row = []] = parse(csvHead(columns) + csvRow(columns, sent, shown));
    expect(head.slice(-3)).toEqual(["name", "diet", "old"]);
    expect(row.slice(-5)).toEqual(["'=x", "", `'=HYPERLINK("x")`, "vegan, halal", "a,b\nc"]);
  });

  it("writes numbers, amounts and dates as a spreadsheet reads them, and phone numbers as text", async () => {
    const fields = [
      field("offset", { type: "number" }),
      field("budget", { type: "currency", currency: "GBP" }),
      field("yen", { type: "currency", currency: "JPY" }),
      field("phone", { type: "phone" }),
      field("at", { type: "datetime" }),
      field("note"),
    ];
    const data = { offset: -2.5, budget: -1250, yen: 900, phone: "+442079460018", at: "2026-06-19T12:30" };
    const sent = { ...submission, data: { ...data, note: "-5+1" } };
    const columns = answerColumns(fields, Object.keys(sent.data));
    const text = csvHead(columns) + csvRow(columns, sent, { ...shown, showPhone: await phoneShower(fields) });
    expect(text.startsWith("\ufeffid,")).toBe(true);
    const [, row = []] = parse(text, { bom: true });
    expect(row.slice(-6)).toEqual([
      "-2.5",
      "-12.50",
      "900",
      "(+44) 20 7946 0018",
      "2026-06-19 12:30",
      "'-5+1",
    ]);
    expect(parsePhoneNumberFromString(row.at(-3) ?? "", "FR")?.number).toBe("+442079460018");
  });

  it("writes which consents were given", () => {
    const consents = ["terms", "news"].map((key) => ({ key, version: "1", at: submission.created_at }));
    const [head = [], row = []] = parse(csvHead([]) + csvRow([], { ...submission, consents }, shown));
    expect([head.at(-1), row.at(-1)]).toEqual(["consents", "terms, news"]);
  });

  it("writes an answer as what its field was when it was sent", () => {
    const columns = answerColumns([field("budget", { type: "currency", currency: "GBP" })], ["phone"]);
    const sent = { ...submission, data: { budget: 500, phone: "+442079460018" } };
    const fields = new Map([
      ["budget", field("budget", { type: "number" })],
      ["phone", field("phone", { type: "phone" })],
    ]);
    expect(csvRow(columns, sent, { fields, showPhone: (number) => `(${number})` })).toContain(
      ",500,(+442079460018)",
    );
    expect(csvRow(columns, sent, shown)).toContain(",5.00,");
  });

  it("writes a document a line", () => {
    expect(
      [submission, submission]
        .map(ndjsonRow)
        .join("")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual([submission, submission]);
    expect(showAnswer({ line1: "1 Mare St", line2: "", city: "London" })).toBe("1 Mare St, London");
    expect([showAnswer(undefined), showAnswer(5), showAnswer(true)]).toEqual(["", "5", "true"]);
  });
});
